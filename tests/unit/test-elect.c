/* test-elect.c - which model validation chooses, on predictions made by hand */
#include "common/train/elect.h"

#include <math.h>
#include <string.h>

#include "tests/unit/unit.h"

enum { VAL = 40, N = VAL + 1 };

static int32_t label[N], predicted[3][N];
static uint8_t part[N];
enum { GOOD, FAIR, NEAR };      /* right about all, 3 of 4, 19 of 20 */

static void make(void)
{
    for (int v = 0; v < N; v++) {
        label[v] = 1;
        part[v] = v < VAL ? SE_SPLIT_VAL : SE_SPLIT_TEST;
        predicted[GOOD][v] = v < VAL;
        predicted[FAIR][v] = v < VAL && (v + 1) % 4 > 0;
        predicted[NEAR][v] = v < VAL && (v + 1) % 20 > 0;
    }
}

/* What is chosen of members, and behind them an ensemble unless it is -1 */
static struct se_election judge(int a, int b, int ensemble)
{
    const int kind[] = { a, b, ensemble };
    struct se_candidates c = SE_CANDIDATES_INIT;
    struct se_err err = SE_ERR_INIT;
    struct se_election x = { .chosen = SE_PROTOCOLS };

    for (int i = 0; i < 3; i++)
        if (kind[i] >= 0)
            CHECK(se_candidates_add(&c, predicted[kind[i]], label, part, N,
                                    i == 2 ? SE_ENSEMBLE : SE_HONEST, &err) == 0);
    CHECK(se_candidates_judge(&x, &c, &err) == 0);
    se_candidates_release(&c);
    return x;
}

static void check_order(void)
{
    CHECK(judge(GOOD, FAIR, GOOD).chosen == SE_ENSEMBLE);
    CHECK(judge(GOOD, FAIR, FAIR).chosen == SE_BACKBONE);
    CHECK(judge(FAIR, GOOD, FAIR).chosen == SE_HONEST);
    CHECK(judge(NEAR, NEAR, NEAR).chosen == SE_ENSEMBLE);
    CHECK(judge(NEAR, GOOD, -1).chosen == SE_HONEST);
    CHECK(judge(GOOD, GOOD, -1).chosen == SE_BACKBONE);
    CHECK(judge(GOOD, NEAR, -1).chosen == SE_BACKBONE);
}

/* One member, an ensemble unless it is -1, and a committee */
static enum se_protocol with_committee(int member, int ensemble, int committee)
{
    struct se_candidates c = SE_CANDIDATES_INIT;
    struct se_err err = SE_ERR_INIT;
    struct se_election x = { .chosen = SE_PROTOCOLS };

    CHECK(se_candidates_add(&c, predicted[member], label, part, N, SE_HONEST, &err) == 0);
    if (ensemble >= 0)
        CHECK(se_candidates_add(&c, predicted[ensemble], label, part, N, SE_ENSEMBLE, &err) == 0);
    CHECK(se_candidates_add(&c, predicted[committee], label, part, N, SE_COMMITTEE, &err) == 0);
    CHECK(se_candidates_judge(&x, &c, &err) == 0);
    CHECK(c.members == 1 && x.row[SE_COMMITTEE].iteration == 0);
    se_candidates_release(&c);
    return x.chosen;
}

static void check_committee(void)
{
    CHECK(with_committee(FAIR, -1, GOOD) == SE_COMMITTEE);
    CHECK(with_committee(GOOD, -1, FAIR) == SE_BACKBONE);
    CHECK(with_committee(GOOD, FAIR, GOOD) == SE_COMMITTEE);
    CHECK(with_committee(FAIR, GOOD, FAIR) == SE_ENSEMBLE);
    CHECK(with_committee(GOOD, GOOD, GOOD) == SE_COMMITTEE);
}

static void check_rows(void)
{
    struct se_election x = judge(FAIR, GOOD, NEAR);

    CHECK(x.row[SE_BACKBONE].iteration == 0 && x.row[SE_BACKBONE].val == 0.75);
    CHECK(x.row[SE_HONEST].iteration == 1 && x.row[SE_HONEST].val == 1);
    CHECK(x.row[SE_ENSEMBLE].iteration == 1 && fabs(x.row[SE_ENSEMBLE].score - 0.95) < 1e-12);
    CHECK(x.row[SE_HONEST].test == 0);
    x = judge(GOOD, -1, -1);
    CHECK(x.row[SE_HONEST].iteration == 0 && x.row[SE_HONEST].score == x.row[SE_BACKBONE].score);
    CHECK(x.row[SE_ENSEMBLE].iteration == -1);
}

static void check_nobody(void)
{
    struct se_candidates c = SE_CANDIDATES_INIT;
    struct se_err err = SE_ERR_INIT;
    struct se_election x;
    uint8_t none[N];

    memset(none, SE_SPLIT_TRAIN, sizeof none);
    CHECK(se_candidates_add(&c, predicted[GOOD], label, none, N, SE_HONEST, &err) == 0);
    CHECK(se_candidates_judge(&x, &c, &err) < 0 && strstr(err.text, "no validation vertices"));
    se_candidates_release(&c);
    part[VAL] = SE_SPLIT_NONE;          /* nobody to test on */
    CHECK(isnan(judge(GOOD, -1, -1).row[SE_BACKBONE].test));
    label[0] = -1;                      /* a vertex whose class nobody knows */
    CHECK(judge(FAIR, -1, -1).row[SE_BACKBONE].val == 29.0 / 39);
}

int main(void)
{
    make();
    check_order();
    unit_ok("ensemble, then backbone, unless another is clearly better");
    check_committee();
    unit_ok("the committee, where it is as good as the ensemble");
    check_rows();
    unit_ok("the row of each protocol");
    check_nobody();
    unit_ok("no validation vertices, no test vertices, no label");
    return unit_done();
}
