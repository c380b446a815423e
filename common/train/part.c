/* part.c - the vertices of one process, and what their arcs need of others */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/sort.h"
#include "common/train/peers.h"

uint64_t se_part_rows(uint64_t n)
{
    enum { FEW_PARTS = 32, MANY_ROWS = 4096 };
    uint64_t rows = 64;

    while (rows * (rows < MANY_ROWS ? FEW_PARTS : SE_MOST_PARTS) < n)
        rows *= 2;
    return rows;
}

uint64_t se_peers_border(uint64_t n, int rank, int ranks)
{
    const uint64_t rows = se_part_rows(n), parts = (n + rows - 1) / rows;
    const uint64_t at = rows * (parts * (uint64_t)rank / (uint64_t)ranks);

    return at < n ? at : n;
}

void se_links_release(struct se_links *l)
{
    if (!l)
        return;
    free(l->id);
    free(l->halo_of);
    free(l->row);
    free(l->row_of);
    free(l->arc);
    free(l->arc_of);
    free(l);
}

/* ---- arcs of our vertices; ends are those of the whole graph at first ---- */

static bool is_ours(const struct se_peers *p, uint64_t v)
{
    return v >= p->first && v < p->last;
}

/* The first edge of row u whose other end is not below v; the ends of a row ascend. */
static uint64_t edge_from(const struct se_graph *g, uint64_t u, uint64_t v)
{
    uint64_t low = g->off[u], high = g->off[u + 1];

    while (low < high) {
        const uint64_t mid = (low + high) / 2;

        if (g->to[mid] < v)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* How many arcs each has, a loop among them, into off[v + 1].  Edges of earlier rows matter where
 * they end at ours, edges of later rows do not.  Arcs of vertices before ours are counted in
 * x->first, those that leave in ghosts. */
static void count_arcs(struct se_nngraph *x, const struct se_graph *g, const struct se_peers *p)
{
    for (uint64_t v = 0; v < x->n; v++)
        x->off[v + 1] = 1;
    x->first = p->first;
    for (uint64_t u = 0; u < p->first; u++) {
        const uint64_t from = edge_from(g, u, p->first), to = edge_from(g, u, p->last);

        x->first += g->off[u + 1] - g->off[u] + (from - g->off[u]);
        x->links->ghosts += to - from;
        for (uint64_t e = from; e < to; e++)
            x->off[g->to[e] - p->first + 1]++;
    }
    for (uint64_t u = p->first; u < p->last; u++) {
        const uint64_t to = edge_from(g, u, p->last);

        x->off[u - p->first + 1] += g->off[u + 1] - g->off[u];
        x->links->ghosts += g->off[u + 1] - to;
        for (uint64_t e = g->off[u]; e < to; e++)
            x->off[g->to[e] - p->first + 1]++;
    }
    for (uint64_t v = 0; v < x->n; v++)
        x->off[v + 1] += x->off[v];
}

static void put_arc(struct se_nngraph *x, uint64_t *next, uint64_t to, se_real weight)
{
    x->to[*next] = (uint32_t)to;
    x->weight[(*next)++] = weight;
}

static se_real weight_of(const struct se_graph *g, uint64_t e, bool weights)
{
    return weights && g->weight ? (se_real)g->weight[e] : 1;
}

/* Rows ascend, so arcs of a vertex come in the order of their other ends: the lower ones, the loop
 * when its own row begins, the higher ones. */
static void fill_arcs(struct se_nngraph *x, const struct se_graph *g, const struct se_peers *p,
                      bool weights, enum se_loops loops, uint64_t *next)
{
    memcpy(next, x->off, x->n * sizeof *next);
    for (uint64_t u = 0; u < p->first; u++)
        for (uint64_t e = edge_from(g, u, p->first);
             e < g->off[u + 1] && g->to[e] < p->last; e++)
            put_arc(x, &next[g->to[e] - p->first], u, weight_of(g, e, weights));
    for (uint64_t u = p->first, l = 0; u < p->last; u++) {
        se_real loop = loops == SE_LOOPS_ONE;

        while (l < g->loops && g->loop[l] < u)
            l++;
        if (loops == SE_LOOPS_GIVEN && l < g->loops && g->loop[l] == u)
            loop = weights && g->loop_weight ? (se_real)g->loop_weight[l] : 1;
        put_arc(x, &next[u - p->first], u, loop);
        for (uint64_t e = g->off[u]; e < g->off[u + 1]; e++) {
            put_arc(x, &next[u - p->first], g->to[e], weight_of(g, e, weights));
            if (is_ours(p, g->to[e]))
                put_arc(x, &next[g->to[e] - p->first], u, weight_of(g, e, weights));
        }
    }
}

/* ---- the halo ---- */

static int by_id(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* Ends of others, each once, ascending */
static int find_halo(struct se_links *l, const struct se_nngraph *x, const struct se_peers *p,
                     struct se_err *err)
{
    const uint64_t count = l->ghosts;
    uint64_t kept = 0;

    if (!(l->id = se_alloc(count, sizeof *l->id, err)))
        return -1;
    for (uint64_t e = 0, at = 0; e < x->arcs; e++)
        if (!is_ours(p, x->to[e]))
            l->id[at++] = x->to[e];
    qsort(l->id, count, sizeof *l->id, by_id);
    for (uint64_t i = 0; i < count; i++)
        if (i == 0 || l->id[i] != l->id[i - 1])
            l->id[kept++] = l->id[i];
    l->halo = kept;
    return 0;
}

/* The place of a vertex of another process in the halo */
static uint64_t place_of(const struct se_links *l, uint32_t v)
{
    return se_lower_bound_u32(l->id, l->halo, v);
}

static int owner_of(const struct se_peers *p, uint64_t v)
{
    int low = 0, high = p->ranks - 1;

    while (low < high) {
        const int mid = (low + high + 1) / 2;

        if (se_peers_border(p->n, mid, p->ranks) <= v)
            low = mid;
        else
            high = mid - 1;
    }
    return low;
}

/* Arcs that leave, by process and in order; ghosts, in the order of the arcs that they are, which
 * is by the vertex of the other, then ours; and x->back, with `next` for x->n + halo numbers. */
static void link_arcs(struct se_nngraph *x, struct se_links *l, const struct se_peers *p,
                      uint64_t *next)
{
    uint64_t *ghost = next + x->n, *out = l->arc_of + 1;

    memset(ghost, 0, l->halo * sizeof *ghost);
    for (uint64_t v = 0; v < x->n; v++) {       /* our ends lie together in a row */
        next[v] = x->off[v];
        while (!is_ours(p, x->to[next[v]]))
            next[v]++;
    }
    for (uint64_t e = 0; e < x->arcs; e++)
        if (!is_ours(p, x->to[e])) {
            ghost[place_of(l, x->to[e])]++;
            out[owner_of(p, x->to[e])]++;
        }
    for (uint64_t i = 0, at = x->arcs; i < l->halo; i++) {
        const uint64_t count = ghost[i];

        ghost[i] = at;
        at += count;
    }
    for (int r = 0; r < p->ranks; r++)
        out[r] += l->arc_of[r];
    for (uint64_t v = 0; v < x->n; v++)
        for (uint64_t e = x->off[v]; e < x->off[v + 1]; e++)
            if (is_ours(p, x->to[e]))
                x->back[next[x->to[e] - p->first]++] = (uint32_t)e;
            else
                x->back[e] = (uint32_t)ghost[place_of(l, x->to[e])]++;
}

/* Our arcs to each process, in order, and the vertices that they leave from.  The ends of a row
 * ascend, so those of one process lie together.  `next` has two numbers for each process. */
static void link_rows(const struct se_nngraph *x, struct se_links *l, const struct se_peers *p,
                      uint64_t *next)
{
    uint64_t *arc = next, *row = next + p->ranks;

    memcpy(arc, l->arc_of, (uint64_t)p->ranks * sizeof *arc);
    for (int pass = 0; pass < 2; pass++) {      /* count the rows, then write them and the arcs */
        for (int r = 0; pass == 1 && r < p->ranks; r++) {
            row[r] = l->row_of[r];
            l->row_of[r + 1] += l->row_of[r];
        }
        for (uint64_t v = 0; v < x->n; v++) {
            uint64_t last = 0;                  /* of the process r */
            int r = p->rank;

            for (uint64_t e = x->off[v]; e < x->off[v + 1]; e++) {
                if (x->to[e] >= last) {
                    r = owner_of(p, x->to[e]);
                    last = se_peers_border(p->n, r + 1, p->ranks);
                    if (r != p->rank && pass == 0)
                        l->row_of[r + 1]++;
                    else if (r != p->rank)
                        l->row[row[r]++] = (uint32_t)v;
                }
                if (r != p->rank && pass == 1)
                    l->arc[arc[r]++] = (uint32_t)e;
            }
        }
    }
    for (int r = 0; r < p->ranks; r++)
        l->halo_of[r] = place_of(l, (uint32_t)se_peers_border(p->n, r, p->ranks));
    l->halo_of[p->ranks] = l->halo;
}

/* From vertices of the whole graph to our numbers */
static void renumber(struct se_nngraph *x, const struct se_links *l, const struct se_peers *p)
{
    for (uint64_t e = 0; e < x->arcs; e++)
        x->to[e] = (uint32_t)(is_ours(p, x->to[e]) ? x->to[e] - p->first
                                                    : x->n + place_of(l, x->to[e]));
}

/* ---- shares ---- */

static struct se_degree degree_of(const struct se_nngraph *x, uint64_t v)
{
    struct se_degree d = { 0, 0 };

    for (uint64_t e = x->off[v]; e < x->off[v + 1]; e++)
        if (x->to[e] == v)
            d.loop = (double)x->weight[e];
        else
            d.apart += (double)x->weight[e];
    return d;
}

/* The shares of the ghosts, by the degrees of the vertices that they leave */
static void share_ghosts(struct se_nngraph *x, const struct se_degree *halo)
{
    for (uint64_t e = 0; e < x->arcs; e++) {
        const uint64_t u = x->to[e], g = x->back[e];

        if (u < x->n)
            continue;
        const struct se_degree *d = &halo[u - x->n];
        const double w = (double)x->weight[e], degree = d->loop + d->apart;

        x->weight[g] = x->weight[e];
        x->norm[g] = x->norm[e];
        x->mean[g] = (se_real)(degree > 0 ? w / degree : 0);
        x->apart[g] = (se_real)(w * (d->apart > 0 ? 1 / d->apart : 0));
    }
}

void se_nngraph_weigh_part(struct se_nngraph *x, struct se_peers *p, struct se_degree *d)
{
    const uint64_t halo = x->links->halo;

    for (uint64_t v = 0; v < x->n; v++)
        d[v] = degree_of(x, v);
    p->rows(p, x->links, d, sizeof *d, d + x->n);
    for (uint64_t v = x->n; v < x->n + halo; v++) {
        const double degree = d[v].loop + d[v].apart;

        x->root[v] = degree > 0 ? 1 / sqrt(degree) : 0;
    }
    se_nngraph_weigh(x, 1);
    share_ghosts(x, d + x->n);
}

static int weigh(struct se_nngraph *x, struct se_peers *p, struct se_err *err)
{
    struct se_degree *d = se_alloc(x->n + x->links->halo, sizeof *d, err);

    if (!d)
        return -1;
    se_nngraph_weigh_part(x, p, d);
    free(d);
    return 0;
}

/* ---- all of it ---- */

static int link_memory(struct se_nngraph *x, const struct se_peers *p, struct se_err *err)
{
    struct se_links *l = x->links;
    const uint64_t ranks = (uint64_t)p->ranks + 1, all = x->arcs + l->ghosts;

    return (l->halo_of = se_zalloc(ranks, sizeof *l->halo_of, err)) &&
           (l->row_of = se_zalloc(ranks, sizeof *l->row_of, err)) &&
           (l->arc_of = se_zalloc(ranks, sizeof *l->arc_of, err)) &&
           (l->row = se_alloc(l->ghosts, sizeof *l->row, err)) &&
           (l->arc = se_alloc(l->ghosts, sizeof *l->arc, err)) &&
           (x->back = se_alloc(x->arcs, sizeof *x->back, err)) &&
           (x->norm = se_alloc(all, sizeof *x->norm, err)) &&
           (x->mean = se_alloc(all, sizeof *x->mean, err)) &&
           (x->apart = se_alloc(all, sizeof *x->apart, err)) &&
           (x->root = se_alloc(x->n + l->halo, sizeof *x->root, err)) ? 0 : -1;
}

static int link_part(struct se_nngraph *x, struct se_peers *p, struct se_err *err)
{
    struct se_links *l = x->links;
    uint64_t *next;

    if (find_halo(l, x, p, err) < 0 || link_memory(x, p, err) < 0 ||
        !(next = se_alloc(x->n + l->halo + 2 * (uint64_t)p->ranks, sizeof *next, err)))
        return -1;
    link_arcs(x, l, p, next);
    link_rows(x, l, p, next);
    free(next);
    renumber(x, l, p);
    return weigh(x, p, err);
}

int se_nngraph_make_part(struct se_nngraph *x, const struct se_graph *g, bool weights,
                         enum se_loops loops, struct se_peers *p, struct se_err *err)
{
    uint64_t *next = NULL;
    int rc = -1;

    memset(x, 0, sizeof *x);
    x->n = p->last - p->first;
    if ((x->off = se_zalloc(x->n + 1, sizeof *x->off, err)) &&
        (x->links = se_zalloc(1, sizeof *x->links, err)) &&
        (next = se_alloc(x->n, sizeof *next, err))) {
        count_arcs(x, g, p);
        x->arcs = x->off[x->n];
        if (2 * x->arcs > UINT32_MAX)
            se_fail(err, SE_EINPUT, "the graph has too many edges for so few processes (2^31)");
        else if ((x->to = se_alloc(x->arcs, sizeof *x->to, err)) &&
                 (x->weight = se_alloc(x->arcs + x->links->ghosts, sizeof *x->weight, err))) {
            fill_arcs(x, g, p, weights, loops, next);
            rc = link_part(x, p, err);
        }
    }
    free(next);
    return rc;
}

/* Entries before ours name random numbers; the two halves of the columns are those of all rows. */
int se_sparse_part(struct se_sparse *x, struct se_peers *p, struct se_err *err)
{
    uint64_t *count = se_zalloc(x->cols + (uint64_t)p->ranks + 1, sizeof *count, err);
    uint64_t *entries;

    if (!count)
        return -1;
    entries = count + x->cols + 1;
    for (uint64_t e = 0; e < x->nnz; e++)
        count[x->col[e] + 1]++;
    entries[p->rank] = x->nnz;
    p->count(p, count, x->cols + (uint64_t)p->ranks + 1);
    for (uint64_t c = 0; c < x->cols; c++)
        count[c + 1] += count[c];
    x->first = 0;
    for (int r = 0; r < p->rank; r++)
        x->first += entries[r];
    x->all = count[x->cols];
    se_sparse_divide(x, count);
    free(count);
    return 0;
}
