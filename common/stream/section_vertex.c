/* section_vertex.c - the sections labels, splits, predictions and names
 *
 * labels:      u64 n, classes, bytes of names; i32 label[n]; names, each ended by NUL
 * splits:      u64 n, count; u8 part[count * n]
 * predictions: u64 n; i32 label[n]; f32 confidence[n]
 * names:       u64 n, bytes; u64 off[n + 1]; text */
#include <inttypes.h>
#include <string.h>

#include "common/stream/payload.h"

enum { SPARE_CLASSES = 65536 };         /* classes may have no vertex, but not without end */

const char *const se_part_names[4] = { "none", "train", "val", "test" };

/* Do `len` bytes hold exactly `count` strings? */
static bool holds_strings(const char *text, uint64_t len, uint64_t count)
{
    uint64_t seen = 0;

    for (uint64_t i = 0; i < len; i++)
        seen += text[i] == '\0';
    return seen == count && (len == 0 || text[len - 1] == '\0');
}

static int check_labels(const int32_t *label, uint64_t n, uint64_t classes, uint32_t tag,
                        struct se_err *err)
{
    for (uint64_t v = 0; v < n; v++)
        if (label[v] < -1 || label[v] >= (int64_t)classes)
            return se_payload_fail(err, tag, "vertex %" PRIu64 " has class %" PRId32, v,
                                   label[v]);
    return 0;
}

int se_labels_get(struct se_labels *l, struct se_stream *s, struct se_err *err)
{
    struct se_labels x = { 0 };
    struct se_cursor c;
    const uint64_t *h;

    if (se_payload_open(s, SE_LABELS, &c, err) < 0)
        return -1;
    h = se_take(&c, 3, 8);
    if (!h)
        return se_payload_short(err, SE_LABELS);
    if (se_payload_vertices(h[0], SE_LABELS, err) < 0)
        return -1;
    if (h[1] > h[0] + SPARE_CLASSES)    /* a count that no data stand behind */
        return se_payload_fail(err, SE_LABELS, "%" PRIu64 " classes for %" PRIu64 " vertices",
                               h[1], h[0]);
    x.n = h[0];
    x.classes = h[1];
    x.names_len = h[2];
    x.label = se_take(&c, x.n, 4);
    x.names = se_take(&c, x.names_len, 1);
    if (!x.label || !x.names || c.left)
        return se_payload_short(err, SE_LABELS);
    if (x.names_len == 0)
        x.names = NULL;
    else if (!holds_strings(x.names, x.names_len, x.classes))
        return se_payload_fail(err, SE_LABELS, "names of classes are damaged");
    if (check_labels(x.label, x.n, x.classes, SE_LABELS, err) < 0)
        return -1;
    *l = x;
    return 0;
}

int se_labels_put(const struct se_labels *l, struct se_stream *s, struct se_err *err)
{
    const uint64_t h[3] = { l->n, l->classes, l->names ? l->names_len : 0 };
    const struct se_part part[] = {
        { h, sizeof h }, { l->label, l->n * 4 }, { l->names, h[2] }
    };

    return se_stream_put(s, SE_LABELS, part, 3, NULL, err);
}

int se_splits_get(struct se_splits *x, struct se_stream *s, struct se_err *err)
{
    struct se_cursor c;
    const uint64_t *h;
    const uint8_t *part;
    uint64_t cells;

    if (se_payload_open(s, SE_SPLITS, &c, err) < 0)
        return -1;
    h = se_take(&c, 2, 8);
    if (!h)
        return se_payload_short(err, SE_SPLITS);
    if (se_payload_vertices(h[0], SE_SPLITS, err) < 0)
        return -1;
    part = __builtin_mul_overflow(h[0], h[1], &cells) ? NULL : se_take(&c, cells, 1);
    if (!part || c.left)
        return se_payload_short(err, SE_SPLITS);
    if (cells == 0 && h[0] + h[1] > 0)
        return se_payload_fail(err, SE_SPLITS, "%" PRIu64 " splits of %" PRIu64 " vertices",
                               h[1], h[0]);
    for (uint64_t i = 0; i < cells; i++)
        if (part[i] > SE_PART_TEST)
            return se_payload_fail(err, SE_SPLITS, "vertex %" PRIu64 " of split %" PRIu64
                                   " is in part %d", i % h[0], i / h[0], part[i]);
    *x = (struct se_splits){ h[0], h[1], part };
    return 0;
}

int se_splits_put(const struct se_splits *x, struct se_stream *s, struct se_err *err)
{
    const uint64_t h[2] = { x->n, x->count };
    const struct se_part part[] = { { h, sizeof h }, { x->part, x->n * x->count } };

    return se_stream_put(s, SE_SPLITS, part, 2, NULL, err);
}

int se_predictions_get(struct se_predictions *p, struct se_stream *s, struct se_err *err)
{
    struct se_predictions x;
    struct se_cursor c;
    const uint64_t *h;

    if (se_payload_open(s, SE_PREDICTIONS, &c, err) < 0)
        return -1;
    h = se_take(&c, 1, 8);
    if (!h)
        return se_payload_short(err, SE_PREDICTIONS);
    if (se_payload_vertices(h[0], SE_PREDICTIONS, err) < 0)
        return -1;
    x.n = h[0];
    x.label = se_take(&c, x.n, 4);
    x.confidence = se_take(&c, x.n, 4);
    if (!x.label || !x.confidence || c.left)
        return se_payload_short(err, SE_PREDICTIONS);
    for (uint64_t v = 0; v < x.n; v++)
        if (x.label[v] < -1 || !(x.confidence[v] >= 0 && x.confidence[v] <= 1))
            return se_payload_fail(err, SE_PREDICTIONS, "vertex %" PRIu64 " has class %" PRId32
                                   " with confidence %g", v, x.label[v],
                                   (double)x.confidence[v]);
    *p = x;
    return 0;
}

int se_predictions_put(const struct se_predictions *p, struct se_stream *s,
                       struct se_err *err)
{
    const uint32_t from[SE_ORIGINS] = { SE_GRAPH, 0 };
    const struct se_part part[] = {
        { &p->n, 8 }, { p->label, p->n * 4 }, { p->confidence, p->n * 4 }
    };

    return se_stream_put(s, SE_PREDICTIONS, part, 3, from, err);
}

int se_names_get(struct se_names *x, struct se_stream *s, struct se_err *err)
{
    struct se_names y;
    struct se_cursor c;
    const uint64_t *h;

    if (se_payload_open(s, SE_NAMES, &c, err) < 0)
        return -1;
    h = se_take(&c, 2, 8);
    if (!h)
        return se_payload_short(err, SE_NAMES);
    if (se_payload_vertices(h[0], SE_NAMES, err) < 0)
        return -1;
    y.n = h[0];
    y.off = se_take(&c, y.n + 1, 8);
    y.text = se_take(&c, h[1], 1);
    if (!y.off || !y.text || c.left)
        return se_payload_short(err, SE_NAMES);
    if (se_payload_offsets(y.off, y.n, h[1], SE_NAMES, err) < 0)
        return -1;
    if (memchr(y.text, '\0', h[1]))
        return se_payload_fail(err, SE_NAMES, "a name holds a NUL byte");
    *x = y;
    return 0;
}

int se_names_put(const struct se_names *x, struct se_stream *s, struct se_err *err)
{
    const uint64_t h[2] = { x->n, x->off[x->n] };
    const struct se_part part[] = {
        { h, sizeof h }, { x->off, (x->n + 1) * 8 }, { x->text, h[1] }
    };

    return se_stream_put(s, SE_NAMES, part, 3, NULL, err);
}
