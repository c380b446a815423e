/* plan.c - into which parts to cut a search, so that all of them together cost little more than it
 *
 * A product serves both vertices of a pair.  Parts that are ranges of rows would compute each pair
 * twice; blocks of the pairs do not.  The ids are cut into G ranges of equal size: G triangles of
 * pairs within one of them, and for each range a rectangle of its vertices with all before, cut
 * further by rows.  G is near the root of the number of parts: there the parts are about equal and
 * a vertex is in few of them.  The other engines answer each vertex on its own: ranges of rows.
 *
 * Each part reads and prepares the rows, and a block settles its own lists.  So there are only as
 * many parts as together cost about `extra` more than the whole. */
#include <math.h>
#include <stdlib.h>

#include "common/base/mem.h"
#include "common/sim/equal_rows.h"

/* Pieces of the rectangle of range j (from 1) if `rest` pieces are shared by area, of which range j
 * has j of `total` */
static uint64_t pieces_of(uint64_t j, uint64_t rest, uint64_t total)
{
    const uint64_t to = rest * (j * (j + 1) / 2), from = rest * (j * (j - 1) / 2);

    return (to + total / 2) / total - (from + total / 2) / total;
}

/* The largest part, as a share of the pairs, if there are `ranges`; 2 if that cannot be */
static double largest(uint64_t ranges, uint64_t parts)
{
    const uint64_t total = ranges * (ranges - 1) / 2;
    const double all = (double)ranges * (double)ranges;
    double most = 1 / all;

    if (ranges + total > parts)
        return 2;
    for (uint64_t j = 1; j < ranges; j++) {
        const double share = 2 * (double)j / all / (double)pieces_of(j, parts - ranges, total);

        most = share > most ? share : most;
    }
    return most;
}

/* Few ranges are better: a vertex has a list in each of its parts. */
static uint64_t choose_ranges(uint64_t n, uint64_t parts)
{
    uint64_t best = 1, root = 1;

    while ((root + 1) * (root + 1) <= parts && root + 1 <= n)
        root++;
    for (uint64_t g = 1; g <= root + 1 && g <= n; g++)
        if (largest(g, parts) < 0.95 * largest(best, parts))
            best = g;
    return best;
}

static int cut_pairs(struct se_sim_plan *p, uint64_t n, uint64_t parts, struct se_err *err)
{
    const uint64_t few = parts == 2 ? 3 : parts;        /* a rectangle and two triangles */
    const uint64_t ranges = choose_ranges(n, few), total = ranges * (ranges - 1) / 2;

    p->part = se_alloc(few + 1, sizeof *p->part, err);
    for (uint64_t j = 0; p->part && j < ranges; j++) {
        const uint64_t from = n * j / ranges, to = n * (j + 1) / ranges;
        const uint64_t pieces = j > 0 ? pieces_of(j, few - ranges, total) : 0;

        p->part[p->parts++] = (struct se_sim_part){ from, to, from, to };
        for (uint64_t i = 0; i < pieces; i++)
            if (from * i / pieces < from * (i + 1) / pieces)
                p->part[p->parts++] = (struct se_sim_part){ from * i / pieces,
                                                            from * (i + 1) / pieces, from, to };
    }
    return p->part ? 0 : -1;
}

static int cut_rows(struct se_sim_plan *p, uint64_t n, uint64_t parts, struct se_err *err)
{
    p->part = se_alloc(parts, sizeof *p->part, err);
    for (uint64_t i = 0; p->part && i < parts; i++)
        p->part[p->parts++] = (struct se_sim_part){ n * i / parts, n * (i + 1) / parts, 0, 0 };
    return p->part ? 0 : -1;
}

/* Costs, in multiply-adds of a product as se_sim_product_cost(); rough, as measured */
enum { PER_PART = 170000000, PER_ROW = 30000, PER_NUMBER = 500, PER_LIST = 150000,
       PER_NEIGHBOUR = 6000 };

/* What each part costs before it starts to search */
static double setup(const struct se_sim_rows *r, bool boxes)
{
    const double numbers = r->x.dense ? (double)r->n * (double)r->d : 2 * (double)r->x.nnz;

    return PER_PART + (double)PER_ROW * (double)r->n / (boxes ? 1 : 8) + PER_NUMBER * numbers;
}

/* A search in the tree of boxes: nine dimensions more, ten times the work */
static double space_cost(const struct se_sim_job *job)
{
    return (double)job->q * 137000 * pow(1.3, (double)job->rows->d - 7) *
           (30 + (double)job->k) / 60;
}

/* How many parts, at most those asked for, are worth while.  Of pairs a vertex has lists in about
 * 1.3 sqrt(parts). */
static uint64_t worth(const struct se_sim_job *job, double work, enum se_sim_method method,
                      double extra, uint64_t parts)
{
    const double lists = (double)job->q * (PER_LIST + PER_NEIGHBOUR * (double)job->k);
    const double each = setup(job->rows, method == SE_SIM_SPACE);

    for (; parts > 1; parts--) {
        const double more = method == SE_SIM_PRODUCT ? 1.3 * sqrt((double)parts) - 1 : 0;

        if ((double)(parts - 1) * each + more * lists <= 0.8 * extra * work)
            break;
    }
    return parts;
}

/* The parts that are worth while; *pairs: they are blocks */
static int choose_parts(struct se_sim_job *job, const struct se_sim_options *ask,
                        uint64_t *parts, bool *pairs, struct se_err *err)
{
    enum se_sim_method method = ask->method;
    struct se_sim_flat flat = SE_SIM_FLAT_INIT;
    double work;

    *pairs = false;
    if (ask->approx > 0 || ask->device == SE_DEVICE_CUDA || job->m < 2)
        return 0;
    if (se_sim_flat_make(&flat, job, err) < 0)
        return -1;
    free(flat.angle);
    if (flat.rank < 3 && method == SE_SIM_AUTO) {       /* sorted: soon done */
        *parts = 1;
        return 0;
    }
    if (se_sim_choose(job, &method, err) < 0)
        return -1;
    work = method == SE_SIM_SPACE ? space_cost(job) : se_sim_product_cost(job);
    if (method == SE_SIM_SPARSE && se_sim_sparse_cost(job, &work, err) < 0)
        return -1;
    *parts = worth(job, work, method, ask->extra, *parts);
    *pairs = method == SE_SIM_PRODUCT;
    return 0;
}

int se_sim_plan_make(struct se_sim_plan *p, const struct se_sim_rows *r,
                     const struct se_sim_options *ask, uint64_t parts, struct se_err *err)
{
    struct se_sim_groups g = SE_SIM_GROUPS_INIT;
    struct se_sim_job job = { .rows = r, .k = ask->k, .threads = ask->threads,
                              .device = ask->device };
    bool pairs;
    int rc = se_sim_groups_make(&g, r, 0, r->n, ask->threads, err);

    job.row = job.query = g.row;
    job.m = job.q = g.m;
    if (rc == 0)
        rc = choose_parts(&job, ask, &parts, &pairs, err);
    if (rc == 0 && 10 * g.m < 9 * (g.n - g.flats))      /* equal rows are searched for once a part */
        pairs = false;
    if (rc == 0)
        rc = pairs ? cut_pairs(p, r->n, parts, err) : cut_rows(p, r->n, parts, err);
    se_sim_groups_release(&g);
    return rc;
}

void se_sim_plan_release(struct se_sim_plan *p)
{
    free(p->part);
    *p = (struct se_sim_plan)SE_SIM_PLAN_INIT;
}
