/* boxes.c - the tree of boxes: split at the median of the widest dimension */
#include "common/sim/boxes.h"

#include <math.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/parallel.h"

enum { MOST_DEPTH = 40, ROWS_PER_TASK = 1024 };

struct build {
    struct se_boxes *b;
    const struct se_sim_job *job;
    float *x;                   /* m rows of d coordinates */
    uint32_t *order;            /* m indices into x, being sorted */
    struct span *top;           /* subtrees that are built as one task each */
    uint64_t tops;
};

struct span {                   /* a node and its leaves */
    uint64_t first, last, node;
};

/* Numbers whose sum is 0 lie in a plane: their coordinates there, one fewer (Helmert's). */
static void flatten(const float *in, uint64_t d, float *out)
{
    double sum = in[0];

    for (uint64_t i = 1; i < d; sum += in[i++])
        out[i - 1] = (float)((sum - (double)i * in[i]) / sqrt((double)i * (double)(i + 1)));
}

static void fill_task(void *arg, uint64_t task, int thread)
{
    struct build *t = arg;
    const struct se_sim_rows *r = t->job->rows;
    const uint64_t d = t->b->d, last = (task + 1) * ROWS_PER_TASK;
    float row[SE_BOXES_DIMS];

    (void)thread;
    for (uint64_t i = task * ROWS_PER_TASK; i < last && i < t->job->m; i++) {
        se_sim_fill(r, t->job->row[i], 0, r->d, row);
        if (d < r->d)
            flatten(row, r->d, t->x + i * d);
        else
            memcpy(t->x + i * d, row, d * sizeof *row);
        t->order[i] = (uint32_t)i;
    }
}

/* The box and the least vertex of the places [from, to). */
static void bound(const struct build *t, uint64_t from, uint64_t to, uint64_t node)
{
    const uint64_t d = t->b->d;
    float *lower = t->b->box + node * 2 * d, *upper = lower + d;
    uint32_t least = SE_NONE;

    for (uint64_t i = 0; i < d; i++) {
        lower[i] = INFINITY;
        upper[i] = -INFINITY;
    }
    for (uint64_t p = from; p < to; p++) {
        const float *x = t->x + t->order[p] * d;

        least = t->order[p] < least ? t->order[p] : least;
        for (uint64_t i = 0; i < d; i++) {
            lower[i] = x[i] < lower[i] ? x[i] : lower[i];
            upper[i] = x[i] > upper[i] ? x[i] : upper[i];
        }
    }
    t->b->least[node] = t->job->row[least];
}

static uint64_t widest(const float *box, uint64_t d)
{
    uint64_t best = 0;

    for (uint64_t i = 1; i < d; i++)
        if (box[d + i] - box[i] > box[d + best] - box[best])
            best = i;
    return best;
}

/* Order [low, high) so that no place before `middle` has a larger coordinate i than any
 * from `middle` on. */
static void split(const struct build *t, uint64_t low, uint64_t high, uint64_t middle,
                  uint64_t i)
{
    const uint64_t d = t->b->d;
    const float *x = t->x + i;
    uint32_t *o = t->order;
    uint64_t draw = low + high;

    while (high - low > 1) {
        draw = draw * 6364136223846793005u + 1442695040888963407u;
        const float pivot = x[o[low + ((draw >> 32) * (high - low) >> 32)] * d];
        uint64_t a = low, b = high - 1;

        for (;; a++, b--) {                     /* Hoare: low..b <= pivot <= rest */
            while (x[o[a] * d] < pivot)
                a++;
            while (x[o[b] * d] > pivot)
                b--;
            if (a >= b)
                break;
            const uint32_t swap = o[a];

            o[a] = o[b];
            o[b] = swap;
        }
        if (b + 1 < middle)
            low = b + 1;
        else if (b + 1 == middle || middle == high)
            return;
        else
            high = b + 1 < high ? b + 1 : high - 1;
    }
}

static uint64_t place(const struct build *t, uint64_t leaf)
{
    return leaf * SE_LEAF < t->b->points ? leaf * SE_LEAF : t->b->points;
}

/* Bound a node, and give its two halves their points. */
static void divide(const struct build *t, struct span s)
{
    const uint64_t d = t->b->d, from = place(t, s.first), to = place(t, s.last);

    bound(t, from, to, s.node);
    t->b->axis[s.node] = (uint8_t)widest(t->b->box + s.node * 2 * d, d);
    if (s.last - s.first > 1)
        split(t, from, to, place(t, se_boxes_middle(s.first, s.last)), t->b->axis[s.node]);
}

static struct span half(struct span s, int right)
{
    const uint64_t middle = se_boxes_middle(s.first, s.last);

    return right ? (struct span){ middle, s.last, s.node + 2 * (middle - s.first) }
                 : (struct span){ s.first, middle, s.node + 1 };
}

/* Copy the points of a leaf, coordinate by coordinate; beyond the last point, far away. */
static void copy_leaf(const struct build *t, uint64_t leaf)
{
    const uint64_t d = t->b->d, from = leaf * SE_LEAF;
    float *to = t->b->leaf + from * d;

    for (uint64_t j = 0; j < SE_LEAF; j++)
        for (uint64_t i = 0; i < d; i++)
            to[i * SE_LEAF + j] = from + j < t->b->points ? t->x[t->order[from + j] * d + i]
                                                          : 1e9f;
    for (uint64_t p = from; p < place(t, leaf + 1); p++)
        t->b->point[p] = t->job->row[t->order[p]];
}

static void grow_task(void *arg, uint64_t task, int thread)
{
    const struct build *t = arg;
    struct span stack[2 * MOST_DEPTH] = { t->top[task] };
    uint64_t depth = 1;

    (void)thread;
    while (depth > 0) {
        const struct span s = stack[--depth];

        divide(t, s);
        if (s.last - s.first == 1) {
            copy_leaf(t, s.first);
        } else {
            stack[depth++] = half(s, 1);
            stack[depth++] = half(s, 0);
        }
    }
}

static void divide_task(void *arg, uint64_t task, int thread)
{
    const struct build *t = arg;

    (void)thread;
    divide(t, t->top[task]);
}

/* Divide the root and then all halves at once, until there are tasks enough. */
static void grow_top(struct build *t)
{
    const uint64_t enough = t->job->threads > 1 ? 8 * (uint64_t)t->job->threads : 1;

    t->top[0] = (struct span){ 0, t->b->leaves, 0 };
    for (t->tops = 1; t->tops < enough && t->tops * 4 <= t->b->leaves; t->tops *= 2) {
        se_parallel(t->job->threads, t->tops, divide_task, t);
        for (uint64_t i = t->tops; i-- > 0;) {
            t->top[2 * i + 1] = half(t->top[i], 1);
            t->top[2 * i] = half(t->top[i], 0);
        }
    }
}

static int boxes_alloc(struct build *t, struct se_err *err)
{
    struct se_boxes *b = t->b;

    b->point = se_zalloc(b->leaves * SE_LEAF, sizeof *b->point, err);
    b->leaf = b->point ? se_alloc(b->leaves * SE_LEAF * b->d, sizeof *b->leaf, err) : NULL;
    b->box = b->leaf ? se_alloc(2 * b->leaves * 2 * b->d, sizeof *b->box, err) : NULL;
    b->least = b->box ? se_alloc(2 * b->leaves, sizeof *b->least, err) : NULL;
    b->axis = b->least ? se_alloc(2 * b->leaves, sizeof *b->axis, err) : NULL;
    t->x = b->axis ? se_alloc(b->points * b->d, sizeof *t->x, err) : NULL;
    t->order = t->x ? se_alloc(b->points, sizeof *t->order, err) : NULL;
    t->top = t->order ? se_alloc(b->leaves, sizeof *t->top, err) : NULL;
    return t->top ? 0 : -1;
}

int se_boxes_make(struct se_boxes *b, const struct se_sim_job *job, struct se_err *err)
{
    struct build t = { .b = b, .job = job };
    int rc;

    b->points = job->m;
    b->d = job->rows->d - (job->rows->metric == SE_PCC && job->rows->d > 1);
    b->leaves = (job->m + SE_LEAF - 1) / SE_LEAF;
    rc = boxes_alloc(&t, err);
    if (rc == 0) {
        se_parallel(job->threads, (job->m + ROWS_PER_TASK - 1) / ROWS_PER_TASK, fill_task,
                    &t);
        grow_top(&t);
        se_parallel(job->threads, t.tops, grow_task, &t);
    }
    free(t.x);
    free(t.order);
    free(t.top);
    return rc;
}

void se_boxes_release(struct se_boxes *b)
{
    free(b->point);
    free(b->leaf);
    free(b->box);
    free(b->least);
    free(b->axis);
    *b = (struct se_boxes)SE_BOXES_INIT;
}
