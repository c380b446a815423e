/* across.c - the pairs of two ranges of vertices, each computed once and given to both */
#include <string.h>

#include "common/base/mem.h"
#include "common/sim/equal_rows.h"

/* From the answer of groups to that of the vertices of one side */
static int spread(const struct se_sim_job *job, const struct se_sim_groups *g, int side,
                  struct se_sim_answer *a, struct se_err *err)
{
    const uint64_t lists = side ? job->q : 0, vertices = side ? a->last - a->first : 0;
    struct se_sim_job part = *job;
    struct se_sim_answer to = *a;

    part.query = job->row + lists;
    part.q = g[side].m;
    part.id = job->id + lists * job->k;
    part.similarity = job->similarity + lists * job->k;
    to.first = side ? a->from : a->first;
    to.last = side ? a->to : a->last;
    to.id = a->id + vertices * a->k;
    to.similarity = a->similarity + vertices * a->k;
    return se_sim_groups_expand(&g[side], &g[!side], &part, &to, err);
}

static int search(struct se_sim_job *job, const struct se_sim_groups *g, struct se_sim_answer *a,
                  struct se_err *err)
{
    int rc;

    a->engine = "product";
    if (g[0].m == g[0].n && g[1].m == g[1].n) {
        job->id = a->id;
        job->similarity = a->similarity;
        return se_sim_product(job, err);
    }
    if (g[0].m == 0 || g[1].m == 0)
        job->k = 0;
    job->id = se_alloc(job->m * job->k, sizeof *job->id, err);
    job->similarity = job->id ? se_alloc(job->m * job->k, sizeof *job->similarity, err) : NULL;
    rc = !job->similarity ? -1 : job->k > 0 ? se_sim_product(job, err) : 0;
    for (int side = 0; side < 2 && rc == 0; side++)
        rc = spread(job, g, side, a, err);
    free(job->id);
    free(job->similarity);
    return rc;
}

int se_sim_across(struct se_sim_job *job, struct se_sim_answer *a, struct se_err *err)
{
    struct se_sim_groups g[2] = { SE_SIM_GROUPS_INIT, SE_SIM_GROUPS_INIT };
    uint32_t *row = NULL;
    int rc = -1;

    if (se_sim_groups_make(&g[0], job->rows, a->first, a->last, job->threads, err) == 0 &&
        se_sim_groups_make(&g[1], job->rows, a->from, a->to, job->threads, err) == 0)
        row = se_alloc(g[0].m + g[1].m, sizeof *row, err);
    if (row) {
        memcpy(row, g[0].row, g[0].m * sizeof *row);
        memcpy(row + g[0].m, g[1].row, g[1].m * sizeof *row);
        job->row = job->query = row;
        job->q = g[0].m;
        job->m = g[0].m + g[1].m;
        job->k = a->k;
        job->across = true;
        a->distinct = job->m;
        a->flats = g[0].flats + g[1].flats;
        rc = search(job, g, a, err);
    }
    free(row);
    se_sim_groups_release(&g[0]);
    se_sim_groups_release(&g[1]);
    return rc;
}
