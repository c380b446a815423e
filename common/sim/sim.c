/* sim.c - the k most similar vertices: group equal rows, pick an engine, spread the answer */
#include "common/sim/sim.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/sim/approx.h"
#include "common/sim/equal_rows.h"

enum { SPACE_DIMS = 16 };       /* up to here a tree of boxes beats the matrix product */

void se_sim_answer_release(struct se_sim_answer *a)
{
    se_knn_room_release(&a->room);
    *a = (struct se_sim_answer)SE_SIM_ANSWER_INIT;
}

/* The groups that have a vertex in [first, last), ascending. */
static uint64_t find_queries(const struct se_sim_groups *g, uint64_t first, uint64_t last,
                             uint32_t *query)
{
    uint64_t q = 0;

    for (uint64_t i = 0; i < g->m; i++) {
        uint64_t low = g->off[i], high = g->off[i + 1];

        while (low < high) {                    /* the first member at or behind `first` */
            const uint64_t mid = (low + high) / 2;

            if (g->member[mid] < first)
                low = mid + 1;
            else
                high = mid;
        }
        if (low < g->off[i + 1] && g->member[low] < last)
            query[q++] = g->row[i];
    }
    return q;
}

int se_sim_choose(const struct se_sim_job *job, enum se_sim_method *method, struct se_err *err)
{
    double sparse;

    if (*method == SE_SIM_AUTO && job->device == SE_DEVICE_CUDA)
        *method = SE_SIM_PRODUCT;
    if (*method != SE_SIM_AUTO)
        return 0;
    *method = job->rows->d <= SPACE_DIMS ? SE_SIM_SPACE : SE_SIM_PRODUCT;
    if (*method == SE_SIM_SPACE || job->rows->x.dense)
        return 0;
    if (se_sim_sparse_cost(job, &sparse, err) < 0)
        return -1;
    if (sparse < se_sim_product_cost(job) || job->rows->d > 1 << 20)
        *method = SE_SIM_SPARSE;
    return 0;
}

/* The product, on a device if there is one and it is worth it */
static int product(struct se_sim_job *job, struct se_err *err)
{
    struct se_gpu gpu = SE_GPU_INIT;
    int rc = se_gpu_choose(&gpu, job->device, se_sim_product_cost(job), job->note, err);

    if (rc == 0 && gpu.device)
        rc = se_sim_device(job, &gpu, err);
    else if (rc == 0)
        rc = se_sim_product(job, err);
    if (rc < 0 && se_gpu_fall_back(&gpu, job->device, err, job->note)) {
        job->done = 0;
        rc = se_sim_product(job, err);
    }
    se_gpu_close(&gpu);
    return rc;
}

static int search(struct se_sim_job *job, enum se_sim_method method, const char **engine,
                  struct se_err *err)
{
    static const char *const name[] = { "auto", "product", "space", "sparse" };
    struct se_sim_flat flat = SE_SIM_FLAT_INIT;
    int rc;

    *engine = "none";
    if (job->k == 0 || job->q == 0)
        return 0;
    if ((method == SE_SIM_SPACE || method == SE_SIM_SPARSE) && job->device == SE_DEVICE_CUDA)
        return se_fail(err, SE_EDEVICE, "--device cuda supports only --method product; omit "
                       "--method %s or use --device auto", name[method]);
    if (job->device != SE_DEVICE_CUDA && (method == SE_SIM_AUTO || method == SE_SIM_SPACE)) {
        if (se_sim_flat_make(&flat, job, err) < 0)
            return -1;
        if (flat.rank < 3) {
            *engine = flat.rank == 1 ? "line" : "circle";
            rc = flat.rank == 1 ? se_sim_line(job, &flat, err)
                                : se_sim_circle(job, &flat, err);
            free(flat.angle);
            return rc;
        }
    }
    if (job->approx > 0 && job->rows->d > SPACE_DIMS) {
        *engine = "approx";
        if ((rc = se_sim_approx(job, job->approx, &job->recall, err)) <= 0)
            return rc;
    }
    if (se_sim_choose(job, &method, err) < 0)
        return -1;
    *engine = name[method];
    return method == SE_SIM_SPACE     ? se_sim_space(job, err)
           : method == SE_SIM_PRODUCT ? product(job, err)
                                      : se_sim_sparse(job, err);
}

/* Memory that is promised and not there would end the program without a word. */
static int fits_memory(uint64_t rows, uint64_t k, struct se_err *err)
{
    const double want = (double)rows * (double)k * (sizeof(uint32_t) + sizeof(float));
    const double have = (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGE_SIZE);

    if (want <= have || have <= 0)
        return 0;
    return se_fail(err, SE_EMEM, "%" PRIu64 " neighbours of %" PRIu64 " vertices need %.1f GB, "
                   "and this machine has %.1f; ask for fewer with -k", k, rows, want / 1e9,
                   have / 1e9);
}

/* Search among the groups; then, unless every vertex is its own group, spread the answer. */
static int search_groups(const struct se_sim_groups *g, struct se_sim_job *job,
                         enum se_sim_method method, struct se_sim_answer *a,
                         struct se_err *err)
{
    int rc;

    job->id = a->id;
    job->similarity = a->similarity;
    if (g->m == g->n && job->k == a->k)
        return search(job, method, &a->engine, err);
    job->id = se_alloc(job->q * job->k, sizeof *job->id, err);  /* no more than the answer */
    job->similarity = job->id ? se_alloc(job->q * job->k, sizeof *job->similarity, err) : NULL;
    rc = job->similarity ? search(job, method, &a->engine, err) : -1;
    if (rc == 0 && a->k > 0)
        rc = se_sim_groups_expand(g, g, job, a, err);
    free(job->id);
    free(job->similarity);
    return rc;
}

/* The rows of [a->first, a->last) among those of [from, to) */
static int search_among(struct se_sim_job *job, uint64_t from, uint64_t to,
                        enum se_sim_method method, struct se_sim_answer *a, struct se_err *err)
{
    struct se_sim_groups g = SE_SIM_GROUPS_INIT;
    uint32_t *query = NULL;
    int rc = -1;

    if (se_sim_groups_make(&g, job->rows, from, to, job->threads, err) == 0)
        query = se_alloc(g.m, sizeof *query, err);
    if (query) {
        a->distinct = g.m;
        a->flats = g.flats;
        job->row = g.row;
        job->query = query;
        job->m = g.m;
        job->q = find_queries(&g, a->first, a->last, query);
        job->k = g.m == 0 ? 0 : a->k < g.m - 1 ? a->k : g.m - 1;
        rc = search_groups(&g, job, method, a, err);
        a->recall = job->recall;
    }
    free(query);
    se_sim_groups_release(&g);
    return rc;
}

static int room_make(struct se_sim_answer *a, uint64_t n, struct se_err *err)
{
    const struct se_knn_block b = { .n = n, .k = a->k, .first = a->first, .last = a->last,
                                    .from = a->from, .to = a->to };

    if (fits_memory(a->to > 0 ? se_knn_block_lists(&b) : a->last - a->first, a->k, err) < 0 ||
        (a->to > 0 ? se_knn_block_room_make(&a->room, &b, err)
                   : se_knn_room_make(&a->room, n, a->k, a->first, a->last, err)) < 0)
        return -1;
    a->id = a->room.id;
    a->similarity = a->room.similarity;
    return 0;
}

int se_sim_search(const struct se_sim_rows *r, const struct se_sim_options *ask,
                  struct se_sim_answer *a, struct se_err *err)
{
    struct se_sim_job job = { .rows = r, .threads = ask->threads,
                              .progress = ask->progress, .device = ask->device,
                              .approx = ask->approx, .recall = 1, .note = a->where };

    snprintf(a->where, sizeof a->where, "on the CPU");
    a->first = ask->first;
    a->last = ask->last < r->n ? ask->last : r->n;
    a->from = ask->from;
    a->to = ask->to;
    a->recall = 1;
    a->k = r->n == 0 ? 0 : ask->k < r->n - 1 ? ask->k : r->n - 1;
    if (ask->method == SE_SIM_SPARSE && r->x.dense)
        return se_fail(err, SE_EUSAGE, "--method sparse needs sparse rows, and these are "
                       "stored dense; use --method product");
    if (room_make(a, r->n, err) < 0)
        return -1;
    if (a->to == 0)
        return search_among(&job, 0, r->n, ask->method, a, err);
    if (a->from == a->first)
        return search_among(&job, a->from, a->to, ask->method, a, err);
    return se_sim_across(&job, a, err);
}
