/* idf.c - features with columns weighted by inverse document frequency */
#include "common/sim/idf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/sort.h"

void se_idf_release(struct se_idf *i)
{
    free(i->value);
    *i = (struct se_idf)SE_IDF_INIT;
}

static float rarity(uint64_t n, uint64_t rows)
{
    return (float)log1p((double)n / (double)rows);
}

static int weigh_dense(struct se_idf *i, const struct se_features *f, struct se_err *err)
{
    uint64_t *rows = se_zalloc(f->d, sizeof *rows, err);

    if (!rows)
        return -1;
    for (uint64_t v = 0; v < f->n; v++)
        for (uint64_t j = 0; j < f->d; j++)
            rows[j] += f->dense[v * f->d + j] != 0;
    for (uint64_t v = 0; v < f->n; v++)
        for (uint64_t j = 0; j < f->d; j++) {
            const uint64_t at = v * f->d + j;

            i->value[at] = rows[j] > 0 ? f->dense[at] * rarity(f->n, rows[j]) : 0;
        }
    i->x.dense = i->value;
    free(rows);
    return 0;
}

/* The number of columns is whatever the file says: the entries are sorted by column instead of
 * counted in an array of that length. */
static int weigh_sparse(struct se_idf *i, const struct se_features *f, struct se_err *err)
{
    uint64_t *key = se_alloc(f->nnz, sizeof *key, err);
    uint64_t *scratch = key ? se_alloc(f->nnz, sizeof *scratch, err) : NULL;

    if (!scratch || f->nnz > UINT32_MAX) {
        const int rc = scratch ? se_fail(err, SE_EINPUT, "features: more than 2^32 - 1 "
                                         "non-zeros are too many to weigh by column") : -1;

        free(key);
        free(scratch);
        return rc;
    }
    for (uint64_t e = 0; e < f->nnz; e++)
        key[e] = (uint64_t)f->col[e] << 32 | e;
    se_sort_u64(key, scratch, f->nnz);
    for (uint64_t first = 0, last; first < f->nnz; first = last) {
        uint64_t rows = 0;

        for (last = first; last < f->nnz && key[last] >> 32 == key[first] >> 32; last++)
            rows += !f->value || f->value[(uint32_t)key[last]] != 0;
        for (uint64_t at = first; at < last; at++) {
            const uint32_t e = (uint32_t)key[at];

            i->value[e] = rows > 0 ? (f->value ? f->value[e] : 1) * rarity(f->n, rows) : 0;
        }
    }
    i->x.value = i->value;
    free(key);
    free(scratch);
    return 0;
}

int se_idf_make(struct se_idf *i, const struct se_features *f, struct se_err *err)
{
    i->x = *f;
    i->value = se_alloc(f->dense ? f->n * f->d : f->nnz, sizeof *i->value, err);
    if (!i->value)
        return -1;
    if ((f->dense ? weigh_dense : weigh_sparse)(i, f, err) < 0) {
        se_idf_release(i);
        return -1;
    }
    return 0;
}
