/* unit.h - the least a unit test needs; prints TAP */
#ifndef SE_UNIT_H
#define SE_UNIT_H

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "common/base/rng.h"

static int unit_tests, unit_bad, unit_failed;

/* A random case starts with se_rng_init(); what fails behind that is told with its seed. */
static bool unit_random;
static uint64_t unit_seed, unit_index;

#define se_rng_init(rng, seed, purpose, index)                                             \
    (unit_random = true, unit_seed = (uint64_t)(seed), unit_index = (uint64_t)(index),     \
     (se_rng_init)(rng, unit_seed, purpose, unit_index))

static inline void unit_say_seed(void)
{
    if (unit_random)
        printf(" (random case: seed %" PRIu64 ", index %" PRIu64 ")", unit_seed, unit_index);
    putchar('\n');
}

#define CHECK(condition)                                                                   \
    do {                                                                                   \
        if (!(condition)) {                                                                \
            unit_bad++;                                                                    \
            printf("# %s:%d: %s", __FILE__, __LINE__, #condition);                         \
            unit_say_seed();                                                               \
        }                                                                                  \
    } while (0)

#define CHECK_NEAR(a, b, tolerance)                                                        \
    do {                                                                                   \
        const double unit_a = (a), unit_b = (b);                                           \
        if (!(fabs(unit_a - unit_b) <= (tolerance))) {                                     \
            unit_bad++;                                                                    \
            printf("# %s:%d: %s is %.17g, not %.17g", __FILE__, __LINE__, #a, unit_a,      \
                   unit_b);                                                                \
            unit_say_seed();                                                               \
        }                                                                                  \
    } while (0)

/* Of so many random cases, those to try: fewer where every access is checked, which is slow */
#ifdef __SANITIZE_ADDRESS__
#define UNIT_CASES(n) ((n) / 4 + 1)
#else
#define UNIT_CASES(n) (n)
#endif

/* End of a group of checks: one line of TAP. */
static void unit_ok(const char *name)
{
    printf("%s %d - %s\n", unit_bad ? "not ok" : "ok", ++unit_tests, name);
    unit_failed += unit_bad != 0;
    unit_bad = 0;
    unit_random = false;
}

static int unit_done(void)
{
    return unit_failed != 0 || unit_tests == 0;
}

#endif
