/* section_vertex.c - the sections labels, splits, predictions, probabilities and names
 *
 * labels:      u64 n, classes, bytes of names; i32 label[n]; names, each ended by NUL
 * splits:      u64 n, count; u8 part[count * n]
 * predictions: u64 n; i32 label[n]; f32 confidence[n]
 * probabilities: u64 n, classes; f32 p[n * classes]
 * names:       u64 n, bytes; u64 off[n + 1]; text
 * columns:     u64 d, bytes; f64 shift[d], scale[d]; names, each ended by NUL */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "common/stream/payload.h"

enum { SPARE_CLASSES = 65536 };         /* classes may have no vertex, but not without end */

const char *const se_split_part_names[4] = { "none", "train", "val", "test" };

/* Do the bytes hold exactly `count` strings? */
static bool holds_strings(struct se_reader *text, uint64_t count)
{
    uint64_t seen = 0, len;
    const void *block;
    char last = '\0';

    while ((len = se_next_block(text, &block, 1)) > 0) {
        for (uint64_t i = 0; i < len; i++)
            seen += ((const char *)block)[i] == '\0';
        last = ((const char *)block)[len - 1];
    }
    return seen == count && last == '\0';
}

static int check_classes(struct se_reader *label, uint64_t n, uint64_t classes,
                         struct se_err *err)
{
    for (uint64_t v = 0; v < n; v++) {
        const int32_t c = se_next_i32(label);

        if (c < -1 || c >= (int64_t)classes)
            return se_payload_fail(err, SE_LABELS, "vertex %" PRIu64 " has class %" PRId32, v,
                                   c);
    }
    return 0;
}

int se_walk_labels(struct se_walk *w, void *to, struct se_err *err)
{
    struct se_labels x = { 0 };
    struct se_reader label, names;
    const uint64_t *h = se_walk_head(w, 3);

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
    x.label = se_walk_array(w, &label, x.n, 4);
    x.names = se_walk_array(w, &names, x.names_len, 1);
    if (!x.label || !x.names || w->left)
        return se_payload_short(err, SE_LABELS);
    if (x.names_len == 0)
        x.names = NULL;
    else if (!holds_strings(&names, x.classes))
        return se_payload_fail(err, SE_LABELS, "names of classes are damaged");
    if (check_classes(&label, x.n, x.classes, err) < 0)
        return -1;
    if (to)
        *(struct se_labels *)to = x;
    return 0;
}

int se_labels_get(struct se_labels *l, struct se_stream *s, struct se_err *err)
{
    return se_walk_whole(s, SE_LABELS, se_walk_labels, l, err);
}

int se_labels_put(const struct se_labels *l, struct se_stream *s, struct se_err *err)
{
    const uint64_t h[3] = { l->n, l->classes, l->names ? l->names_len : 0 };
    const struct se_piece part[] = {
        { h, sizeof h }, { l->label, l->n * 4 }, { l->names, h[2] }
    };

    return se_stream_put(s, SE_LABELS, part, 3, NULL, err);
}

int se_walk_splits(struct se_walk *w, void *to, struct se_err *err)
{
    struct se_splits x = { 0 };
    struct se_reader part;
    const uint64_t *h = se_walk_head(w, 2);
    uint64_t cells;

    if (!h)
        return se_payload_short(err, SE_SPLITS);
    if (se_payload_vertices(h[0], SE_SPLITS, err) < 0)
        return -1;
    x.n = h[0];
    x.count = h[1];
    x.part = __builtin_mul_overflow(x.n, x.count, &cells) ? NULL
                                                          : se_walk_array(w, &part, cells, 1);
    if (!x.part || w->left)
        return se_payload_short(err, SE_SPLITS);
    if (cells == 0 && x.n + x.count > 0)
        return se_payload_fail(err, SE_SPLITS, "%" PRIu64 " splits of %" PRIu64 " vertices",
                               x.count, x.n);
    for (uint64_t i = 0; i < cells; i++) {
        const uint8_t in = se_next_u8(&part);

        if (in > SE_SPLIT_TEST)
            return se_payload_fail(err, SE_SPLITS, "vertex %" PRIu64 " of split %" PRIu64
                                   " is in part %d", i % x.n, i / x.n, in);
    }
    if (to)
        *(struct se_splits *)to = x;
    return 0;
}

int se_splits_get(struct se_splits *x, struct se_stream *s, struct se_err *err)
{
    return se_walk_whole(s, SE_SPLITS, se_walk_splits, x, err);
}

int se_splits_put(const struct se_splits *x, struct se_stream *s, struct se_err *err)
{
    const uint64_t h[2] = { x->n, x->count };
    const struct se_piece part[] = { { h, sizeof h }, { x->part, x->n * x->count } };

    return se_stream_put(s, SE_SPLITS, part, 2, NULL, err);
}

int se_walk_predictions(struct se_walk *w, void *to, struct se_err *err)
{
    struct se_predictions x;
    struct se_reader label, confidence;
    const uint64_t *h = se_walk_head(w, 1);

    if (!h)
        return se_payload_short(err, SE_PREDICTIONS);
    if (se_payload_vertices(h[0], SE_PREDICTIONS, err) < 0)
        return -1;
    x.n = h[0];
    x.label = se_walk_array(w, &label, x.n, 4);
    x.confidence = se_walk_array(w, &confidence, x.n, 4);
    if (!x.label || !x.confidence || w->left)
        return se_payload_short(err, SE_PREDICTIONS);
    for (uint64_t v = 0; v < x.n; v++) {
        const int32_t c = se_next_i32(&label);
        const float sure = se_next_f32(&confidence);

        if (c < -1 || !(sure >= 0 && sure <= 1))
            return se_payload_fail(err, SE_PREDICTIONS, "vertex %" PRIu64 " has class %" PRId32
                                   " with confidence %g", v, c, (double)sure);
    }
    if (to)
        *(struct se_predictions *)to = x;
    return 0;
}

int se_predictions_get(struct se_predictions *p, struct se_stream *s, struct se_err *err)
{
    return se_walk_whole(s, SE_PREDICTIONS, se_walk_predictions, p, err);
}

int se_predictions_put(const struct se_predictions *p, struct se_stream *s,
                       struct se_err *err)
{
    const uint32_t from[SE_ORIGINS] = { SE_GRAPH, 0 };
    const struct se_piece part[] = {
        { &p->n, 8 }, { p->label, p->n * 4 }, { p->confidence, p->n * 4 }
    };

    return se_stream_put(s, SE_PREDICTIONS, part, 3, from, err);
}

static int check_rows(const struct se_probabilities *x, struct se_reader *p, struct se_err *err)
{
    for (uint64_t v = 0; v < x->n; v++) {
        double sum = 0;

        for (uint64_t c = 0; c < x->classes; c++) {
            const float one = se_next_f32(p);

            if (!(one >= 0 && one <= 1))
                return se_payload_fail(err, SE_PROBABILITIES, "vertex %" PRIu64 " has "
                                       "probability %g for class %" PRIu64, v, (double)one, c);
            sum += (double)one;
        }
        if (!(sum > 0.999 && sum < 1.001))
            return se_payload_fail(err, SE_PROBABILITIES, "those of vertex %" PRIu64 " add up to "
                                   "%g, not 1", v, sum);
    }
    return 0;
}

int se_walk_probabilities(struct se_walk *w, void *to, struct se_err *err)
{
    struct se_probabilities x;
    struct se_reader p;
    const uint64_t *h = se_walk_head(w, 2);

    if (!h)
        return se_payload_short(err, SE_PROBABILITIES);
    if (se_payload_vertices(h[0], SE_PROBABILITIES, err) < 0)
        return -1;
    x.n = h[0];
    x.classes = h[1];
    x.p = x.classes > 0 && x.classes <= UINT32_MAX
              ? se_walk_array(w, &p, x.n * x.classes, 4) : NULL;
    if (!x.p || w->left)
        return se_payload_short(err, SE_PROBABILITIES);
    if (check_rows(&x, &p, err) < 0)
        return -1;
    if (to)
        *(struct se_probabilities *)to = x;
    return 0;
}

int se_probabilities_get(struct se_probabilities *p, struct se_stream *s, struct se_err *err)
{
    return se_walk_whole(s, SE_PROBABILITIES, se_walk_probabilities, p, err);
}

int se_probabilities_put(const struct se_probabilities *p, struct se_stream *s,
                         struct se_err *err)
{
    const uint32_t from[SE_ORIGINS] = { SE_GRAPH, 0 };
    const uint64_t h[2] = { p->n, p->classes };
    const struct se_piece part[] = { { h, sizeof h }, { p->p, p->n * p->classes * 4 } };

    return se_stream_put(s, SE_PROBABILITIES, part, 2, from, err);
}

/* Is there a NUL among the bytes? */
static bool holds_nul(struct se_reader *text)
{
    const void *block;
    uint64_t len;

    while ((len = se_next_block(text, &block, 1)) > 0)
        if (memchr(block, '\0', len))
            return true;
    return false;
}

int se_walk_names(struct se_walk *w, void *to, struct se_err *err)
{
    struct se_names x;
    struct se_reader off, text;
    const uint64_t *h = se_walk_head(w, 2);
    uint64_t len;

    if (!h)
        return se_payload_short(err, SE_NAMES);
    if (se_payload_vertices(h[0], SE_NAMES, err) < 0)
        return -1;
    x.n = h[0];
    len = h[1];
    x.off = se_walk_array(w, &off, x.n + 1, 8);
    x.text = se_walk_array(w, &text, len, 1);
    if (!x.off || !x.text || w->left)
        return se_payload_short(err, SE_NAMES);
    if (se_payload_offsets(&off, len, SE_NAMES, err) < 0)
        return -1;
    if (holds_nul(&text))
        return se_payload_fail(err, SE_NAMES, "a name holds a NUL byte");
    if (to)
        *(struct se_names *)to = x;
    return 0;
}

int se_names_get(struct se_names *x, struct se_stream *s, struct se_err *err)
{
    return se_walk_whole(s, SE_NAMES, se_walk_names, x, err);
}

int se_names_put(const struct se_names *x, struct se_stream *s, struct se_err *err)
{
    const uint64_t h[2] = { x->n, x->off[x->n] };
    const struct se_piece part[] = {
        { h, sizeof h }, { x->off, (x->n + 1) * 8 }, { x->text, h[1] }
    };

    return se_stream_put(s, SE_NAMES, part, 3, NULL, err);
}

int se_walk_colnames(struct se_walk *w, void *to, struct se_err *err)
{
    struct se_colnames x;
    struct se_reader shift, scale, names;
    const uint64_t *h = se_walk_head(w, 2);

    if (!h)
        return se_payload_short(err, SE_COLUMNS);
    x.d = h[0];
    x.names_len = h[1];
    x.shift = se_walk_array(w, &shift, x.d, 8);
    x.scale = se_walk_array(w, &scale, x.d, 8);
    x.names = se_walk_array(w, &names, x.names_len, 1);
    if (!x.shift || !x.scale || !x.names || w->left)
        return se_payload_short(err, SE_COLUMNS);
    if (!holds_strings(&names, x.d))
        return se_payload_fail(err, SE_COLUMNS, "names and scales differ in number");
    for (uint64_t i = 0; i < x.d; i++) {
        const double by = se_next_f64(&shift), times = se_next_f64(&scale);

        if (!isfinite(by) || !isfinite(times) || !(times > 0))
            return se_payload_fail(err, SE_COLUMNS, "column %" PRIu64 " has no finite shift and "
                                   "positive scale", i);
    }
    if (to)
        *(struct se_colnames *)to = x;
    return 0;
}

int se_colnames_get(struct se_colnames *x, struct se_stream *s, struct se_err *err)
{
    return se_walk_whole(s, SE_COLUMNS, se_walk_colnames, x, err);
}

int se_colnames_put(const struct se_colnames *x, struct se_stream *s, struct se_err *err)
{
    static const uint32_t from[SE_ORIGINS] = { SE_FEATURES, 0 };
    const uint64_t h[2] = { x->d, x->names_len };
    const struct se_piece part[] = {
        { h, sizeof h }, { x->shift, x->d * 8 }, { x->scale, x->d * 8 },
        { x->names, x->names_len }
    };

    return se_stream_put(s, SE_COLUMNS, part, 4, from, err);
}
