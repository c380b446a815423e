/* test-rng.c - Philox4x32-10 and what is made of it */
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "common/base/rng.h"
#include "tests/unit/unit.h"

/* From the known-answer file of Random123 */
static void test_known(void)
{
    static const struct {
        uint32_t counter[4], key[2], out[4];
    } known[] = {
        { { 0, 0, 0, 0 }, { 0, 0 },
          { 0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8 } },
        { { 0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff }, { 0xffffffff, 0xffffffff },
          { 0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd } },
        { { 0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344 }, { 0xa4093822, 0x299f31d0 },
          { 0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1 } }
    };

    for (int i = 0; i < 3; i++) {
        uint32_t out[4];

        se_philox(known[i].counter, known[i].key, out);
        CHECK(memcmp(out, known[i].out, sizeof out) == 0);
    }
    unit_ok("philox: known answers");
}

/* What a seed gives may never change: streams are made again from it. */
static void test_layout(void)
{
    const uint64_t seed = 0x0123456789abcdef, index = 0xfedcba9876543210;
    const uint32_t key[2] = { 0x89abcdef, 0x01234567 };
    struct se_rng r;

    se_rng_init(&r, seed, SE_RNG_SAMPLE, index);
    for (uint32_t block = 0; block < 3; block++) {
        const uint32_t counter[4] = { block, SE_RNG_SAMPLE, 0x76543210, 0xfedcba98 };
        uint32_t out[4];

        se_philox(counter, key, out);
        CHECK(se_rng_u32(&r) == out[0]);
        CHECK(se_rng_u32(&r) == out[1]);
        CHECK(se_rng_u64(&r) == ((uint64_t)out[3] << 32 | out[2]));
    }
    CHECK(SE_RNG_GEN_EDGES == 1 && SE_RNG_SPLIT == 4 && SE_RNG_NOISE_REMOVE == 6 &&
          SE_RNG_TREE == 7 && SE_RNG_DROPOUT == 10 && SE_RNG_SIM == 11);
    unit_ok("rng: which counter and key a seed, a purpose and an index are");
}

/* Streams that are begun together are the streams that are begun one by one. */
static void test_batch(void)
{
    static const uint64_t indices[] = { 0, 3, 0xfffffff9, 0xfedcba98fffffffe, UINT64_MAX - 2 };

    for (uint64_t seed = 0; seed < 5; seed++)
        for (int i = 0; i < 5; i++) {
            struct se_rng many[SE_RNG_BATCH], one;

            se_rng_init_batch(many, seed << 31, SE_RNG_SAMPLE, indices[i]);
            for (uint64_t j = 0; j < SE_RNG_BATCH; j++) {
                se_rng_init(&one, seed << 31, SE_RNG_SAMPLE, indices[i] + j);
                for (int number = 0; number < 10; number++)
                    CHECK(se_rng_u32(&many[j]) == se_rng_u32(&one));
            }
        }
    unit_ok("rng: several streams at once");
}

static void test_apart(void)
{
    enum { SEEDS = 4, PURPOSES = 4, INDICES = 8, ALL = SEEDS * PURPOSES * INDICES };
    uint64_t first[ALL], again;
    int at = 0;

    for (uint64_t seed = 0; seed < SEEDS; seed++)
        for (uint32_t purpose = 0; purpose < PURPOSES; purpose++)
            for (uint64_t index = 0; index < INDICES; index++) {
                struct se_rng r;

                se_rng_init(&r, seed << 30, purpose, index << 29);
                first[at] = se_rng_u64(&r);
                se_rng_init(&r, seed << 30, purpose, index << 29);
                again = se_rng_u64(&r);
                CHECK(again == first[at]);
                at++;
            }
    for (int i = 0; i < ALL; i++)
        for (int j = 0; j < i; j++)
            CHECK(first[i] != first[j]);
    unit_ok("rng: seeds, purposes and indices differ, and repeat");
}

/* Chi-square of counts that should be equal, in standard deviations from its mean */
static double surprise(const uint64_t *count, uint64_t cells, uint64_t draws)
{
    const double want = (double)draws / (double)cells;
    double x = 0;

    for (uint64_t i = 0; i < cells; i++)
        x += ((double)count[i] - want) * ((double)count[i] - want) / want;
    return (x - (double)(cells - 1)) / sqrt(2 * (double)(cells - 1));
}

static void test_below(void)
{
    static const uint64_t sizes[] = { 2, 3, 7, 10, 64, 1000 };
    uint64_t count[1000];
    struct se_rng r;

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const uint64_t draws = 200 * sizes[i];

        memset(count, 0, sizeof count);
        se_rng_init(&r, 5, SE_RNG_TEST, i);
        for (uint64_t k = 0; k < draws; k++) {
            const uint64_t v = se_rng_below(&r, sizes[i]);

            CHECK(v < sizes[i]);
            count[v < sizes[i] ? v : 0]++;
        }
        CHECK(fabs(surprise(count, sizes[i], draws)) < 5);
    }
    for (int k = 0; k < 100; k++)
        CHECK(se_rng_below(&r, 1) == 0);
    unit_ok("rng: whole numbers below n are even");
}

/* n = 3 * 2^62: taking the remainder of 64 bits would give the first third double. */
static void test_large(void)
{
    const uint64_t n = (uint64_t)3 << 62;
    uint64_t count[3] = { 0 };
    struct se_rng r;

    se_rng_init(&r, 6, SE_RNG_TEST, 0);
    for (int k = 0; k < 30000; k++) {
        const uint64_t v = se_rng_below(&r, n);

        CHECK(v < n);
        count[(v >> 62) % 3]++;
    }
    CHECK(fabs(surprise(count, 3, 30000)) < 5);
    unit_ok("rng: no bias where n is near 2^64");
}

static void test_unit(void)
{
    uint64_t count[64] = { 0 };
    double sum = 0, least = 1, most = 0;
    struct se_rng r;

    se_rng_init(&r, 7, SE_RNG_TEST, 0);
    for (int k = 0; k < 200000; k++) {
        const double u = se_rng_unit(&r);

        least = u < least ? u : least;
        most = u > most ? u : most;
        count[u >= 0 && u < 1 ? (int)(u * 64) : 0]++;
        sum += u;
    }
    CHECK(least >= 0 && most < 1 && least < 1e-4 && most > 1 - 1e-4);
    CHECK_NEAR(sum / 200000, 0.5, 5 * 0.2887 / sqrt(200000));
    CHECK(fabs(surprise(count, 64, 200000)) < 5);
    unit_ok("rng: [0, 1) is even");
}

static void test_normal(void)
{
    enum { DRAWS = 400000 };
    double m[5] = { 0 };
    int beyond = 0;
    struct se_rng r;

    se_rng_init(&r, 8, SE_RNG_TEST, 0);
    for (int k = 0; k < DRAWS; k++) {
        const double x = se_rng_normal(&r);
        double power = 1;

        CHECK(isfinite(x));
        for (int i = 1; i <= 4; i++)
            m[i] += (power *= x) / DRAWS;
        beyond += fabs(x) > 3;
    }
    /* five standard errors: variances of x, x^2, x^3, x^4 are 1, 2, 15, 96 */
    CHECK_NEAR(m[1], 0, 5 * sqrt(1.0 / DRAWS));
    CHECK_NEAR(m[2], 1, 5 * sqrt(2.0 / DRAWS));
    CHECK_NEAR(m[3], 0, 5 * sqrt(15.0 / DRAWS));
    CHECK_NEAR(m[4], 3, 5 * sqrt(96.0 / DRAWS));
    CHECK_NEAR(beyond / (double)DRAWS, 0.0026998, 5 * sqrt(0.0027 / DRAWS));
    unit_ok("rng: moments and tails of the normal distribution");
}

int main(void)
{
    test_known();
    test_layout();
    test_batch();
    test_apart();
    test_below();
    test_large();
    test_unit();
    test_normal();
    return unit_done();
}
