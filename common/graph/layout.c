/* layout.c - a multilevel layout by springs and repulsion, along the encoding tree
 *
 * Minimises sum of w d^2 / 2 over edges - sum of m_i m_j ln d over pairs + gravity, m the degree
 * plus one.  A coarse vertex has the sum of the masses and weights of its members, so the energy of
 * a coarse graph is that of the fine one with members in one place, and no level needs a scale of
 * its own.  Each step moves a vertex by its force over the curvature of its energy. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/rng.h"
#include "common/base/sort.h"
#include "common/graph/adjacency.h"
#include "common/graph/layout.h"
#include "common/graph/quadtree.h"

enum { MOST_LEVELS = 64, FEW = 40, SE_RNG_LAYOUT = 40 };

struct level {
    uint64_t n;
    uint64_t *off;              /* n + 1 */
    uint32_t *to;
    double *weight, *mass;
    uint32_t *group;            /* the vertex of the next level; NULL in the last */
    double *x, *y;
};

static void level_release(struct level *l)
{
    free(l->off);
    free(l->to);
    free(l->weight);
    free(l->mass);
    free(l->group);
    free(l->x);
    free(l->y);
    memset(l, 0, sizeof *l);
}

static int level_make(struct level *l, uint64_t n, uint64_t arcs, struct se_err *err)
{
    l->n = n;
    l->off = se_zalloc(n + 1, sizeof *l->off, err);
    l->to = l->off ? se_alloc(arcs, sizeof *l->to, err) : NULL;
    l->weight = l->to ? se_alloc(arcs, sizeof *l->weight, err) : NULL;
    l->mass = l->weight ? se_zalloc(n, sizeof *l->mass, err) : NULL;
    l->x = l->mass ? se_zalloc(n, sizeof *l->x, err) : NULL;
    l->y = l->x ? se_zalloc(n, sizeof *l->y, err) : NULL;
    return l->y ? 0 : -1;
}

/* Weights relative to their mean, so that layouts of w and 2 w are the same. */
static int first_level(struct level *l, const struct se_graph *g, struct se_err *err)
{
    struct se_adjacency a = SE_ADJACENCY_INIT;
    double sum = 0;

    if (se_adjacency_make(&a, g, err) < 0 || level_make(l, a.n, a.arcs, err) < 0) {
        se_adjacency_release(&a);
        return -1;
    }
    for (uint64_t i = 0; i < a.arcs; i++)
        sum += a.weight ? (double)a.weight[i] : 1;
    memcpy(l->off, a.off, (a.n + 1) * sizeof *l->off);
    for (uint64_t v = 0; v < a.n; v++) {
        l->mass[v] = 1;
        for (uint64_t i = a.off[v]; i < a.off[v + 1]; i++) {
            l->to[i] = a.to[i];
            l->weight[i] = sum > 0 ? (a.weight ? (double)a.weight[i] : 1) * (double)a.arcs / sum : 1;
            l->mass[v] += l->weight[i];
        }
    }
    se_adjacency_release(&a);
    return 0;
}

/* Members of each group as lists: member[start[c]] .. member[start[c + 1] - 1]. */
static int list_members(const uint32_t *group, uint64_t n, uint64_t groups, uint64_t **start,
                        uint32_t **member, struct se_err *err)
{
    *start = se_zalloc(groups + 2, sizeof **start, err);
    *member = *start ? se_alloc(n, sizeof **member, err) : NULL;
    if (!*member)
        return -1;
    for (uint64_t v = 0; v < n; v++)
        (*start)[group[v] + 2]++;
    for (uint64_t c = 2; c < groups + 2; c++)
        (*start)[c] += (*start)[c - 1];
    for (uint64_t v = 0; v < n; v++)
        (*member)[(*start)[group[v] + 1]++] = (uint32_t)v;
    return 0;
}

/* The graph of the groups; slot[c] is the arc to group c of the group at hand. */
static void join_groups(const struct level *l, struct level *up, const uint64_t *start,
                        const uint32_t *member, uint64_t *slot)
{
    uint64_t arcs = 0;

    for (uint64_t c = 0; c < up->n; c++)
        slot[c] = UINT64_MAX;
    for (uint64_t c = 0; c < up->n; c++) {
        const uint64_t begin = up->off[c] = arcs;

        for (uint64_t k = start[c]; k < start[c + 1]; k++) {
            const uint32_t v = member[k];

            up->mass[c] += l->mass[v];
            for (uint64_t i = l->off[v]; i < l->off[v + 1]; i++) {
                const uint32_t d = l->group[l->to[i]];

                if (d == c)
                    continue;
                if (slot[d] == UINT64_MAX || slot[d] < begin) {
                    slot[d] = arcs;
                    up->to[arcs] = d;
                    up->weight[arcs++] = 0;
                }
                up->weight[slot[d]] += l->weight[i];
            }
        }
    }
    up->off[up->n] = arcs;
}

static int coarsen(const struct level *l, struct level *up, uint64_t groups, struct se_err *err)
{
    uint64_t *start = NULL, *slot = NULL;
    uint32_t *member = NULL;
    int rc = -1;

    if (list_members(l->group, l->n, groups, &start, &member, err) == 0 &&
        level_make(up, groups, l->off[l->n], err) == 0 &&
        (slot = se_alloc(groups, sizeof *slot, err)) != NULL) {
        join_groups(l, up, start, member, slot);
        rc = 0;
    }
    free(start);
    free(slot);
    free(member);
    return rc;
}

/* ---- which vertices are grouped ---------------------------------------------------------- */

/* at[i]: the node of the tree that item i stands for.  Items become their ancestors of at most
 * this depth.  Returns how many groups there are; next[c] is the node of group c. */
static uint64_t lift(const struct se_tree *t, const uint32_t *depth, uint32_t most,
                     const uint32_t *at, uint64_t n, uint32_t *group, uint32_t *next,
                     uint32_t *up, uint32_t *number)
{
    uint64_t groups = 0;

    for (uint64_t a = 0; a < t->nodes; a++) {
        up[a] = depth[a] <= most ? (uint32_t)a : up[t->parent[a]];
        number[a] = SE_NONE;
    }
    for (uint64_t i = 0; i < n; i++) {
        const uint32_t a = up[at[i]];

        if (number[a] == SE_NONE) {
            number[a] = (uint32_t)groups;
            next[groups++] = a;
        }
        group[i] = number[a];
    }
    return groups;
}

/* Levels of the tree, each about half as deep as the one below; *levels counts them. */
static int tree_levels(struct level *l, int *levels, const struct se_tree *t,
                       struct se_err *err)
{
    uint32_t *room = se_alloc(5 * t->nodes, sizeof *room, err);
    uint32_t *depth = room, *up = room + t->nodes, *number = up + t->nodes;
    uint32_t *at = number + t->nodes, *next = at + t->nodes, deepest = 0;
    int rc = room ? 0 : -1;

    for (uint64_t a = 0; room && a < t->nodes; a++) {
        depth[a] = a ? depth[t->parent[a]] + 1 : 0;
        if (depth[a] > deepest)
            deepest = depth[a];
        if (t->vertex[a] != SE_NONE)
            at[t->vertex[a]] = (uint32_t)a;
    }
    for (uint32_t most = deepest > 2 ? deepest - 1 : 1; rc == 0 && most >= 1 && deepest > 1;
         most /= 2) {
        struct level *low = &l[*levels - 1];
        uint64_t groups;

        if (!(low->group = se_alloc(low->n, sizeof *low->group, err))) {
            rc = -1;
            break;
        }
        groups = lift(t, depth, most, at, low->n, low->group, next, up, number);
        if (groups * 10 > low->n * 9) {
            free(low->group);
            low->group = NULL;
            continue;
        }
        rc = coarsen(low, &l[(*levels)++], groups, err);
        memcpy(at, next, groups * sizeof *at);
    }
    free(room);
    return rc;
}

/* Pairs of vertices joined by an edge that is heavy for their masses. */
static uint64_t match(struct level *l)
{
    uint64_t groups = 0;

    for (uint64_t v = 0; v < l->n; v++)
        l->group[v] = SE_NONE;
    for (uint64_t v = 0; v < l->n; v++) {
        uint32_t best = SE_NONE;
        double most = 0;

        if (l->group[v] != SE_NONE)
            continue;
        for (uint64_t i = l->off[v]; i < l->off[v + 1]; i++) {
            const uint32_t u = l->to[i];

            if (l->group[u] == SE_NONE && u != v && l->weight[i] / l->mass[u] > most) {
                most = l->weight[i] / l->mass[u];
                best = u;
            }
        }
        if (best == SE_NONE && l->off[v] < l->off[v + 1])       /* join a pair: stars shrink too */
            l->group[v] = l->group[l->to[l->off[v]]];
        if (l->group[v] == SE_NONE)
            l->group[v] = (uint32_t)groups++;
        if (best != SE_NONE)
            l->group[best] = l->group[v];
    }
    return groups;
}

static int pair_levels(struct level *l, int *levels, struct se_err *err)
{
    while (*levels < MOST_LEVELS && l[*levels - 1].n > FEW) {
        struct level *low = &l[*levels - 1];
        uint64_t groups;

        if (!(low->group = se_alloc(low->n, sizeof *low->group, err)))
            return -1;
        groups = match(low);
        if (groups * 10 > low->n * 9) {
            free(low->group);
            low->group = NULL;
            return 0;
        }
        if (coarsen(low, &l[(*levels)++], groups, err) < 0)
            return -1;
    }
    return 0;
}

/* ---- moving ------------------------------------------------------------------------------ */

static double extent(const struct level *l)
{
    double sum = 0, mass = 0;

    for (uint64_t v = 0; v < l->n; v++) {
        sum += l->mass[v] * (l->x[v] * l->x[v] + l->y[v] * l->y[v]);
        mass += l->mass[v];
    }
    return mass > 0 ? sqrt(sum / mass) : 0;
}

/* One step of all vertices: `limit` is the farthest that one may move. */
static void step(struct level *l, const struct se_quadtree *q, double gravity, double limit,
                 double *nx, double *ny)
{
    for (uint64_t v = 0; v < l->n; v++) {
        const double x = l->x[v], y = l->y[v];
        double fx = 0, fy = 0, curve = 0, pull = gravity * l->mass[v], far;

        se_quadtree_repel(q, x, y, &fx, &fy, &curve);
        fx = fx * l->mass[v] - pull * x;
        fy = fy * l->mass[v] - pull * y;
        curve = curve * l->mass[v] + pull;
        for (uint64_t i = l->off[v]; i < l->off[v + 1]; i++) {
            fx += l->weight[i] * (l->x[l->to[i]] - x);
            fy += l->weight[i] * (l->y[l->to[i]] - y);
            curve += l->weight[i];
        }
        fx *= .7 / curve;
        fy *= .7 / curve;
        far = sqrt(fx * fx + fy * fy);
        if (far > limit) {
            fx *= limit / far;
            fy *= limit / far;
        }
        nx[v] = x + fx;
        ny[v] = y + fy;
    }
    memcpy(l->x, nx, l->n * sizeof *nx);
    memcpy(l->y, ny, l->n * sizeof *ny);
}

static int relax(struct level *l, int steps, double gravity, struct se_err *err)
{
    struct se_quadtree q = SE_QUADTREE_INIT;
    double *nx = se_alloc(l->n, sizeof *nx, err);
    double *ny = nx ? se_alloc(l->n, sizeof *ny, err) : NULL;
    int rc = ny ? 0 : -1;

    for (int i = 0; i < steps && rc == 0; i++) {
        const double heat = 1 - (double)i / steps;

        rc = se_quadtree_make(&q, l->n, l->x, l->y, l->mass, err);
        if (rc == 0)
            step(l, &q, gravity, extent(l) * .2 * heat * heat + 1e-12, nx, ny);
    }
    se_quadtree_release(&q);
    free(nx);
    free(ny);
    return rc;
}

/* Members begin around the place of their group, in a disc as large as they need. */
static void expand(struct level *l, const struct level *up, uint64_t seed, int height)
{
    double mass = 0, reach = extent(up);

    for (uint64_t c = 0; c < up->n; c++)
        mass += up->mass[c];
    for (uint64_t v = 0; v < l->n; v++) {
        const uint32_t c = l->group[v];
        struct se_rng r;
        double radius, angle;

        se_rng_init(&r, seed + (uint64_t)height, SE_RNG_LAYOUT, v);
        radius = .7 * reach * sqrt(up->mass[c] / mass * se_rng_unit(&r)) + 1e-9;
        angle = 2 * M_PI * se_rng_unit(&r);
        l->x[v] = up->x[c] + radius * cos(angle);
        l->y[v] = up->y[c] + radius * sin(angle);
    }
}

static int place_levels(struct level *l, int levels, uint64_t seed, struct se_err *err)
{
    struct level *top = &l[levels - 1];
    const double gravity = .05;

    for (uint64_t v = 0; v < top->n; v++) {
        struct se_rng r;

        se_rng_init(&r, seed + (uint64_t)levels, SE_RNG_LAYOUT, v);
        top->x[v] = sqrt((double)l->n) * (se_rng_unit(&r) - .5);
        top->y[v] = sqrt((double)l->n) * (se_rng_unit(&r) - .5);
    }
    for (int i = levels - 1; i >= 0; i--) {
        const uint64_t n = l[i].n;
        const int steps = n < 500 ? 250 : n < 20000 ? 120 : n < 200000 ? 60 : 25;

        if (i < levels - 1)
            expand(&l[i], &l[i + 1], seed, i);
        if (relax(&l[i], steps, gravity, err) < 0)
            return -1;
    }
    return 0;
}

/* ---- small components ---------------------------------------------------------------------- */

/* Middle and size of each component; returns the largest. */
static uint32_t find_middles(const struct level *l, const uint32_t *of, uint64_t components,
                             double *x, double *y, double *size)
{
    uint32_t largest = 0;

    for (uint64_t v = 0; v < l->n; v++) {
        x[of[v]] += l->x[v];
        y[of[v]] += l->y[v];
        size[of[v]]++;
    }
    for (uint32_t c = 0; c < components; c++) {
        x[c] /= size[c];
        y[c] /= size[c];
        if (size[c] > size[largest])
            largest = c;
    }
    return largest;
}

/* The distance from the middle of component c within which 98 % of its vertices are. */
static double radius_of(const struct level *l, const uint32_t *of, uint32_t c, double x, double y,
                        uint64_t *key, uint64_t *scratch)
{
    uint64_t count = 0;
    double radius;

    for (uint64_t v = 0; v < l->n; v++)
        if (of[v] == c) {
            radius = hypot(l->x[v] - x, l->y[v] - y);
            memcpy(&key[count++], &radius, sizeof radius);      /* ordered as their bits are */
        }
    se_sort_u64(key, scratch, count);
    memcpy(&radius, &key[count * 98 / 100], sizeof radius);
    return radius;
}

/* Repulsion drives small components far from one that has most of the vertices.  They are moved,
 * each as a whole, to between 1.1 and 1.25 times its radius. */
static int draw_near(struct level *l, const struct se_graph *g, struct se_err *err)
{
    uint32_t *of = se_alloc(l->n, sizeof *of, err);
    uint64_t *key = of ? se_alloc(2 * l->n, sizeof *key, err) : NULL;
    double *x = key ? se_zalloc(3 * l->n, sizeof *x, err) : NULL, most = 0;

    if (x) {
        double *y = x + l->n, *size = y + l->n;
        const uint64_t components = se_components(g, of);
        const uint32_t main = find_middles(l, of, components, x, y, size);
        const double r = radius_of(l, of, main, x[main], y[main], key, key + l->n);

        for (uint64_t c = 0; c < components; c++)
            most = fmax(most, hypot(x[c] - x[main], y[c] - y[main]));
        for (uint64_t v = 0; v < l->n && most > 1.25 * r && 2 * size[main] > (double)l->n; v++) {
            const double dx = x[of[v]] - x[main], dy = y[of[v]] - y[main], far = hypot(dx, dy);

            if (far > 1.1 * r) {
                const double shift = 1 - r * (1.1 + .15 * (far - r) / (most - r)) / far;

                l->x[v] -= dx * shift;
                l->y[v] -= dy * shift;
            }
        }
    }
    free(of);
    free(key);
    free(x);
    return x ? 0 : -1;
}

/* Into the square from 0 to 1000, the middle of the shorter side in its middle. */
static void fit(const struct level *l, double *x, double *y)
{
    double low[2] = { HUGE_VAL, HUGE_VAL }, high[2] = { -HUGE_VAL, -HUGE_VAL }, side;

    for (uint64_t v = 0; v < l->n; v++) {
        low[0] = fmin(low[0], l->x[v]);
        high[0] = fmax(high[0], l->x[v]);
        low[1] = fmin(low[1], l->y[v]);
        high[1] = fmax(high[1], l->y[v]);
    }
    side = fmax(fmax(high[0] - low[0], high[1] - low[1]), 1e-9);
    for (uint64_t v = 0; v < l->n; v++) {
        x[v] = 500 + (l->x[v] - (low[0] + high[0]) / 2) * 1000 / side;
        y[v] = 500 + (l->y[v] - (low[1] + high[1]) / 2) * 1000 / side;
    }
}

int se_layout(const struct se_graph *g, const struct se_tree *t, uint64_t seed, double *x,
              double *y, struct se_err *err)
{
    struct level l[MOST_LEVELS];
    int levels = 1, rc = -1;

    if (g->n == 0)
        return 0;
    memset(l, 0, sizeof l);
    if (t && t->n != g->n)
        return se_fail(err, SE_EINPUT, "the tree has %" PRIu64 " vertices, the graph %" PRIu64,
                       t->n, g->n);
    if (first_level(&l[0], g, err) == 0 && (!t || tree_levels(l, &levels, t, err) == 0) &&
        pair_levels(l, &levels, err) == 0 && place_levels(l, levels, seed, err) == 0 &&
        draw_near(&l[0], g, err) == 0) {
        fit(&l[0], x, y);
        rc = 0;
    }
    for (int i = 0; i < MOST_LEVELS; i++)
        level_release(&l[i]);
    return rc;
}
