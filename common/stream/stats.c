/* stats.c - the section stats: u64 count, bytes of names; f64 value[count]; names, each ended by
 * NUL
 *
 * Tools set one number after the other.  They are collected in a table that hangs from the stream
 * and become the section when somebody reads it or the stream is written: se_stats_flush(). */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/stream/payload.h"

struct se_stats_table {
    uint64_t count;
    uint64_t *hash;             /* of each name: comparing all of these is quick */
    uint64_t *at;               /* where each name starts */
    double *value;
    struct se_bytes names;
    size_t cap[3];
};

void se_stats_discard(struct se_stream *s)
{
    struct se_stats_table *t = s->stats;

    if (!t)
        return;
    free(t->hash);
    free(t->at);
    free(t->value);
    se_bytes_release(&t->names);
    free(t);
    s->stats = NULL;
}

static uint64_t hash_of(const char *name)
{
    uint64_t h = 14695981039346656037u;

    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * 1099511628211u;
    return h;
}

static int add(struct se_stats_table *t, const char *name, double value, struct se_err *err)
{
    if (se_grow(&t->hash, &t->cap[0], t->count + 1, sizeof *t->hash, err) < 0 ||
        se_grow(&t->at, &t->cap[1], t->count + 1, sizeof *t->at, err) < 0 ||
        se_grow(&t->value, &t->cap[2], t->count + 1, sizeof *t->value, err) < 0)
        return -1;
    t->at[t->count] = t->names.len;
    if (se_bytes_add(&t->names, name, strlen(name) + 1, err) < 0)
        return -1;
    t->hash[t->count] = hash_of(name);
    t->value[t->count++] = value;
    return 0;
}

/* Names are printable, and as many as there are values. */
static int check_names(struct se_reader *r, uint64_t count, struct se_err *err)
{
    uint64_t names = 0, len;
    const void *block;
    unsigned char last = '\0';

    while ((len = se_next_block(r, &block, 1)) > 0)
        for (uint64_t i = 0; i < len; i++) {
            last = ((const unsigned char *)block)[i];
            names += last == '\0';
            if (last != '\0' && (last <= ' ' || last >= 0x7f))
                return se_payload_fail(err, SE_STATS, "a name holds byte %d", last);
        }
    return names == count && last == '\0'
               ? 0 : se_payload_fail(err, SE_STATS, "names and values differ in number");
}

int se_walk_stats(struct se_walk *w, void *to, struct se_err *err)
{
    struct se_stats x;
    struct se_reader value, names;
    const uint64_t *h = se_walk_head(w, 2);

    if (!h)
        return se_payload_short(err, SE_STATS);
    x.count = h[0];
    x.names_len = h[1];
    x.value = se_walk_array(w, &value, x.count, 8);
    x.names = se_walk_array(w, &names, x.names_len, 1);
    if (!x.value || !x.names || w->left)
        return se_payload_short(err, SE_STATS);
    if (check_names(&names, x.count, err) < 0)
        return -1;
    for (uint64_t i = 0; i < x.count; i++)
        if (!isfinite(se_next_f64(&value)))
            return se_payload_fail(err, SE_STATS, "value %" PRIu64 " is not a finite number",
                                   i);
    if (to)
        *(struct se_stats *)to = x;
    return 0;
}

int se_stats_get(struct se_stats *x, struct se_stream *s, struct se_err *err)
{
    return se_walk_whole(s, SE_STATS, se_walk_stats, x, err);
}

static int put(struct se_stream *s, const double *value, uint64_t count,
               const struct se_bytes *names, struct se_err *err)
{
    const uint64_t h[2] = { count, names->len };
    const struct se_piece part[] = {
        { h, sizeof h }, { value, count * 8 }, { names->data, names->len }
    };

    return se_stream_put(s, SE_STATS, part, 3, NULL, err);
}

int se_stats_flush(struct se_stream *s, struct se_err *err)
{
    struct se_stream held = { .stats = s->stats };
    int rc;

    if (!s->stats)
        return 0;
    s->stats = NULL;
    rc = put(s, held.stats->value, held.stats->count, &held.stats->names, err);
    se_stats_discard(&held);
    return rc;
}

/* The table of the stream, filled with what its section holds.  A stream without one gets an
 * empty section, so that it stands where the first number was set. */
static struct se_stats_table *collect(struct se_stream *s, struct se_err *err)
{
    struct se_stats old = { 0, NULL, "", 0 };
    const struct se_bytes none = SE_BYTES_INIT;
    const char *name;

    if (s->stats)
        return s->stats;
    if (se_stream_has(s, SE_STATS) ? se_stats_get(&old, s, err) < 0
                                   : put(s, NULL, 0, &none, err) < 0)
        return NULL;
    s->stats = se_zalloc(1, sizeof *s->stats, err);
    if (!s->stats)
        return NULL;
    name = old.names;
    for (uint64_t i = 0; i < old.count; i++, name += strlen(name) + 1)
        if (add(s->stats, name, old.value[i], err) < 0) {
            se_stats_discard(s);
            return NULL;
        }
    return s->stats;
}

int se_stats_set(struct se_stream *s, const char *name, double value, struct se_err *err)
{
    struct se_stats_table *t;
    const uint64_t hash = hash_of(name);

    if (!isfinite(value))
        return se_fail(err, SE_EINPUT, "stats: %s is not a finite number", name);
    t = collect(s, err);
    if (!t)
        return -1;
    bool found = false;
    for (uint64_t i = 0; i < t->count; i++)
        if (t->hash[i] == hash && strcmp(t->names.data + t->at[i], name) == 0) {
            t->value[i] = value;
            found = true;
        }
    return found ? 0 : add(t, name, value, err);
}

int se_stats_forget(struct se_stream *s, const char *prefix, struct se_err *err)
{
    struct se_stats_table *t;
    uint64_t kept = 0, end = 0;

    if (!se_stream_has(s, SE_STATS))
        return 0;
    t = collect(s, err);
    if (!t)
        return -1;
    for (uint64_t i = 0; i < t->count; i++) {
        const char *name = t->names.data + t->at[i];
        const uint64_t len = strlen(name) + 1;

        if (strncmp(name, prefix, strlen(prefix)) == 0)
            continue;
        memmove(t->names.data + end, name, len);
        t->at[kept] = end;
        t->hash[kept] = t->hash[i];
        t->value[kept++] = t->value[i];
        end += len;
    }
    t->count = kept;
    t->names.len = end;
    return 0;
}

const double *se_stats_find(const struct se_stats *x, const char *name)
{
    const char *at = x->names;

    for (uint64_t i = 0; i < x->count; i++, at += strlen(at) + 1)
        if (strcmp(at, name) == 0)
            return &x->value[i];
    return NULL;
}

int se_stats_value(struct se_stream *s, const char *name, double *value, struct se_err *err)
{
    struct se_stats x;
    const double *found;

    if (!se_stream_has(s, SE_STATS))
        return 0;
    if (se_stats_get(&x, s, err) < 0)
        return -1;
    found = se_stats_find(&x, name);
    if (found)
        *value = *found;
    return found != NULL;
}
