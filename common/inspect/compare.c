/* compare.c - how well two partitions agree, and how good one is for a graph */
#include "common/inspect/compare.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "common/base/mem.h"
#include "common/graph/treelevel.h"

static int ascending(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static double entropy(const uint64_t *size, uint64_t count, double n)
{
    double h = 0;

    for (uint64_t i = 0; i < count; i++)
        h -= (double)size[i] / n * (log((double)size[i]) - log(n));
    return h;
}

/* The terms of the expected mutual information of one pair of sizes. */
static double expected_pair(double a, double b, double n)
{
    const double fixed = lgamma(a + 1) + lgamma(b + 1) + lgamma(n - a + 1) + lgamma(n - b + 1) -
                         lgamma(n + 1);
    double sum = 0;

    for (double k = a + b - n > 1 ? a + b - n : 1; k <= a && k <= b; k++)
        sum += k / n * (log(n) + log(k) - log(a) - log(b)) *
               exp(fixed - lgamma(k + 1) - lgamma(a - k + 1) - lgamma(b - k + 1) -
                   lgamma(n - a - b + k + 1));
    return sum;
}

/* Sizes are sorted, so that equal ones are counted together. */
static double expected(const uint64_t *a, uint64_t rows, const uint64_t *b, uint64_t columns,
                       double n)
{
    double sum = 0;

    for (uint64_t i = 0, i2; i < rows; i = i2) {
        for (i2 = i + 1; i2 < rows && a[i2] == a[i]; i2++)
            ;
        for (uint64_t j = 0, j2; j < columns; j = j2) {
            for (j2 = j + 1; j2 < columns && b[j2] == b[j]; j2++)
                ;
            sum += (double)(i2 - i) * (double)(j2 - j) *
                   expected_pair((double)a[i], (double)b[j], n);
        }
    }
    return sum;
}

static double squares(const uint64_t *x, uint64_t count)
{
    double sum = 0;

    for (uint64_t i = 0; i < count; i++)
        sum += (double)x[i] * (double)x[i];
    return sum;
}

static double rand_index(double cells, double a, double b, double n)
{
    const double tp = cells - n, fp = b - cells, fn = a - cells, tn = n * n - a - b + cells;

    if (fn == 0 && fp == 0)
        return 1;
    return 2 * (tp * tn - fn * fp) / ((tp + fn) * (fn + tn) + (tp + fp) * (fp + tn));
}

/* Mutual information and purity from the sorted pairs. */
static void walk_cells(const uint64_t *pair, uint64_t n, const uint64_t *a, const uint64_t *b,
                       double *mi, double *pure, double *cells)
{
    uint64_t best = 0;

    *mi = *pure = *cells = 0;
    for (uint64_t i = 0, end; i < n; i = end) {
        const uint64_t row = pair[i] >> 32, column = pair[i] & UINT32_MAX;
        double count;

        for (end = i + 1; end < n && pair[end] == pair[i]; end++)
            ;
        count = (double)(end - i);
        *cells += count * count;
        *mi += count / (double)n * (log(count) - log((double)n) -
                                    log((double)a[row]) - log((double)b[column]) +
                                    2 * log((double)n));
        best = end - i > best ? end - i : best;
        if (end == n || pair[end] >> 32 != row) {
            *pure += (double)best;
            best = 0;
        }
    }
}

static void measure(struct se_agreement *x, const uint64_t *a, const uint64_t *b, double mi,
                    double cells)
{
    const double n = (double)x->n, ha = entropy(a, x->modules[0], n),
                 hb = entropy(b, x->modules[1], n), mean = (ha + hb) / 2;
    const double emi = expected(a, x->modules[0], b, x->modules[1], n);
    double under = mean - emi;

    x->ari = rand_index(cells, squares(a, x->modules[0]), squares(b, x->modules[1]), n);
    x->homogeneity = hb > 0 ? mi / hb : 1;
    x->completeness = ha > 0 ? mi / ha : 1;
    x->v = x->homogeneity + x->completeness > 0
               ? 2 * x->homogeneity * x->completeness / (x->homogeneity + x->completeness) : 0;
    if (x->modules[0] == 1 && x->modules[1] == 1) {
        x->nmi = x->ami = 1;
        return;
    }
    x->nmi = mi <= DBL_EPSILON ? 0 : mi / mean;
    under = under < 0 ? fmin(under, -DBL_EPSILON) : fmax(under, DBL_EPSILON);
    x->ami = (mi - emi) / under;
}

int se_agreement_get(struct se_agreement *x, const uint32_t *a, const uint32_t *b, uint64_t n,
                     struct se_err *err)
{
    uint64_t *pair = se_alloc(n, sizeof *pair, err);
    uint64_t *size[2] = { NULL, NULL };
    double mi, pure, cells;
    uint64_t most = 0;

    *x = (struct se_agreement){ 0 };
    for (uint64_t v = 0; pair && v < n; v++)
        if (a[v] != SE_NONE && b[v] != SE_NONE) {
            pair[x->n++] = (uint64_t)a[v] << 32 | b[v];
            most = a[v] > most ? a[v] : most;
            most = b[v] > most ? b[v] : most;
        }
    if (pair && x->n == 0)
        se_fail(err, SE_EINPUT, "no vertex is in both partitions");
    if (!pair || x->n == 0 || !(size[0] = se_zalloc(most + 1, sizeof *size[0], err)) ||
        !(size[1] = se_zalloc(most + 1, sizeof *size[1], err))) {
        free(pair);
        free(size[0]);
        return -1;
    }
    for (uint64_t i = 0; i < x->n; i++) {
        size[0][pair[i] >> 32]++;
        size[1][pair[i] & UINT32_MAX]++;
    }
    qsort(pair, x->n, sizeof *pair, ascending);
    walk_cells(pair, x->n, size[0], size[1], &mi, &pure, &cells);
    x->purity = pure / (double)x->n;
    for (int k = 0; k < 2; k++) {               /* only the sizes, sorted */
        uint64_t kept = 0;

        for (uint64_t i = 0; i <= most; i++)
            if (size[k][i])
                size[k][kept++] = size[k][i];
        x->modules[k] = kept;
        qsort(size[k], kept, sizeof *size[k], ascending);
    }
    measure(x, size[0], size[1], mi, cells);
    free(pair);
    free(size[0]);
    free(size[1]);
    return 0;
}

int se_partition_facts_get(struct se_partition_facts *x, const struct se_graph *g,
                           const uint32_t *module, struct se_err *err)
{
    double *inside = se_zalloc(g->n + 1, sizeof *inside, err);
    double *degree = inside ? se_zalloc(g->n + 1, sizeof *degree, err) : NULL;
    double total = 0, sum = 0, q = 0;
    uint64_t counted = 0;

    for (uint64_t u = 0; degree && u < g->n; u++)
        for (uint64_t i = g->off[u]; i < g->off[u + 1]; i++) {
            const double w = g->weight ? (double)g->weight[i] : 1;

            total += w;
            degree[module[u]] += w;
            degree[module[g->to[i]]] += w;
            inside[module[u]] += module[u] == module[g->to[i]] ? w : 0;
        }
    for (uint64_t i = 0; degree && i < g->loops; i++) {
        const double w = g->loop_weight ? (double)g->loop_weight[i] : 1;

        total += w;
        degree[module[g->loop[i]]] += 2 * w;
        inside[module[g->loop[i]]] += w;
    }
    for (uint64_t c = 0; degree && c < g->n; c++) {
        const double cut = degree[c] - 2 * inside[c], rest = 2 * total - degree[c];
        const double least = degree[c] < rest ? degree[c] : rest;

        if (total > 0)
            q += inside[c] / total - degree[c] / (2 * total) * (degree[c] / (2 * total));
        if (least > 0) {
            sum += cut / least;
            counted++;
        }
    }
    *x = (struct se_partition_facts){ q, counted ? sum / (double)counted : (double)NAN };
    free(inside);
    free(degree);
    return degree ? 0 : -1;
}

static uint32_t common_ancestor(const struct se_tree *t, const uint32_t *depth, uint32_t a,
                                uint32_t b)
{
    while (a != b)
        if (depth[a] >= depth[b])
            a = t->parent[a];
        else
            b = t->parent[b];
    return a;
}

int se_dasgupta_cost(const struct se_tree *t, const struct se_graph *g, double *cost,
                     struct se_err *err)
{
    uint32_t height, *depth = se_tree_depth(t, &height, err);
    uint32_t *below = depth ? se_zalloc(t->nodes, sizeof *below, err) : NULL;
    uint32_t *leaf = below ? se_alloc(t->n, sizeof *leaf, err) : NULL;

    *cost = 0;
    for (uint64_t i = t->nodes; leaf && i-- > 0;) {     /* children have higher numbers */
        if (t->vertex[i] != SE_NONE) {
            leaf[t->vertex[i]] = (uint32_t)i;
            below[i] = 1;
        }
        if (i > 0)
            below[t->parent[i]] += below[i];
    }
    for (uint64_t u = 0; leaf && u < g->n; u++)
        for (uint64_t i = g->off[u]; i < g->off[u + 1]; i++)
            *cost += (g->weight ? (double)g->weight[i] : 1) *
                     below[common_ancestor(t, depth, leaf[u], leaf[g->to[i]])];
    free(depth);
    free(below);
    free(leaf);
    return leaf ? 0 : -1;
}

/* The modules at a level of the tree; NULL with `err` set if there is no such level. */
static uint32_t *level_of(const struct se_tree *t, uint64_t level, struct se_err *err)
{
    uint32_t height, *depth = se_tree_depth(t, &height, err), *module = NULL;
    uint64_t count;

    if (!depth)
        return NULL;
    free(depth);
    if (level == 0 || level > height)
        se_fail(err, SE_EINPUT, "the tree has levels 1 to %" PRIu32, height);
    else if ((module = se_alloc(t->n, sizeof *module, err)) &&
             se_tree_partition(t, level, module, &count, err) < 0) {
        free(module);
        module = NULL;
    }
    return module;
}

/* Classes as modules. */
static uint32_t *classes(const int32_t *label, uint64_t n, struct se_err *err)
{
    uint32_t *module = se_alloc(n, sizeof *module, err);

    for (uint64_t v = 0; module && v < n; v++)
        module[v] = label[v] < 0 ? SE_NONE : (uint32_t)label[v];
    return module;
}

static uint32_t *labels_of(struct se_stream *s, uint64_t *n, struct se_err *err)
{
    struct se_labels l;

    if (se_labels_get(&l, s, err) < 0)
        return NULL;
    *n = l.n;
    return classes(l.label, l.n, err);
}

/* The partition of a stream: a level of its tree, else `otherwise`. */
static uint32_t *partition_of(struct se_stream *s, uint64_t level, uint32_t otherwise,
                              uint64_t *n, struct se_err *err)
{
    struct se_predictions p;
    struct se_tree t;

    if (se_stream_has(s, SE_TREE)) {
        if (se_tree_get(&t, s, err) < 0)
            return NULL;
        *n = t.n;
        return level_of(&t, level, err);
    }
    if (otherwise == SE_LABELS)
        return labels_of(s, n, err);
    if (!se_stream_has(s, SE_PREDICTIONS)) {
        se_fail(err, SE_EINPUT, "no tree and no predictions to compare; run se-tree or "
                "se-train first");
        return NULL;
    }
    if (se_predictions_get(&p, s, err) < 0)
        return NULL;
    *n = p.n;
    return classes(p.label, p.n, err);
}

/* Names and values: a line each, or the members of an object */
struct teller {
    struct se_out *out;
    bool json;
    bool more;                  /* there was one before */
};

static void line(struct teller *t, const char *name, double value)
{
    if (t->json)
        se_outf(t->out, "%s\"%s\": %.12g", t->more ? ",\n  " : "{\n  ", name, value);
    else
        se_outf(t->out, "%s\t%.12g\n", name, value);
    t->more = true;
}

static void tell_agreement(struct teller *out, const struct se_agreement *x)
{
    line(out, "vertices", (double)x->n);
    line(out, "modules", (double)x->modules[0]);
    line(out, "classes", (double)x->modules[1]);
    line(out, "ari", x->ari);
    line(out, "nmi", x->nmi);
    line(out, "ami", x->ami);
    line(out, "homogeneity", x->homogeneity);
    line(out, "completeness", x->completeness);
    line(out, "v_measure", x->v);
    line(out, "purity", x->purity);
}

/* What the graph says of the partition, where there is one. */
static int tell_graph(struct se_stream *s, const uint32_t *module, struct teller *out,
                      struct se_err *err)
{
    struct se_partition_facts facts;
    struct se_graph g;
    struct se_tree t;
    double cost;

    if (!se_stream_has(s, SE_GRAPH))
        return 0;
    if (se_graph_get(&g, s, SE_GRAPH, err) < 0)
        return -1;
    for (uint64_t v = 0; v < g.n; v++)
        if (module[v] >= g.n)                   /* vertices without a prediction */
            return 0;
    if (se_partition_facts_get(&facts, &g, module, err) < 0)
        return -1;
    line(out, "modularity", facts.modularity);
    if (!isnan(facts.conductance))
        line(out, "conductance", facts.conductance);
    if (!se_stream_has(s, SE_TREE))
        return 0;
    if (se_tree_get(&t, s, err) < 0 || se_dasgupta_cost(&t, &g, &cost, err) < 0)
        return -1;
    line(out, "dasgupta_cost", cost);
    return 0;
}

int se_compare_tell(struct se_stream *s, struct se_stream *other, uint64_t level, bool json,
                    struct se_out *out, struct se_err *err)
{
    struct teller t = { out, json, false };
    uint64_t n = 0, n2 = 0;
    uint32_t *a = partition_of(s, level, SE_PREDICTIONS, &n, err);
    uint32_t *b = !a ? NULL : other ? partition_of(other, level, SE_LABELS, &n2, err)
                                    : labels_of(s, &n2, err);
    struct se_agreement x;
    int rc = -1;

    if (b && n != n2)
        se_fail(err, SE_EINPUT, "one partition has %" PRIu64 " vertices, the other %" PRIu64, n, n2);
    else if (b && se_agreement_get(&x, a, b, n, err) == 0) {
        tell_agreement(&t, &x);
        rc = tell_graph(s, a, &t, err);
        if (json)
            se_out_str(out, "\n}\n");
    }
    free(a);
    free(b);
    return rc;
}
