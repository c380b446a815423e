/* test-draw.c - random orders and subsets, and the sort: against slow and obvious code */
#include "common/base/draw.h"
#include "common/base/set.h"
#include "common/base/sort.h"

#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"

static int by_value(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

static void test_sort(void)
{
    static const uint64_t sizes[] = { 0, 1, 2, 63, 65, 1000, 30000, 65537, 300000 };

    for (uint64_t seed = 0; seed < 72; seed++) {
        const uint64_t n = sizes[seed % 9], bits = 1 + seed % 64;
        const int threads = (int)(seed / 9) % 4;
        struct se_err err = SE_ERR_INIT;
        uint64_t *a = malloc((n + 1) * sizeof *a), *b = malloc((n + 1) * sizeof *b);
        uint64_t *scratch = malloc((n + 1) * sizeof *scratch);
        struct se_rng r;

        se_rng_init(&r, seed, SE_RNG_TEST, 0);
        for (uint64_t i = 0; i < n; i++)
            a[i] = b[i] = se_rng_u64(&r) >> (64 - bits);
        for (uint64_t i = 0; seed % 2 && i < n; i += 1 + se_rng_below(&r, 20))
            a[i] = b[i] = UINT64_MAX;           /* far above all others */
        if (threads)
            CHECK(se_sort_u64_threads(a, scratch, n, threads, &err) == 0);
        else
            se_sort_u64(a, scratch, n);
        qsort(b, n, sizeof *b, by_value);
        CHECK(memcmp(a, b, n * sizeof *a) == 0);
        free(a);
        free(b);
        free(scratch);
    }
    unit_ok("the sorts, on one thread and on several, sort as qsort does");
}

static void test_set(void)
{
    for (uint64_t seed = 0; seed < 50; seed++) {
        bool seen[200] = { false };
        struct se_set s = SE_SET_INIT;
        struct se_err err = SE_ERR_INIT;
        struct se_rng r;

        CHECK(se_set_make(&s, 200, &err) == 0);
        se_rng_init(&r, seed, SE_RNG_TEST, 1);
        for (int i = 0; i < 1000; i++) {
            const uint64_t x = se_rng_below(&r, 200);

            CHECK(se_set_add(&s, x << 32) == !seen[x]);
            seen[x] = true;
        }
        se_set_release(&s);
    }
    unit_ok("se_set knows what it holds");
}

/* Are they different, ascending and below n? */
static bool is_subset(const uint64_t *x, uint64_t k, uint64_t n)
{
    for (uint64_t i = 0; i < k; i++)
        if (x[i] >= n || (i > 0 && x[i] <= x[i - 1]))
            return false;
    return true;
}

static void test_choose(void)
{
    static const uint64_t ns[] = { 1, 2, 7, 100, 1000, 1u << 20, (uint64_t)1 << 62 };

    for (uint64_t seed = 0; seed < 300; seed++) {
        const uint64_t n = ns[seed % 7], most = n < 5000 ? n : 5000;
        struct se_err err = SE_ERR_INIT;
        struct se_rng r;
        uint64_t k, *x;

        se_rng_init(&r, seed, SE_RNG_TEST, 2);
        k = se_rng_below(&r, most + 1);
        x = se_choose(&r, k, n, &err);
        CHECK(x && is_subset(x, k, n));
        free(x);
    }
    unit_ok("se_choose gives different numbers in order");
}

/* All subsets equally often, by chi-square: of 6 numbers (all are gone through) and of 40 (a
 * few are drawn).  The bounds are the 1e-6 quantiles for 19 and 779 degrees of freedom. */
static void test_choose_uniform(void)
{
    enum { DRAWS = 40000 };
    static uint32_t pair[40][40], three[64];
    double dense = 0, sparse = 0;

    for (uint64_t i = 0; i < DRAWS; i++) {
        struct se_err err = SE_ERR_INIT;
        struct se_rng r;
        uint64_t *x;

        se_rng_init(&r, 5, SE_RNG_TEST, i);
        x = se_choose(&r, 3, 6, &err);
        three[1 << x[0] | 1 << x[1] | 1 << x[2]]++;
        free(x);
        x = se_choose(&r, 2, 40, &err);
        pair[x[0]][x[1]]++;
        free(x);
    }
    for (int m = 0; m < 64; m++)
        if (__builtin_popcount((unsigned)m) == 3)
            dense += pow(three[m] - DRAWS / 20.0, 2) / (DRAWS / 20.0);
    for (int a = 0; a < 40; a++)
        for (int b = a + 1; b < 40; b++)
            sparse += pow(pair[a][b] - DRAWS / 780.0, 2) / (DRAWS / 780.0);
    CHECK(dense < 63);
    CHECK(sparse < 990);
    unit_ok("se_choose favours no subset");
}

static void test_shuffle(void)
{
    enum { DRAWS = 24000 };
    uint32_t count[256] = { 0 };
    double chi = 0;

    for (uint64_t i = 0; i < DRAWS; i++) {
        uint32_t id[4] = { 0, 1, 2, 3 };
        struct se_rng r;

        se_rng_init(&r, 6, SE_RNG_TEST, i);
        se_shuffle(&r, id, 4);
        count[id[0] | id[1] << 2 | id[2] << 4 | id[3] << 6]++;
    }
    for (int i = 0; i < 256; i++)
        if (count[i] > 0)
            chi += pow(count[i] - DRAWS / 24.0, 2) / (DRAWS / 24.0);
    for (int i = 0, orders = 0; i < 256; i++) {
        orders += count[i] > 0;
        CHECK(i < 255 || orders == 24);
    }
    CHECK(chi < 70);            /* 1e-6 quantile for 23 degrees of freedom */
    unit_ok("se_shuffle favours no order");
}

int main(void)
{
    test_sort();
    test_set();
    test_choose();
    test_choose_uniform();
    test_shuffle();
    return unit_done();
}
