/* krule.c - the choice of k from the curve of H1 */
#include "common/sim/kselect.h"

/* k = 1; then 5, 3 or 1 more while H1 gains more than 0.1, 0.01 or 0.001; below 50. */
static uint64_t walk(const double *h1, uint64_t most)
{
    double before = 0;
    uint64_t k = 1;

    while (k < 50 && k <= most) {
        const double gain = h1[k] - before;

        if (!(gain > 0.001))
            break;
        before = h1[k];
        k += gain > 0.1 ? 5 : gain > 0.01 ? 3 : 1;
    }
    k = k < 50 ? k : 50;
    return k < most ? k : most;
}

uint64_t se_kselect_choose(const double *h1, uint64_t most, enum se_k_rule rule, double eps)
{
    uint64_t k = 1;

    if (rule == SE_K_SCHEDULE)
        return walk(h1, most);
    if (rule == SE_K_PLATEAU) {
        while (k < most && !(h1[k + 1] - h1[k] < eps))
            k++;
        return k;
    }
    for (uint64_t i = 2; i <= most; i++)
        k = h1[i] > h1[k] ? i : k;
    return k;
}
