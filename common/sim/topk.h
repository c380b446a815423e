/* topk.h - lists of candidates, of which the k best are certain to be the answer
 *
 * An engine scores pairs in float: higher is better, and the score is either S (product) or
 * minus the squared distance, 2 S - 2 (space), with a bounded error.  A list keeps every
 * candidate that may be among the k best: all scores above floor[list], which lies below the
 * k-th best score by twice the error and the width of a tie.  If too many scores crowd there,
 * the list computes S itself and keeps exactly the k best from then on.
 *
 * What is in a list at the end, and so the answer, does not depend on the order of offers. */
#ifndef SE_SIM_TOPK_H
#define SE_SIM_TOPK_H

#include "common/sim/engine.h"

struct se_topk {
    uint64_t lists, k, full, cap;       /* tighten at `full`; there is room for `cap` */
    bool distance;              /* scores are minus squared distances */
    float flat, root, rel;      /* floor = x - flat - root sqrt|x| - rel |x|, x the k-th score */
    uint32_t *id;               /* lists * cap */
    float *score;               /* as many; the first exact[list] are S itself */
    uint32_t *count, *exact;
    float *floor;               /* a score below it cannot win */
    uint32_t *below;            /* an id at or above it cannot win: k lower ids have S = 1 */
};
#define SE_TOPK_INIT { .lists = 0 }

/* Memory that one thread needs to work on lists. */
struct se_topk_room {
    struct se_sim_query query;
    const double *table;        /* rows as se_sim_kernels.similar() wants them; may be NULL */
    uint64_t stride;
    uint64_t *key, *spare;      /* cap each */
};

/* flat, root, rel and distance are set by the caller before; `extra` is the number of offers
 * between two looks at the count. */
int se_topk_init(struct se_topk *t, uint64_t lists, uint64_t k, uint64_t extra,
                 struct se_err *err);
void se_topk_release(struct se_topk *t);
/* Empty a list to use it again. */
void se_topk_reset(struct se_topk *t, uint64_t list);

struct se_topk_room *se_topk_rooms(const struct se_topk *t, const struct se_sim_rows *r,
                                   int threads, struct se_err *err);
void se_topk_rooms_free(struct se_topk_room *room, int threads);

/* Add a candidate whose score is not below floor[list]. */
static inline void se_topk_offer(struct se_topk *t, uint64_t list, uint32_t id, float score)
{
    const uint64_t at = list * t->cap + t->count[list];

    if (id < t->below[list]) {
        t->id[at] = id;
        t->score[at] = score;
        t->count[list]++;
    }
}

/* `count` candidates whose scores are not below floor[list] were put behind the end of a
 * list: add them. */
static inline void se_topk_offered(struct se_topk *t, uint64_t list, uint32_t count)
{
    const uint64_t from = list * t->cap + t->count[list];

    if (t->below[list] == SE_NONE)
        t->count[list] += count;
    else
        for (uint64_t i = from; i < from + count; i++)
            se_topk_offer(t, list, t->id[i], t->score[i]);
}

/* An empty list will soon be offered these scores, but `others` of them: set a floor, so that few of
 * them need to be. */
void se_topk_expect(struct se_topk *t, uint64_t list, const float *score, uint32_t count,
                    uint64_t others);

/* Raise the floor and drop what lies below.  `row` is the vertex the list belongs to. */
void se_topk_tighten(struct se_topk *t, uint64_t list, uint32_t row,
                     struct se_topk_room *room);
/* The k best, ordered; SE_NONE and 0 for those that are not there.  All scores from `offered` on were
 * offered: false, with nothing written, if a lower one might win. */
bool se_topk_finish(struct se_topk *t, uint64_t list, uint32_t row,
                    struct se_topk_room *room, float offered, uint32_t *id,
                    float *similarity);

#endif
