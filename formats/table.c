/* table.c - names numbered in order of first use, and names on their way out */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "formats/internal.h"

static uint64_t mix(uint64_t x)
{
    x ^= x >> 32;
    x *= UINT64_C(0xd6e8feb86659fd93);
    x ^= x >> 32;
    return x;
}

static uint64_t hash(const char *name, size_t len)
{
    uint64_t h = mix(len), word;

    for (; len >= 8; len -= 8, name += 8) {
        memcpy(&word, name, 8);
        h = mix(h ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    }
    word = 0;
    memcpy(&word, name, len);
    return mix(mix(h ^ word));
}

#define FREE UINT64_MAX                 /* a slot without a name */

static uint64_t make_slot(uint64_t h, uint32_t id)
{
    return h >> 32 << 32 | id;
}

static bool is_name(const struct se_table *t, uint32_t id, const char *name, size_t len)
{
    return t->off[id + 1] - t->off[id] == len &&
           (len == 0 || memcmp(t->text.data + t->off[id], name, len) == 0);
}

/* The slot that holds the name, or the free one where it belongs. */
static uint64_t find_slot(const struct se_table *t, uint64_t h, const char *name, size_t len)
{
    uint64_t i = h & (t->slots - 1);

    while (t->slot[i] != FREE && !(t->slot[i] >> 32 == h >> 32 &&
                                   is_name(t, (uint32_t)t->slot[i], name, len)))
        i = (i + 1) & (t->slots - 1);
    return i;
}

uint32_t se_table_find(const struct se_table *t, const char *name, size_t len)
{
    return t->slots ? (uint32_t)t->slot[find_slot(t, hash(name, len), name, len)] : SE_NONE;
}

/* Make room: at most half of the slots are ever taken. */
static int grow_slots(struct se_table *t, struct se_err *err)
{
    const uint64_t slots = t->slots ? 2 * t->slots : 64;
    uint64_t *slot = se_alloc(slots, sizeof *slot, err);

    if (!slot)
        return -1;
    for (uint64_t i = 0; i < slots; i++)
        slot[i] = FREE;
    for (uint64_t id = 0; id < t->n; id++) {
        const uint64_t start = t->off[id];
        const uint64_t h = hash(start < t->text.len ? t->text.data + start : "",
                                t->off[id + 1] - start);
        uint64_t i = h & (slots - 1);

        while (slot[i] != FREE)
            i = (i + 1) & (slots - 1);
        slot[i] = make_slot(h, (uint32_t)id);
    }
    free(t->slot);
    t->slot = slot;
    t->slots = slots;
    return 0;
}

static int add_hashed(struct se_table *t, uint64_t h, const char *name, size_t len,
                      uint32_t *id, struct se_err *err)
{
    uint64_t at;

    if (2 * (t->n + 1) > t->slots && grow_slots(t, err) < 0)
        return -1;
    at = find_slot(t, h, name, len);
    if (t->slot[at] == FREE) {
        if (t->n >= SE_MAX_VERTICES - 1)
            return se_fail(err, SE_EINPUT, "more than %" PRIu64 " names", t->n);
        if (se_grow(&t->off, &t->off_cap, t->n + 2, sizeof *t->off, err) < 0 ||
            se_bytes_add(&t->text, name, len, err) < 0)
            return -1;
        t->off[0] = 0;
        t->off[t->n + 1] = t->text.len;
        t->slot[at] = make_slot(h, (uint32_t)t->n++);
    }
    *id = (uint32_t)t->slot[at];
    return 0;
}

int se_table_add(struct se_table *t, const char *name, size_t len, uint32_t *id,
                 struct se_err *err)
{
    return add_hashed(t, hash(name, len), name, len, id, err);
}

int se_table_add_many(struct se_table *t, const char *const *name, const size_t *len,
                      uint32_t *id, int count, struct se_err *err)
{
    const uint64_t mask = t->slots - 1;
    uint64_t h[SE_TABLE_MANY];

    for (int i = 0; i < count; i++) {
        h[i] = hash(name[i], len[i]);
        if (t->slots)
            __builtin_prefetch(&t->slot[h[i] & mask]);
    }
    for (int i = 0; t->slots && i < count; i++) {       /* who it probably is */
        uint64_t at = h[i] & mask;

        while (t->slot[at] != FREE && t->slot[at] >> 32 != h[i] >> 32)
            at = (at + 1) & mask;
        id[i] = (uint32_t)t->slot[at];
        if (id[i] != SE_NONE)
            __builtin_prefetch(&t->off[id[i]]);
    }
    for (int i = 0; t->slots && i < count; i++)
        if (id[i] != SE_NONE)
            __builtin_prefetch(t->text.data + t->off[id[i]]);
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
        uint32_t id;

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

void se_table_release(struct se_table *t)
{
    free(t->off);
    free(t->slot);
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

void se_out_vertex(struct se_out *out, const struct se_names *names, uint64_t v)
{
    if (v < names->n)
        se_out_bytes(out, names->text + names->off[v], names->off[v + 1] - names->off[v]);
    else
        se_out_u64(out, v);
}
