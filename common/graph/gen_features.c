/* gen_features.c - the features of a generated graph
 *
 * Words: the columns are cut like the vertices, so every block has words of its own, a part
 * of those of the block above it.  Normal: every block has a random direction. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/parallel.h"
#include "common/base/rng.h"
#include "common/graph/gen_parts.h"

enum { TASK = 1 << 10, MOST_WORDS = 1500 };     /* vertices of a task; 3/2 of --words */

struct job {
    const struct se_places *places;
    const struct se_gen *gen;
    uint64_t *off;              /* words: how many, then where */
    uint32_t *col;              /* NULL in the first pass, which only counts */
    float *dense;               /* normal: the rows */
    double *centre;             /* normal: per thread, the mean of a block */
};

static uint64_t task_end(const struct se_gen *g, uint64_t task)
{
    return (task + 1) * TASK < g->n ? (task + 1) * TASK : g->n;
}

/* The words of each block that the place x is in, the class first. */
static void topics(const struct se_gen *g, uint64_t x, struct se_block words[SE_GEN_LEVELS])
{
    struct se_block b = { 0, g->n }, w = { 0, g->dims };

    for (unsigned level = 0; level < g->levels; level++) {
        const uint64_t i = se_block_find(b, x, g->branch[level]);
        const struct se_block part = se_block_part(w, i, g->branch[level]);

        b = se_block_part(b, i, g->branch[level]);
        if (se_block_size(part) > 0)
            w = part;
        words[level] = w;
    }
}

/* Add a word to a sorted list; returns the new length. */
static uint64_t add_word(uint32_t *word, uint64_t count, uint32_t new)
{
    uint64_t at = count;

    while (at > 0 && word[at - 1] > new)
        at--;
    if (at > 0 && word[at - 1] == new)
        return count;
    memmove(word + at + 1, word + at, (count - at) * sizeof *word);
    word[at] = new;
    return count + 1;
}

/* Any of `size` numbers by 32 random bits: columns are few beside 2^32. */
static inline uint64_t any_of(struct se_rng *r, uint64_t size)
{
    return se_rng_u32(r) * size >> 32;
}

static uint64_t draw_words(const struct se_gen *g, uint64_t x, uint32_t *word)
{
    const uint64_t topical = (uint64_t)(g->signal * 0x1p32);
    struct se_block words[SE_GEN_LEVELS] = { { 0, 0 } }, b;
    struct se_rng r;
    uint64_t draws, count = 0;

    topics(g, x, words);
    se_rng_init(&r, g->seed, SE_RNG_GEN_FEATURES, x);
    draws = g->words / 2 + any_of(&r, g->words + 1);
    for (uint64_t i = 0; i < draws || count == 0; i++) {
        b = (struct se_block){ 0, g->dims };
        if (se_rng_u32(&r) < topical)
            b = words[any_of(&r, g->levels)];
        count = add_word(word, count, (uint32_t)(b.first + any_of(&r, se_block_size(b))));
    }
    return count;
}

static void words_task(void *arg, uint64_t task, int thread)
{
    const struct job *j = arg;
    uint32_t word[MOST_WORDS + 1];

    (void)thread;
    for (uint64_t x = task * TASK; x < task_end(j->gen, task); x++) {
        const uint64_t v = j->places->vertex[x], count = draw_words(j->gen, x, word);

        if (j->col)
            memcpy(j->col + j->off[v], word, count * sizeof *word);
        else
            j->off[v + 1] = count;
    }
}

static int put_words(struct job *j, uint64_t tasks, struct se_stream *s, struct se_err *err)
{
    const struct se_gen *g = j->gen;
    int rc = -1;

    j->off = se_zalloc(g->n + 1, sizeof *j->off, err);
    if (!j->off)
        return -1;
    se_parallel(g->threads, tasks, words_task, j);
    for (uint64_t v = 0; v < g->n; v++)
        j->off[v + 1] += j->off[v];
    j->col = se_alloc(j->off[g->n], sizeof *j->col, err);
    if (j->col) {
        const struct se_features f = { g->n, g->dims, j->off[g->n], NULL, j->off, j->col,
                                       NULL };

        se_parallel(g->threads, tasks, words_task, j);
        rc = se_features_put(&f, s, err);
    }
    free(j->col);
    free(j->off);
    return rc;
}

/* Two independent normal numbers (Box and Muller). */
static void two_normal(struct se_rng *r, double x[2])
{
    const double length = sqrt(-2 * log(1 - se_rng_unit(r)));
    const double angle = 6.283185307179586477 * se_rng_unit(r);

    x[0] = length * cos(angle);
    x[1] = length * sin(angle);
}

/* The directions of all blocks around a place, the class counting most.  Returns where the
 * smallest block ends, up to which the mean stays the same. */
static uint64_t find_centre(const struct se_gen *g, uint64_t x, double *centre)
{
    const double all = 2 - pow(0.5, g->levels - 1.0);   /* 1 + 1/2 + 1/4 ... */
    struct se_block b = { 0, g->n };

    memset(centre, 0, g->dims * sizeof *centre);
    for (unsigned level = 0; level < g->levels; level++) {
        const double scale = sqrt(g->signal * pow(0.5, level) / all);
        struct se_rng r;

        b = se_block_part(b, se_block_find(b, x, g->branch[level]), g->branch[level]);
        se_rng_init(&r, g->seed, SE_RNG_GEN_FEATURES,
                    (uint64_t)1 << 63 | (uint64_t)level << 32 | b.first);
        for (uint64_t i = 0; i < g->dims; i += 2) {
            double z[2];

            two_normal(&r, z);
            centre[i] += scale * z[0];
            if (i + 1 < g->dims)
                centre[i + 1] += scale * z[1];
        }
    }
    return b.last;
}

static void normal_task(void *arg, uint64_t task, int thread)
{
    const struct job *j = arg;
    const struct se_gen *g = j->gen;
    const double scale = sqrt(1 - g->signal);
    double *centre = j->centre + (uint64_t)thread * g->dims;
    uint64_t same_to = 0;

    for (uint64_t x = task * TASK; x < task_end(g, task); x++) {
        float *row = j->dense + j->places->vertex[x] * g->dims;
        struct se_rng r;

        if (x >= same_to)
            same_to = find_centre(g, x, centre);
        se_rng_init(&r, g->seed, SE_RNG_GEN_FEATURES, x);
        for (uint64_t i = 0; i < g->dims; i += 2) {
            double z[2];

            two_normal(&r, z);
            row[i] = (float)(centre[i] + scale * z[0]);
            if (i + 1 < g->dims)
                row[i + 1] = (float)(centre[i + 1] + scale * z[1]);
        }
    }
}

static int put_normal(struct job *j, uint64_t tasks, struct se_stream *s, struct se_err *err)
{
    const struct se_gen *g = j->gen;
    uint64_t cells;
    int rc = -1;

    if (__builtin_mul_overflow(g->n, g->dims, &cells))
        return se_fail(err, SE_EMEM, "features: too many");
    j->dense = se_alloc(cells, sizeof *j->dense, err);
    j->centre = j->dense ? se_alloc(g->dims * (uint64_t)g->threads, sizeof *j->centre, err)
                         : NULL;
    if (j->centre) {
        const struct se_features f = { g->n, g->dims, cells, j->dense, NULL, NULL, NULL };

        se_parallel(g->threads, tasks, normal_task, j);
        rc = se_features_put(&f, s, err);
    }
    free(j->dense);
    free(j->centre);
    return rc;
}

int se_gen_put_features(const struct se_places *p, struct se_stream *s, struct se_err *err)
{
    struct job j = { .places = p, .gen = p->gen };
    const uint64_t tasks = (p->gen->n + TASK - 1) / TASK;

    return p->gen->features == SE_GEN_WORDS ? put_words(&j, tasks, s, err)
                                            : put_normal(&j, tasks, s, err);
}
