/* addbest.c - the heaviest pairs of one graph as new edges of another */
#include "common/graph/addbest.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/sort.h"

struct adding {
    const struct se_graph *scored;
    uint8_t *taken;             /* of each edge of `scored` */
    uint64_t count;             /* how many are */
};

/* Call visit(arg, e) for each edge e of `scored` that g does not have, in order. */
static void each_new(const struct se_graph *g, const struct se_graph *scored,
                     void (*visit)(void *arg, uint64_t e), void *arg)
{
    for (uint64_t u = 0; u < g->n; u++) {
        uint64_t i = g->off[u];

        for (uint64_t e = scored->off[u]; e < scored->off[u + 1]; e++) {
            while (i < g->off[u + 1] && g->to[i] < scored->to[e])
                i++;
            if (i == g->off[u + 1] || g->to[i] != scored->to[e])
                visit(arg, e);
        }
    }
}

struct listing {
    const struct se_graph *scored;
    uint64_t *key, count;
};

/* Heavy ones get low keys; weights are not negative, so their bits are in their order. */
static void list(void *arg, uint64_t e)
{
    struct listing *l = arg;
    uint32_t bits = 0x3f800000;                 /* 1 */

    if (l->scored->weight)
        memcpy(&bits, &l->scored->weight[e], sizeof bits);
    l->key[l->count++] = (uint64_t)(UINT32_MAX - (bits & 0x7fffffff)) << 32 | e;
}

static int choose(const struct se_graph *g, struct adding *a, uint64_t count,
                  struct se_err *err)
{
    const uint64_t m = a->scored->m;
    struct listing l = { a->scored, se_alloc(m, sizeof *l.key, err), 0 };
    uint64_t *scratch = l.key ? se_alloc(m, sizeof *scratch, err) : NULL;

    if (scratch) {
        each_new(g, a->scored, list, &l);
        se_sort_u64(l.key, scratch, l.count);
        a->count = count < l.count ? count : l.count;
        for (uint64_t i = 0; i < a->count; i++)
            a->taken[(uint32_t)l.key[i]] = 1;
    }
    free(l.key);
    free(scratch);
    return scratch ? 0 : -1;
}

/* Old edges and taken ones, row by row; `arg`: the adding. */
static uint64_t merge(const struct se_graph *g, void *arg, uint64_t *off, uint32_t *to,
                      float *weight)
{
    const struct adding *a = arg;
    const struct se_graph *x = a->scored;
    uint64_t at = 0;

    for (uint64_t u = 0; u < g->n; u++) {
        uint64_t i = g->off[u], e = x->off[u];

        for (off[u] = at; i < g->off[u + 1] || e < x->off[u + 1];) {
            const bool new = i == g->off[u + 1] || (e < x->off[u + 1] && x->to[e] < g->to[i]);

            if (new && !a->taken[e]) {
                e++;
                continue;
            }
            if (weight)
                weight[at] = new ? (x->weight ? x->weight[e] : 1) : g->weight[i];
            to[at++] = new ? x->to[e++] : g->to[i++];
        }
    }
    off[g->n] = at;
    return at;
}

int se_graph_add_best(const struct se_graph *g, const struct se_graph *scored, uint64_t count,
                      struct se_stream *s, uint64_t *added, struct se_err *err)
{
    struct adding a = { .scored = scored };
    int rc = -1;

    if (scored->m > UINT32_MAX)
        return se_fail(err, SE_EINPUT, "more than 2^32 - 1 scored pairs are too many to order");
    a.taken = se_zalloc(scored->m, sizeof *a.taken, err);
    if (a.taken && choose(g, &a, count, err) == 0)
        rc = se_graph_put_edges(g, g->m + a.count, merge, &a, s, err);
    free(a.taken);
    *added = a.count;
    return rc;
}
