/* explain.c - what two vertices have in common */
#include "common/inspect/explain.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"

enum { SHOWN = 5 };

int se_vertex_named(struct se_stream *s, const char *text, size_t len, uint32_t *v,
                    struct se_err *err)
{
    struct se_names names = { .n = 0 };
    uint64_t n, id = 0;

    *v = SE_NONE;
    if (se_stream_has(s, SE_NAMES) && se_names_get(&names, s, err) < 0)
        return -1;
    for (uint64_t i = 0; i < names.n; i++)
        if (names.off[i + 1] - names.off[i] == len &&
            memcmp(names.text + names.off[i], text, len) == 0) {
            *v = (uint32_t)i;
            return 0;
        }
    if (names.n > 0)
        return 0;
    if (se_stream_vertices(s, &n, err) < 0)
        return -1;
    for (size_t i = 0; i < len; i++) {
        if (text[i] < '0' || text[i] > '9' || id >= n)
            return 0;
        id = 10 * id + (uint64_t)(text[i] - '0');
    }
    if (len > 0 && id < n)
        *v = (uint32_t)id;
    return 0;
}

/* What is explained, and how things are called */
struct pair {
    const uint32_t *v;
    const struct se_called *called;
    struct se_out *out;
};

/* The leaf of a vertex; t->nodes if it has none */
static uint64_t leaf_of(const struct se_tree *t, uint32_t v)
{
    uint64_t leaf = 0;

    while (leaf < t->nodes && t->vertex[leaf] != v)
        leaf++;
    return leaf;
}

/* The smallest module with both.  Children come after their parents, in depth-first order. */
static void tell_together(const struct pair *p, const struct se_tree *t)
{
    uint64_t a = leaf_of(t, p->v[0]), b = leaf_of(t, p->v[1]), size = 0, end;
    uint32_t level = 0;

    while (a != b) {
        uint64_t *later = a > b ? &a : &b;
        *later = t->parent[*later];
    }
    for (uint64_t up = a; up != 0; up = t->parent[up])
        level++;
    for (end = a + 1; end < t->nodes && t->parent[end] >= a; end++)
        size += t->vertex[end] != SE_NONE;
    if (level == 0)
        se_outf(p->out, "%-12s in no module, only in the whole of %" PRIu64 " vertices\n",
                "together", size);
    else
        se_outf(p->out, "%-12s in a module of %" PRIu64 " vertices at level %" PRIu32
                ", and in none below it\n", "together", size, level);
}

/* Nodes of the tree from below the root to the leaf of v */
static int tell_path(const struct pair *p, const struct se_tree *t, uint32_t v,
                     struct se_err *err)
{
    uint32_t *up = se_alloc(t->nodes, sizeof *up, err);
    uint64_t count = 0;

    if (!up)
        return -1;
    for (uint32_t a = (uint32_t)leaf_of(t, v); a != 0 && a < t->nodes; a = t->parent[a])
        up[count++] = a;
    se_outf(p->out, "%-12s ", "path");
    se_called_vertex(p->called, p->out, v);
    se_out_str(p->out, ": nodes");
    while (count > 0)
        se_outf(p->out, " %" PRIu32, up[--count]);
    se_out_char(p->out, '\n');
    free(up);
    return 0;
}

/* Those with both marks */
static void tell_common(const struct pair *p, const uint8_t *mark, uint64_t n, uint64_t common)
{
    uint64_t shown = 0;

    if (common == 0)
        return;
    se_outf(p->out, "%-12s ", "shared");
    for (uint64_t v = 0; v < n && shown < SHOWN; v++)
        if (mark[v] == 3) {
            se_out_str(p->out, shown++ ? ", " : "");
            se_called_vertex(p->called, p->out, v);
        }
    if (common > shown)
        se_outf(p->out, " and %" PRIu64 " more", common - shown);
    se_out_char(p->out, '\n');
}

/* mark[v]: bit i if v is a neighbour of pair[i] */
static int tell_neighbours(const struct pair *p, const struct se_graph *g, struct se_err *err)
{
    uint8_t *mark = se_zalloc(g->n, sizeof *mark, err);
    uint64_t common = 0, degree[2] = { 0, 0 };

    if (!mark)
        return -1;
    for (uint64_t u = 0; u < g->n; u++)
        for (uint64_t e = g->off[u]; e < g->off[u + 1]; e++)
            for (int i = 0; i < 2; i++) {
                if (u == p->v[i])
                    mark[g->to[e]] |= (uint8_t)(1 << i);
                if (g->to[e] == p->v[i])
                    mark[u] |= (uint8_t)(1 << i);
            }
    for (uint64_t v = 0; v < g->n; v++) {
        common += mark[v] == 3;
        degree[0] += mark[v] & 1;
        degree[1] += mark[v] >> 1;
    }
    se_outf(p->out, "%-12s %" PRIu64 " in common, of %" PRIu64 " and %" PRIu64 "\n",
            "neighbours", common, degree[0], degree[1]);
    tell_common(p, mark, g->n, common);
    free(mark);
    return 0;
}

static void add_row(const struct se_features *f, uint64_t v, double *row)
{
    if (f->dense)
        for (uint64_t c = 0; c < f->d; c++)
            row[c] += f->dense[v * f->d + c];
    else
        for (uint64_t i = f->off[v]; i < f->off[v + 1]; i++)
            row[f->col[i]] += f->value ? f->value[i] : 1;
}

/* Rows that have each column; all of them when dense */
static void count_rows(const struct se_features *f, double *rows)
{
    for (uint64_t i = 0; i < f->nnz; i++)
        if (f->dense)
            rows[i % f->d] += f->dense[i] != 0;
        else
            rows[f->col[i]]++;
}

static void tell_columns(const struct pair *p, const struct se_features *f, const double *row[2],
                         double *rows)
{
    struct se_out *out = p->out;
    uint64_t shared = 0;

    for (uint64_t c = 0; c < f->d; c++)
        shared += row[0][c] != 0 && row[1][c] != 0;
    se_outf(out, "%-12s %" PRIu64 " columns; the rarest:", "share", shared);
    for (int i = 0; i < SHOWN; i++) {
        uint64_t best = f->d;

        for (uint64_t c = 0; c < f->d; c++)
            if (row[0][c] != 0 && row[1][c] != 0 && rows[c] > 0 &&
                (best == f->d || rows[c] < rows[best]))
                best = c;
        if (best == f->d)
            break;
        se_out_str(out, i ? ", " : " ");
        se_called_column(p->called, out, best);
        se_outf(out, " (%.3g of all have it)", rows[best] / (double)f->n);
        rows[best] = 0;
    }
    se_out_str(out, shared ? "\n" : " none\n");
}

static int tell_features(const struct pair *p, const struct se_features *f, struct se_err *err)
{
    double *a = se_zalloc(f->d, sizeof *a, err), *b = se_zalloc(f->d, sizeof *b, err);
    double *rows = se_zalloc(f->d, sizeof *rows, err), aa = 0, bb = 0, ab = 0;
    const double *row[2] = { a, b };
    const bool ok = a && b && rows;

    if (ok) {
        add_row(f, p->v[0], a);
        add_row(f, p->v[1], b);
        count_rows(f, rows);
        for (uint64_t c = 0; c < f->d; c++) {
            aa += a[c] * a[c];
            bb += b[c] * b[c];
            ab += a[c] * b[c];
        }
        se_outf(p->out, "%-12s %.4f, cosine of the features\n", "similarity",
                aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : 0);
        tell_columns(p, f, row, rows);
    }
    free(a);
    free(b);
    free(rows);
    return ok ? 0 : -1;
}

int se_explain_pair(const struct se_info *x, const struct se_called *called,
                    const uint32_t pair[2], struct se_out *out, struct se_err *err)
{
    const struct pair p = { pair, called, out };

    tell_together(&p, &x->tree);
    if (tell_path(&p, &x->tree, pair[0], err) < 0 || tell_path(&p, &x->tree, pair[1], err) < 0)
        return -1;
    if (x->has_graph && tell_neighbours(&p, &x->graph, err) < 0)
        return -1;
    return x->has_features ? tell_features(&p, &x->features, err) : 0;
}
