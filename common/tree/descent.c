/* descent.c - how an encoding tree is walked down at random */
#include "common/tree/descent.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"

const char *const se_sigma_names[] = { "softmax", "linear", "uniform", NULL };

void se_law_release(struct se_law *law)
{
    free(law->first);
    free(law->child);
    free(law->weight);
    free(law->slot);
    *law = (struct se_law)SE_LAW_INIT;
}

/* Children by parent: nodes come in depth-first order, so those of a node in theirs. */
static void list_children(struct se_law *law, const struct se_tree *t)
{
    uint64_t at = 0;

    memset(law->first, 0, (t->nodes + 1) * sizeof *law->first);
    for (uint64_t a = 1; a < t->nodes; a++)
        law->first[t->parent[a]]++;
    for (uint64_t a = 0; a <= t->nodes; a++) {          /* now where the list of a ends */
        at += law->first[a];
        law->first[a] = (uint32_t)at;
    }
    for (uint64_t a = t->nodes; a-- > 1;)
        law->child[--law->first[t->parent[a]]] = (uint32_t)a;
}

/* The largest entropy among `count` siblings other than `but`. */
static double top_of(const struct se_law *law, const uint32_t *child, uint32_t count,
                     uint32_t but)
{
    double top = -INFINITY;

    for (uint32_t i = 0; i < count; i++)
        if (child[i] != but && law->entropy[child[i]] > top)
            top = law->entropy[child[i]];
    return top;
}

/* A weight in proportion to P; 1 for the sibling whose entropy is `top`. */
static double weight_of(const struct se_law *law, uint32_t child, double top)
{
    const double h = law->entropy[child];

    if (law->sigma == SE_SIGMA_SOFTMAX)
        return exp((h - top) / law->temperature);
    return law->sigma == SE_SIGMA_LINEAR && top > 0 ? h / top : 1;
}

static uint64_t fraction(double p)
{
    return p >= 1 ? UINT64_MAX : p <= 0 ? 0 : (uint64_t)(p * 0x1p64);
}

/* Pair each slot that is too small with one that is too large.  `stack` has room for all. */
static void make_alias(const double *weight, double sum, const uint32_t *child,
                       uint32_t count, struct se_law_slot *slot, double *share,
                       uint32_t *stack)
{
    uint32_t small = 0, large = count;                  /* two stacks in one array */

    for (uint32_t i = 0; i < count; i++) {
        share[i] = weight[i] * count / sum;
        slot[i] = (struct se_law_slot){ UINT64_MAX, { child[i], child[i] } };
        if (share[i] < 1)
            stack[small++] = i;
        else
            stack[--large] = i;
    }
    while (small > 0 && large < count) {
        const uint32_t s = stack[--small], l = stack[large];

        slot[s].below = fraction(share[s]);
        slot[s].child[1] = child[l];
        share[l] -= 1 - share[s];
        if (share[l] < 1) {
            large++;
            stack[small++] = l;
        }
    }
}

static int make_tables(struct se_law *law, struct se_err *err)
{
    uint32_t most = 0;
    double *share;
    uint32_t *stack;

    for (uint64_t a = 0; a < law->nodes; a++)
        if (se_law_children(law, (uint32_t)a) > most)
            most = se_law_children(law, (uint32_t)a);
    share = se_alloc(most, sizeof *share, err);
    stack = share ? se_alloc(most, sizeof *stack, err) : NULL;
    for (uint64_t a = 0; stack && a < law->nodes; a++) {
        const uint32_t from = law->first[a], count = law->first[a + 1] - from;
        const double top = top_of(law, law->child + from, count, SE_NONE);
        double sum = 0;

        for (uint32_t i = from; i < from + count; i++)
            sum += law->weight[i] = weight_of(law, law->child[i], top);
        make_alias(law->weight + from, sum, law->child + from, count, law->slot + from, share,
                   stack);
    }
    free(share);
    free(stack);
    return stack ? 0 : -1;
}

int se_law_make(struct se_law *law, const struct se_tree *t, const struct se_measure *x,
                enum se_sigma sigma, double temperature, struct se_err *err)
{
    *law = (struct se_law){ .nodes = t->nodes, .entropy = x->entropy, .sigma = sigma,
                            .temperature = temperature };
    law->first = se_alloc(t->nodes + 1, sizeof *law->first, err);
    law->child = law->first ? se_alloc(t->nodes, sizeof *law->child, err) : NULL;
    law->weight = law->child ? se_alloc(t->nodes, sizeof *law->weight, err) : NULL;
    law->slot = law->weight ? se_alloc(t->nodes, sizeof *law->slot, err) : NULL;
    if (!law->slot)
        return -1;
    list_children(law, t);
    return make_tables(law, err);
}

/* Where one child has nearly all the weight, rejection would take for ever: weigh the others
 * by themselves. */
static uint32_t draw_weighed(const struct se_law *law, uint32_t a, uint32_t but,
                             struct se_rng *r)
{
    const uint32_t *child = law->child + law->first[a];
    const uint32_t count = se_law_children(law, a);
    const double top = top_of(law, child, count, but);
    double sum = 0, at = 0;
    uint32_t last = but;

    for (int pass = 0; pass < 2; pass++) {              /* add them up, then find the place */
        at = pass ? se_rng_unit(r) * sum : INFINITY;
        for (uint32_t i = 0; i < count; i++) {
            const double w = child[i] == but ? 0 : weight_of(law, child[i], top);

            if (w == 0)
                continue;
            last = child[i];
            at -= w;
            if (at < 0)
                return last;
            sum += pass ? 0 : w;
        }
    }
    return last;
}

uint32_t se_law_draw_other(const struct se_law *law, uint32_t a, uint32_t but,
                           struct se_rng *r)
{
    if (se_law_children(law, a) == 2) {
        const uint32_t *child = law->child + law->first[a];

        return child[0] == but ? child[1] : child[0];
    }
    for (int tries = 0; tries < 8; tries++) {
        const uint32_t c = se_law_draw(law, a, r);

        if (c != but)
            return c;
    }
    return draw_weighed(law, a, but, r);
}

static double sum_weights(const struct se_law *law, uint32_t a)
{
    double sum = 0;

    for (uint32_t i = law->first[a]; i < law->first[a + 1]; i++)
        sum += law->weight[i];
    return sum;
}

/* The place of child c in the lists of its parent a. */
static uint32_t place(const struct se_law *law, uint32_t a, uint32_t c)
{
    uint32_t low = law->first[a], high = law->first[a + 1] - 1;

    while (low < high) {
        const uint32_t mid = low + (high - low) / 2;

        if (law->child[mid] < c)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

double se_law_p(const struct se_law *law, const struct se_tree *t, uint32_t c)
{
    const uint32_t a = t->parent[c];

    return law->weight[place(law, a, c)] / sum_weights(law, a);
}

double se_law_pair(const struct se_law *law, uint32_t a, uint32_t c, uint32_t d)
{
    const uint32_t *child = law->child + law->first[a];
    const uint32_t count = se_law_children(law, a);
    const double top = top_of(law, child, count, c);
    double others = 0;

    for (uint32_t i = 0; i < count; i++)
        if (child[i] != c)
            others += weight_of(law, child[i], top);
    return law->weight[place(law, a, c)] / sum_weights(law, a) * weight_of(law, d, top) /
           others;
}
