/* test-split.c - random splits: sizes, classes, and that nobody is in two parts */
#include "common/graph/split.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/rng.h"
#include "tests/unit/unit.h"

static void test_sizes(void)
{
    for (uint64_t seed = 0; seed < 2000; seed++) {
        double share[4] = { 0, 0.48, 0.32, 0.2 };
        uint64_t count[4], sum = 0, size;
        struct se_rng r;

        se_rng_init(&r, seed, SE_RNG_TEST, 0);
        size = se_rng_below(&r, seed % 2 ? 50 : 1000000);
        if (seed % 3 > 0) {
            share[1] = se_rng_unit(&r);
            share[2] = se_rng_unit(&r) * (1 - share[1]);
            share[3] = seed % 3 == 1 ? 1 - share[1] - share[2] : 0;
        }
        share[0] = 1 - share[1] - share[2] - share[3];
        se_split_sizes(share, size, count);
        for (int p = 0; p < 4; p++) {
            sum += count[p];
            CHECK(fabs((double)count[p] - share[p] * (double)size) < 1 + 1e-6);
        }
        CHECK(sum == size);
    }
    unit_ok("sizes are the shares, rounded, and add up");
}

/* Some classes, some vertices without */
static void make_labels(uint64_t seed, uint64_t n, uint64_t classes, int32_t *label)
{
    struct se_rng r;

    se_rng_init(&r, seed, SE_RNG_TEST, 1);
    for (uint64_t v = 0; v < n; v++)
        label[v] = (int32_t)se_rng_below(&r, classes + 1) - 1;
}

static void count_parts(const struct se_labels *l, const uint8_t *part, int32_t class,
                        uint64_t size[4])
{
    memset(size, 0, 4 * sizeof *size);
    for (uint64_t v = 0; v < l->n; v++)
        if (l->label[v] == class)
            size[part[v]]++;
}

static void test_shares(void)
{
    enum { N = 200, CLASSES = 7 };
    int32_t label[N];
    const struct se_labels l = { N, CLASSES, label, NULL, 0 };

    for (uint64_t seed = 0; seed < 100; seed++) {
        struct se_split_options plan = { .count = 3, .seed = seed, .threads = 1 + (int)(seed % 3),
                                      .stratified = seed % 2, .share = { 0.1, 0.5, 0.3, 0.1 } };
        struct se_err err = SE_ERR_INIT;
        uint64_t size[4], want[4], all[4] = { 0 };
        uint8_t *part = NULL;

        make_labels(seed, N, CLASSES, label);
        CHECK(se_split_make(&plan, N, &l, &part, &err) == 0);
        for (uint64_t i = 0; part && i < 3; i++) {
            count_parts(&l, part + i * N, -1, size);
            CHECK(size[1] + size[2] + size[3] == 0);
            memset(all, 0, sizeof all);
            for (int32_t c = 0; c < CLASSES; c++) {
                count_parts(&l, part + i * N, c, size);
                se_split_sizes(plan.share, size[0] + size[1] + size[2] + size[3], want);
                CHECK(!plan.stratified || memcmp(size, want, sizeof want) == 0);
                for (int p = 0; p < 4; p++)
                    all[p] += size[p];
            }
            se_split_sizes(plan.share, all[0] + all[1] + all[2] + all[3], want);
            CHECK(plan.stratified || memcmp(all, want, sizeof want) == 0);
        }
        CHECK(!part || memcmp(part, part + N, N) != 0);         /* they do differ */
        free(part);
    }
    unit_ok("shares hold for all, or for each class when stratified");
}

static void test_numbers(void)
{
    enum { N = 300, CLASSES = 4 };
    int32_t label[N];
    const struct se_labels l = { N, CLASSES, label, NULL, 0 };

    for (uint64_t seed = 0; seed < 100; seed++) {
        const struct se_split_options plan = { .count = 2, .seed = seed, .threads = 2,
                                            .per_class = 5, .val = 40, .test = 60 };
        struct se_err err = SE_ERR_INIT;
        uint64_t size[4], all[4] = { 0 };
        uint8_t *part = NULL;

        make_labels(seed, N, CLASSES, label);
        CHECK(se_split_make(&plan, N, &l, &part, &err) == 0);
        for (int32_t c = -1; part && c < CLASSES; c++) {
            count_parts(&l, part + N, c, size);
            CHECK(size[SE_SPLIT_TRAIN] == (c < 0 ? 0 : 5));
            for (int p = 0; p < 4; p++)
                all[p] += size[p];
        }
        CHECK(all[SE_SPLIT_VAL] == 40 && all[SE_SPLIT_TEST] == 60);
        free(part);
    }
    unit_ok("so many of each class, then so many of the rest");
}

static void test_faults(void)
{
    int32_t label[6] = { 0, 0, 0, 1, -1, -1 };
    const struct se_labels l = { 6, 2, label, NULL, 0 };
    struct se_split_options plan = { .count = 1, .threads = 1, .per_class = 2 };
    struct se_err err = SE_ERR_INIT;
    uint8_t *part = NULL;

    CHECK(se_split_make(&plan, 6, &l, &part, &err) < 0);
    CHECK(strstr(err.text, "class 1 has 1 vertices") != NULL);
    plan.per_class = 1;
    plan.val = 1;
    plan.test = 2;
    CHECK(se_split_make(&plan, 6, &l, &part, &err) < 0);
    CHECK(strstr(err.text, "more than the 2 that training leaves") != NULL);
    CHECK(se_split_make(&plan, 6, NULL, &part, &err) < 0);
    plan.test = 1;
    CHECK(se_split_make(&plan, 6, &l, &part, &err) == 0);
    free(part);
    unit_ok("numbers that cannot be had are refused");
}

/* Each vertex is in each part as often as its share says. */
static void test_fair(void)
{
    enum { N = 20, COUNT = 4000 };
    const struct se_split_options plan = { .count = COUNT, .seed = 3, .threads = 2,
                                        .share = { 0, 0.5, 0.3, 0.2 } };
    struct se_err err = SE_ERR_INIT;
    uint8_t *part = NULL;

    CHECK(se_split_make(&plan, N, NULL, &part, &err) == 0);
    for (int v = 0; part && v < N; v++)
        for (int p = 0; p < 4; p++) {
            const double share = plan.share[p];
            uint64_t have = 0;

            for (uint64_t i = 0; i < COUNT; i++)
                have += part[i * N + (uint64_t)v] == p;
            CHECK_NEAR((double)have / COUNT, share, 5.5 * sqrt(share * (1 - share) / COUNT));
        }
    free(part);
    unit_ok("every vertex has the same chances");
}

int main(void)
{
    test_sizes();
    test_shares();
    test_numbers();
    test_faults();
    test_fair();
    return unit_done();
}
