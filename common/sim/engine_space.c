/* engine_space.c - engine (b): search in a tree of boxes, for few dimensions
 *
 * The rows are points on a sphere, and S = 1 - |x - y|^2 / 2.  The points of one leaf are
 * asked for together (if only some rows are asked for, so many that follow each other in the
 * tree): they walk down the tree side by side, and a branch is left out when it is too far for
 * all of them.  Distances come from differences of coordinates, so that their
 * error shrinks with them and crowded points can still be told apart. */
#include <math.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/parallel.h"
#include "common/sim/boxes.h"
#include "common/sim/topk.h"

enum { MOST_DEPTH = 40 };

struct space {
    struct se_sim_job *job;
    struct se_boxes boxes;
    uint32_t *asked;            /* places of the queries, ascending */
    uint32_t *answer;           /* and their numbers */
    struct se_topk *lists;      /* per thread: SE_LEAF lists */
    struct se_topk_room *room;  /* per thread */
    float *q;                   /* per thread: a party, query by query, then column by column */
    double *table;              /* dense rows, centred; NULL for sparse ones */
    float *guess;               /* per thread: how far the next leaf may have to look */
    float rel;                  /* relative error of squared distances, twice */
};

/* As many queries as a leaf has points, on their way through the tree. */
struct party {
    struct se_topk *lists;
    struct se_topk_room *room;
    float *leaf;                /* their coordinates, as in a leaf */
    float *q;                   /* the same, query by query */
    const uint32_t *place, *answer;
    uint64_t asked;             /* mask of those that have no answer yet */
    float limit[SE_LEAF];       /* largest squared distance that may still win */
    bool crowded;               /* some list has a bound on ids */
    uint64_t near[SE_LEAF];     /* what a leaf has for each of them */
    float score[SE_LEAF][SE_LEAF];
};

static void set_limit(const struct space *s, struct party *p, unsigned j)
{
    p->limit[j] = -p->lists->floor[j] * (1 + s->rel);
    p->crowded |= p->lists->below[j] != SE_NONE;
}

/* Of the queries in `mask`, those that a node with this least vertex can still serve. */
static uint64_t not_settled(const struct party *p, uint64_t mask, uint32_t least)
{
    uint64_t left = mask;

    for (uint64_t rest = mask; rest && p->crowded; rest &= rest - 1) {
        const unsigned j = (unsigned)__builtin_ctzll(rest);

        if (p->lists->below[j] <= least)
            left &= ~(1ull << j);
    }
    return left;
}

/* The queries in `mask` against all points of a leaf. */
static void meet(const struct space *s, struct party *p, uint64_t mask, uint64_t leaf)
{
    const struct se_sim_kernels *kernels = se_sim_kernels();
    const uint64_t d = s->boxes.d, left = s->boxes.points - leaf * SE_LEAF;
    const uint64_t all = left < SE_LEAF ? (1ull << left) - 1 : ~0ull;
    struct se_topk *lists = p->lists;

    kernels->leaf(s->boxes.leaf + leaf * SE_LEAF * d, p->q, d, mask, lists->floor, p->near,
                  p->score);
    for (; mask; mask &= mask - 1) {
        const unsigned j = (unsigned)__builtin_ctzll(mask);
        const uint64_t itself = p->place[j] / SE_LEAF == leaf ? 1ull << p->place[j] % SE_LEAF : 0;
        const uint64_t near = p->near[j] & all & ~itself;
        const uint64_t end = j * lists->cap + lists->count[j];

        if (!near)
            continue;
        se_topk_offered(lists, j, kernels->pick(near, s->boxes.point + leaf * SE_LEAF,
                                                p->score[j], lists->id + end,
                                                lists->score + end));
        if (lists->count[j] >= lists->full ||
            (lists->floor[j] == -INFINITY && lists->count[j] >= lists->k)) {
            se_topk_tighten(lists, j, s->boxes.point[p->place[j]], p->room);
            set_limit(s, p, j);
        }
    }
}

struct branch {
    uint64_t first, last, node;
};

/* Is the middle of `home` nearer to the first of two boxes that lie apart in dimension i? */
static bool nearer(const float *home, const float *a, const float *b, uint64_t d, uint64_t i)
{
    return home[i] + home[d + i] <= a[d + i] + b[i];
}

/* The walk: depth first, the child nearer to `home` first; among crowds, where ids decide, the
 * child with the lowest id. */
static void roam(const struct space *s, struct party *p, const float *home)
{
    const struct se_sim_kernels *kernels = se_sim_kernels();
    const struct se_boxes *b = &s->boxes;
    const uint64_t d = b->d;
    struct branch stack[2 * MOST_DEPTH] = { { 0, b->leaves, 0 } };
    int depth = 1;

    while (depth > 0) {
        const struct branch at = stack[--depth];
        const float *box = b->box + at.node * 2 * d;
        uint64_t mask = kernels->box(p->leaf, box, d, p->limit) & p->asked;

        mask = not_settled(p, mask, b->least[at.node]);
        if (mask == 0)
            continue;
        if (at.last - at.first == 1) {
            meet(s, p, mask, at.first);
            continue;
        }
        const uint64_t middle = se_boxes_middle(at.first, at.last);
        const struct branch left = { at.first, middle, at.node + 1 };
        const struct branch right = { middle, at.last, at.node + 2 * (middle - at.first) };
        const bool left_first = p->crowded
            ? b->least[left.node] <= b->least[right.node]
            : nearer(home, b->box + left.node * 2 * d, b->box + right.node * 2 * d, d,
                     b->axis[at.node]);

        stack[depth++] = left_first ? right : left;
        stack[depth++] = left_first ? left : right;
    }
}

/* The box of a leaf, found by walking down to it. */
static const float *box_of(const struct se_boxes *b, uint64_t leaf)
{
    struct branch at = { 0, b->leaves, 0 };

    while (at.last - at.first > 1) {
        const uint64_t middle = se_boxes_middle(at.first, at.last);

        if (leaf < middle)
            at = (struct branch){ at.first, middle, at.node + 1 };
        else
            at = (struct branch){ middle, at.last, at.node + 2 * (middle - at.first) };
    }
    return b->box + at.node * 2 * b->d;
}

/* Serve the queries of p->asked that need not look further than the squared distance `guess`;
 * the others stay there.  The largest squared distance that one needed. */
static float serve(struct space *s, struct party *p, float guess)
{
    const uint64_t k = s->job->k;
    float most = 0;

    p->crowded = false;
    for (uint64_t rest = p->asked; rest; rest &= rest - 1) {
        const unsigned j = (unsigned)__builtin_ctzll(rest);

        se_topk_reset(p->lists, j);
        p->lists->floor[j] = -guess;
        set_limit(s, p, j);
    }
    roam(s, p, box_of(&s->boxes, p->place[0] / SE_LEAF));
    for (uint64_t rest = p->asked; rest; rest &= rest - 1) {
        const unsigned j = (unsigned)__builtin_ctzll(rest);
        const uint64_t to = p->answer[j] * k;

        if (!se_topk_finish(p->lists, j, s->boxes.point[p->place[j]], p->room, -guess, s->job->id + to,
                            s->job->similarity + to))
            continue;
        p->asked &= ~(1ull << j);
        most = -p->lists->floor[j] > most ? -p->lists->floor[j] : most;
    }
    return most;
}

/* The coordinates of `count` queries; zeros for the others, of which nothing is asked. */
static void gather(const struct space *s, struct party *p, uint64_t count)
{
    const uint64_t d = s->boxes.d;

    memset(p->q, 0, 2 * SE_LEAF * d * sizeof *p->q);
    for (uint64_t j = 0; j < count; j++) {
        const uint64_t leaf = p->place[j] / SE_LEAF;
        const float *from = s->boxes.leaf + leaf * SE_LEAF * d + p->place[j] % SE_LEAF;

        for (uint64_t i = 0; i < d; i++)
            p->q[j * d + i] = p->leaf[i * SE_LEAF + j] = from[i * SE_LEAF];
    }
}

/* Neighbouring leaves lie about as dense: the last one tells how far to look at first.  Where
 * that was not enough for many, the next one starts without. */
static void party_task(void *arg, uint64_t task, int thread)
{
    struct space *s = arg;
    const uint64_t first = task * SE_LEAF, left = s->job->q - first, d = s->boxes.d;
    const uint64_t count = left < SE_LEAF ? left : SE_LEAF;
    struct party p = { .lists = &s->lists[thread], .room = &s->room[thread],
                       .place = s->asked + first, .answer = s->answer + first,
                       .asked = count < SE_LEAF ? (1ull << count) - 1 : ~0ull,
                       .q = s->q + (uint64_t)thread * 2 * SE_LEAF * d };
    float *guess = &s->guess[thread];

    p.leaf = p.q + SE_LEAF * d;
    gather(s, &p, count);
    const float most = serve(s, &p, *guess);

    *guess = 4 * (uint64_t)__builtin_popcountll(p.asked) > count ? INFINITY : 1.1f * most;
    if (p.asked)
        serve(s, &p, INFINITY);
    se_sim_progress(s->job, count);
}

/* The errors of a squared distance x: each point was rounded to float twice, 2^-24 off at
 * most; then d differences, squares and sums.  Both ends of a comparison have them, and S that
 * round to the same number tie: 2^-23 of squared distance, a little more with the rounding
 * before. */
static void set_margin(struct se_topk *lists, uint64_t d)
{
    lists->distance = true;
    lists->flat = 1.5e-7f;
    lists->root = 1.2e-6f;
    lists->rel = (float)(2.5 * (double)(d + 4) * 0x1p-24);
}

/* The places of the queries, in the order of the tree */
static int find_places(struct space *s, struct se_err *err)
{
    const struct se_sim_job *job = s->job;
    uint32_t *number = se_alloc(job->rows->n, sizeof *number, err);     /* by vertex */
    uint64_t found = 0;

    s->asked = number ? se_alloc(job->q, sizeof *s->asked, err) : NULL;
    s->answer = s->asked ? se_alloc(job->q, sizeof *s->answer, err) : NULL;
    if (s->answer) {
        memset(number, 0xff, job->rows->n * sizeof *number);
        for (uint64_t i = 0; i < job->q; i++)
            number[job->query[i]] = (uint32_t)i;
        for (uint64_t p = 0; p < job->m; p++)
            if (number[s->boxes.point[p]] != SE_NONE) {
                s->asked[found] = (uint32_t)p;
                s->answer[found++] = number[s->boxes.point[p]];
            }
    }
    free(number);
    return s->answer ? 0 : -1;
}

enum { ROWS_PER_TASK = 1024 };

static uint64_t stride_of(const struct se_sim_rows *r)
{
    return (r->d + 1 + 7) / 8 * 8;
}

static void centre_task(void *arg, uint64_t task, int thread)
{
    const struct space *s = arg;
    const struct se_sim_rows *r = s->job->rows;
    const uint64_t stride = stride_of(r), last = (task + 1) * ROWS_PER_TASK;

    (void)thread;
    for (uint64_t i = task * ROWS_PER_TASK; i < last && i < s->job->m; i++) {
        const uint64_t v = s->job->row[i];
        double *to = s->table + v * stride;

        for (uint64_t t = 0; t < stride; t++)
            to[t] = t < r->d ? (r->x.dense[v * r->d + t] - r->scale[v].shift) -
                               r->scale[v].mean : 0;
        to[stride - 1] = r->scale[v].inverse;
    }
}

/* S of a few dimensions is soon computed, once the numbers are at hand. */
static int make_table(struct space *s, struct se_err *err)
{
    const struct se_sim_job *job = s->job;
    const uint64_t stride = stride_of(job->rows);

    if (!job->rows->x.dense)
        return 0;
    s->table = se_alloc(job->rows->n * stride, sizeof *s->table, err);
    if (!s->table)
        return -1;
    se_parallel(job->threads, (job->m + ROWS_PER_TASK - 1) / ROWS_PER_TASK, centre_task, s);
    for (int i = 0; i < job->threads; i++) {
        s->room[i].table = s->table;
        s->room[i].stride = stride;
    }
    return 0;
}

static int space_make(struct space *s, struct se_err *err)
{
    const struct se_sim_job *job = s->job;
    const uint64_t threads = (uint64_t)job->threads;

    if (job->rows->d > SE_BOXES_DIMS)
        return se_fail(err, SE_EUSAGE, "--method space supports at most %d dimensions; use "
                       "--method product", SE_BOXES_DIMS);
    if (se_boxes_make(&s->boxes, job, err) < 0 || find_places(s, err) < 0)
        return -1;
    s->q = se_alloc(threads * 2 * SE_LEAF * job->rows->d, sizeof *s->q, err);
    s->guess = s->q ? se_alloc(threads, sizeof *s->guess, err) : NULL;
    s->lists = s->guess ? se_zalloc(threads, sizeof *s->lists, err) : NULL;
    if (!s->lists)
        return -1;
    for (int i = 0; i < job->threads; i++) {
        s->guess[i] = INFINITY;
        set_margin(&s->lists[i], job->rows->d);
        if (se_topk_init(&s->lists[i], SE_LEAF, job->k, SE_LEAF, err) < 0)
            return -1;
    }
    s->rel = s->lists[0].rel;
    s->room = se_topk_rooms(&s->lists[0], job->rows, job->threads, err);
    return s->room ? make_table(s, err) : -1;
}

static void space_release(struct space *s)
{
    for (int i = 0; s->lists && i < s->job->threads; i++)
        se_topk_release(&s->lists[i]);
    se_topk_rooms_free(s->room, s->job->threads);
    free(s->lists);
    free(s->q);
    free(s->guess);
    free(s->table);
    free(s->asked);
    free(s->answer);
    se_boxes_release(&s->boxes);
}

int se_sim_space(struct se_sim_job *job, struct se_err *err)
{
    struct space s = { .job = job, .boxes = SE_BOXES_INIT };
    const int rc = space_make(&s, err);

    if (rc == 0)
        se_parallel(job->threads, (job->q + SE_LEAF - 1) / SE_LEAF, party_task, &s);
    space_release(&s);
    return rc;
}
