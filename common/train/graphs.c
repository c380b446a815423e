/* graphs.c - the graphs that a model sees: that of the stream, one beside it, levels of a tree */
#include "common/train/graphs.h"

#include <inttypes.h>
#include <string.h>

#include "common/stream/payload.h"

void se_graphs_release(struct se_graphs *x)
{
    se_nngraph_release(&x->graph);
    se_nngraph_release(&x->beside);
    se_netlevels_release(&x->levels);
    memset(x, 0, sizeof *x);
}

static int make_graph(struct se_nngraph *x, const struct se_graph *g,
                      const struct se_graphs_options *o, enum se_loops loops, struct se_err *err)
{
    return o->peers ? se_nngraph_make_part(x, g, o->weights, loops, o->peers, err)
                    : se_nngraph_make(x, g, o->weights, loops, err);
}

/* The second graph, with as many vertices */
static int make_beside(struct se_graphs *x, uint64_t n, const struct se_graphs_options *o,
                       struct se_err *err)
{
    struct se_err why = SE_ERR_INIT;
    struct se_graph g;

    if (se_graph_get(&g, o->given, SE_GRAPH, &why) == 0 &&
        se_payload_fits(g.n, n, SE_GRAPH, "the graph of the input", &why) == 0 &&
        make_graph(&x->beside, &g, o, o->loops, &why) == 0)
        return 0;
    return se_fail(err, why.code, "--beside %s: %s", o->path, why.text);
}

/* The embedding of the stream with the second graph, in the plane */
static int find_positions(struct se_graphs *x, uint64_t n, const struct se_graphs_options *o,
                          struct se_err *err)
{
    struct se_err why = SE_ERR_INIT;
    struct se_embedding e;

    if (se_embedding_get(&e, o->given, &why) < 0 ||
        se_payload_fits(e.n, n, SE_EMBEDDING, "the graph of the input", &why) < 0)
        return se_fail(err, why.code, "--beside %s: %s", o->path, why.text);
    if (e.d != 2)
        return se_fail(err, SE_EINPUT, "--beside %s: embedding: has %" PRIu64 " columns, not 2; "
                       "make it with se-embed", o->path, e.d);
    x->position = e.row;
    return 0;
}

/* The modules of the tree in the stream */
static int make_levels(struct se_graphs *x, uint64_t n, const struct se_graphs_options *o,
                       struct se_err *err)
{
    struct se_tree t;

    if (!se_stream_has(o->s, SE_TREE))
        return se_fail(err, SE_EINPUT, "--model %s wants a tree in the stream; make one with "
                       "se-tree -K 3", o->kind->name);
    return se_tree_get(&t, o->s, err) < 0 || se_payload_fits(t.n, n, SE_TREE, "graph", err) < 0
         ? -1 : se_netlevels_make(&x->levels, &t, &x->graph, err);
}

/* What the user gave is what the model can see. */
static int check(const struct se_graphs_options *o, struct se_err *err)
{
    const struct se_model_kind *kind = o->kind;

    if (o->given && !kind->beside)
        return se_fail(err, SE_EUSAGE, "--beside is for --model mix, h2gcn, fsgnn and geomgcn; %s "
                       "sees one graph", kind->name);
    if (kind->positions && !o->given)
        return se_fail(err, SE_EUSAGE, "%s needs --beside FILE, a stream that 'se-embed --latent' "
                       "wrote", kind->name);
    if (o->peers && (kind->positions || kind->tree || (!o->given && kind->two_hops)))
        return se_fail(err, SE_EUSAGE, "--model %s%s does not run on several processes; use "
                       "se-train", kind->name,
                       kind->positions || kind->tree ? "" : " without --beside");
    return 0;
}

int se_graphs_make(struct se_graphs *x, const struct se_graph *g,
                   const struct se_graphs_options *o, struct se_err *err)
{
    const struct se_model_kind *kind = o->kind;

    if (check(o, err) < 0 || (o->given && make_beside(x, g->n, o, err) < 0) ||
        (kind->positions && find_positions(x, g->n, o, err) < 0) ||
        make_graph(&x->graph, g, o, o->loops, err) < 0 ||
        (kind->tree && make_levels(x, g->n, o, err) < 0))
        return -1;
    if (!o->given && kind->two_hops)
        return se_nngraph_two_hops(&x->beside, &x->graph, o->loops, err);
    if (!o->given && kind->without_loops)
        return make_graph(&x->beside, g, o, SE_LOOPS_NONE, err);
    return 0;
}
