/* part_thin.c - the vertices of one process, and a graph that loses edges in training */
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/train/peers.h"

/* Rows that others need are sent whether or not an arc to them is left; arcs are others each time. */
int se_thin_links(struct se_thinned *t, const struct se_peers *p, struct se_err *err)
{
    const struct se_links *whole = t->whole->links;
    const uint64_t ranks = (uint64_t)p->ranks;
    struct se_links *l = se_zalloc(1, sizeof *l, err);

    if (!l)
        return -1;
    *l = *whole;
    t->left.links = l;
    l->arc = se_alloc(whole->ghosts, sizeof *l->arc, err);
    l->arc_of = se_alloc(ranks + 1, sizeof *l->arc_of, err);
    t->degree = se_alloc(t->whole->n + whole->halo, sizeof *t->degree, err);
    t->arcs_of = se_alloc(ranks, sizeof *t->arcs_of, err);
    return l->arc && l->arc_of && t->degree && t->arcs_of ? 0 : -1;
}

void se_thin_links_release(struct se_thinned *t)
{
    if (t->left.links) {
        free(t->left.links->arc);
        free(t->left.links->arc_of);
        free(t->left.links);
    }
    free(t->degree);
    free(t->arcs_of);
}

/* The arc from the lower vertex to the higher one decides; the ghost of an arc has the mark that the
 * other process made. */
static bool stays(const struct se_thinned *t, const struct se_peers *p, uint64_t v, uint64_t e)
{
    const struct se_nngraph *w = t->whole;
    const uint32_t u = w->to[e];
    const bool up = u < w->n ? u > v : w->links->id[u - w->n] >= p->last;

    return u == v || t->keep[up ? e : w->back[e]];
}

/* Arcs that stay, in order, and where they go; a ghost goes behind them if its arc stays. */
static void move_arcs(struct se_thinned *t, const struct se_peers *p)
{
    const struct se_nngraph *w = t->whole;
    struct se_nngraph *x = &t->left;
    uint64_t at = 0;

    for (uint64_t g = w->arcs; g < w->arcs + w->links->ghosts; g++)
        t->place[g] = 0;
    for (uint64_t v = 0; v < w->n; v++) {
        x->off[v] = at;
        for (uint64_t e = w->off[v]; e < w->off[v + 1]; e++) {
            t->place[e] = SE_NONE;
            if (!stays(t, p, v, e))
                continue;
            x->to[at] = w->to[e];
            x->weight[at] = w->weight[e];
            t->place[e] = (uint32_t)at++;
            if (w->to[e] >= w->n)
                t->place[w->back[e]] = 1;
        }
    }
    x->off[w->n] = x->arcs = at;
    for (uint64_t g = w->arcs; g < w->arcs + w->links->ghosts; g++)
        t->place[g] = t->place[g] ? (uint32_t)at++ : SE_NONE;
    x->links->ghosts = at - x->arcs;
}

/* Which arc goes back, and what is left of those to each process */
static void link_arcs(struct se_thinned *t, const struct se_peers *p)
{
    const struct se_nngraph *w = t->whole;
    const struct se_links *all = w->links;
    struct se_nngraph *x = &t->left;
    uint64_t at = 0;

    for (uint64_t e = 0; e < w->arcs; e++)
        if (t->place[e] != SE_NONE)
            x->back[t->place[e]] = t->place[w->back[e]];
    for (int r = 0; r < p->ranks; r++) {
        x->links->arc_of[r] = at;
        for (uint64_t i = all->arc_of[r]; i < all->arc_of[r + 1]; i++)
            if (t->place[all->arc[i]] != SE_NONE)
                x->links->arc[at++] = t->place[all->arc[i]];
    }
    x->links->arc_of[p->ranks] = at;
}

/* Arcs of the processes before this one */
static uint64_t arcs_before(struct se_thinned *t, struct se_peers *p)
{
    uint64_t first = 0;

    memset(t->arcs_of, 0, (uint64_t)p->ranks * sizeof *t->arcs_of);
    t->arcs_of[p->rank] = t->left.arcs;
    p->count(p, t->arcs_of, (uint64_t)p->ranks);
    for (int r = 0; r < p->rank; r++)
        first += t->arcs_of[r];
    return first;
}

void se_thin_part(const struct se_net *net, struct se_thinned *t, int part)
{
    const struct se_nngraph *w = t->whole;
    struct se_peers *p = net->peers;

    se_mask_from(net, SE_NO_LAYER, part, net->edge_dropout, w->first, w->arcs, t->keep);
    p->arcs(p, w->links, t->keep, 1, t->keep + w->arcs);
    move_arcs(t, p);
    link_arcs(t, p);
    t->left.first = arcs_before(t, p);
    se_nngraph_weigh_part(&t->left, p, t->degree);
}
