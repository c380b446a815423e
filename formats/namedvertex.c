/* namedvertex.c - arrays with an entry for each vertex: classes, names and splits */
#include "formats/namedput.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/vertices.h"

/* The one column that is set in each row of an indicator matrix; SE_NONE: no column.  1, or 0
 * when a row has several or a value is neither 0 nor 1, or -1. */
static int indicator(struct se_named *item, uint32_t **which, struct se_err *err)
{
    const struct se_sparse *m = &item->sparse;

    if (se_named_sparse(item, err) < 0)
        return -1;
    *which = se_alloc(m->rows, sizeof **which, err);
    if (!*which)
        return -1;
    for (uint64_t v = 0; v < m->rows; v++)
        (*which)[v] = SE_NONE;
    for (uint64_t i = 0; i < m->count; i++) {
        if (m->value[i] == 0)
            continue;
        if (m->value[i] != 1 || (*which)[m->row[i]] != SE_NONE)
            return 0;
        (*which)[m->row[i]] = m->column[i];
    }
    return 1;
}

/* The class of vertex v in words: 1, or 0 if the array does not hold classes, or -1. */
static int class_of(const struct se_named *item, const uint32_t *which, const char **text,
                    uint64_t v, char *word, size_t room)
{
    const double x = which || item->kind != SE_NAMED_DENSE || item->dense.kind == 'U' ||
                     item->dense.kind == 'S' ? 0 : se_npy_number(&item->dense, v);

    word[0] = '\0';
    if (item->kind == SE_NAMED_TEXTS) {
        snprintf(word, room, "%.*s", (int)room - 1, *text);
        *text += strlen(*text) + 1;
    } else if (which) {
        if (which[v] != SE_NONE)
            snprintf(word, room, "%" PRIu32, which[v]);
    } else if (isnan(x)) {
        return 1;
    } else if (x != floor(x) || fabs(x) > 0x1p31) {
        return 0;
    } else {
        snprintf(word, room, "%.0f", x);
    }
    return 1;
}

/* Texts of a numpy array, as TEXTS hold them. */
static int unfold_texts(struct se_named *item, struct se_err *err)
{
    if (item->kind != SE_NAMED_DENSE || (item->dense.kind != 'U' && item->dense.kind != 'S'))
        return 0;
    for (uint64_t i = 0; i < item->dense.count; i++)
        if (se_npy_text(&item->dense, i, &item->text, err) < 0 ||
            se_bytes_add(&item->text, "", 1, err) < 0)
            return se_err_in(err, item->name);
    item->texts = item->dense.count;
    item->kind = SE_NAMED_TEXTS;
    return 0;
}

/* Names for the numbers 0, 1, ... of classes, if the file has as many as are needed. */
static int put_numbered(struct se_put *p, const struct se_named *item,
                        const struct se_classes *c, struct se_err *err)
{
    struct se_named *names = se_named_find(p->x, SE_IS_CLASS_NAMES);
    int32_t *label;
    uint64_t most = 0;
    int rc = 0;

    if (!names)
        return 0;
    if (unfold_texts(names, err) < 0)
        return -1;
    if (names->kind != SE_NAMED_TEXTS || item->kind == SE_NAMED_TEXTS)
        return 0;
    label = se_alloc(c->n, sizeof *label, err);
    for (uint64_t v = 0; label && v < c->n; v++) {
        uint64_t number = 0;

        label[v] = -1;
        if (c->label[v] < 0)
            continue;
        const uint64_t at = c->names.off[c->label[v]], len = c->names.off[c->label[v] + 1] - at;
        char word[24] = "";

        if (len < sizeof word)
            memcpy(word, c->names.text.data + at, len);
        if (!se_whole_u64(word, &number) || number >= names->texts)
            break;
        label[v] = (int32_t)number;
        most++;
    }
    if (label) {
        uint64_t known = 0;

        for (uint64_t v = 0; v < c->n; v++)
            known += c->label[v] >= 0;
        if (most == known) {
            names->used = true;
            rc = se_import_labels(label, c->n, names->texts, names->text.data, names->text.len,
                                  p->s, err) < 0 ? -1 : 1;
        }
    }
    free(label);
    return label ? rc : -1;
}

static int put_classes(struct se_put *p, struct se_named *item, const uint32_t *which,
                       const char **why, struct se_err *err)
{
    struct se_classes c = SE_CLASSES_INIT;
    const char *text = item->text.data;
    struct se_err doubt = SE_ERR_INIT;
    char word[256];
    int rc = 1;

    for (uint64_t v = 0; v < p->n && rc > 0; v++) {
        rc = class_of(item, which, &text, v, word, sizeof word);
        if (rc > 0 && se_classes_set(&c, v, word, err) < 0)
            rc = -1;
    }
    if (rc > 0 && !p->in->class && se_classes_check(&c, &doubt) < 0) {
        *why = "its values are measurements and no classes (--class NAME takes them nevertheless)";
        rc = 0;
    }
    if (rc > 0) {
        const int named = put_numbered(p, item, &c, err);

        rc = named < 0 || (named == 0 && se_classes_put(&c, p->s, err) < 0) ? -1 : 1;
    }
    se_classes_release(&c);
    return rc;
}

int se_put_labels(struct se_put *p, struct se_named *item, struct se_err *err)
{
    const char *why = "its values are not whole numbers, so it holds no classes";
    uint32_t *which = NULL;
    int rc = 1;

    item->used = true;
    if (unfold_texts(item, err) < 0)
        return -1;
    if (se_named_rows(item) == 1 && se_named_columns(item) > 1 && item->dense.dims == 2 &&
        p->from && p->n != 1 && item->kind == SE_NAMED_DENSE) {    /* a row that is meant as a column */
        item->dense.dims = 1;
        item->dense.shape[0] = item->dense.count;
    }
    if (se_put_agree(p, item, se_named_rows(item), err) < 0)
        return -1;
    if (se_named_columns(item) > 1 || item->kind == SE_NAMED_SPARSE) {
        rc = indicator(item, &which, err);
        why = "a vertex has more than one class";
    }
    if (rc > 0)
        rc = put_classes(p, item, which, &why, err);
    free(which);
    if (rc < 0)
        return se_err_in(err, item->name);
    if (rc == 0)
        return se_say(p->in->notes, err, "%s: no labels taken from %s: %s", p->in->path,
                      item->name, why);
    return se_put_say(p, item, "labels", err);
}

int se_find_labels(struct se_put *p, struct se_named **item, struct se_err *err)
{
    *item = NULL;
    if (!p->in->class) {
        *item = se_named_find(p->x, SE_IS_LABELS);
        return 0;
    }
    for (size_t i = 0; i < p->x->count; i++)
        if (strcmp(p->x->item[i].name, p->in->class) == 0)
            *item = &p->x->item[i];
    p->in->class_used = *item != NULL;
    return *item ? 0 : se_fail(err, SE_EINPUT, "has no array %s for --class", p->in->class);
}

int se_put_names(struct se_put *p, struct se_named *item, struct se_err *err)
{
    uint64_t *off = NULL;
    const char *text;
    int rc;

    if (unfold_texts(item, err) < 0)
        return -1;
    if (item->kind != SE_NAMED_TEXTS || item->texts != p->n)
        return 0;                               /* told as not used */
    item->used = true;
    off = se_alloc(p->n + 1, sizeof *off, err);
    if (!off)
        return -1;
    text = item->text.data;
    off[0] = 0;
    for (uint64_t v = 0; v < p->n; v++) {       /* the names without the NULs between them */
        const size_t len = strlen(text);

        memmove(item->text.data + off[v], text, len);
        off[v + 1] = off[v] + len;
        text += len + 1;
    }
    const struct se_names names = { p->n, off, item->text.data };
    rc = se_names_put(&names, p->s, err);
    free(off);
    return rc < 0 ? -1 : se_put_say(p, item, "names", err);
}

/* How many splits an array of masks holds: 0 if it is not for n vertices. */
static uint64_t masks_in(const struct se_named *item, uint64_t n)
{
    const struct se_npy *a = &item->dense;

    if (item->kind != SE_NAMED_DENSE || a->kind == 'U' || a->kind == 'S')
        return 0;
    if (a->dims == 1)
        return 1;
    return a->dims != 2 ? 0 : a->shape[1] == n ? a->shape[0] : a->shape[0] == n ? a->shape[1] : 0;
}

static int mark(uint8_t *part, uint8_t is, const struct se_named *item, uint64_t v,
                struct se_err *err)
{
    if (*part && *part != is)
        return se_fail(err, SE_EINPUT, "%s: vertex %" PRIu64 " is in two parts of a split",
                       item->name, v);
    *part = is;
    return 0;
}

/* Ids of the vertices of one part, or a truth for each vertex. */
static int mark_all(const struct se_named *item, uint8_t is, uint64_t n, uint64_t count,
                    uint8_t *part, struct se_err *err)
{
    const struct se_npy *a = &item->dense;
    const bool ids = strcasestr(item->name, "idx") || strcasestr(item->name, "index");
    int64_t x;

    for (uint64_t i = 0; ids && i < a->count; i++)
        if (!se_npy_whole(a, i, &x) || x < 0 || (uint64_t)x >= n)
            return se_fail(err, SE_EINPUT, "%s[%" PRIu64 "] is not a vertex", item->name, i);
        else if (mark(part + x, is, item, (uint64_t)x, err) < 0)
            return -1;
    if (ids)
        return 0;
    if (a->dims == 1 && a->count != n)
        return se_fail(err, SE_EINPUT, "%s is for %" PRIu64 " vertices instead of %" PRIu64,
                       item->name, a->count, n);
    for (uint64_t k = 0; k < count; k++)
        for (uint64_t v = 0; v < n; v++) {
            const uint64_t at = a->dims == 1 ? v : a->shape[1] == n ? se_npy_place(a, k, v)
                                                                   : se_npy_place(a, v, k);

            if (se_npy_number(a, at) != 0 && mark(part + k * n + v, is, item, v, err) < 0)
                return -1;
        }
    return 0;
}

/* One array of parts, as Reddit has it: 1 train, 2 val, 3 test.  1, or 0 if it is no such. */
static int put_types(struct se_put *p, struct se_named *item, struct se_err *err)
{
    uint8_t *part;
    int rc = 1;

    if (item->kind != SE_NAMED_DENSE || item->dense.dims != 1 || item->dense.count != p->n)
        return 0;
    part = se_zalloc(p->n, 1, err);
    for (uint64_t v = 0; part && v < p->n && rc > 0; v++) {
        int64_t x = 0;

        rc = se_npy_whole(&item->dense, v, &x) && x >= 0 && x <= 3;
        part[v] = (uint8_t)(rc > 0 ? x : 0);
    }
    if (part && rc > 0) {
        const struct se_splits splits = { p->n, 1, part };

        item->used = true;
        rc = se_splits_put(&splits, p->s, err) < 0 || se_put_say(p, item, "split", err) < 0 ? -1
                                                                                           : 1;
    }
    free(part);
    return part ? rc : -1;
}

int se_put_splits(struct se_put *p, struct se_err *err)
{
    struct se_named *types = se_named_find(p->x, SE_IS_TYPES);
    struct se_named *item[3];
    uint64_t count = 0;
    uint8_t *part;
    int rc = 0;

    for (int i = 0; i < 3; i++) {
        item[i] = se_named_find(p->x, SE_IS_TRAIN + i);
        const uint64_t here = item[i] ? masks_in(item[i], p->n) : 0;

        if (item[i] && here == 0)
            return se_fail(err, SE_EINPUT, "%s is not a mask of %" PRIu64 " vertices, or several",
                           item[i]->name, p->n);
        count = here > count ? here : count;
    }
    if (count == 0)
        return types && put_types(p, types, err) < 0 ? -1 : 0;
    part = se_zalloc(count, p->n, err);
    for (int i = 0; i < 3 && part && rc == 0; i++)
        if (item[i]) {
            const uint64_t here = masks_in(item[i], p->n);

            item[i]->used = true;
            rc = mark_all(item[i], (uint8_t)(SE_SPLIT_TRAIN + i), p->n, here, part, err);
            for (uint64_t k = here; k < count && rc == 0; k++)  /* one test set for all splits */
                rc = mark_all(item[i], (uint8_t)(SE_SPLIT_TRAIN + i), p->n, 1, part + k * p->n,
                              err);
            if (rc == 0)
                rc = se_put_say(p, item[i], se_split_part_names[SE_SPLIT_TRAIN + i], err);
        }
    if (part && rc == 0) {
        const struct se_splits splits = { p->n, count, part };

        rc = se_splits_put(&splits, p->s, err);
    }
    free(part);
    return part ? rc : -1;
}
