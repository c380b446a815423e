/* dist_workings.h - the working parts of the search by several processes */
#ifndef SE_DIST_WORKINGS_H
#define SE_DIST_WORKINGS_H

#include "common/tree/dist.h"
#include "common/tree/workings.h"

/* ---- messages: dist_team.c ---- */

/* Send out[] (by out_of), receive what others send: *in is allocated, in_of has ranks + 1 places. */
int se_team_send(struct se_team *t, const void *out, const uint64_t *out_of, void **in,
                 uint64_t *in_of, uint64_t bytes, struct se_err *err);
/* All items of all processes in the first one, in order; *all is NULL elsewhere. */
int se_team_collect(struct se_team *t, const void *own, uint64_t count, uint64_t bytes, void **all,
                    struct se_err *err);
/* The rank whose range holds an item; border has ranks + 1 places. */
int se_team_owner(const uint64_t *border, int ranks, uint64_t item);
/* Sort positions 0 .. count-1 by the owner of their id: place[], and where each begins in of[]. */
void se_team_sort(const uint64_t *border, int ranks, const uint32_t *id, uint64_t count,
                  uint64_t *of, uint32_t *place);

/* ---- rows: dist_read.c, dist_share.c ---- */

/* Items of this process, in a net of all processes.  Arcs point to items by local numbers: ours
 * from 0, those of others (the halo) behind them.  All weights are whole numbers below 2^53. */
struct se_share {
    struct se_team *team;
    uint64_t all, all_arcs;     /* of all processes */
    uint64_t *border;           /* ranks + 1: the first item of each process */
    uint64_t first, n, arcs, halo;
    uint64_t *off;              /* n + 1 */
    uint32_t *to;               /* in ascending order of the items of the whole net */
    double *w64;                /* weights of arcs in one of two widths, */
    float *w32;                 /* w32 times scale, rounded; both NULL: 1 */
    double scale;
    double *volume, *inner;     /* inner: NULL: 0 */
    double vol;                 /* of all */
    uint32_t *id;               /* halo: items of the whole net, ascending */
    uint64_t *halo_of;          /* ranks + 1 */
    uint32_t *row;              /* our items that each process has in its halo, ascending */
    uint64_t *row_of;           /* ranks + 1 */
};

static inline double se_share_weight(const struct se_share *x, uint64_t arc)
{
    return x->w64 ? x->w64[arc] : x->w32 ? rint((double)x->w32[arc] * x->scale) : 1.0;
}

/* The number of a local item in the whole net */
static inline uint32_t se_share_id(const struct se_share *x, uint32_t item)
{
    return item < x->n ? (uint32_t)(x->first + item) : x->id[item - x->n];
}

int se_share_read(struct se_share *x, struct se_team *team, int fd,
                 const struct se_graph_place *place, struct se_err *err);
/* to[] has items of the whole net: find the halo, and renumber. */
int se_share_link(struct se_share *x, struct se_err *err);
void se_share_release(struct se_share *x);
/* Fill x[n] .. x[n + halo - 1] with what others have of these items. */
int se_share_fetch(const struct se_share *x, uint32_t *value, struct se_err *err);
/* answer[i] = table[id[i]], tables lying where the items are: here one of our items. */
int se_share_ask(const struct se_share *x, const uint32_t *id, uint64_t count,
                const uint32_t *table, uint32_t *answer, struct se_err *err);

/* ---- modules: dist_home.c, dist_move.c ---- */

/* What is known of a module, where the item of its number is */
struct se_home {
    double volume, inside, log, count;
};

/* Which modules an item may join, those of its group, and log2 of the volume of its group.
 * NULL: there is one group, of the whole net. */
struct se_dist_bound {
    uint32_t *group;            /* n + halo */
    double *limit;              /* n */
};

/* A table of all modules; module[] has n + halo places.  Release it with free(). */
int se_homes_make(struct se_home **home, const struct se_share *x, const uint32_t *module,
                  struct se_err *err);
/* Give each module the number of its least item. */
int se_share_name(const struct se_share *x, uint32_t *module, struct se_err *err);
/* The sum of I (log V_group - log V), by the volume of all; exact, so the same for any order.  The
 * item that has the number of a module must be in its group. */
double se_homes_value(const struct se_share *x, const struct se_dist_bound *b,
                      const struct se_home *home);
/* Add up terms that are added by others, too: rounded so that any order gives the same. */
static inline double se_dist_term(double share)
{
    return rint(ldexp(share, 46));
}

static inline double se_dist_log(double volume)
{
    return volume > 0 ? log2(volume) : 0;
}

/* Move items to better modules, all processes side by side, until little is gained. */
int se_dist_move(const struct se_share *x, const struct se_dist_bound *b, uint32_t *module,
                 uint64_t seed, struct se_err *err);

/* ---- nets of modules: dist_quotient.c ---- */

/* The net whose items are the modules.  up[i]: the item that holds item i, for n + halo;
 * *lower: the module that each item of ours was, allocated.  carry: as in se_quotient_aggregate. */
int se_share_aggregate(struct se_share *y, const struct se_share *x, const uint32_t *module,
                      bool carry, uint32_t *up, uint32_t **lower, struct se_err *err);
/* The best modules of a net that one process has memory for. */
int se_share_search(const struct se_share *x, const struct se_dist_bound *b, uint32_t *module,
                    const struct se_dist_options *how, struct se_err *err);

/* ---- dist_search.c ---- */

/* Find modules, starting from single items; module[] has n + halo places.  The number of a module
 * is its least item. */
int se_dist_search(const struct se_share *x, const struct se_dist_bound *b, uint32_t *module,
                   const struct se_dist_options *how, struct se_err *err);

#endif
