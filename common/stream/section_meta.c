/* section_meta.c - the sections model, stats and history, and the stream as a whole
 *
 * model:   u64 arrays, bytes of text; text; per array: char name[64], u64 rows, cols,
 *          f32 [rows * cols]
 * stats:   u64 count, bytes of names; f64 value[count]; names, each ended by NUL
 * history: u64 bytes; lines */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/stream/payload.h"
#include "common/base/text.h"

enum { NAME = 64 };

void se_model_release(struct se_model *m)
{
    free(m->array);
    m->array = NULL;
    m->arrays = 0;
}

static int read_array(struct se_cursor *c, struct se_array *a, struct se_err *err)
{
    const char *name = se_take(c, NAME, 1);
    const uint64_t *shape = name ? se_take(c, 2, 8) : NULL;
    uint64_t cells;

    if (!shape || name[NAME - 1] != '\0' ||
        __builtin_mul_overflow(shape[0], shape[1], &cells))
        return se_payload_fail(err, SE_MODEL, "an array is damaged");
    *a = (struct se_array){ name, shape[0], shape[1], se_take(c, cells, 4) };
    if (!a->data)
        return se_payload_short(err, SE_MODEL);
    if (se_first_not_finite(a->data, cells) < cells)
        return se_payload_fail(err, SE_MODEL, "array %s holds a value that is not a finite "
                               "number", name);
    return 0;
}

int se_model_get(struct se_model *m, struct se_stream *s, struct se_err *err)
{
    struct se_model x = { 0 };
    struct se_cursor c;
    const uint64_t *h;

    if (se_payload_open(s, SE_MODEL, &c, err) < 0)
        return -1;
    h = se_take(&c, 2, 8);
    x.text = h ? se_take(&c, h[1], 1) : NULL;
    if (!x.text || h[0] > c.left / (NAME + 16))
        return se_payload_short(err, SE_MODEL);
    x.text_len = h[1];
    x.array = se_alloc(h[0], sizeof *x.array, err);
    if (!x.array)
        return -1;
    for (; x.arrays < h[0]; x.arrays++)
        if (read_array(&c, &x.array[x.arrays], err) < 0) {
            se_model_release(&x);
            return -1;
        }
    if (c.left) {
        se_model_release(&x);
        return se_payload_short(err, SE_MODEL);
    }
    *m = x;
    return 0;
}

int se_model_put(const struct se_model *m, struct se_stream *s, struct se_err *err)
{
    const uint64_t h[2] = { m->arrays, m->text_len };
    const int parts = 2 + 2 * (int)m->arrays;
    struct head {
        char name[NAME];
        uint64_t rows, cols;
    } *head = se_zalloc(m->arrays, sizeof *head, err);
    struct se_part *part = head ? se_alloc((uint64_t)parts, sizeof *part, err) : NULL;
    int rc = -1;

    if (part) {
        part[0] = (struct se_part){ h, sizeof h };
        part[1] = (struct se_part){ m->text, m->text_len };
        for (uint64_t i = 0; i < m->arrays; i++) {
            const struct se_array *a = &m->array[i];

            snprintf(head[i].name, NAME, "%s", a->name);
            head[i].rows = a->rows;
            head[i].cols = a->cols;
            part[2 + 2 * i] = (struct se_part){ &head[i], sizeof head[i] };
            part[3 + 2 * i] = (struct se_part){ a->data, a->rows * a->cols * 4 };
        }
        rc = se_stream_put(s, SE_MODEL, part, parts, NULL, err);
    }
    free(part);
    free(head);
    return rc;
}

bool se_model_value(const struct se_model *m, const char *key, char value[SE_MODEL_VALUE])
{
    const size_t len = strlen(key);

    for (uint64_t at = 0; at < m->text_len;) {
        const char *line = m->text + at, *end = memchr(line, '\n', m->text_len - at);
        const size_t n = end ? (size_t)(end - line) : m->text_len - at;

        if (n > len + 1 && n - len - 1 < SE_MODEL_VALUE && memcmp(line, key, len) == 0 &&
            line[len] == '=') {
            memcpy(value, line + len + 1, n - len - 1);
            value[n - len - 1] = '\0';
            return true;
        }
        at += n + 1;
    }
    return false;
}

int se_model_count(const struct se_model *m, const char *key, uint64_t most, uint64_t *value,
                   struct se_err *err)
{
    char text[SE_MODEL_VALUE];

    if (se_model_value(m, key, text) && se_whole_u64(text, value) && *value <= most)
        return 0;
    return se_fail(err, SE_EINPUT, "model: has no usable '%s'", key);
}

int se_stats_get(struct se_stats *x, struct se_stream *s, struct se_err *err)
{
    struct se_stats y;
    struct se_cursor c;
    const uint64_t *h;
    uint64_t names = 0;

    if (se_payload_open(s, SE_STATS, &c, err) < 0)
        return -1;
    h = se_take(&c, 2, 8);
    if (!h)
        return se_payload_short(err, SE_STATS);
    y.count = h[0];
    y.names_len = h[1];
    y.value = se_take(&c, y.count, 8);
    y.names = se_take(&c, y.names_len, 1);
    if (!y.value || !y.names || c.left)
        return se_payload_short(err, SE_STATS);
    for (uint64_t i = 0; i < y.names_len; i++) {
        const unsigned char ch = (unsigned char)y.names[i];

        names += ch == '\0';
        if (ch != '\0' && (ch <= ' ' || ch >= 0x7f))
            return se_payload_fail(err, SE_STATS, "a name holds byte %d", ch);
    }
    if (names != y.count || (y.names_len > 0 && y.names[y.names_len - 1] != '\0'))
        return se_payload_fail(err, SE_STATS, "names and values differ in number");
    for (uint64_t i = 0; i < y.count; i++)
        if (!isfinite(y.value[i]))
            return se_payload_fail(err, SE_STATS, "value %" PRIu64 " is not a finite number",
                                   i);
    *x = y;
    return 0;
}

static int stats_put(struct se_stream *s, const double *value, uint64_t count,
                     const struct se_bytes *names, struct se_err *err)
{
    const uint64_t h[2] = { count, names->len };
    const struct se_part part[] = {
        { h, sizeof h }, { value, count * 8 }, { names->data, names->len }
    };

    return se_stream_put(s, SE_STATS, part, 3, NULL, err);
}

/* Copy the stats but for names that `leave` says, then `name` if it is not NULL. */
static int stats_rewrite(struct se_stream *s, const char *prefix, const char *name,
                         double number, struct se_err *err)
{
    struct se_stats old = { 0, NULL, "", 0 };
    struct se_bytes names = SE_BYTES_INIT;
    uint64_t count = 0;
    double *value;
    int rc = 0;
    bool placed = !name;

    if (se_stream_has(s, SE_STATS) && se_stats_get(&old, s, err) < 0)
        return -1;
    value = se_alloc(old.count + 1, sizeof *value, err);
    if (!value)
        return -1;
    const char *at = old.names;
    for (uint64_t i = 0; rc == 0 && i < old.count; i++, at += strlen(at) + 1) {
        const bool same = name && strcmp(at, name) == 0;

        if (prefix && strncmp(at, prefix, strlen(prefix)) == 0)
            continue;
        rc = se_bytes_add(&names, at, strlen(at) + 1, err);
        value[count++] = same ? number : old.value[i];
        placed |= same;
    }
    if (rc == 0 && !placed) {
        rc = se_bytes_add(&names, name, strlen(name) + 1, err);
        value[count++] = number;
    }
    if (rc == 0)
        rc = stats_put(s, value, count, &names, err);
    se_bytes_release(&names);
    free(value);
    return rc;
}

int se_stats_set(struct se_stream *s, const char *name, double value, struct se_err *err)
{
    if (!isfinite(value))
        return se_fail(err, SE_EINPUT, "stats: %s is not a finite number", name);
    return stats_rewrite(s, NULL, name, value, err);
}

int se_stats_forget(struct se_stream *s, const char *prefix, struct se_err *err)
{
    return se_stream_has(s, SE_STATS) ? stats_rewrite(s, prefix, NULL, 0, err) : 0;
}

int se_stats_value(struct se_stream *s, const char *name, double *value, struct se_err *err)
{
    struct se_stats x;

    if (!se_stream_has(s, SE_STATS))
        return 0;
    if (se_stats_get(&x, s, err) < 0)
        return -1;
    const char *at = x.names;
    for (uint64_t i = 0; i < x.count; i++, at += strlen(at) + 1)
        if (strcmp(at, name) == 0) {
            *value = x.value[i];
            return 1;
        }
    return 0;
}

int se_history_get(struct se_history *h, struct se_stream *s, struct se_err *err)
{
    struct se_cursor c;
    const uint64_t *len;
    const char *text;

    if (se_payload_open(s, SE_HISTORY, &c, err) < 0)
        return -1;
    len = se_take(&c, 1, 8);
    text = len ? se_take(&c, *len, 1) : NULL;
    if (!text || c.left)
        return se_payload_short(err, SE_HISTORY);
    if (*len > 0 && (text[*len - 1] != '\n' || memchr(text, '\0', *len)))
        return se_payload_fail(err, SE_HISTORY, "its lines are damaged");
    *h = (struct se_history){ text, *len };
    return 0;
}

int se_history_add(struct se_stream *s, const char *line, struct se_err *err)
{
    struct se_history old = { NULL, 0 };
    struct se_bytes all = SE_BYTES_INIT;
    int rc = -1;

    if (se_stream_has(s, SE_HISTORY) && se_history_get(&old, s, err) < 0)
        return -1;
    if (se_bytes_add(&all, old.text, old.len, err) == 0 &&
        se_bytes_add(&all, line, strlen(line), err) == 0 &&
        se_bytes_add(&all, "\n", 1, err) == 0) {
        const uint64_t len = all.len;
        const struct se_part part[] = { { &len, 8 }, { all.data, all.len } };

        rc = se_stream_put(s, SE_HISTORY, part, 2, NULL, err);
    }
    se_bytes_release(&all);
    return rc;
}

/* All sections of vertices begin with their number; names, stats, ... do not count. */
int se_stream_vertices(struct se_stream *s, uint64_t *n, struct se_err *err)
{
    static const uint32_t tags[] = { SE_GRAPH, SE_FUSED, SE_FEATURES, SE_LABELS, SE_SPLITS,
                                     SE_EMBEDDING, SE_KNN, SE_TREE, SE_PREDICTIONS, SE_NAMES };
    uint32_t first = 0;

    *n = 0;
    for (size_t i = 0; i < sizeof tags / sizeof tags[0]; i++) {
        struct se_cursor c;
        const uint64_t *h;

        if (!se_stream_has(s, tags[i]))
            continue;
        if (se_payload_open(s, tags[i], &c, err) < 0)
            return -1;
        h = se_take(&c, 1, 8);
        if (!h)
            return se_payload_short(err, tags[i]);
        if (first && *h != *n)
            return se_payload_fail(err, tags[i], "has %" PRIu64 " vertices, but %s has %" PRIu64
                                   "; they belong to different graphs", *h,
                                   se_section_name(first), *n);
        if (!first) {
            first = tags[i];
            *n = *h;
        }
    }
    return 0;
}

static int check_one(struct se_stream *s, struct se_section *section, struct se_err *err)
{
    const uint32_t tag = section->tag;
    union {
        struct se_graph g;
        struct se_features f;
        struct se_labels l;
        struct se_splits sp;
        struct se_embedding e;
        struct se_knn k;
        struct se_tree t;
        struct se_predictions p;
        struct se_names n;
        struct se_stats st;
        struct se_history h;
    } x;
    struct se_model m = { 0 };
    int rc;

    switch (tag) {
    case SE_GRAPH:
    case SE_FUSED:
        return se_graph_get(&x.g, s, tag, err);
    case SE_FEATURES:
        return se_features_get(&x.f, s, err);
    case SE_LABELS:
        return se_labels_get(&x.l, s, err);
    case SE_SPLITS:
        return se_splits_get(&x.sp, s, err);
    case SE_EMBEDDING:
        return se_embedding_get(&x.e, s, err);
    case SE_KNN:
        return se_knn_get(&x.k, s, err);
    case SE_TREE:
        return se_tree_get(&x.t, s, err);
    case SE_PREDICTIONS:
        return se_predictions_get(&x.p, s, err);
    case SE_NAMES:
        return se_names_get(&x.n, s, err);
    case SE_STATS:
        return se_stats_get(&x.st, s, err);
    case SE_HISTORY:
        return se_history_get(&x.h, s, err);
    case SE_MODEL:
        rc = se_model_get(&m, s, err);
        if (rc == 0)
            se_model_release(&m);
        return rc;
    default:
        return se_section_plain(section, err) ? 0 : -1;
    }
}

int se_stream_check(struct se_stream *s, struct se_err *err)
{
    uint64_t n;

    for (size_t i = 0; i < s->count; i++)
        if (check_one(s, &s->section[i], err) < 0)
            return -1;
    return se_stream_vertices(s, &n, err);
}
