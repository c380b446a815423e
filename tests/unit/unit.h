/* unit.h - the least a unit test needs; prints TAP */
#ifndef SE_UNIT_H
#define SE_UNIT_H

#include <math.h>
#include <stdio.h>

static int unit_tests, unit_bad, unit_failed;

#define CHECK(condition)                                                                   \
    do {                                                                                   \
        if (!(condition)) {                                                                \
            unit_bad++;                                                                    \
            printf("# %s:%d: %s\n", __FILE__, __LINE__, #condition);                       \
        }                                                                                  \
    } while (0)

#define CHECK_NEAR(a, b, tolerance)                                                        \
    do {                                                                                   \
        const double unit_a = (a), unit_b = (b);                                           \
        if (!(fabs(unit_a - unit_b) <= (tolerance))) {                                     \
            unit_bad++;                                                                    \
            printf("# %s:%d: %s is %.17g, not %.17g\n", __FILE__, __LINE__, #a, unit_a,    \
                   unit_b);                                                                \
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
}

static int unit_done(void)
{
    return unit_failed != 0 || unit_tests == 0;
}

#endif
