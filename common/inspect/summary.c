/* summary.c - statistics of the sections of a stream */
#include "common/inspect/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/graph/adjacency.h"

/* The middle of sorted numbers given as "how many have the value i". */
static double median_of_histogram(const uint64_t *have, uint64_t count)
{
    uint64_t seen = 0, low = 0, i = 0;

    for (; seen <= (count - 1) / 2; i++)
        seen += have[i];
    low = i - 1;
    for (; seen <= count / 2; i++)
        seen += have[i];
    return (double)(low + (i - 1)) / 2;
}

static int degree_facts(struct se_graph_facts *x, const struct se_graph *g, struct se_err *err)
{
    uint64_t *degree = se_zalloc(g->n, sizeof *degree, err), *have;

    if (!degree)
        return -1;
    for (uint64_t u = 0; u < g->n; u++)
        for (uint64_t i = g->off[u]; i < g->off[u + 1]; i++) {
            degree[u]++;
            degree[g->to[i]]++;
        }
    x->degree_min = g->n > 0 ? UINT64_MAX : 0;
    for (uint64_t u = 0; u < g->n; u++) {
        x->isolated += degree[u] == 0;
        x->degree_min = degree[u] < x->degree_min ? degree[u] : x->degree_min;
        x->degree_max = degree[u] > x->degree_max ? degree[u] : x->degree_max;
    }
    have = se_zalloc(x->degree_max + 1, sizeof *have, err);
    if (have && g->n > 0) {
        for (uint64_t u = 0; u < g->n; u++)
            have[degree[u]]++;
        x->degree_median = median_of_histogram(have, g->n);
        x->degree_mean = 2.0 * (double)g->m / (double)g->n;
    }
    free(degree);
    free(have);
    return have ? 0 : -1;
}

static int component_facts(struct se_graph_facts *x, const struct se_graph *g,
                           struct se_err *err)
{
    uint32_t *component = se_alloc(g->n, sizeof *component, err), *size = NULL;

    if (!component)
        return -1;
    x->components = se_components(g, component);
    size = se_zalloc(x->components, sizeof *size, err);
    for (uint64_t v = 0; size && v < g->n; v++)
        if (++size[component[v]] > x->largest)
            x->largest = size[component[v]];
    free(component);
    free(size);
    return size ? 0 : -1;
}

static void label_facts(struct se_graph_facts *x, const struct se_graph *g,
                        const struct se_labels *l)
{
    uint64_t equal = 0;

    for (uint64_t u = 0; l && u < g->n; u++)
        for (uint64_t i = g->off[u]; l->label[u] >= 0 && i < g->off[u + 1]; i++) {
            x->labelled_edges += l->label[g->to[i]] >= 0;
            equal += l->label[g->to[i]] == l->label[u];
        }
    x->homophily = x->labelled_edges > 0 ? (double)equal / (double)x->labelled_edges : NAN;
}

int se_graph_facts(struct se_graph_facts *x, const struct se_graph *g,
                   const struct se_labels *labels, struct se_err *err)
{
    *x = (struct se_graph_facts){ 0 };
    if (degree_facts(x, g, err) < 0 || component_facts(x, g, err) < 0 ||
        se_entropy1(g, &x->h1, err) < 0)
        return -1;
    label_facts(x, g, labels);
    return 0;
}

uint64_t se_features_nonzeros(const struct se_features *f)
{
    const float *value = f->dense ? f->dense : f->value;
    uint64_t count = 0;

    if (!value)
        return f->nnz;
    for (uint64_t i = 0; i < f->nnz; i++)
        count += value[i] != 0;
    return count;
}

static int by_size(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

static void level_sizes(const struct se_measure *m, uint32_t depth, uint32_t *size,
                        struct se_level *x)
{
    uint64_t count = 0;

    for (uint64_t a = 0; a < m->nodes; a++)
        if (m->depth[a] == depth)
            size[count++] = m->leaves[a];
    if (count == 0)
        return;
    qsort(size, count, sizeof *size, by_size);
    x->size_min = size[0];
    x->size_max = size[count - 1];
    const uint64_t low = (count - 1) / 2, high = count / 2;
    x->size_median = ((double)size[low] + (double)size[high]) / 2;
}

/* The nodes of a depth one after the other: a subtree is a range of ids.  A leaf above that
 * depth is a group of its own. */
static double level_purity(const struct se_tree *t, const struct se_measure *m, uint32_t depth,
                           const struct se_labels *l, uint64_t *have)
{
    uint64_t right = 0, labelled = 0, most = 0, start = 0;

    memset(have, 0, l->classes * sizeof *have);
    for (uint64_t a = 0; a <= t->nodes; a++) {
        if (a == t->nodes || m->depth[a] == depth) {    /* the group before it is over */
            for (uint64_t b = start; b < a; b++)
                if (t->vertex[b] != SE_NONE && l->label[t->vertex[b]] >= 0)
                    have[l->label[t->vertex[b]]] = 0;
            right += most;
            most = 0;
            start = a;
        }
        if (a == t->nodes || t->vertex[a] == SE_NONE || l->label[t->vertex[a]] < 0)
            continue;
        labelled++;
        if (m->depth[a] < depth)
            right++;
        else if (++have[l->label[t->vertex[a]]] > most)
            most = have[l->label[t->vertex[a]]];
    }
    return labelled > 0 ? (double)right / (double)labelled : NAN;
}

int se_tree_levels(const struct se_tree *t, const struct se_measure *m,
                   const struct se_labels *labels, struct se_level *level, uint32_t most,
                   uint32_t *levels, struct se_err *err)
{
    uint32_t *size = se_alloc(t->nodes, sizeof *size, err);
    uint64_t *have = size && labels ? se_alloc(labels->classes, sizeof *have, err) : NULL;
    const bool ok = size && (have || !labels);

    *levels = m->height < most ? m->height : most;
    memset(level, 0, *levels * sizeof *level);
    for (uint64_t a = 1; ok && a < t->nodes; a++)
        if (m->depth[a] <= *levels) {
            struct se_level *x = &level[m->depth[a] - 1];

            x->nodes++;
            x->leaves += t->vertex[a] != SE_NONE;
            x->h += m->entropy[a];
        }
    for (uint32_t i = 0; ok && i < *levels; i++) {
        level_sizes(m, i + 1, size, &level[i]);
        level[i].purity = labels ? level_purity(t, m, i + 1, labels, have) : NAN;
    }
    free(size);
    free(have);
    return ok ? 0 : -1;
}

int se_tree_height(const struct se_tree *t, uint32_t *height, struct se_err *err)
{
    uint32_t *depth = se_zalloc(t->nodes, sizeof *depth, err);

    *height = 0;
    if (!depth)
        return -1;
    for (uint64_t a = 1; a < t->nodes; a++) {
        depth[a] = depth[t->parent[a]] + 1;
        *height = depth[a] > *height ? depth[a] : *height;
    }
    free(depth);
    return 0;
}

void se_count_hits(struct se_hits *x, const struct se_predictions *p,
                   const struct se_labels *labels, const uint8_t *part)
{
    *x = (struct se_hits){ { 0 }, { 0 } };
    for (uint64_t v = 0; v < p->n; v++) {
        const int in = part ? part[v] : SE_SPLIT_NONE;

        if (labels->label[v] < 0 || p->label[v] < 0)
            continue;
        x->of[in]++;
        x->right[in] += p->label[v] == labels->label[v];
    }
}

void se_splits_sizes(const struct se_splits *s, uint64_t i, uint64_t size[4])
{
    memset(size, 0, 4 * sizeof *size);
    for (uint64_t v = 0; v < s->n; v++)
        size[s->part[i * s->n + v]]++;
}
