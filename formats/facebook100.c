/* facebook100.c - local_info of the Facebook100 networks: seven columns about each person */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/internal.h"
#include "formats/named.h"

enum { COLUMNS = 7, GENDER = 1 };
static const char *const names[COLUMNS] = { "status", "gender", "major", "minor", "dorm", "year",
                                            "school" };

static struct se_named *find(struct se_named_set *x)
{
    for (size_t i = 0; i < x->count; i++) {
        struct se_named *item = &x->item[i];

        if (strcmp(item->name, "local_info") == 0 && item->kind == SE_NAMED_DENSE &&
            item->dense.dims == 2 && item->dense.shape[1] == COLUMNS)
            return item;
    }
    return NULL;
}

/* A value in words; "" for 0, which means missing. */
static void word_of(const struct se_npy *a, uint64_t v, uint64_t column, char word[24])
{
    int64_t value = 0;

    word[0] = '\0';
    if (se_npy_whole(a, se_npy_place(a, v, column), &value) && value != 0)
        snprintf(word, 24, "%" PRId64, value);
}

static int add_labels(struct se_named *to, const struct se_npy *a, uint64_t column,
                      struct se_err *err)
{
    char word[24];

    to->kind = SE_NAMED_TEXTS;
    for (uint64_t v = 0; v < a->shape[0]; v++, to->texts++) {
        word_of(a, v, column, word);
        if (se_bytes_add(&to->text, word, strlen(word) + 1, err) < 0)
            return -1;
    }
    return 0;
}

/* A column of features for each value of each other column */
static int add_features(struct se_named *to, const struct se_npy *a, uint64_t class,
                        struct se_err *err)
{
    const uint64_t n = a->shape[0];
    struct se_table values = SE_TABLE_INIT;
    uint64_t at = 0;
    int rc = se_sparse_array_make(&to->sparse, n, 1, n * (COLUMNS - 1), err);

    to->kind = SE_NAMED_SPARSE;
    for (uint64_t c = 0; c < COLUMNS; c++)      /* columns in the order of the values' first use */
        for (uint64_t v = 0; v < n && rc == 0 && c != class; v++) {
            char word[24], key[32];
            uint32_t id;

            word_of(a, v, c, word);
            if (!word[0])
                continue;
            rc = se_table_add(&values, key, (size_t)snprintf(key, sizeof key, "%d=%s", (int)c, word),
                              &id, err);
            to->sparse.row[at] = (uint32_t)v;
            to->sparse.column[at] = id;
            to->sparse.value[at++] = 1;
        }
    to->sparse.count = at;
    to->sparse.columns = values.n ? values.n : 1;
    se_table_release(&values);
    return rc;
}

int se_facebook100(struct se_named_set *x, const struct se_import *in, struct se_err *err)
{
    struct se_named *info = find(x), *labels, *features;
    uint64_t class = in->class ? COLUMNS : GENDER;
    struct se_npy a;

    if (!info)
        return 0;
    for (uint64_t c = 0; c < COLUMNS && in->class; c++)
        if (strcmp(in->class, names[c]) == 0)
            class = c;
    if (class == COLUMNS)                       /* perhaps another array of the file */
        return 0;
    info->used = true;
    a = info->dense;                            /* items may move; the numbers do not */
    labels = se_named_add(x, in->class ? in->class : "labels", in->class ? strlen(in->class) : 6,
                          err);
    if (!labels || add_labels(labels, &a, class, err) < 0 ||
        !(features = se_named_add(x, "features", 8, err)) ||
        add_features(features, &a, class, err) < 0)
        return -1;
    return se_say(in->notes, err, "%s: local_info of Facebook100: the class is %s, the features are "
                  "the values of the other columns (--class status, gender, major, minor, dorm, "
                  "year or school)", in->path, names[class]);
}
