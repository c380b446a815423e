/* split.c - random splits of the vertices */
#include "common/graph/split.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

#include "common/base/draw.h"
#include "common/base/mem.h"
#include "common/base/parallel.h"
#include "common/base/rng.h"

/* The vertices that take part, class by class: those of class c are id[off[c]] ..
 * id[off[c + 1] - 1].  Without classes there is one group. */
struct groups {
    uint64_t count, *off;
    uint32_t *id;
};

struct job {
    const struct se_split_options *plan;
    const struct groups *groups;
    uint64_t n;
    uint32_t *scratch;          /* per thread: the ids in random order */
    uint8_t *part;
};

void se_split_sizes(const double share[4], uint64_t size, uint64_t count[4])
{
    double lost[4];
    uint64_t given = 0;

    for (int p = 0; p < 4; p++) {
        const double exact = fmax(share[p], 0) * (double)size;

        count[p] = (uint64_t)floor(exact + 1e-9);       /* 0.3 * 10 is three */
        lost[p] = exact - (double)count[p];
        given += count[p];
    }
    for (; given < size; given++) {
        int most = SE_SPLIT_TRAIN;

        for (int i = 1; i < 4; i++) {
            const int p = (SE_SPLIT_TRAIN + i) % 4;      /* train, val, test, none */

            if (lost[p] > lost[most] + 1e-9)
                most = p;
        }
        count[most]++;
        lost[most] -= 1;
    }
}

static void groups_release(struct groups *g)
{
    free(g->off);
    free(g->id);
}

/* label NULL: all vertices take part.  classes 0: one group. */
static int groups_make(struct groups *g, uint64_t n, const int32_t *label, uint64_t classes,
                       struct se_err *err)
{
    g->count = classes > 0 ? classes : 1;
    g->off = se_zalloc(g->count + 2, sizeof *g->off, err);
    g->id = g->off ? se_alloc(n, sizeof *g->id, err) : NULL;
    if (!g->id)
        return -1;
    for (uint64_t v = 0; v < n; v++)
        if (!label || label[v] >= 0)
            g->off[(label && classes > 0 ? label[v] : 0) + 2]++;
    for (uint64_t c = 0; c < g->count; c++)
        g->off[c + 2] += g->off[c + 1];
    for (uint64_t v = 0; v < n; v++)            /* off[c + 1] goes from start to end of c */
        if (!label || label[v] >= 0)
            g->id[g->off[(label && classes > 0 ? label[v] : 0) + 1]++] = (uint32_t)v;
    return 0;
}

static void by_shares(const struct job *j, struct se_rng *r, uint32_t *id, uint8_t *part)
{
    const struct groups *g = j->groups;

    for (uint64_t c = 0; c < g->count; c++) {
        uint64_t count[4], at = g->off[c];

        se_split_sizes(j->plan->share, g->off[c + 1] - at, count);
        se_shuffle(r, id + at, g->off[c + 1] - at);
        for (int p = SE_SPLIT_TRAIN; p <= SE_SPLIT_TEST; p++)
            for (uint64_t i = 0; i < count[p]; i++)
                part[id[at++]] = (uint8_t)p;
    }
}

static void by_numbers(const struct job *j, struct se_rng *r, uint32_t *id, uint8_t *part)
{
    const struct groups *g = j->groups;
    uint64_t left = 0;

    for (uint64_t c = 0; c < g->count; c++) {
        se_shuffle(r, id + g->off[c], g->off[c + 1] - g->off[c]);
        for (uint64_t i = g->off[c]; i < g->off[c + 1]; i++)
            if (i - g->off[c] < j->plan->per_class)
                part[id[i]] = SE_SPLIT_TRAIN;
            else
                id[left++] = id[i];             /* left <= i: over what is done with */
    }
    se_shuffle(r, id, left);
    for (uint64_t i = 0; i < j->plan->val; i++)
        part[id[i]] = SE_SPLIT_VAL;
    for (uint64_t i = 0; i < j->plan->test; i++)
        part[id[j->plan->val + i]] = SE_SPLIT_TEST;
}

static void make_one(void *arg, uint64_t task, int thread)
{
    const struct job *j = arg;
    const uint64_t members = j->groups->off[j->groups->count];
    uint32_t *id = j->scratch + (uint64_t)thread * j->n;
    uint8_t *part = j->part + task * j->n;
    struct se_rng r;

    for (uint64_t i = 0; i < members; i++)
        id[i] = j->groups->id[i];
    se_rng_init(&r, j->plan->seed, SE_RNG_SPLIT, j->plan->first + task);
    if (j->plan->per_class > 0)
        by_numbers(j, &r, id, part);
    else
        by_shares(j, &r, id, part);
}

/* Planetoid's numbers: does every class have its share, and is there enough for the rest? */
static int check_numbers(const struct se_split_options *p, const struct groups *g,
                         struct se_err *err)
{
    const uint64_t members = g->off[g->count];

    for (uint64_t c = 0; c < g->count; c++)
        if (g->off[c + 1] - g->off[c] < p->per_class)
            return se_fail(err, SE_EINPUT, "class %" PRIu64 " has %" PRIu64 " vertices, fewer "
                           "than the %" PRIu64 " to train on", c, g->off[c + 1] - g->off[c],
                           p->per_class);
    const uint64_t left = members - g->count * p->per_class;
    if (p->val > left || p->test > left - p->val)
        return se_fail(err, SE_EINPUT, "%" PRIu64 " vertices to validate and %" PRIu64
                       " to test are more than the %" PRIu64 " that training leaves", p->val,
                       p->test, left);
    return 0;
}

int se_split_make(const struct se_split_options *plan, uint64_t n, const struct se_labels *labels,
                  uint8_t **part, struct se_err *err)
{
    const bool by_class = plan->stratified || plan->per_class > 0;
    const int most = plan->count < 256 ? (int)plan->count + 1 : 256;
    const int threads = plan->threads < 1 ? 1 : plan->threads < most ? plan->threads : most;
    struct groups groups = { 0, NULL, NULL };
    struct job j = { plan, &groups, n, NULL, NULL };
    uint64_t cells;
    int rc = -1;

    if (by_class && !labels)
        return se_fail(err, SE_EINPUT, "the stream has no labels to divide by");
    if (__builtin_mul_overflow(n, plan->count, &cells))
        return se_fail(err, SE_EMEM, "%" PRIu64 " splits are too many", plan->count);
    if (groups_make(&groups, n, labels ? labels->label : NULL, by_class ? labels->classes : 0,
                    err) == 0 &&
        (plan->per_class == 0 || check_numbers(plan, &groups, err) == 0) &&
        (j.scratch = se_alloc(n * (uint64_t)threads, sizeof *j.scratch, err)) &&
        (j.part = se_zalloc(cells, 1, err))) {
        se_parallel(threads, plan->count, make_one, &j);
        *part = j.part;
        rc = 0;
    }
    free(j.scratch);
    groups_release(&groups);
    return rc;
}
