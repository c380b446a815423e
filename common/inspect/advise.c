/* advise.c - what to expect of structure learning on a graph */
#include "common/inspect/advise.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "common/base/mem.h"

/* What the training part of the split tells */
struct known {
    uint64_t train, val;        /* training vertices with a label; validation vertices */
    uint64_t least;             /* vertices of the smallest class that is there */
    uint64_t inside, same;      /* edges between the former; those within a class */
    double chance;              /* how often two of them agree */
};

static int look(struct known *k, const struct se_info *x, uint64_t split, struct se_err *err)
{
    const struct se_graph *g = &x->graph;
    const int32_t *label = x->labels.label;
    const uint8_t *part = x->splits.part + split * x->vertices;
    uint64_t *count = se_zalloc(x->labels.classes, sizeof *count, err);

    if (!count)
        return -1;
    *k = (struct known){ .least = UINT64_MAX };
    for (uint64_t v = 0; v < x->vertices; v++) {
        k->val += part[v] == SE_SPLIT_VAL;
        if (part[v] == SE_SPLIT_TRAIN && label[v] >= 0) {
            count[label[v]]++;
            k->train++;
        }
    }
    for (uint64_t c = 0; c < x->labels.classes; c++) {
        const double share = (double)count[c] / (double)k->train;

        if (count[c] == 0)
            continue;
        k->chance += share * share;
        k->least = count[c] < k->least ? count[c] : k->least;
    }
    free(count);
    for (uint64_t u = 0; u < g->n; u++)
        for (uint64_t e = g->off[u]; e < g->off[u + 1]; e++) {
            const uint32_t v = g->to[e];

            if (part[u] != SE_SPLIT_TRAIN || part[v] != SE_SPLIT_TRAIN || label[u] < 0 || label[v] < 0)
                continue;
            k->inside++;
            k->same += label[u] == label[v];
        }
    return 0;
}

static void advise_edges(struct se_out *out, const struct known *k)
{
    const double h = k->inside ? (double)k->same / (double)k->inside : 0, left = 1 - k->chance;
    const char *text = "they say little about classes; replacing them helps gcn, but the control mlp is "
                       "the one to beat";

    if (k->inside < 30) {
        se_outf(out, "edges     only %" PRIu64 " join training vertices, too few to tell whether edges "
                "help: compare with the control mlp\n", k->inside);
        return;
    }
    if (h > k->chance + 0.6 * left)
        text = "right more often than not; expect little from learned edges, compare with the "
               "control unchanged; if edges may be wrong, try --method weigh";
    else if (h > k->chance + 0.2 * left)
        text = "many join two classes; weights (--method weigh) or learned edges may help, compare with the "
               "controls mlp and knn";
    se_outf(out, "edges     homophily %.2f among training vertices (chance %.2f): %s\n", h, k->chance,
            text);
}

static void advise_degrees(struct se_out *out, const struct se_info *x)
{
    const struct se_graph_facts *f = &x->graph_facts;
    const char *text = "even enough for any model";

    if (f->isolated > x->vertices / 10)
        text = "many depend on their features alone, new edges may reach them";
    if ((double)f->degree_max > 50 * (f->degree_median + 1))
        text = "hubs; compare with the controls random-matched and knn-matched";
    se_outf(out, "degree    median %.0f, largest %" PRIu64 ", %" PRIu64 " without edges: %s\n",
            f->degree_median, f->degree_max, f->isolated, text);
}

static void advise_features(struct se_out *out, const struct se_info *x)
{
    const double cells = (double)x->vertices * (double)x->features.d, some = (double)x->nonzeros;

    if (cells == 0)
        se_out_str(out, "features  none: mlp and nearest neighbours have nothing to work with; se-gsl uses "
                   "vertex ids\n");
    else if (some < 0.3 * cells)
        se_outf(out, "features  %" PRIu64 " columns, sparse (%.1f %%): rows are scaled or left raw, "
                "validation decides; edges can be judged by them\n", x->features.d, 100 * some / cells);
    else
        se_outf(out, "features  %" PRIu64 " columns, dense: standardised or raw, validation decides\n",
                x->features.d);
}

int se_advise(const struct se_info *x, uint64_t split, struct se_out *out, struct se_err *err)
{
    struct known k;

    if (!x->has_labels || x->labels.classes == 0) {
        se_out_str(out, "labels    none: se-gsl finds clusters instead (se-cluster)\n");
        return 0;
    }
    if (!x->has_graph)
        return se_fail(err, SE_EINPUT, "there is no graph");
    if (!x->has_splits || split >= x->splits.count)
        return se_fail(err, SE_EINPUT, "there is no split %" PRIu64 "; make some with se-split", split);
    if (look(&k, x, split, err) < 0)
        return -1;
    if (k.train == 0)
        return se_fail(err, SE_EINPUT, "splits: no training vertex of split %" PRIu64 " has a label",
                       split);
    se_outf(out, "size      %" PRIu64 " vertices, %" PRIu64 " edges; %" PRIu64 " validation vertices: "
            "accuracies within %.1f points of each other are equal%s\n", x->vertices, x->graph.m, k.val,
            k.val ? 100 / sqrt((double)k.val) : 0,
            x->vertices < 1000 ? "; only means over all splits count" : "");
    advise_edges(out, &k);
    advise_degrees(out, x);
    advise_features(out, x);
    se_outf(out, "labels    %" PRIu64 " for training, %" PRIu64 " classes, the smallest has %" PRIu64
            ": %s\n", k.train, x->labels.classes, k.least,
            k.train < 30 * x->labels.classes
                ? "few; averaging (ensemble) and weights help most here"
                : "enough to choose an encoder by validation");
    return 0;
}
