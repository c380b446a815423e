/* pairs.c - pairs of vertices in a sorted list, and as a graph */
#include "common/weigh/pairs.h"

#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/sort.h"

void se_pairs_release(struct se_pairs *p)
{
    free(p->key);
    *p = (struct se_pairs){ NULL, 0 };
}

int se_pairs_sort(struct se_pairs *p, struct se_err *err)
{
    uint64_t *scratch = se_alloc(p->count, sizeof *scratch, err), kept = 0;

    if (!scratch)
        return -1;
    se_sort_u64(p->key, scratch, p->count);
    for (uint64_t i = 0; i < p->count; i++)
        if (i == 0 || p->key[i] != p->key[i - 1])
            p->key[kept++] = p->key[i];
    p->count = kept;
    free(scratch);
    return 0;
}

int se_pairs_of_graph(struct se_pairs *p, const struct se_graph *g, struct se_err *err)
{
    p->key = se_alloc(g->m, sizeof *p->key, err);
    if (!p->key)
        return -1;
    for (uint64_t u = 0; u < g->n; u++)
        for (uint64_t e = g->off[u]; e < g->off[u + 1]; e++)
            p->key[p->count++] = u << 32 | g->to[e];
    return 0;
}

void se_pair_graph_release(struct se_pair_graph *x)
{
    se_pairs_release(&x->pairs);
    free(x->off);
    free(x->to);
    free(x->weight);
}

int se_pair_graph_make(struct se_pair_graph *x, uint64_t n, struct se_err *err)
{
    const struct se_pairs *p = &x->pairs;
    uint64_t i = 0;

    x->off = se_alloc(n + 1, sizeof *x->off, err);
    x->to = x->off ? se_alloc(p->count, sizeof *x->to, err) : NULL;
    x->weight = x->to ? se_alloc(p->count, sizeof *x->weight, err) : NULL;
    if (!x->weight)
        return -1;
    for (uint64_t u = 0; u <= n; u++) {
        x->off[u] = i;
        for (; u < n && i < p->count && p->key[i] >> 32 == u; i++)
            x->to[i] = (uint32_t)p->key[i];
    }
    x->g = (struct se_graph){ .n = n, .m = p->count, .off = x->off, .to = x->to,
                              .weight = x->weight };
    return 0;
}
