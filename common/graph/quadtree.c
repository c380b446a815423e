/* quadtree.c - points of the plane in nested square cells (Barnes and Hut, 1986) */
#include <math.h>
#include <stdlib.h>

#include "common/base/mem.h"
#include "common/graph/quadtree.h"

enum { LEAF = 8, DEEPEST = 24 };        /* points of a cell that is not cut; depth of the cells */

/* Order the points of a cell by quarter, and tell where each quarter begins. */
static void cut(const struct se_cell *c, uint32_t *order, const double *x, const double *y,
                double mx, double my, uint32_t begin[5])
{
    uint32_t low, high;

    begin[0] = c->first;
    begin[4] = c->first + c->count;
    for (int half = 0; half < 3; half++) {
        /* first by y over all, then by x in each half */
        uint32_t from = half == 0 ? begin[0] : half == 1 ? begin[0] : begin[2];
        uint32_t to = half == 0 ? begin[4] : half == 1 ? begin[2] : begin[4];

        low = from;
        high = to;
        while (low < high) {
            const uint32_t v = order[low];

            if (half == 0 ? y[v] < my : x[v] < mx) {
                low++;
            } else {
                order[low] = order[--high];
                order[high] = v;
            }
        }
        begin[half == 0 ? 2 : half == 1 ? 1 : 3] = low;
    }
}

/* Middles of the cells while they are cut. */
struct frame {
    double x, y;
    uint32_t cell;
    int depth;
};

/* Cut cell f->cell into its quarters and put those that hold points on the stack. */
static int split_cell(struct se_quadtree *q, const double *x, const double *y,
                      const struct frame *f, struct frame *stack, int *top, struct se_err *err)
{
    const struct se_cell c = q->cell[f->cell];
    uint32_t begin[5];

    if (c.count <= LEAF || f->depth >= DEEPEST)
        return 0;
    if (se_grow(&q->cell, &q->cap[0], q->cells + 4, sizeof *q->cell, err) < 0)
        return -1;
    cut(&c, q->order, x, y, f->x, f->y, begin);
    q->cell[f->cell].child = (uint32_t)q->cells;
    for (int i = 0; i < 4; i++) {
        const double quarter = c.side / 4;

        if (begin[i] == begin[i + 1])
            continue;
        q->cell[q->cells] = (struct se_cell){ .side = c.side / 2, .first = begin[i],
                                              .count = begin[i + 1] - begin[i] };
        stack[(*top)++] = (struct frame){ f->x + (i & 1 ? quarter : -quarter),
                                          f->y + (i & 2 ? quarter : -quarter),
                                          (uint32_t)q->cells++, f->depth + 1 };
        q->cell[f->cell].children++;
    }
    return 0;
}

/* Sums of every cell, children first: they have higher numbers. */
static void sum_cells(struct se_quadtree *q)
{
    for (uint64_t i = q->cells; i-- > 0;) {
        struct se_cell *c = &q->cell[i];

        if (c->child) {
            for (uint32_t k = c->child; k < c->child + c->children; k++) {
                c->x += q->cell[k].x * q->cell[k].mass;
                c->y += q->cell[k].y * q->cell[k].mass;
                c->mass += q->cell[k].mass;
            }
        } else {
            for (uint32_t k = c->first; k < c->first + c->count; k++) {
                c->x += q->x[k] * q->mass[k];
                c->y += q->y[k] * q->mass[k];
                c->mass += q->mass[k];
            }
        }
        c->x /= c->mass;
        c->y /= c->mass;
    }
}

int se_quadtree_make(struct se_quadtree *q, uint64_t n, const double *x, const double *y,
                     const double *mass, struct se_err *err)
{
    struct frame stack[4 * (DEEPEST + 2)];
    double low[2] = { HUGE_VAL, HUGE_VAL }, high[2] = { -HUGE_VAL, -HUGE_VAL };
    int top = 0;

    if (se_grow(&q->cell, &q->cap[0], n / 2 + 8, sizeof *q->cell, err) < 0 ||
        se_grow(&q->order, &q->cap[1], n + 1, sizeof *q->order, err) < 0 ||
        se_grow(&q->x, &q->cap[2], n + 1, sizeof *q->x, err) < 0 ||
        se_grow(&q->y, &q->cap[3], n + 1, sizeof *q->y, err) < 0 ||
        se_grow(&q->mass, &q->cap[4], n + 1, sizeof *q->mass, err) < 0)
        return -1;
    q->n = n;
    q->cells = 0;
    if (n == 0)
        return 0;
    for (uint64_t v = 0; v < n; v++) {
        q->order[v] = (uint32_t)v;
        low[0] = fmin(low[0], x[v]);
        high[0] = fmax(high[0], x[v]);
        low[1] = fmin(low[1], y[v]);
        high[1] = fmax(high[1], y[v]);
    }
    q->cell[q->cells++] = (struct se_cell){ .count = (uint32_t)n,
        .side = fmax(high[0] - low[0], high[1] - low[1]) };
    stack[top++] = (struct frame){ low[0] + q->cell[0].side / 2, low[1] + q->cell[0].side / 2, 0, 0 };
    while (top > 0) {
        const struct frame f = stack[--top];

        if (split_cell(q, x, y, &f, stack, &top, err) < 0)
            return -1;
    }
    for (uint64_t i = 0; i < n; i++) {
        q->x[i] = x[q->order[i]];
        q->y[i] = y[q->order[i]];
        q->mass[i] = mass[q->order[i]];
    }
    sum_cells(q);
    return 0;
}

static inline void push(double dx, double dy, double mass, double *fx, double *fy, double *curve)
{
    const double d2 = dx * dx + dy * dy;

    if (d2 <= 1e-24)
        return;                 /* the point itself */
    *fx += mass * dx / d2;
    *fy += mass * dy / d2;
    *curve += mass / d2;
}

void se_quadtree_repel(const struct se_quadtree *q, double x, double y, double *fx, double *fy,
                       double *curve)
{
    uint32_t stack[4 * (DEEPEST + 2)];
    int top = 0;

    if (q->n)
        stack[top++] = 0;
    while (top > 0) {
        const struct se_cell *c = &q->cell[stack[--top]];
        const double dx = x - c->x, dy = y - c->y;

        if (c->side * c->side < .8 * (dx * dx + dy * dy)) {
            push(dx, dy, c->mass, fx, fy, curve);
        } else if (c->child) {
            for (uint32_t k = 0; k < c->children; k++)
                stack[top++] = c->child + k;
        } else {
            for (uint32_t k = c->first; k < c->first + c->count; k++)
                push(x - q->x[k], y - q->y[k], q->mass[k], fx, fy, curve);
        }
    }
}

void se_quadtree_release(struct se_quadtree *q)
{
    free(q->cell);
    free(q->order);
    free(q->x);
    free(q->y);
    free(q->mass);
    *q = (struct se_quadtree)SE_QUADTREE_INIT;
}
