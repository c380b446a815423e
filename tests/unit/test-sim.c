/* test-sim.c - the similarity search against all pairs, compared one by one */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/rng.h"
#include "common/sim/engine.h"
#include "common/sim/sim.h"
#include "tests/unit/unit.h"

/* --- the oracle: long double, a different order of summation, a full sort --- */

/* The rows centred and scaled; rows without variance become 0. */
static long double *oracle_rows(const float *x, uint64_t n, uint64_t d, enum se_metric metric)
{
    long double *y = malloc((n * d + 1) * sizeof *y);

    for (uint64_t v = 0; v < n; v++) {
        long double mean = 0, square = 0;
        bool flat = true;

        for (uint64_t t = d; t-- > 0;) {
            flat &= x[v * d + t] == (metric == SE_PCC ? x[v * d] : 0);
            mean += metric == SE_PCC ? x[v * d + t] : 0;
        }
        mean /= d;
        for (uint64_t t = d; t-- > 0;)
            square += (x[v * d + t] - mean) * (x[v * d + t] - mean);
        for (uint64_t t = 0; t < d; t++)
            y[v * d + t] = flat ? 0 : (x[v * d + t] - mean) / sqrtl(square);
    }
    return y;
}

static float oracle_s(const long double *x, const long double *y, uint64_t d)
{
    long double s = 0;

    for (uint64_t t = d; t-- > 0;)
        s += x[t] * y[t];
    s = rintl(s * 0x1p34L) / 0x1p34L;
    return (float)(s > 1 ? 1 : s < -1 ? -1 : s);
}

struct found {
    float s;
    uint32_t id;
};

static int better(const void *a, const void *b)
{
    const struct found *x = a, *y = b;

    if (x->s != y->s)
        return x->s > y->s ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

static bool is_flat(const long double *y, uint64_t d)
{
    for (uint64_t t = 0; t < d; t++)
        if (y[t] != 0)
            return false;
    return true;
}

/* A row without variance has no neighbours and is none. */
static void oracle_row(const long double *y, uint64_t n, uint64_t d, uint64_t v,
                       struct found *out)
{
    uint64_t count = 0;

    for (uint64_t u = 0; u < n; u++)
        if (u != v && !is_flat(y + u * d, d) && !is_flat(y + v * d, d))
            out[count++] = (struct found){ oracle_s(y + v * d, y + u * d, d), (uint32_t)u };
    qsort(out, count, sizeof *out, better);
    for (; count + 1 < n; count++)
        out[count] = (struct found){ 0, SE_NONE };
}

/* --- data --- */

enum kind { NORMAL, DUPLICATES, FLAT_ROWS, SMALL_NUMBERS, SCALED, CROWDED, OFFSET, MIXED,
            RANK_ONE, RANK_TWO, SPARSE_ONES, SPARSE_VALUES, KINDS };
static const char *const kind_names[KINDS] = {
    "normal numbers", "duplicates", "rows without variance", "small whole numbers",
    "multiples of few rows", "crowded points", "large offsets", "all equal but a few",
    "rank one", "rank two", "few ones", "few signed values"
};

static float number(enum kind kind, struct se_rng *r, uint64_t v, uint64_t t, float base)
{
    switch (kind) {
    case SMALL_NUMBERS: return (float)se_rng_below(r, 3);
    case OFFSET:        return 1000 + (float)se_rng_normal(r);
    case CROWDED:       return base + 1e-4f * (float)se_rng_normal(r);
    case MIXED:         return v % 7 == 0 ? (float)se_rng_normal(r) : (float)(t * t % 5);
    case SPARSE_ONES:   return se_rng_below(r, 5) == 0;
    case SPARSE_VALUES: return se_rng_below(r, 5) == 0 ? (float)se_rng_normal(r) : 0;
    default:            return (float)se_rng_normal(r);
    }
}

static float *make_data(enum kind kind, uint64_t n, uint64_t d, uint64_t seed)
{
    float *x = malloc((n * d + 1) * sizeof *x), *base = malloc((4 * d + 1) * sizeof *base);
    struct se_rng r;

    se_rng_init(&r, seed, SE_RNG_TEST, kind);
    for (uint64_t i = 0; i < 4 * d; i++)
        base[i] = (float)se_rng_normal(&r);
    for (uint64_t v = 0; v < n; v++) {
        const uint64_t pick = se_rng_below(&r, 3), copy = v ? se_rng_below(&r, v) : 0;
        const float factor = (float)(int)(1 + se_rng_below(&r, 4));
        const bool again = kind == DUPLICATES && v > 0 && se_rng_below(&r, 2) == 0;

        for (uint64_t t = 0; t < d; t++) {
            float *at = &x[v * d + t];

            *at = number(kind, &r, v, t, base[pick * d + t]);
            if (again)
                *at = x[copy * d + t];
            if (kind == FLAT_ROWS && v % 3 == 0)
                *at = (float)(v % 5);
            if (kind == SCALED)
                *at = factor * base[pick * d + t];
            if (kind == RANK_ONE)
                *at = (pick ? factor : -factor) * base[t] + (float)copy;
            if (kind == RANK_TWO)
                *at = factor * base[t] + ((float)pick - (float)(copy % 16)) * base[d + t];
        }
    }
    free(base);
    return x;
}

/* The same numbers as sparse rows. */
struct sparse {
    uint64_t *off, nnz;
    uint32_t *col;
    float *value;
};

static struct sparse make_sparse(const float *x, uint64_t n, uint64_t d)
{
    struct sparse s = { malloc((n + 1) * 8), 0, malloc((n * d + 1) * 4),
                        malloc((n * d + 1) * 4) };

    s.off[0] = 0;
    for (uint64_t v = 0; v < n; v++) {
        for (uint64_t t = 0; t < d; t++)
            if (x[v * d + t] != 0) {
                s.col[s.nnz] = (uint32_t)t;
                s.value[s.nnz++] = x[v * d + t];
            }
        s.off[v + 1] = s.nnz;
    }
    return s;
}

/* --- comparison --- */

struct trial {
    const float *x;
    uint64_t n, d, k;
    enum se_metric metric;
    struct found *truth;        /* n rows of n - 1 */
};

static int report(const struct trial *t, const struct se_sim_answer *a, int method,
                  uint64_t v, uint64_t i, const struct found *want)
{
    printf("# n %d d %d k %d metric %d method %d (%s): vertex %d place %d: %u %.9g, not %u "
           "%.9g\n", (int)t->n, (int)t->d, (int)t->k, (int)t->metric, method, a->engine,
           (int)v, (int)i, a->id[(v - a->first) * a->k + i],
           (double)a->similarity[(v - a->first) * a->k + i], want->id, (double)want->s);
    return 0;
}

static bool same(const struct trial *t, const struct se_sim_answer *a, int method)
{
    const uint64_t k = t->n == 0 ? 0 : t->k < t->n - 1 ? t->k : t->n - 1;

    if (a->k != k)
        return false;
    for (uint64_t v = a->first; v < a->last; v++)
        for (uint64_t i = 0; i < k; i++) {
            const struct found *want = &t->truth[v * (t->n - 1) + i];

            if (a->id[(v - a->first) * k + i] != want->id ||
                a->similarity[(v - a->first) * k + i] != want->s)
                return report(t, a, method, v, i, want);
        }
    return true;
}

static bool run(const struct trial *t, const struct se_features *f, int method, int threads,
                uint64_t first, uint64_t last)
{
    struct se_sim_rows rows = SE_SIM_ROWS_INIT;
    struct se_sim_answer a = SE_SIM_ANSWER_INIT;
    struct se_err err = SE_ERR_INIT;
    const struct se_sim_options ask = { .k = t->k, .first = first, .last = last,
                                    .method = (enum se_sim_method)method, .threads = threads };
    const bool ok = se_sim_rows_of(&rows, f, t->metric, threads, &err) == 0 &&
                    se_sim_search(&rows, &ask, &a, &err) == 0 && same(t, &a, method);

    if (err.code)
        printf("# %s\n", err.text);
    se_sim_answer_release(&a);
    se_sim_rows_release(&rows);
    return ok;
}

/* All engines, dense and sparse, whole and in part, on one matrix. */
static bool try_matrix(struct trial *t, uint64_t seed)
{
    const struct sparse s = make_sparse(t->x, t->n, t->d);
    const struct se_features dense = { t->n, t->d, t->n * t->d, t->x, NULL, NULL, NULL };
    const struct se_features sparse = { t->n, t->d, s.nnz, NULL, s.off, s.col, s.value };
    const uint64_t first = t->n * (seed % 3) / 4, last = first + (t->n - first) / 2;
    long double *y = oracle_rows(t->x, t->n, t->d, t->metric);
    bool ok = true;

    t->truth = malloc((t->n * t->n + 1) * sizeof *t->truth);
    for (uint64_t v = 0; v < t->n; v++)
        oracle_row(y, t->n, t->d, v, t->truth + v * (t->n - 1));
    free(y);
    for (int method = SE_SIM_AUTO; method <= SE_SIM_SPARSE; method++) {
        const int threads = 1 + (int)(seed + (uint64_t)method) % 3;

        if (method != SE_SIM_SPARSE) {
            ok &= run(t, &dense, method, threads, 0, t->n);
            ok &= run(t, &dense, method, threads, first, last);
        }
        ok &= run(t, &sparse, method, threads, 0, t->n);
        ok &= run(t, &sparse, method, threads, first, last);
    }
    free(t->truth);
    free(s.off);
    free(s.col);
    free(s.value);
    return ok;
}

static void test_random(enum kind kind)
{
    static const uint64_t dims[] = { 1, 2, 3, 5, 7, 16, 40, 100 };
    static const uint64_t sizes[] = { 1, 2, 3, 4, 9, 33, 64, 65, 130, 300 };
    static const uint64_t ks[] = { 1, 2, 5, 20, 50, 1000 };
    uint64_t seed = 0;
    int wrong = 0;

    for (uint64_t i = 0; i < sizeof dims / sizeof *dims; i++)
        for (uint64_t j = 0; j < sizeof sizes / sizeof *sizes; j++, seed++) {
            const bool large = sizes[j] < 300 || (i + kind) % 3 == 0;
            struct trial t = { NULL, large ? sizes[j] : 20, dims[i],
                               ks[(seed * 7 + seed / 10) % 6],
                               seed % 2 ? SE_COSINE : SE_PCC, NULL };
            float *x = make_data(kind, t.n, t.d, seed);

            t.x = x;
            wrong += !try_matrix(&t, seed);
            t.metric = seed % 2 ? SE_PCC : SE_COSINE;
            wrong += !try_matrix(&t, seed + 1);
            free(x);
        }
    CHECK(wrong == 0);
    unit_ok(kind_names[kind]);
}

/* Several tiles and many leaves. */
static void test_larger(void)
{
    static const uint64_t dims[] = { 3, 7, 40 };

    for (uint64_t i = 0; i < 3; i++)
        for (int kind = 0; kind < KINDS; kind += 2) {
            struct trial t = { NULL, 1300, dims[i], 10, SE_PCC, NULL };
            float *x = make_data((enum kind)kind, t.n, t.d, i);

            t.x = x;
            CHECK(try_matrix(&t, i));
            free(x);
        }
    unit_ok("1300 rows");
}

static void test_empty(void)
{
    const uint64_t off[6] = { 0 };
    const float one[1] = { 0 };
    struct trial t = { one, 0, 1, 5, SE_PCC, NULL };

    CHECK(try_matrix(&t, 0));
    t.n = 5;                                    /* no columns at all: nobody has a neighbour */
    t.d = 0;
    const struct se_features none = { 5, 0, 0, NULL, off, NULL, NULL };
    struct found truth[20];

    for (uint32_t i = 0; i < 20; i++)
        truth[i] = (struct found){ 0, SE_NONE };
    t.truth = truth;
    for (int method = SE_SIM_AUTO; method <= SE_SIM_SPARSE; method++)
        CHECK(run(&t, &none, method, 2, 0, 5));
    unit_ok("no rows, no columns");
}

/* A column number near the largest must not cost memory for all columns before it. */
static void test_far_columns(void)
{
    const uint64_t off[] = { 0, 2, 4, 6, 8 };
    const uint32_t col[] = { 7, 4000000000u, 7, 4000000001u, 9, 4000000000u, 0, 1 };
    const struct se_features f = { 4, UINT32_MAX, 8, NULL, off, col, NULL };
    struct se_sim_rows rows = SE_SIM_ROWS_INIT;
    struct se_sim_answer a = SE_SIM_ANSWER_INIT;
    struct se_err err = SE_ERR_INIT;
    const struct se_sim_options ask = { .k = 3, .last = 4, .threads = 2 };

    CHECK(se_sim_rows_of(&rows, &f, SE_COSINE, 2, &err) == 0);
    CHECK(rows.columns == 6);
    CHECK(se_sim_search(&rows, &ask, &a, &err) == 0);
    CHECK(a.id[0] == 1 && a.id[1] == 2 && a.id[2] == 3);
    CHECK(a.similarity[0] == 0.5f && a.similarity[1] == 0.5f && a.similarity[2] == 0);
    se_sim_answer_release(&a);
    se_sim_rows_release(&rows);
    unit_ok("columns far out");
}

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static void test_keys(void)
{
    static const float s[] = { 1, 0.5f, 1e-9f, 0, -1e-9f, -0.25f, -1 };
    uint64_t key[1000], scratch[1000], copy[1000];
    struct se_rng r;

    for (int i = 0; i < 7; i++) {
        CHECK(se_sim_key_similarity(se_sim_key(s[i], 9)) == s[i]);
        CHECK(se_sim_key_id(se_sim_key(s[i], 9)) == 9);
        CHECK(se_sim_key(s[i], 3) < se_sim_key(s[i], 4));
        CHECK(i == 0 || se_sim_key(s[i - 1], 9) < se_sim_key(s[i], 0));
    }
    CHECK(se_sim_key(-0.0f, 1) == se_sim_key(0.0f, 1));
    se_rng_init(&r, 1, SE_RNG_TEST, 0);
    for (uint64_t n = 1; n <= 1000; n += 1 + n / 5)
        for (uint64_t most = 1; most < 5000; most *= 7) {
            const uint64_t k = 1 + se_rng_below(&r, n);
            uint64_t lowest = 0, above = 0;

            for (uint64_t i = 0; i < n; i++) {  /* to sort, all different; some beyond 2^63 */
                key[i] = se_rng_below(&r, most);
                copy[i] = key[i] << 54 | i;
            }
            se_sim_sort(copy, n, scratch);
            for (uint64_t i = 1; i < n; i++)
                CHECK(copy[i - 1] < copy[i]);
            memcpy(copy, key, sizeof copy);
            qsort(copy, n, sizeof *copy, by_number);
            se_sim_select(key, n, k);
            for (uint64_t i = 0; i < k; i++)
                lowest = key[i] > lowest ? key[i] : lowest;
            for (uint64_t i = k; i < n; i++)
                above += key[i] < lowest;
            CHECK(lowest == copy[k - 1] && above == 0);
        }
    unit_ok("keys sort and select");
}

/* Which engine auto takes, seen through its name. */
static const char *engine_for(const float *x, uint64_t n, uint64_t d, enum se_metric metric)
{
    const struct se_features f = { n, d, n * d, x, NULL, NULL, NULL };
    const struct se_sim_options ask = { .k = 5, .last = n, .threads = 1 };
    struct se_sim_rows rows = SE_SIM_ROWS_INIT;
    struct se_sim_answer a = SE_SIM_ANSWER_INIT;
    struct se_err err = SE_ERR_INIT;
    const char *engine;

    CHECK(se_sim_rows_of(&rows, &f, metric, 1, &err) == 0);
    CHECK(se_sim_search(&rows, &ask, &a, &err) == 0);
    engine = a.engine;
    se_sim_answer_release(&a);
    se_sim_rows_release(&rows);
    return engine;
}

static void test_choice(void)
{
    static const struct {
        enum kind kind;
        uint64_t d;
        enum se_metric metric;
        const char *engine;
    } cases[] = {
        { NORMAL, 2, SE_PCC, "line" }, { NORMAL, 3, SE_PCC, "circle" },
        { NORMAL, 2, SE_COSINE, "circle" }, { NORMAL, 3, SE_COSINE, "space" },
        { NORMAL, 7, SE_PCC, "space" }, { NORMAL, 40, SE_PCC, "product" },
        { RANK_ONE, 40, SE_PCC, "line" }, { RANK_TWO, 40, SE_COSINE, "circle" },
        { NORMAL, 1, SE_PCC, "none" }
    };

    for (uint64_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        float *x = make_data(cases[i].kind, 200, cases[i].d, i);
        const char *engine = engine_for(x, 200, cases[i].d, cases[i].metric);

        CHECK(strcmp(engine, cases[i].engine) == 0);
        free(x);
    }
    unit_ok("the engine fits the rows");
}

int main(void)
{
    test_keys();
    test_choice();
    test_empty();
    test_far_columns();
    for (int kind = 0; kind < KINDS; kind++)
        test_random((enum kind)kind);
    test_larger();
    return unit_done();
}
