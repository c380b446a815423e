/* match.c - a stored model and other data: columns of features and classes by name */
#include "common/train/match.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/text.h"

/* --- into the text of the model --- */

static int add_escaped(struct se_bytes *text, const char *name, struct se_err *err)
{
    for (; *name; name++) {
        const char *as = *name == '\n' ? "\\n" : *name == '\\' ? "\\\\" : NULL;

        if (as ? se_bytes_add(text, as, 2, err) < 0 : se_bytes_add(text, name, 1, err) < 0)
            return -1;
    }
    return se_bytes_add(text, "\n", 1, err);
}

int se_match_tell(struct se_bytes *text, struct se_stream *s, struct se_err *err)
{
    struct se_colnames c;
    struct se_labels l;
    const char *name;
    char head[80];

    if (se_stream_has(s, SE_COLUMNS)) {
        if (se_colnames_get(&c, s, err) < 0)
            return -1;
        name = c.names;
        for (uint64_t i = 0; i < c.d; i++, name += strlen(name) + 1) {
            snprintf(head, sizeof head, "column=%.17g %.17g ", c.shift[i], c.scale[i]);
            if (se_bytes_add(text, head, strlen(head), err) < 0 ||
                add_escaped(text, name, err) < 0)
                return -1;
        }
    }
    if (!se_stream_has(s, SE_LABELS))
        return 0;
    if (se_labels_get(&l, s, err) < 0)
        return -1;
    name = l.names;
    for (uint64_t i = 0; l.names && i < l.classes; i++, name += strlen(name) + 1)
        if (se_bytes_add(text, "class=", 6, err) < 0 || add_escaped(text, name, err) < 0)
            return -1;
    return 0;
}

/* --- lists of names --- */

struct entry {
    const char *name;           /* once all are there; before: NULL */
    size_t at;                  /* where it begins in the text */
    double shift, scale;
    uint32_t index;
};

struct list {
    struct entry *entry;        /* by name once sorted */
    uint64_t count;
    size_t cap;
    struct se_bytes text;
};

static void list_release(struct list *x)
{
    free(x->entry);
    se_bytes_release(&x->text);
}

static int list_add(struct list *x, const char *name, size_t len, double shift, double scale,
                    struct se_err *err)
{
    if (x->count >= SE_NONE || se_grow(&x->entry, &x->cap, x->count + 1, sizeof *x->entry, err) < 0)
        return -1;
    x->entry[x->count] = (struct entry){ NULL, x->text.len, shift, scale, (uint32_t)x->count };
    x->count++;
    for (size_t i = 0; i < len; i++) {
        const char c = name[i] == '\\' && i + 1 < len ? name[++i] == 'n' ? '\n' : name[i]
                                                      : name[i];

        if (c != '\0' && se_bytes_add(&x->text, &c, 1, err) < 0)
            return -1;
    }
    return se_bytes_add(&x->text, "", 1, err);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(((const struct entry *)a)->name, ((const struct entry *)b)->name);
}

static void list_sort(struct list *x)
{
    for (uint64_t i = 0; i < x->count; i++)
        x->entry[i].name = x->text.data + x->entry[i].at;
    if (x->count > 0)
        qsort(x->entry, x->count, sizeof *x->entry, by_name);
}

static const struct entry *list_find(const struct list *x, const char *name)
{
    const struct entry wanted = { .name = name };

    return x->count ? bsearch(&wanted, x->entry, x->count, sizeof wanted, by_name) : NULL;
}

/* The names behind "column=" or "class=" in the text of a model, sorted. */
static int model_names(struct list *x, const struct se_model *m, const char *key,
                       struct se_err *err)
{
    const size_t len = strlen(key);

    for (uint64_t at = 0; at < m->text_len;) {
        const char *line = m->text + at, *end = memchr(line, '\n', m->text_len - at);
        const size_t n = end ? (size_t)(end - line) : m->text_len - at;
        double shift = 0, scale = 1;

        at += n + 1;
        if (n < len || memcmp(line, key, len) != 0)
            continue;
        const char *name = line + len, *stop = line + n;

        if (strcmp(key, "column=") == 0) {
            char numbers[64];
            const size_t most = (size_t)(stop - name) < sizeof numbers - 1 ? (size_t)(stop - name)
                                                                          : sizeof numbers - 1;
            const char *p = numbers;

            memcpy(numbers, name, most);
            numbers[most] = '\0';
            if (!se_parse_number(&p, &shift) || *p++ != ' ' || !se_parse_number(&p, &scale) ||
                *p++ != ' ' || !(scale > 0))
                return se_fail(err, SE_EINPUT, "model: a line about a column is damaged");
            name += p - numbers;
        }
        if (list_add(x, name, (size_t)(stop - name), shift, scale, err) < 0)
            return -1;
    }
    list_sort(x);
    return 0;
}

/* --- features --- */

void se_match_release(struct se_match *x)
{
    free(x->off);
    free(x->col);
    free(x->value);
    *x = (struct se_match)SE_MATCH_INIT;
}

/* The column of the table that a name is about: up to '='. */
static size_t base_len(const char *name)
{
    return strcspn(name, "=");
}

/* Every column of the table that the model knows must be there in some form. */
static int check_bases(const struct list *model, const struct list *have, struct se_err *err)
{
    uint64_t j = 0;

    for (uint64_t i = 0; i < model->count; i++) {
        const char *name = model->entry[i].name;
        const size_t len = base_len(name);
        bool found = false;

        for (j = 0; j < have->count && !found; j++)
            found = base_len(have->entry[j].name) == len &&
                    memcmp(have->entry[j].name, name, len) == 0;
        if (!found)
            return se_fail(err, SE_EINPUT, "model: was trained with column '%.*s', which the "
                           "features do not have", len < 60 ? (int)len : 60, name);
        while (i + 1 < model->count && base_len(model->entry[i + 1].name) == len &&
               memcmp(model->entry[i + 1].name, name, len) == 0)
            i++;
    }
    return 0;
}

struct step {                   /* what becomes of a column of the stream */
    uint32_t to;                /* SE_NONE: nothing */
    double shift, factor;       /* (x + shift) * factor */
    bool moved;                 /* 0 becomes something else */
};

struct item {
    uint32_t col;
    float value;
};

static int by_column(const void *a, const void *b)
{
    const struct item *x = a, *y = b;

    return (x->col > y->col) - (x->col < y->col);
}

/* The entries of row v: how many.  `row` has room for d. */
static uint64_t match_row(const struct se_features *f, uint64_t v, const struct step *step,
                          struct item *row)
{
    const uint64_t begin = f->dense ? v * f->d : f->off[v];
    const uint64_t end = f->dense ? begin + f->d : f->off[v + 1];
    uint64_t count = 0, next = 0, some = 0;

    for (uint64_t i = begin; i < end && !some; i++)
        some = !f->dense || f->dense[i] != 0;
    for (uint64_t i = begin; some && i <= end; i++) {
        const uint64_t c = i == end ? f->d : f->dense ? i - begin : f->col[i];

        for (; next < c; next++)                /* columns that are 0 here */
            if (step[next].moved)
                row[count++] = (struct item){ step[next].to, (float)(step[next].shift *
                                                                     step[next].factor) };
        if (i == end)
            break;
        next = c + 1;
        if (step[c].to != SE_NONE) {
            const double x = f->dense ? (double)f->dense[i] : f->value ? (double)f->value[i] : 1;

            row[count++] = (struct item){ step[c].to, (float)((x + step[c].shift) *
                                                              step[c].factor) };
        }
    }
    qsort(row, count, sizeof *row, by_column);
    return count;
}

static int match_rows(struct se_match *x, const struct se_features *f, const struct step *step,
                      uint64_t columns, struct se_err *err)
{
    struct item *row = se_alloc(f->d + 1, sizeof *row, err);
    uint64_t nnz = 0;
    size_t cap[2] = { 0, 0 };
    int rc = 0;

    x->off = row ? se_zalloc(f->n + 1, sizeof *x->off, err) : NULL;
    rc = x->off ? 0 : -1;
    for (uint64_t v = 0; v < f->n && rc == 0; v++) {
        const uint64_t count = match_row(f, v, step, row);

        rc = se_grow(&x->col, &cap[0], nnz + count + 1, sizeof *x->col, err) < 0 ||
             se_grow(&x->value, &cap[1], nnz + count + 1, sizeof *x->value, err) < 0 ? -1 : 0;
        for (uint64_t i = 0; i < count && rc == 0; i++, nnz++) {
            x->col[nnz] = row[i].col;
            x->value[nnz] = row[i].value;
        }
        x->off[v + 1] = nnz;
    }
    free(row);
    x->f = (struct se_features){ f->n, columns, nnz, NULL, x->off, x->col, x->value };
    return rc;
}

static int match_columns(struct se_match *x, const struct list *model, struct se_stream *s,
                         struct se_err *err)
{
    struct list have = { .count = 0 };
    struct se_colnames c;
    struct se_features f;
    struct step *step = NULL;
    const char *name;
    int rc = se_colnames_get(&c, s, err) < 0 || se_features_get(&f, s, err) < 0 ? -1 : 0;

    if (rc == 0 && c.d != f.d)
        rc = se_fail(err, SE_EINPUT, "columns: %" PRIu64 " names for %" PRIu64 " columns of "
                     "features", c.d, f.d);
    name = rc == 0 ? c.names : "";
    step = rc == 0 ? se_alloc(c.d + 1, sizeof *step, err) : NULL;
    rc = step ? 0 : -1;
    for (uint64_t i = 0; rc == 0 && i < c.d; i++, name += strlen(name) + 1) {
        const struct entry *e = list_find(model, name);

        step[i] = (struct step){ SE_NONE, 0, 0, false };
        if (e)                  /* x = (raw - shift) * scale, and back */
            step[i] = (struct step){ e->index, (c.shift[i] - e->shift) * c.scale[i],
                                     e->scale / c.scale[i],
                                     (float)((c.shift[i] - e->shift) * e->scale) != 0 };
        else if (x->unknown++ == 0)
            snprintf(x->example, sizeof x->example, "%s", name);
        rc = list_add(&have, name, strlen(name), 0, 1, err);
    }
    list_sort(&have);
    if (rc == 0)
        rc = check_bases(model, &have, err);
    if (rc == 0)
        rc = match_rows(x, &f, step, model->count, err);
    x->used = rc == 0;
    list_release(&have);
    free(step);
    return rc;
}

int se_match_features(struct se_match *x, const struct se_model *m, struct se_stream *s,
                      struct se_err *err)
{
    struct list model = { .count = 0 };
    int rc = model_names(&model, m, "column=", err);

    if (rc == 0 && model.count > 0 && se_stream_has(s, SE_FEATURES)) {
        x->unnamed = !se_stream_has(s, SE_COLUMNS);
        if (!x->unnamed)
            rc = match_columns(x, &model, s, err);
    }
    list_release(&model);
    return rc;
}

/* --- classes --- */

/* The names of the model in its order, then those of the stream that it does not know. */
static int unite(const struct list *model, const struct se_labels *l, int32_t *to,
                 struct se_bytes *names, uint64_t *count, struct se_err *err)
{
    const char **ordered = se_alloc(model->count, sizeof *ordered, err);
    const char *name = l->names;
    int rc = ordered ? 0 : -1;

    for (uint64_t i = 0; i < model->count && rc == 0; i++)
        ordered[model->entry[i].index] = model->entry[i].name;
    for (uint64_t i = 0; i < model->count && rc == 0; i++)
        rc = se_bytes_add(names, ordered[i], strlen(ordered[i]) + 1, err);
    *count = model->count;
    for (uint64_t i = 0; i < l->classes && rc == 0; i++, name += strlen(name) + 1) {
        const struct entry *e = list_find(model, name);

        to[i] = (int32_t)(e ? e->index : (*count)++);
        if (!e)
            rc = se_bytes_add(names, name, strlen(name) + 1, err);
    }
    free(ordered);
    return rc;
}

int se_match_classes(const struct se_model *m, struct se_stream *s, uint64_t n,
                     uint64_t *unknown, struct se_err *err)
{
    struct se_labels l = { .n = n, .names = "" };
    struct list model = { .count = 0 };
    struct se_bytes names = SE_BYTES_INIT;
    int32_t *to = NULL, *label = NULL;
    uint64_t count = 0;
    int rc = model_names(&model, m, "class=", err);

    *unknown = 0;
    if (rc == 0 && se_stream_has(s, SE_LABELS))
        rc = se_labels_get(&l, s, err);
    if (rc == 0 && model.count > 0 && l.names) {
        to = se_alloc(l.classes, sizeof *to, err);
        label = to ? se_alloc(l.n, sizeof *label, err) : NULL;
        rc = label ? unite(&model, &l, to, &names, &count, err) : -1;
        for (uint64_t v = 0; v < l.n && rc == 0; v++)
            label[v] = l.label && l.label[v] >= 0 ? to[l.label[v]] : -1;
        *unknown = count - model.count;
        if (rc == 0)
            rc = se_labels_put(&(struct se_labels){ l.n, count, label, names.data, names.len }, s,
                               err);
    }
    free(to);
    free(label);
    se_bytes_release(&names);
    list_release(&model);
    return rc;
}
