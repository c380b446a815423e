/* draw.c - random orders and random subsets */
#include "common/base/draw.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/set.h"
#include "common/base/sort.h"

void se_shuffle(struct se_rng *r, uint32_t *id, uint64_t count)
{
    for (uint64_t i = count; i > 1; i--) {
        const uint64_t j = se_rng_below(r, i);
        const uint32_t moved = id[i - 1];

        id[i - 1] = id[j];
        id[j] = moved;
    }
}

/* Go through all numbers and take each with the chance that keeps all subsets equal. */
static void choose_dense(struct se_rng *r, uint64_t k, uint64_t n, uint64_t *out)
{
    for (uint64_t i = 0, taken = 0; taken < k; i++)
        if (se_rng_below(r, n - i) < k - taken)
            out[taken++] = i;
}

/* Draw until k different ones are there; few draws are in vain, as k is small beside n. */
static int choose_sparse(struct se_rng *r, uint64_t k, uint64_t n, uint64_t *out,
                         struct se_err *err)
{
    struct se_set set = SE_SET_INIT;
    uint64_t *scratch = se_alloc(k, sizeof *scratch, err);

    if (!scratch || se_set_make(&set, k, err) < 0) {
        free(scratch);
        return -1;
    }
    for (uint64_t taken = 0; taken < k;) {
        const uint64_t x = se_rng_below(r, n);

        if (se_set_add(&set, x))
            out[taken++] = x;
    }
    se_set_release(&set);
    se_sort_u64(out, scratch, k);
    free(scratch);
    return 0;
}

uint64_t *se_choose(struct se_rng *r, uint64_t k, uint64_t n, struct se_err *err)
{
    uint64_t *out = se_alloc(k, sizeof *out, err);

    if (!out)
        return NULL;
    if (n / 8 <= k) {
        choose_dense(r, k, n, out);
    } else if (choose_sparse(r, k, n, out, err) < 0) {
        free(out);
        return NULL;
    }
    return out;
}
