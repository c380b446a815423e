/* equal_rows.h - vertices with equal rows, so that they are searched for once
 *
 * Equal rows have equal S with everything.  The groups are searched instead of the vertices,
 * each under its lowest vertex; a vertex's k best lie in its own group and the k best others,
 * since the lowest vertex of each better group is itself a better neighbour. */
#ifndef SE_SIM_GROUP_H
#define SE_SIM_GROUP_H

#include "common/sim/engine.h"

struct se_sim_groups {
    uint64_t first;             /* lowest vertex */
    uint64_t n, m;              /* vertices; groups of rows with variance */
    uint32_t *row;              /* m: the lowest vertex of each, ascending */
    uint32_t *group;            /* n, from the first on: which group; SE_NONE: no variance */
    uint64_t *off;              /* m + 1 */
    uint32_t *member;           /* vertices of each group, ascending */
    uint64_t flats;             /* vertices without variance */
};
#define SE_SIM_GROUPS_INIT { .n = 0 }

/* Of the vertices of [first, last) */
int se_sim_groups_make(struct se_sim_groups *g, const struct se_sim_rows *r, uint64_t first,
                       uint64_t last, int threads, struct se_err *err);
void se_sim_groups_release(struct se_sim_groups *g);

/* From the answer of `job`, in which groups of `own` were compared with groups of `other`, to that for
 * each vertex of [a->first, a->last), who are vertices of `own`: k neighbours each, or as many as
 * there are; SE_NONE stands for the others.  If both are the same groups, the neighbours of a vertex
 * are in its own, too. */
int se_sim_groups_expand(const struct se_sim_groups *own, const struct se_sim_groups *other,
                         const struct se_sim_job *job, struct se_sim_answer *a,
                         struct se_err *err);

/* The pairs of a vertex of [a->first, a->last) and one of [a->from, a->to), for both: across.c */
int se_sim_across(struct se_sim_job *job, struct se_sim_answer *a, struct se_err *err);

#endif
