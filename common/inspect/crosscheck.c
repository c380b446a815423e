/* crosscheck.c - do the sections of a stream agree with each other? Names, classes, origins */
#include "common/inspect/crosscheck.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/stream/payload.h"

/* --- origins --- */

static int check_origins(struct se_stream *s, const struct se_section *x, struct se_err *err)
{
    const struct se_section_kind *kind = se_section_kind_of(x->tag);

    if (!kind)
        return 0;                               /* nobody knows what it is */
    for (int i = 0; i < SE_ORIGINS; i++) {
        const uint32_t from = x->origin[i].tag;

        if (from != 0 && from != kind->from[i][0] && from != kind->from[i][1])
            return se_payload_fail(err, x->tag, "says it was made from %s, which nothing makes "
                                   "it from", se_section_name(from));
    }
    return se_stream_check_origin(s, x->tag, err);
}

/* --- things that occur once --- */

struct word {
    const char *text;
    uint64_t len, index;
};

static int by_text(const void *a, const void *b)
{
    const struct word *x = a, *y = b;
    const int c = memcmp(x->text, y->text, x->len < y->len ? x->len : y->len);

    if (c != 0 || x->len != y->len)
        return c != 0 ? c : x->len < y->len ? -1 : 1;
    return x->index < y->index ? -1 : x->index > y->index;
}

/* Sorts the words. */
static int check_once(struct word *word, uint64_t count, uint32_t tag, const char *what,
                      struct se_err *err)
{
    qsort(word, count, sizeof *word, by_text);
    for (uint64_t i = 1; i < count; i++)
        if (word[i].len == word[i - 1].len &&
            memcmp(word[i].text, word[i - 1].text, word[i].len) == 0)
            return se_payload_fail(err, tag, "%s %" PRIu64 " and %" PRIu64 " are both called "
                                   "'%.*s'", what, word[i - 1].index, word[i].index,
                                   (int)(word[i].len < 80 ? word[i].len : 80), word[i].text);
    return 0;
}

/* `count` strings, each ended by a NUL */
static int check_strings(const char *text, uint64_t count, uint32_t tag, const char *what,
                         struct se_err *err)
{
    struct word *word = se_alloc(count, sizeof *word, err);
    int rc;

    if (!word)
        return -1;
    for (uint64_t i = 0; i < count; i++) {
        word[i] = (struct word){ text, strlen(text), i };
        text += word[i].len + 1;
    }
    rc = check_once(word, count, tag, what, err);
    free(word);
    return rc;
}

static int check_labels(struct se_stream *s, struct se_err *err)
{
    struct se_labels l;

    if (se_labels_get(&l, s, err) < 0)
        return -1;
    return l.names ? check_strings(l.names, l.classes, SE_LABELS, "classes", err) : 0;
}

static int check_names(struct se_stream *s, struct se_err *err)
{
    struct se_names x;
    struct word *word;
    int rc;

    if (se_names_get(&x, s, err) < 0 || !(word = se_alloc(x.n, sizeof *word, err)))
        return -1;
    for (uint64_t v = 0; v < x.n; v++)
        word[v] = (struct word){ x.text + x.off[v], x.off[v + 1] - x.off[v], v };
    rc = check_once(word, x.n, SE_NAMES, "vertices", err);
    free(word);
    return rc;
}

/* --- model, predictions --- */

/* The number behind `key=` at the start of a line, or -1 */
static double model_number(const struct se_model *m, const char *key)
{
    const size_t len = strlen(key);
    const char *at = m->text, *end = m->text + m->text_len;

    while (at < end) {
        const char *line = at;
        char number[32] = "";

        at = memchr(line, '\n', (size_t)(end - line));
        at = at ? at + 1 : end;
        if ((size_t)(at - line) <= len + 1 || memcmp(line, key, len) != 0 || line[len] != '=')
            continue;
        line += len + 1;
        memcpy(number, line, (size_t)(at - line) < sizeof number - 1 ? (size_t)(at - line)
                                                                     : sizeof number - 1);
        return strtod(number, NULL);
    }
    return -1;
}

static int check_model_text(const struct se_model *m, struct se_err *err)
{
    const char *at = m->text, *end = m->text + m->text_len;

    for (uint64_t line = 1; at < end; line++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        const char *equal = memchr(at, '=', (size_t)((stop ? stop : end) - at));

        if (!stop || !equal || equal == at)
            return se_payload_fail(err, SE_MODEL, "line %" PRIu64 " of its text is not "
                                   "key=value", line);
        at = stop + 1;
    }
    return 0;
}

static int check_model(struct se_stream *s, double *classes, struct se_err *err)
{
    struct se_model m = { 0 };
    struct word *word = NULL;
    int rc = -1;

    if (se_model_get(&m, s, err) < 0)
        return -1;
    *classes = model_number(&m, "classes");
    word = se_alloc(m.arrays, sizeof *word, err);
    if (word && check_model_text(&m, err) == 0) {
        for (uint64_t i = 0; i < m.arrays; i++)
            word[i] = (struct word){ m.array[i].name, strlen(m.array[i].name), i };
        rc = check_once(word, m.arrays, SE_MODEL, "arrays", err);
    }
    free(word);
    se_model_release(&m);
    return rc;
}

/* A model of another stream may know more classes than the labels have. */
static int check_predictions(struct se_stream *s, double model_classes, struct se_err *err)
{
    struct se_predictions p;
    struct se_labels l = { 0 };
    double classes;

    if (se_predictions_get(&p, s, err) < 0 ||
        (se_stream_has(s, SE_LABELS) && se_labels_get(&l, s, err) < 0))
        return -1;
    classes = fmax((double)l.classes, model_classes);
    for (uint64_t v = 0; v < p.n && classes > 0; v++)
        if (p.label[v] >= classes)
            return se_payload_fail(err, SE_PREDICTIONS, "vertex %" PRIu64 " has class %" PRId32
                                   ", but there are %.0f classes", v, p.label[v], classes);
    return 0;
}

/* --- stats, history --- */

int se_deep_stat(struct se_stream *s, const char *name, double value, double slack,
                 struct se_err *err)
{
    double stat;
    const int found = se_stats_value(s, name, &stat, err);

    if (found <= 0)
        return found;
    if (fabs(stat - value) <= slack * fmax(1, fabs(value)))
        return 0;
    return se_payload_fail(err, SE_STATS, "%s is %.9g, but the stream has %.9g", name, stat,
                           value);
}

static int check_stats(struct se_stream *s, struct se_err *err)
{
    struct se_stats x;
    const char *name;

    if (se_stats_get(&x, s, err) < 0)
        return -1;
    name = x.names;
    for (uint64_t i = 0; i < x.count; i++, name += strlen(name) + 1)
        if (strncmp(name, "train.acc.", 10) == 0 && !(x.value[i] >= 0 && x.value[i] <= 1))
            return se_payload_fail(err, SE_STATS, "%s is %.9g, which is no share", name,
                                   x.value[i]);
    return check_strings(x.names, x.count, SE_STATS, "numbers", err);
}

/* Five fields a line: tool, version, seed, seconds, arguments */
static int check_history(struct se_stream *s, struct se_err *err)
{
    struct se_history h;
    uint64_t line = 1, tabs = 0;

    if (se_history_get(&h, s, err) < 0)
        return -1;
    for (uint64_t i = 0; i < h.len; i++) {
        tabs += h.text[i] == '\t';
        if (h.text[i] != '\n')
            continue;
        if (tabs != 4)
            return se_payload_fail(err, SE_HISTORY, "line %" PRIu64 " has %" PRIu64 " fields, "
                                   "not 5", line, tabs + 1);
        tabs = 0;
        line++;
    }
    return 0;
}

int se_stream_deep(struct se_stream *s, int threads, struct se_err *err)
{
    double classes = 0;

    for (size_t i = 0; i < s->count; i++)
        if (check_origins(s, &s->section[i], err) < 0)
            return -1;
    if ((se_stream_has(s, SE_LABELS) && check_labels(s, err) < 0) ||
        (se_stream_has(s, SE_NAMES) && check_names(s, err) < 0) ||
        (se_stream_has(s, SE_MODEL) && check_model(s, &classes, err) < 0) ||
        (se_stream_has(s, SE_PREDICTIONS) && check_predictions(s, classes, err) < 0) ||
        (se_stream_has(s, SE_STATS) && check_stats(s, err) < 0) ||
        (se_stream_has(s, SE_HISTORY) && check_history(s, err) < 0) ||
        (se_stream_has(s, SE_KNN) && se_deep_knn(s, threads, err) < 0) ||
        (se_stream_has(s, SE_FUSED) && se_deep_fused(s, err) < 0) ||
        (se_stream_has(s, SE_TREE) && se_deep_tree(s, err) < 0))
        return -1;
    return 0;
}
