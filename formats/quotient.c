/* quotient.c - the graph of modules: "a<TAB>b<TAB>weight" for modules a < b with edges between
 * them, ascending; the weight is the sum of theirs.  Modules are those of formats/modules.h. */
#include <stdlib.h>

#include "formats/modules.h"

/* The edges between modules, sorted into a row for the lower module of each. */
struct rows {
    uint64_t *off;              /* count + 1 */
    uint32_t *to;
    float *weight;              /* NULL: all 1 */
};

static bool between(const uint32_t *module, uint64_t u, uint32_t v, uint32_t *a, uint32_t *b)
{
    *a = module[u] < module[v] ? module[u] : module[v];
    *b = module[u] < module[v] ? module[v] : module[u];
    return *a != *b && *b != SE_NONE;           /* SE_NONE is larger than any module */
}

static int make_rows(struct rows *r, const struct se_graph *g, const struct se_cut *c,
                     struct se_err *err)
{
    uint32_t a, b;

    if (!(r->off = se_zalloc(c->count + 2, sizeof *r->off, err)))
        return -1;
    for (uint64_t u = 0; u < g->n; u++)
        for (uint64_t i = g->off[u]; i < g->off[u + 1]; i++)
            if (between(c->module, u, g->to[i], &a, &b))
                r->off[a + 2]++;
    for (uint64_t k = 0; k < c->count; k++)
        r->off[k + 2] += r->off[k + 1];
    if (!(r->to = se_alloc(r->off[c->count + 1], sizeof *r->to, err)) ||
        (g->weight && !(r->weight = se_alloc(r->off[c->count + 1], sizeof *r->weight, err))))
        return -1;
    for (uint64_t u = 0; u < g->n; u++)
        for (uint64_t i = g->off[u]; i < g->off[u + 1]; i++)
            if (between(c->module, u, g->to[i], &a, &b)) {
                const uint64_t at = r->off[a + 1]++;

                r->to[at] = b;
                if (r->weight)
                    r->weight[at] = g->weight[i];
            }
    return 0;
}

static int ascending(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* sum, list: room for a number for each module; seen: row + 1 in which a module was met last */
static void write_row(struct se_out *out, const struct rows *r, uint64_t a, double *sum,
                      uint32_t *seen, uint32_t *list)
{
    uint64_t count = 0;

    for (uint64_t i = r->off[a]; i < r->off[a + 1]; i++) {
        const uint32_t b = r->to[i];

        if (seen[b] != a + 1) {
            seen[b] = (uint32_t)(a + 1);
            list[count++] = b;
            sum[b] = 0;
        }
        sum[b] += r->weight ? (double)r->weight[i] : 1;
    }
    qsort(list, count, sizeof *list, ascending);
    for (uint64_t i = 0; i < count; i++) {
        se_out_u64(out, a);
        se_out_char(out, '\t');
        se_out_u64(out, list[i]);
        se_out_char(out, '\t');
        se_out_sum(out, sum[list[i]]);
        se_out_char(out, '\n');
    }
}

static int write_rows(struct se_out *out, const struct rows *r, uint64_t modules,
                      struct se_err *err)
{
    double *sum = se_alloc(modules, sizeof *sum, err);
    uint32_t *seen = sum ? se_zalloc(modules, sizeof *seen, err) : NULL;
    uint32_t *list = seen ? se_alloc(modules, sizeof *list, err) : NULL;

    for (uint64_t a = 0; list && a < modules; a++)
        write_row(out, r, a, sum, seen, list);
    const int rc = list ? 0 : -1;
    free(sum);
    free(seen);
    free(list);
    return rc;
}

static int export_quotient(const struct se_export *ex, struct se_stream *s, struct se_out *out,
                           struct se_err *err)
{
    struct rows r = { NULL, NULL, NULL };
    struct se_cut c = SE_CUT_INIT;
    struct se_graph g;
    struct se_tree t;
    int rc = -1;

    if (se_graph_get(&g, s, ex->section, err) == 0 && se_tree_get(&t, s, err) == 0 &&
        se_cut_make(&c, ex, &t, err) == 0 && make_rows(&r, &g, &c, err) == 0)
        rc = write_rows(out, &r, c.count, err);
    free(r.off);
    free(r.to);
    free(r.weight);
    se_cut_release(&c);
    return rc;
}

const struct se_format se_format_quotient = {
    .name = "quotient",
    .what = "graph of modules at one level of the tree: module, module and weight between them",
    .kind = SE_FORMAT_TREE,
    .extensions = { "tsv", "txt" },
    .export = export_quotient
};
