/* choose.c - how high a tree should be, and which of its levels to believe */
#include "common/tree/choose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/tree/workings.h"

enum { HEIGHTS = SE_AUTO_HEIGHT - 1 };

#define ALIKE 0.05              /* heights whose best levels differ by less are alike */
#define NEARLY 0.15             /* a level this much less stable than the best is kept */

void se_choice_release(struct se_choice *c)
{
    for (int i = 0; i < HEIGHTS; i++)
        se_stability_release(&c->tried[i]);
    *c = (struct se_choice)SE_CHOICE_INIT;
}

/* The most stable level beyond chance, 0: none. */
static uint32_t best_level(const struct se_stability *x)
{
    uint32_t best = 0;

    for (uint32_t l = 1; l <= x->levels; l++)
        if (se_stability_real(x, l) &&
            (!best || se_stability_beyond(&x->level[l]) >
                          se_stability_beyond(&x->level[best])))
            best = l;
    return best;
}

/* Which levels are within NEARLY of `most`, the best of all heights. */
static uint32_t good_levels(const struct se_stability *x, double most, uint32_t *kept)
{
    uint32_t count = 0;

    for (uint32_t l = 1; l <= x->levels; l++)
        if (se_stability_real(x, l) &&
            se_stability_beyond(&x->level[l]) >= most - NEARLY)
            kept[count++] = l;
    return count;
}

/* The level to speak of where none is beyond chance */
static void note_most(struct se_choice *c, const struct se_stability *x)
{
    for (uint32_t l = 1; l <= x->levels; l++)
        if (c->most.stability <= 0 || se_stability_beyond(&x->level[l]) >
                                          se_stability_beyond(&c->most))
            c->most = x->level[l];
}

/* What is known while heights are compared with chance, one after another */
struct compared {
    bool measured[HEIGHTS];
    double most;                /* the best level beyond chance so far, */
    double least;               /* and what a level needs at all */
    uint32_t levels;            /* good levels of the best height so far */
    int best;
};

/* Levels of a height not yet compared that may turn out good: beyond chance a level is never more
 * stable than it is. */
static uint32_t hopeful(const struct se_stability *x, double least)
{
    uint32_t count = 0;

    for (uint32_t l = 1; l <= x->levels; l++)
        count += x->level[l].stability >= least;
    return count;
}

/* Can height i still be chosen, or show that the best so far is not alike it? */
static bool matters(const struct compared *d, const struct se_stability *tried, int i)
{
    const double stable = se_stability_most(&tried[i]);
    const uint32_t levels = hopeful(&tried[i], fmax(d->most - NEARLY, d->least));

    if (d->measured[i] || stable < fmax(d->most - ALIKE, d->least))
        return false;
    return d->levels == 0 || stable > d->most + ALIKE || levels > d->levels ||
           (levels == d->levels && i < d->best);
}

/* The lowest height that is alike the most stable one that matters, -1: none does */
static int next_height(const struct compared *d, const struct se_stability *tried)
{
    double most = 0;

    for (int i = 0; i < HEIGHTS; i++)
        if (matters(d, tried, i))
            most = fmax(most, se_stability_most(&tried[i]));
    for (int i = 0; i < HEIGHTS; i++)
        if (matters(d, tried, i) && se_stability_most(&tried[i]) >= most - ALIKE)
            return i;
    return -1;
}

/* Compare with chance the heights that can be chosen.  The others lose their levels. */
static int compare(struct se_choice *c, const struct se_graph *g,
                   const struct se_stability_options *how, struct se_err *err)
{
    struct se_stability *tried = c->tried;
    struct compared d = { .most = 0 };

    for (int i = next_height(&d, tried); i >= 0; i = next_height(&d, tried)) {
        uint32_t b, kept[SE_STABLE_LEVELS], levels;

        if (se_stability_chance(&tried[i], g, (uint64_t)i + 2, how, err) < 0)
            return -1;
        d.measured[i] = true;
        d.least = se_stability_least(g->n);
        note_most(c, &tried[i]);
        b = best_level(&tried[i]);
        if (b)
            d.most = fmax(d.most, se_stability_beyond(&tried[i].level[b]));
        levels = b ? good_levels(&tried[i], d.most, kept) : 0;
        if (levels > d.levels || (levels == d.levels && i < d.best)) {
            d.levels = levels;
            d.best = i;
        }
    }
    for (int i = 0; i < HEIGHTS; i++)
        if (!d.measured[i])
            tried[i].levels = 0;
    return 0;
}

/* The best level of a height that may be chosen, 0: none. */
static uint32_t level_of(const struct se_choice *c, int i)
{
    return c->refused[i] ? 0 : best_level(&c->tried[i]);
}

/* Of the heights whose best level is alike the one with most good levels, the lowest of
 * these. */
static void pick(struct se_choice *c)
{
    double most = 0;
    int winner = -1;

    c->levels = 0;
    for (int i = 0; i < HEIGHTS; i++) {
        const uint32_t b = level_of(c, i);
        if (b && se_stability_beyond(&c->tried[i].level[b]) > most)
            most = se_stability_beyond(&c->tried[i].level[b]);
    }
    for (int i = 0; i < HEIGHTS; i++) {
        const uint32_t b = level_of(c, i);
        uint32_t kept[SE_STABLE_LEVELS], levels;

        if (!b || se_stability_beyond(&c->tried[i].level[b]) < most - ALIKE)
            continue;
        levels = good_levels(&c->tried[i], most, kept);
        if (levels > c->levels) {
            winner = i;
            c->levels = levels;
            memcpy(c->kept, kept, sizeof kept);
        }
    }
    if (winner < 0)
        return;
    c->k = (uint64_t)winner + 2;
    for (uint32_t i = 0; i < c->levels; i++)
        if (c->kept[i] == best_level(&c->tried[winner]))
            c->best = i;
    c->stability = c->tried[winner];
}

void se_choice_next(struct se_choice *c)
{
    if (c->levels > 0)
        c->refused[c->k - 2] = true;
    pick(c);
}

int se_tree_choose(struct se_choice *c, const struct se_graph *g,
              const struct se_stability_options *how, struct se_err *err)
{
    struct se_stability_options plain = *how;
    int rc = 0;

    *c = (struct se_choice)SE_CHOICE_INIT;
    plain.chance = false;
    for (int i = 0; rc == 0 && i < HEIGHTS; i++)
        rc = se_stability_make(&c->tried[i], g, (uint64_t)i + 2, &plain, err);
    if (rc == 0)
        rc = compare(c, g, how, err);
    if (rc == 0)
        pick(c);
    return rc;
}

int se_tree_keep_levels(struct se_hierarchy *out, const struct se_tree *t, const uint32_t *kept,
                        uint32_t levels, bool pad, struct se_err *err)
{
    struct se_nest nest = SE_NEST_INIT;
    uint32_t *depth = NULL;
    bool *keep = NULL;
    int rc = se_nest_of_tree(&nest, t, err);

    if (rc == 0) {
        depth = se_zalloc(nest.nodes, sizeof *depth, err);
        keep = se_zalloc(nest.nodes, sizeof *keep, err);
        rc = depth && keep ? 0 : -1;
    }
    if (rc == 0) {
        for (uint64_t a = nest.nodes - 1; a-- > 0;) {
            depth[a] = depth[nest.parent[a]] + 1;
            for (uint32_t i = 0; i < levels; i++)
                keep[a] |= depth[a] == kept[i];
        }
        rc = se_nest_prune(&nest, keep, err);
    }
    if (rc == 0)
        rc = se_nest_tree(out, &nest, pad, err);
    free(depth);
    free(keep);
    se_nest_release(&nest);
    return rc;
}
