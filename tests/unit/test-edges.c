/* test-edges.c - edge lists in all their kinds, and the names in them */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/textfile.h"

/* The edges of a text as "u-v:w ..." and its names as "a b c", to compare at a glance. */
static const char *edges_of(const char *text, enum se_ids ids, bool piped)
{
    static char shown[1000];
    struct se_import in = { .ids = ids, .keep_loops = true };
    struct se_stream s = SE_STREAM_INIT;
    struct se_err err = SE_ERR_INIT;
    struct se_graph g = { 0 };
    struct se_names names;
    size_t at = 0;
    int end[2] = { -1, -1 }, rc;

    write_file(text, strlen(text));
    in.path = path;
    if (piped) {                                /* what cannot be read twice */
        static char name[32];

        CHECK(strlen(text) < 4096);
        if (pipe(end) < 0 || write(end[1], text, strlen(text)) < 0)
            return "no pipe";
        close(end[1]);
        snprintf(name, sizeof name, "/dev/fd/%d", end[0]);
        in.path = name;
    }
    rc = se_format_find("edges")->import(&in, &s, &err);
    if (piped)
        close(end[0]);
    if (rc < 0) {
        const char *line = strstr(err.text, "line ");

        snprintf(shown, sizeof shown, "%s", line ? line : err.text);
        se_stream_release(&s);
        return shown;
    }
    CHECK(se_stream_check(&s, &err) == 0);
    CHECK(se_graph_get(&g, &s, SE_GRAPH, &err) == 0);
    at += (size_t)snprintf(shown, sizeof shown, "%d:", (int)g.n);
    for (uint32_t u = 0; u < g.n; u++)
        for (uint64_t i = g.off[u]; i < g.off[u + 1]; i++) {
            at += (size_t)snprintf(shown + at, sizeof shown - at, " %d-%d", (int)u,
                                   (int)g.to[i]);
            if (g.weight)
                at += (size_t)snprintf(shown + at, sizeof shown - at, "=%g",
                                       (double)g.weight[i]);
        }
    for (uint64_t i = 0; i < g.loops; i++)
        at += (size_t)snprintf(shown + at, sizeof shown - at, " (%d)", (int)g.loop[i]);
    if (se_stream_has(&s, SE_NAMES)) {
        CHECK(se_names_get(&names, &s, &err) == 0);
        for (uint64_t v = 0; v < names.n; v++)
            at += (size_t)snprintf(shown + at, sizeof shown - at, " [%.*s]",
                                   (int)(names.off[v + 1] - names.off[v]),
                                   names.text + names.off[v]);
    }
    se_stream_release(&s);
    return shown;
}

static void edges_are(const char *text, enum se_ids ids, const char *expected)
{
    for (int piped = 0; piped < 2; piped++) {
        const char *got = edges_of(text, ids, piped);

        if (strcmp(got, expected) != 0) {
            printf("# %s gave '%s', not '%s'\n", text, got, expected);
            unit_bad++;
        }
    }
}

static void check_edge_lists(void)
{
    const enum se_ids any = SE_IDS_AUTO, str = SE_IDS_STRING, num = SE_IDS_INTEGER;

    edges_are("0 1\n1 2\n", any, "3: 0-1 1-2");
    edges_are("0\t1\n2\t1", any, "3: 0-1 1-2");
    edges_are("0,1\r\n1,2\r\n", any, "3: 0-1 1-2");
    edges_are("0;1;2.5\n1;2;.5\n", any, "3: 0-1=2.5 1-2=0.5");
    edges_are("# comment\n% other\n\n  0   1 \n\t1 \t 2\n", any, "3: 0-1 1-2");
    edges_are("0, 1, 2\n1 ,2, 1e0\n", any, "3: 0-1=2 1-2=1");
    edges_are("\xef\xbb\xbf" "0 1\n", any, "2: 0-1");
    edges_are("0 1 1\n1 2 1\n", any, "3: 0-1 1-2");             /* all 1: no weights */
    edges_are("0 1 1\n1 0 1\n", any, "2: 0-1=2");
    edges_are("0 1\n1 0\n1 1\n", any, "2: 0-1 (1)");
    edges_are("5 5\n", num, "6: (5)");
    /* ids from 1, or with gaps: names in the order of the ids */
    edges_are("5 5\n", any, "1: (0) [5]");
    edges_are("1 2\n3 1\n", any, "3: 0-1 0-2 [1] [2] [3]");
    edges_are("10 2 .5\n2 7 2\n", any, "3: 0-1=2 0-2=0.5 [2] [7] [10]");
    edges_are("10 2\n2 7\n", num, "11: 2-7 2-10");
    edges_are("0 4000000000\n", any, "2: 0-1 [0] [4000000000]");
    /* headers */
    edges_are("from,to\n0,1\n", any, "2: 0-1");
    edges_are("id_1\tid_2\n0\t1\n", any, "2: 0-1");
    edges_are("source\ttarget\tweight\n0\t1\t3\n", any, "2: 0-1=3");
    edges_are("source target\na b\nc d\n", any, "4: 0-1 2-3 [a] [b] [c] [d]");
    edges_are("Source,Target\na,b\n", str, "2: 0-1 [a] [b]");
    edges_are("one,two,weight\na,b,2\n", any, "2: 0-1=2 [a] [b]");
    edges_are("payer,payee\na,b\nb,c\nc,a\n", any, "3: 0-1 0-2 1-2 [a] [b] [c]");
    edges_are("payer,payee\na,b\nb,payer\nc,a\n", any,
              "5: 0-1 0-3 2-3 2-4 [payer] [payee] [a] [b] [c]");
    edges_are("x y\na b\n", any, "4: 0-1 2-3 [x] [y] [a] [b]");
    edges_are("x y 1\n0 1 1\n", any, "4: 0-1 2-3 [x] [y] [0] [1]");
    edges_are("x y\n", any, "2: 0-1 [x] [y]");
    edges_are("x y\n0 1\n", num, "2: 0-1");
    edges_are("\"from\",\"to\"\n\"0\",\"1\"\n", any, "2: 0-1");
    /* names, late ones too, in order of first use */
    edges_are("b a\nc a\n", any, "3: 0-1 1-2 [b] [a] [c]");
    edges_are("9 4\n4 7\nx 9\n", any, "4: 0-1 0-3 1-2 [9] [4] [7] [x]");
    edges_are("h k\n9 4\nx 9\n", any, "5: 0-1 2-3 2-4 [h] [k] [9] [4] [x]");
    edges_are("9 4 2\nx 9 3\n", any, "3: 0-1=2 0-2=3 [9] [4] [x]");
    edges_are("0 01\n", any, "2: 0-1 [0] [01]");
    edges_are("0 01\n", num, "2: 0-1");
    edges_are("7 3\n", str, "2: 0-1 [7] [3]");
    edges_are("-1 2\n", any, "2: 0-1 [-1] [2]");
    edges_are("Ann Lee\tBob\nBob\tCy D\n", any, "3: 0-1 1-2 [Ann Lee] [Bob] [Cy D]");
    edges_are("\"a, b\",\"c \"\"d\"\"\"\nx , y\n", any,
              "4: 0-1 2-3 [a, b] [c \"d\"] [x] [y]");
    /* faults */
    edges_are("0 1\n1 2 3\n", any, "line 2: has a weight, but lines before it have none");
    edges_are("0 1 3\n1 2\n", any, "line 2: has no weight, but lines before it have one");
    edges_are("0 1 -3\n", any, "line 1: weight -3 is negative; weights are 0 or more: drop such "
              "lines, or leave weights out with --source 1 --target 2");
    edges_are("0 1 2\n0 1 nan\n", any, "line 2: weight 'nan' is not a finite number; if it is "
              "no weight name the columns of the edges with --source and --target");
    edges_are("0 1 inf\n", any, "line 1: weight 'inf' is not a finite number; if it is no "
              "weight name the columns of the edges with --source and --target");
    edges_are("0 1 2\n0 1 1e39\n", any, "line 2: weight 1e+39 is more than a float holds");
    edges_are("0\n", any, "line 1: has one field; a line is u v [weight]");
    edges_are("0 1 2 3\n", any, "2: 0-1=2");
    edges_are("0 1 2 3 4\n", any, "line 1: has more than three fields; a line is u v [weight]; of "
              "other tables name the columns with --source, --target and --weight, and give a "
              "table of vertices as --attributes");
    edges_are("0,,1\n", any, "line 1: field 2 is empty; name the columns of the edges with --source "
              "and --target, by number if they have no name");
    edges_are("0 1\nx 2\n", num, "line 2: id 'x' is no integer; use --ids string");
    edges_are("\"a,b\n", any, "line 1: a quoted field does not end as it should");
    edges_are("\"a\"b,c\n", any, "line 1: a quoted field does not end as it should");
    edges_are("0 1\n0 4294967295\n", any, "3: 0-1 0-2 [0] [1] [4294967295]");
    edges_are("0 1\n0 4294967295\n", num, "line 2: id 4294967295 is too large; use --ids "
              "string to number ids in order of first use");
    edges_are("0 99999999999\n", str, "2: 0-1 [0] [99999999999]");
    edges_are("%%MatrixMarket matrix\n", any,
              "line 1: this is a MatrixMarket file; use -f mtx");
}

/* Names in a stream: labels and ends of edges mean them; unknown ones are refused. */
static void check_onto_names(void)
{
    struct se_stream s = SE_STREAM_INIT;
    struct se_err err = SE_ERR_INIT;
    struct se_graph g;
    struct se_tree t;

    CHECK(import_text("edges", "b\ta\na\tc\n", &s, &err) == 0);
    CHECK(import_text("mcl", "c\tb\na\n", &s, &err) == 0);
    CHECK(se_tree_get(&t, &s, &err) == 0 && t.n == 3 && t.vertex[2] == 2 && t.vertex[3] == 0);
    CHECK(import_text("mcl", "c\tb\nx\n", &s, &err) < 0 && strstr(err.text, "line 2: 'x'"));
    CHECK(import_text("tree", "1:1 0 \"c\"\n1:2 0 \"b\"\n2:1 0 \"a\"\n", &s, &err) == 0);
    CHECK(import_text("edges", "c\tb\n", &s, &err) == 0);
    CHECK(se_graph_get(&g, &s, SE_GRAPH, &err) == 0 && g.n == 3 && g.m == 1 && g.to[0] == 2);
    CHECK(import_text("edges", "c\tb\nc\tx\n", &s, &err) < 0 &&
          strstr(err.text, "line 2: 'x'"));
    se_stream_release(&s);
}

/* Names survive where ids are numbered in order of first use. */
static void check_names(void)
{
    struct se_stream s = SE_STREAM_INIT, back = SE_STREAM_INIT;
    struct se_err err = SE_ERR_INIT;

    CHECK(import_text("edges", "b\ta\t2\nb\tc d\t1\n", &s, &err) == 0);
    round_trip("edges", &s, SE_GRAPH, 0, true);
    round_trip("edges", &s, SE_NAMES, 0, true);
    se_stream_release(&s);

    const char *bad[] = { "#x", "%x", "a\tb", "a\nb", " a", "a ", "" };

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const struct se_export ex = { .section = SE_GRAPH, .names = true };
        const uint64_t off[3] = { 0, 1, 1 + strlen(bad[i]) };
        char text[16];
        struct se_out out;

        snprintf(text, sizeof text, "y%s", bad[i]);
        CHECK(import_text("edges", "0 1\n", &s, &err) == 0);
        CHECK(se_names_put(&(struct se_names){ 2, off, text }, &s, &err) == 0);
        CHECK(se_out_init(&out, -1, &err) == 0);
        CHECK(se_format_find("edges")->export(&ex, &s, &out, &err) < 0);
        CHECK(strstr(err.text, "of vertex 1 cannot be"));
        se_out_release(&out);
        se_stream_release(&s);
    }
    se_stream_release(&back);
}

/* Many names, so that the table grows; all must be found again. */
static void check_table(void)
{
    struct se_table t = SE_TABLE_INIT;
    struct se_err err = SE_ERR_INIT;
    char name[32];
    bool right = true;

    for (int turn = 0; turn < 2; turn++)
        for (uint32_t i = 0; i < 50000; i++) {
            uint32_t id = SE_NONE;
            const int len = snprintf(name, sizeof name, "%s%" PRIu32, i % 3 ? "" : "vertex ",
                                     i);

            right &= se_table_find(&t, name, (size_t)len) == (turn ? i : SE_NONE);
            right &= se_table_add(&t, name, (size_t)len, &id, &err) == 0 && id == i;
        }
    CHECK(right && t.n == 50000);
    CHECK(se_table_find(&t, "", 0) == SE_NONE);
    se_table_release(&t);
}

int main(void)
{
    if (!file_begin())
        return 1;
    check_edge_lists();
    unit_ok("edge lists of all kinds");
    check_names();
    unit_ok("names come back");
    check_onto_names();
    unit_ok("names of the stream");
    check_table();
    unit_ok("many names");
    return file_done();
}
