/* squeeze_exact.c - which inner nodes to keep when a tree must become lower
 *
 * Exact.  Let lambda be the log-volume of the nearest kept ancestor.  The least cost of the
 * edges within x, when at most j inner nodes may be kept on any path below it, is
 *     F(x, j, lambda) = min(A(x, j, lambda), B(x, j-1)),
 *     A(x, j, lambda) = cut_x lambda + sum over children c of F(c, j, lambda),
 *     B(x, j) = A(x, j, log V_x), B(x, 0) = I_x log V_x.
 * A is concave, rising and made of straight pieces; taking the minimum with B cuts it off at
 * one threshold: keep x if and only if lambda lies above.  A function is held as its two
 * end pieces and the breakpoints between them, in a heap with the lowest and a heap with the
 * highest on top; a sum of functions melds heaps.  For each j a node adds one breakpoint. */
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/tree/workings.h"

struct line {                   /* slope lambda + at0 */
    double slope, at0;
};

struct point {                  /* the breakpoint of a node */
    double at, drop;            /* where, and by how much the slope falls there */
    uint32_t left[2], right[2]; /* children in the heap of lowest and of highest */
    bool gone;
};

struct squeeze {
    const struct se_nest *t;
    double *log_volume;
    double *b, *b_next;         /* B(x, j-1) and B(x, j) */
    struct line *low, *high;    /* the function of each node below and above its points */
    uint32_t *heap[2];          /* top of each node's heaps, SE_NONE: empty */
    struct point *point;
    double **threshold;         /* threshold[j][x - n] */
};

static inline bool on_top(const struct point *p, int side, uint32_t a, uint32_t b)
{
    if (p[a].at != p[b].at)
        return (p[a].at < p[b].at) == (side == 0);
    return a < b;
}

/* Meld two skew heaps, from the top down. */
static uint32_t meld(struct point *p, int side, uint32_t a, uint32_t b)
{
    uint32_t top, *hook = &top;

    while (a != SE_NONE && b != SE_NONE) {
        uint32_t rest;
        if (!on_top(p, side, a, b)) {
            uint32_t swap = a;
            a = b;
            b = swap;
        }
        *hook = a;
        rest = p[a].right[side];
        p[a].right[side] = p[a].left[side];
        hook = &p[a].left[side];
        a = rest;
    }
    *hook = a != SE_NONE ? a : b;
    return top;
}

/* The top of a heap that is not gone, SE_NONE if there is none. */
static uint32_t top_of(struct squeeze *s, uint32_t x, int side)
{
    uint32_t *top = &s->heap[side][x];

    while (*top != SE_NONE && s->point[*top].gone)
        *top = meld(s->point, side, s->point[*top].left[side], s->point[*top].right[side]);
    return *top;
}

/* Points below log V_x: nobody above will ask there. */
static void drop_low(struct squeeze *s, uint32_t x)
{
    for (uint32_t i; (i = top_of(s, x, 0)) != SE_NONE;) {
        struct point *p = &s->point[i];
        if (p->at > s->log_volume[x])
            return;
        s->low[x].slope -= p->drop;
        s->low[x].at0 += p->drop * p->at;
        p->gone = true;
    }
}

/* Cut A(x) off at height B; returns where. */
static double cut_off(struct squeeze *s, uint32_t x, double b)
{
    struct line *high = &s->high[x];
    struct point *p = &s->point[x];
    double at;

    for (uint32_t i; (i = top_of(s, x, 1)) != SE_NONE;) {
        struct point *q = &s->point[i];
        if (high->slope * q->at + high->at0 < b)
            break;
        high->slope += q->drop;
        high->at0 -= q->drop * q->at;
        q->gone = true;
    }
    if (top_of(s, x, 1) == SE_NONE)             /* one piece: the sums that drifted agree */
        *high = s->low[x];
    if (!(high->slope > 0))
        return INFINITY;
    at = (b - high->at0) / high->slope;
    if (at < s->log_volume[x])
        at = s->log_volume[x];
    *p = (struct point){ at, high->slope, { SE_NONE, SE_NONE }, { SE_NONE, SE_NONE }, false };
    *high = (struct line){ 0, b };
    for (int side = 0; side < 2; side++)
        s->heap[side][x] = meld(s->point, side, top_of(s, x, side), x);
    return at;
}

/* One node, its children done; then it hands itself to its parent. */
static void visit(struct squeeze *s, uint32_t x, double *threshold)
{
    const struct se_nest *t = s->t;
    uint32_t up = t->parent[x];

    if (x >= t->n) {
        s->low[x].slope += t->cut[x];
        s->high[x].slope += t->cut[x];
        drop_low(s, x);
        s->b_next[x] = s->low[x].slope * s->log_volume[x] + s->low[x].at0;
        threshold[x - t->n] = up == SE_NONE ? INFINITY : cut_off(s, x, s->b[x]);
    }
    if (up == SE_NONE)
        return;
    s->low[up].slope += s->low[x].slope;
    s->low[up].at0 += s->low[x].at0;
    s->high[up].slope += s->high[x].slope;
    s->high[up].at0 += s->high[x].at0;
    for (int side = 0; side < 2; side++)
        s->heap[side][up] = meld(s->point, side, s->heap[side][up], s->heap[side][x]);
}

static void run(struct squeeze *s, uint64_t k)
{
    const struct se_nest *t = s->t;
    size_t nodes = t->nodes;

    for (uint32_t x = 0; x < nodes; x++) {      /* low[].slope: I_x, for B(x, 0) */
        s->log_volume[x] = t->volume[x] > 0 ? log2(t->volume[x]) : 0;
        s->low[x].slope += x < t->n ? 0 : t->cut[x];
        s->b[x] = s->low[x].slope * s->log_volume[x];
        if (x + 1 < nodes)
            s->low[t->parent[x]].slope += s->low[x].slope;
    }
    for (uint64_t j = 1; j < k; j++) {
        double *swap = s->b;
        memset(s->low, 0, nodes * sizeof *s->low);
        memset(s->high, 0, nodes * sizeof *s->high);
        memset(s->heap[0], 0xff, nodes * sizeof *s->heap[0]);
        memset(s->heap[1], 0xff, nodes * sizeof *s->heap[1]);
        for (uint32_t x = 0; x < nodes; x++)
            visit(s, x, s->threshold[j]);
        s->b = s->b_next;
        s->b_next = swap;
    }
}

/* From the root down: j left below each node, lambda above it. */
static void pick(const struct squeeze *s, uint64_t k, bool *keep, uint32_t *left,
                 double *lambda)
{
    const struct se_nest *t = s->t;
    uint32_t root = (uint32_t)t->nodes - 1;

    keep[root] = true;
    left[root] = (uint32_t)k - 1;
    lambda[root] = s->log_volume[root];
    for (uint32_t x = root; x-- > t->n;) {
        uint32_t p = t->parent[x], j = left[p];
        keep[x] = j > 0 && lambda[p] > s->threshold[j][x - t->n];
        left[x] = keep[x] ? j - 1 : j;
        lambda[x] = keep[x] ? s->log_volume[x] : lambda[p];
    }
}

static int squeeze_alloc(struct squeeze *s, uint64_t k, struct se_err *err)
{
    uint64_t nodes = s->t->nodes;
    bool ok;

    s->log_volume = se_alloc(nodes, sizeof *s->log_volume, err);
    s->b = se_zalloc(nodes, sizeof *s->b, err);
    s->b_next = se_zalloc(nodes, sizeof *s->b_next, err);
    s->low = se_zalloc(nodes, sizeof *s->low, err);
    s->high = se_zalloc(nodes, sizeof *s->high, err);
    s->heap[0] = se_alloc(nodes, sizeof *s->heap[0], err);
    s->heap[1] = se_alloc(nodes, sizeof *s->heap[1], err);
    s->point = se_alloc(nodes, sizeof *s->point, err);
    s->threshold = se_zalloc(k, sizeof *s->threshold, err);
    ok = s->log_volume && s->b && s->b_next && s->low && s->high && s->heap[0] &&
         s->heap[1] && s->point && s->threshold;
    for (uint64_t j = 1; ok && j < k; j++)
        ok = (s->threshold[j] = se_alloc(nodes - s->t->n, sizeof **s->threshold, err)) != NULL;
    return ok ? 0 : -1;
}

static void squeeze_release(struct squeeze *s, uint64_t k)
{
    for (uint64_t j = 1; s->threshold && j < k; j++)
        free(s->threshold[j]);
    free(s->threshold);
    free(s->log_volume);
    free(s->b);
    free(s->b_next);
    free(s->low);
    free(s->high);
    free(s->heap[0]);
    free(s->heap[1]);
    free(s->point);
}

int se_squeeze_exact(struct se_nest *t, uint64_t k, struct se_err *err)
{
    struct squeeze s = { .t = t };
    uint32_t height = se_nest_height(t, err), *left;
    double *lambda;
    bool *keep;
    int rc = -1;

    if (height == SE_NONE)
        return -1;
    if (k > height)
        k = height > 1 ? height : 1;
    keep = se_zalloc(t->nodes, sizeof *keep, err);
    left = se_alloc(t->nodes, sizeof *left, err);
    lambda = se_alloc(t->nodes, sizeof *lambda, err);
    if (keep && left && lambda && squeeze_alloc(&s, k, err) == 0) {
        run(&s, k);
        pick(&s, k, keep, left, lambda);
        rc = 0;
    }
    squeeze_release(&s, k);
    if (rc == 0)
        rc = se_nest_prune(t, keep, err);
    free(keep);
    free(left);
    free(lambda);
    return rc;
}
