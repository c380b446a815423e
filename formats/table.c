/* table.c - names numbered in order of first use, and names on their way out */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/base/keyed.h"
#include "formats/internal.h"

/* Most names are short.  Names hold no NUL, so the first 8 bytes tell short ones apart, and
 * finding one is a single access to memory. */
struct se_slot {
    uint64_t start;             /* the first bytes of the name, zeros behind it */
    uint32_t tag;               /* bits of its hash, and whether it is longer than that */
    uint32_t id;                /* SE_NONE: free */
};

static struct se_slot make_slot(uint64_t h, const char *name, size_t len, uint32_t id)
{
    struct se_slot x = { 0, (uint32_t)(h >> 33) << 1 | (len > 8), id };

    memcpy(&x.start, name, len < 8 ? len : 8);
    return x;
}

static bool is_name(const struct se_table *t, const struct se_slot *x,
                    const struct se_slot *wanted, const char *name, size_t len)
{
    return x->tag == wanted->tag && x->start == wanted->start &&
           (len <= 8 || (t->off[x->id + UINT64_C(1)] - t->off[x->id] == len &&
                         memcmp(t->text.data + t->off[x->id], name, len) == 0));
}

/* The slot that holds the name, or the free one where it belongs. */
static struct se_slot *find_slot(const struct se_table *t, uint64_t h,
                                 const struct se_slot *wanted, const char *name, size_t len)
{
    uint64_t i = h & (t->slots - 1);

    while (t->slot[i].id != SE_NONE && !is_name(t, &t->slot[i], wanted, name, len))
        i = (i + 1) & (t->slots - 1);
    return &t->slot[i];
}

uint32_t se_table_find(const struct se_table *t, const char *name, size_t len)
{
    const uint64_t h = se_hash_bytes(name, len);
    const struct se_slot wanted = make_slot(h, name, len, SE_NONE);

    return t->slots ? find_slot(t, h, &wanted, name, len)->id : SE_NONE;
}

/* Slots are met at random: where there are many, huge pages save a third of the time. */
static struct se_slot *alloc_slots(uint64_t slots, struct se_err *err)
{
    enum { HUGE_PAGE = 1 << 21 };
    const size_t bytes = slots * sizeof(struct se_slot);
    void *p;

    if (bytes < HUGE_PAGE || se_memory_check(bytes, err) < 0 ||
        posix_memalign(&p, HUGE_PAGE, bytes) != 0)
        return se_alloc(slots, sizeof(struct se_slot), err);
    (void)madvise(p, bytes, MADV_HUGEPAGE);     /* advice: it works without */
    return p;
}

/* Make room: at most three quarters of the slots are ever taken. */
static int grow_slots(struct se_table *t, struct se_err *err)
{
    const uint64_t slots = t->slots ? 2 * t->slots : 64;
    struct se_slot *slot = alloc_slots(slots, err);

    if (!slot)
        return -1;
    for (uint64_t i = 0; i < slots; i++)
        slot[i].id = SE_NONE;
    for (uint64_t id = 0; id < t->n; id++) {
        const size_t len = t->off[id + 1] - t->off[id];
        const char *name = len > 0 ? t->text.data + t->off[id] : "";
        const uint64_t h = se_hash_bytes(name, len);
        uint64_t i = h & (slots - 1);

        while (slot[i].id != SE_NONE)
            i = (i + 1) & (slots - 1);
        slot[i] = make_slot(h, name, len, (uint32_t)id);
    }
    free(t->slot);
    t->slot = slot;
    t->slots = slots;
    return 0;
}

static int add_hashed(struct se_table *t, uint64_t h, const char *name, size_t len,
                      uint32_t *id, struct se_err *err)
{
    struct se_slot wanted = make_slot(h, name, len, (uint32_t)t->n), *at;

    if (4 * (t->n + 1) > 3 * t->slots && grow_slots(t, err) < 0)
        return -1;
    at = find_slot(t, h, &wanted, name, len);
    if (at->id == SE_NONE) {
        if (t->n >= SE_MAX_VERTICES - 1)
            return se_fail(err, SE_EINPUT, "more than %" PRIu64 " names", t->n);
        if (se_grow(&t->off, &t->off_cap, t->n + 2, sizeof *t->off, err) < 0 ||
            se_bytes_add(&t->text, name, len, err) < 0)
            return -1;
        t->off[0] = 0;
        t->off[++t->n] = t->text.len;
        *at = wanted;
    }
    *id = at->id;
    return 0;
}

int se_table_add(struct se_table *t, const char *name, size_t len, uint32_t *id,
                 struct se_err *err)
{
    return add_hashed(t, se_hash_bytes(name, len), name, len, id, err);
}

int se_table_add_many(struct se_table *t, const char *const *name, const size_t *len,
                      uint32_t *id, int count, struct se_err *err)
{
    uint64_t h[SE_TABLE_MANY];

    for (int i = 0; i < count; i++) {
        h[i] = se_hash_bytes(name[i], len[i]);
        if (t->slots)
            __builtin_prefetch(&t->slot[h[i] & (t->slots - 1)]);
    }
    for (int i = 0; i < count; i++)
        if (add_hashed(t, h[i], name[i], len[i], &id[i], err) < 0)
            return -1;
    return 0;
}

int se_table_load(struct se_table *t, struct se_stream *s, struct se_err *err)
{
    struct se_names names;

    if (se_names_get(&names, s, err) < 0)
        return -1;
    for (uint64_t v = 0; v < names.n; v++) {
        const char *name = names.text + names.off[v];
        const size_t len = names.off[v + 1] - names.off[v];
        uint32_t id = SE_NONE;

        if (se_table_add(t, name, len, &id, err) < 0)
            return -1;
        if (id != v)
            return se_fail(err, SE_EINPUT, "names: vertices %" PRIu32 " and %" PRIu64
                           " are both called '%.*s'", id, v, len > 60 ? 60 : (int)len, name);
    }
    return 0;
}

int se_table_put(const struct se_table *t, struct se_stream *s, struct se_err *err)
{
    static const uint64_t none = 0;
    const struct se_names names = { t->n, t->n ? t->off : &none, t->n ? t->text.data : "" };

    return se_names_put(&names, s, err);
}

uint64_t se_table_reach(const struct se_table *t)
{
    uint64_t farthest = 0;

    for (uint64_t i = 0; i < t->slots; i++) {
        const uint32_t id = t->slot[i].id;
        uint64_t h;

        if (id == SE_NONE)
            continue;
        h = se_hash_bytes(t->text.data + t->off[id], t->off[id + UINT64_C(1)] - t->off[id]);
        h = (i - h) & (t->slots - 1);
        farthest = h > farthest ? h : farthest;
    }
    return farthest;
}

void se_table_seal(struct se_table *t)
{
    free(t->slot);
    t->slot = NULL;
    t->slots = 0;
}

void se_table_release(struct se_table *t)
{
    se_table_seal(t);
    free(t->off);
    se_bytes_release(&t->text);
    *t = (struct se_table)SE_TABLE_INIT;
}

int se_vertex_label(const char *label, size_t len, const struct se_table *names, uint32_t *v,
                    struct se_err *err)
{
    const int shown = len > 60 ? 60 : (int)len;
    uint64_t id;

    if (names->n == 0) {
        if (!se_whole_u64(label, &id) || id >= SE_NONE)
            return se_fail(err, SE_EINPUT, "'%.*s' is not the id of a vertex; if it is a name, "
                           "import --onto a stream with names", shown, label);
        *v = (uint32_t)id;
        return 0;
    }
    *v = se_table_find(names, label, len);
    if (*v == SE_NONE)
        return se_fail(err, SE_EINPUT, "'%.*s' is not the name of a vertex; use --ids integer "
                       "if it is an id", shown, label);
    return 0;
}

int se_export_names(bool wanted, struct se_stream *s, struct se_names *names,
                    struct se_err *err)
{
    *names = (struct se_names){ 0, NULL, NULL };
    return wanted && se_stream_has(s, SE_NAMES) ? se_names_get(names, s, err) : 0;
}

int se_export_columns(bool wanted, struct se_stream *s, struct se_names *names,
                      struct se_err *err)
{
    if (se_export_names(wanted, s, names, err) < 0)
        return -1;
    for (uint64_t v = 0; v < names->n; v++)
        for (uint64_t i = names->off[v]; i < names->off[v + 1]; i++)
            if ((unsigned char)names->text[i] < ' ')
                return se_fail(err, SE_EINPUT, "the name of vertex %" PRIu64 " holds a tab or line "
                               "break, which cannot be a column", v);
    return 0;
}

void se_out_vertex(struct se_out *out, const struct se_names *names, uint64_t v)
{
    if (v < names->n)
        se_out_bytes(out, names->text + names->off[v], names->off[v + 1] - names->off[v]);
    else
        se_out_u64(out, v);
}
