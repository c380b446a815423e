/* elect.c - which of the models of a run validation chooses */
#include "common/train/elect.h"

#include <math.h>
#include <stdlib.h>

#include "common/base/mem.h"

enum { DIVISIONS = 20 };

const char *const se_protocol_names[SE_PROTOCOLS] = {
    "backbone", "honest", "ensemble", "committee", "smoothed"
};

int se_candidates_add(struct se_candidates *c, const int32_t *predicted, const int32_t *label,
                   const uint8_t *part, uint64_t n, enum se_protocol kind, struct se_err *err)
{
    struct se_candidate m = { .right = se_alloc(n, 1, err) };
    uint64_t at = 0;

    if (!m.right || se_grow(&c->model, &c->cap, (size_t)c->count + 1, sizeof m, err) < 0) {
        free(m.right);
        return -1;
    }
    for (uint64_t v = 0; v < n; v++) {
        if (label[v] < 0)
            continue;
        if (part[v] == SE_SPLIT_VAL)
            m.val += m.right[at++] = predicted[v] == label[v];
        if (part[v] == SE_SPLIT_TEST) {
            m.test += predicted[v] == label[v];
            m.tests++;
        }
    }
    c->n = at;
    c->members += kind == SE_HONEST;
    c->at[kind] = c->count;
    c->model[c->count++] = m;
    return 0;
}

void se_candidates_release(struct se_candidates *c)
{
    for (int i = 0; i < c->count; i++)
        free(c->model[i].right);
    free(c->model);
    *c = (struct se_candidates)SE_CANDIDATES_INIT;
}

/* The first member with the most right predictions on one half; half NULL: on all */
static int best_on(const struct se_candidates *c, const uint8_t *half, uint8_t which)
{
    uint64_t most = 0, sum;
    int found = -1;

    for (int i = 0; i < c->members; i++) {
        sum = 0;
        for (uint64_t v = 0; v < c->n; v++)
            sum += (!half || half[v] == which) && c->model[i].right[v];
        if (found < 0 || sum > most) {
            most = sum;
            found = i;
        }
    }
    return found;
}

int se_candidates_best(const struct se_candidates *c)
{
    return best_on(c, NULL, 0);
}

/* How often the best member of the other half of the vertices is right about each vertex */
static int cross(const struct se_candidates *c, double *point, struct se_err *err)
{
    uint8_t *half = se_alloc(c->n, 1, err);
    uint64_t state = 20231;
    int taken[2];

    if (!half)
        return -1;
    for (int r = 0; r < DIVISIONS; r++) {
        for (uint64_t v = 0; v < c->n; v++) {
            state = state * 16807 % 2147483647;
            half[v] = state % 200 < 100;
        }
        for (uint8_t i = 0; i < 2; i++)
            taken[i] = best_on(c, half, !i);
        for (uint64_t v = 0; v < c->n; v++)
            point[v] += (double)c->model[taken[half[v]]].right[v] / DIVISIONS;
    }
    free(half);
    return 0;
}

/* Is b within a standard error of a, the best one? */
static bool near(const double *a, const double *b, double difference, uint64_t n)
{
    double squares = 0, error = 0;

    for (uint64_t v = 0; v < n; v++) {
        const double d = a[v] - b[v] - difference;

        squares += d * d;
    }
    if (n > 1)
        error = sqrt(squares / (double)(n - 1) / (double)n);
    return difference <= error + 1e-12;
}

static void fill_row(struct se_election *x, const struct se_candidates *c, enum se_protocol p,
                     int model, int iteration, const double *point)
{
    const struct se_candidate *m = &c->model[model];
    const double n = (double)c->n;

    x->row[p].iteration = iteration;
    x->row[p].val = (double)m->val / n;
    x->row[p].test = m->tests ? (double)m->test / (double)m->tests : NAN;
    x->row[p].score = 0;
    for (uint64_t v = 0; v < c->n; v++)
        x->row[p].score += point[v] / n;
}

/* What each protocol gets right: n numbers for each, in point */
static int judge(struct se_election *x, const struct se_candidates *c, double *point,
                 struct se_err *err)
{
    const int best = se_candidates_best(c);
    const int model[SE_PROTOCOLS] = { 0, best, c->at[SE_ENSEMBLE], c->at[SE_COMMITTEE],
                                      c->at[SE_SMOOTHED] };

    if (c->members > 1 && cross(c, point + SE_HONEST * c->n, err) < 0)
        return -1;
    for (int p = 0; p < SE_PROTOCOLS; p++) {
        x->row[p].iteration = -1;
        if (p >= SE_ENSEMBLE && model[p] == 0)
            continue;
        for (uint64_t v = 0; v < c->n && (p != SE_HONEST || c->members == 1); v++)
            point[(uint64_t)p * c->n + v] = c->model[model[p]].right[v];
        fill_row(x, c, (enum se_protocol)p, model[p], p == SE_HONEST || p == SE_ENSEMBLE ? best : 0,
                 point + (uint64_t)p * c->n);
    }
    return 0;
}

/* Is this protocol within a standard error of another, or above it? */
static bool good(const struct se_election *x, enum se_protocol p, enum se_protocol top,
                 const double *point, uint64_t n)
{
    return x->row[p].iteration >= 0 && near(point + (uint64_t)top * n, point + (uint64_t)p * n,
                                            x->row[top].score - x->row[p].score, n);
}

int se_candidates_judge(struct se_election *x, const struct se_candidates *c, struct se_err *err)
{
    enum se_protocol top = SE_BACKBONE, mean = SE_ENSEMBLE;
    double *point;

    if (c->n == 0)
        return se_fail(err, SE_EINPUT, "there are no validation vertices with labels");
    point = se_zalloc(c->n, SE_PROTOCOLS * sizeof *point, err);
    if (!point || judge(x, c, point, err) < 0) {
        free(point);
        return -1;
    }
    for (int p = 1; p < SE_SMOOTHED; p++)
        if (x->row[p].iteration >= 0 && x->row[p].score > x->row[top].score)
            top = (enum se_protocol)p;
    if (x->row[SE_COMMITTEE].iteration >= 0 &&
        (x->row[mean].iteration < 0 || x->row[SE_COMMITTEE].score >= x->row[mean].score))
        mean = SE_COMMITTEE;
    x->chosen = good(x, mean, top, point, c->n) ? mean
              : good(x, SE_BACKBONE, top, point, c->n) ? SE_BACKBONE : SE_HONEST;
    if (!good(x, x->chosen, SE_SMOOTHED, point, c->n) &&
        x->row[SE_SMOOTHED].iteration >= 0)
        x->chosen = SE_SMOOTHED;
    free(point);
    return 0;
}
