/* gen.c - generated graphs: numbers, places, labels, the planted tree */
#include "common/graph/gen.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "common/base/draw.h"
#include "common/base/mem.h"
#include "common/base/rng.h"
#include "common/graph/gen_parts.h"

const struct se_gen se_gen_default = {
    .n = 1000, .levels = 3, .branch = { 5, 3, 2 }, .degree = 10, .homophily = 0.2, .noise = 0.3,
    .tight = 0.75, .exponent = 0, .features = SE_GEN_WORDS, .dims = 500, .words = 20,
    .signal = 0.35, .seed = 0, .threads = 1
};

struct se_block se_block_part(struct se_block b, uint64_t i, uint64_t parts)
{
    const uint64_t size = se_block_size(b);

    return (struct se_block){ b.first + size * i / parts, b.first + size * (i + 1) / parts };
}

/* The largest i with size * i / parts <= x - first. */
uint64_t se_block_find(struct se_block b, uint64_t x, uint64_t parts)
{
    return ((x - b.first + 1) * parts - 1) / se_block_size(b);
}

static uint64_t pairs_of(uint64_t n)
{
    return n % 2 ? n * ((n - 1) / 2) : n / 2 * (n - (n > 0));
}

void se_gen_count(const struct se_gen *g, struct se_gen_counts *c)
{
    const uint64_t classes = g->branch[0], size = g->n / classes, larger = g->n % classes;

    c->pairs = pairs_of(g->n);
    c->same_pairs = larger * pairs_of(size + 1) + (classes - larger) * pairs_of(size);
    c->edges = (uint64_t)llround((double)g->n * g->degree / 2);
    c->same = (uint64_t)llround(g->homophily * (double)c->edges);
    const double noise = g->noise * (double)c->edges;
    c->loose = c->pairs == 0 ? 0 : (uint64_t)llround(noise * (double)c->same_pairs /
                                                     (double)c->pairs);
}

/* The most edges that the pairs within and between classes allow. */
static uint64_t most_edges(const struct se_gen_counts *c, double homophily)
{
    const double same = (double)c->same_pairs, other = (double)(c->pairs - c->same_pairs);
    double most = (double)c->pairs;

    if (homophily > 0)
        most = fmin(most, same / homophily);
    if (homophily < 1)
        most = fmin(most, other / (1 - homophily));
    return (uint64_t)most;
}

static int settle_edges(struct se_gen *g, unsigned chosen, struct se_err *err)
{
    struct se_gen_counts c;
    uint64_t most;

    se_gen_count(g, &c);
    most = chosen & SE_GEN_HOMOPHILY ? most_edges(&c, g->homophily) : c.pairs;
    if (!(chosen & SE_GEN_DEGREE)) {
        if (most > (c.pairs + 1) / 2)           /* small graphs should not become complete */
            most = (c.pairs + 1) / 2;
        if (c.edges > most)
            g->degree = 2.0 * (double)most / (double)g->n;
    } else if (c.edges > most) {
        return se_fail(err, SE_EUSAGE, "a mean degree of %g is impossible: with %" PRIu64
                       " vertices, %" PRIu64 " classes and this homophily the most is %g",
                       g->degree, g->n, g->branch[0],
                       floor(2e3 * (double)most / (double)g->n) / 1e3);
    }
    se_gen_count(g, &c);
    if (!(chosen & SE_GEN_HOMOPHILY) && c.edges > 0) {
        const uint64_t other = c.pairs - c.same_pairs;

        if (c.same > c.same_pairs)
            c.same = c.same_pairs;
        if (c.edges - c.same > other)
            c.same = c.edges - other;
        g->homophily = (double)c.same / (double)c.edges;
    }
    return 0;
}

/* Noise brings its own share of edges within classes, and between them. */
static int settle_noise(struct se_gen *g, unsigned chosen, struct se_err *err)
{
    struct se_gen_counts c;
    double chance, most = 1;

    se_gen_count(g, &c);
    if (c.edges == 0)
        return 0;
    chance = (double)c.same_pairs / (double)c.pairs;
    if (chance > 0)
        most = fmin(most, g->homophily / chance);
    if (chance < 1)
        most = fmin(most, (1 - g->homophily) / (1 - chance));
    if (g->noise <= most)
        return 0;
    if (chosen & SE_GEN_NOISE)
        return se_fail(err, SE_EUSAGE, "noise %g is impossible with homophily %g: a fraction of "
                       "%.4g of random edges lies within a class; the most is %g", g->noise,
                       g->homophily, chance, floor(most * 1e4) / 1e4);
    g->noise = most;
    return 0;
}

int se_gen_settle(struct se_gen *g, unsigned chosen, struct se_err *err)
{
    if (g->branch[0] > g->n) {
        if (chosen & SE_GEN_CLASSES)
            return se_fail(err, SE_EUSAGE, "%" PRIu64 " classes are more than the %" PRIu64
                           " vertices", g->branch[0], g->n);
        g->branch[0] = g->n;
    }
    if (g->branch[0] == 1 && (chosen & SE_GEN_HOMOPHILY) && g->homophily < 1 && g->n > 1)
        return se_fail(err, SE_EUSAGE, "homophily %g is impossible with one class: all edges lie "
                       "within it", g->homophily);
    return settle_edges(g, chosen, err) < 0 ? -1 : settle_noise(g, chosen, err);
}

static int places_make(struct se_places *p, const struct se_gen *g, struct se_err *err)
{
    struct se_rng r;

    p->gen = g;
    p->vertex = se_alloc(g->n, sizeof *p->vertex, err);
    p->label = p->vertex ? se_alloc(g->n, sizeof *p->label, err) : NULL;
    if (!p->label)
        return -1;
    for (uint64_t x = 0; x < g->n; x++)
        p->vertex[x] = (uint32_t)x;
    se_rng_init(&r, g->seed, SE_RNG_GEN_LABELS, 0);
    se_shuffle(&r, p->vertex, g->n);
    for (uint64_t c = 0; c < g->branch[0]; c++) {
        const struct se_block b = se_block_part((struct se_block){ 0, g->n }, c, g->branch[0]);

        for (uint64_t x = b.first; x < b.last; x++)
            p->label[p->vertex[x]] = (int32_t)c;
    }
    return 0;
}

/* The planted blocks as a tree, in depth-first order. */
struct planted {
    const struct se_places *places;
    uint32_t *parent, *vertex;
    size_t nodes, cap[2];
};

static int plant_node(struct planted *t, uint32_t parent, uint32_t vertex, struct se_err *err)
{
    if (t->nodes >= SE_MAX_VERTICES)
        return se_fail(err, SE_EINPUT, "the planted tree has too many nodes");
    if (se_grow(&t->parent, &t->cap[0], t->nodes + 1, sizeof *t->parent, err) < 0 ||
        se_grow(&t->vertex, &t->cap[1], t->nodes + 1, sizeof *t->vertex, err) < 0)
        return -1;
    t->parent[t->nodes] = parent;
    t->vertex[t->nodes++] = vertex;
    return 0;
}

/* All that lies below `node`, which is the block b; at most SE_GEN_LEVELS calls deep.  A
 * block that is all of the block above it, or one vertex, needs no node of its own. */
static int plant_below(struct planted *t, struct se_block b, uint32_t node, unsigned level,
                       struct se_err *err)
{
    const struct se_gen *g = t->places->gen;

    if (level == g->levels || se_block_size(b) == 1) {
        for (uint64_t x = b.first; x < b.last; x++)
            if (plant_node(t, node, t->places->vertex[x], err) < 0)
                return -1;
        return 0;
    }
    for (uint64_t i = 0; i < g->branch[level]; i++) {
        const struct se_block part = se_block_part(b, i, g->branch[level]);
        uint32_t top = node;

        if (se_block_size(part) == 0)
            continue;
        if (se_block_size(part) > 1 && se_block_size(part) < se_block_size(b)) {
            top = (uint32_t)t->nodes;
            if (plant_node(t, node, SE_NONE, err) < 0)
                return -1;
        }
        if (plant_below(t, part, top, level + 1, err) < 0)
            return -1;
    }
    return 0;
}

static int plant_tree(const struct se_places *p, struct se_stream *s, struct se_err *err)
{
    struct planted t = { p, NULL, NULL, 0, { 0, 0 } };
    int rc = -1;

    if (plant_node(&t, SE_NONE, SE_NONE, err) == 0 &&
        plant_below(&t, (struct se_block){ 0, p->gen->n }, 0, 0, err) == 0) {
        const struct se_tree tree = { p->gen->n, t.nodes, t.parent, t.vertex };

        rc = se_tree_put(&tree, s, SE_GRAPH, err);
    }
    free(t.parent);
    free(t.vertex);
    return rc;
}

int se_gen_make(const struct se_gen *g, bool tree, struct se_stream *s, struct se_err *err)
{
    struct se_places p = { NULL, NULL, NULL };
    int rc = -1;

    if (places_make(&p, g, err) == 0 && se_gen_put_edges(&p, s, err) == 0) {
        const struct se_labels l = { g->n, g->branch[0], p.label, NULL, 0 };

        rc = g->features == SE_GEN_NONE ? 0 : se_gen_put_features(&p, s, err);
        if (rc == 0)
            rc = se_labels_put(&l, s, err);
        if (rc == 0 && tree)
            rc = plant_tree(&p, s, err);
    }
    free(p.vertex);
    free(p.label);
    return rc;
}
