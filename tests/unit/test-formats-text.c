/* test-formats-text.c - text formats: what is written comes back, damage is told */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/rng.h"
#include "common/graph/builder.h"
#include "tests/unit/textfile.h"

static void random_graph(uint64_t seed, bool integers, bool loops, struct se_stream *s,
                         uint64_t *n)
{
    struct se_builder b = SE_BUILDER_INIT;
    struct se_err err = SE_ERR_INIT;
    struct se_rng r;

    se_rng_init(&r, seed, SE_RNG_TEST, 0);
    *n = b.n = 1 + se_rng_below(&r, 12);
    b.weighted = se_rng_below(&r, 2);
    for (uint64_t i = se_rng_below(&r, 30); i > 0; i--) {
        const float w = integers ? (float)(1 + se_rng_below(&r, 9))
                                 : (float)(se_rng_unit(&r) * se_rng_unit(&r) * 10);

        CHECK(se_builder_add(&b, (uint32_t)se_rng_below(&r, *n),
                             (uint32_t)se_rng_below(&r, *n), w, &err) == 0);
    }
    CHECK(se_builder_put(&b, s, SE_GRAPH, SE_MERGE_SUM, loops, NULL, &err) == 0);
}

static void check_graphs(uint64_t seed)
{
    struct se_stream s = SE_STREAM_INIT, t = SE_STREAM_INIT;
    uint64_t n;

    random_graph(seed, false, true, &s, &n);
    round_trip("mtx", &s, SE_GRAPH, 0, false);
    se_stream_release(&s);
    random_graph(seed, false, false, &s, &n);
    round_trip("edges", &s, SE_GRAPH, n, false);
    random_graph(seed, true, false, &t, &n);
    round_trip("metis", &t, SE_GRAPH, 0, false);
    se_stream_release(&s);
    se_stream_release(&t);
}

/* A tree by hanging new nodes anywhere, then chains and leaves until it is whole. */
static void random_tree(uint64_t seed, uint64_t limit, bool flat, struct se_stream *s)
{
    struct se_nodes x = SE_NODES_INIT;
    struct se_err err = SE_ERR_INIT;
    struct se_rng r;
    uint32_t vertex[400], leaves = 0;
    uint64_t inner, fault;
    bool parent[1000] = { false };

    se_rng_init(&r, seed, SE_RNG_TEST, 1);
    inner = 1 + se_rng_below(&r, limit);
    CHECK(se_nodes_add(&x, SE_NONE, SE_NONE, &err) == 0);
    for (uint64_t i = 1; i < inner; i++) {
        const uint64_t deep = se_rng_below(&r, 2);

        CHECK(se_nodes_add(&x, flat ? 0 : deep ? (uint32_t)i - 1
                                               : (uint32_t)se_rng_below(&r, i),
                           SE_NONE, &err) == 0);
        parent[x.parent[i]] = true;
    }
    for (uint64_t i = 0; i < inner; i++)
        for (uint64_t k = se_rng_below(&r, 3) + !parent[i]; k > 0; k--)
            if (!flat || i > 0 || inner == 1) {
                CHECK(se_nodes_add(&x, (uint32_t)i, leaves++, &err) == 0);
            }
    for (uint32_t v = 0; v < leaves; v++)
        vertex[v] = v;
    for (uint32_t v = leaves; v > 1; v--) {
        const uint64_t k = se_rng_below(&r, v);
        const uint32_t swap = vertex[k];

        vertex[k] = vertex[v - 1];
        vertex[v - 1] = swap;
    }
    for (uint64_t i = inner; i < x.count; i++)
        x.vertex[i] = vertex[x.vertex[i]];
    CHECK(se_nodes_put(&x, leaves, s, &fault, &err) == 0);
    se_nodes_release(&x);
}

static void check_trees(uint64_t seed)
{
    struct se_stream s = SE_STREAM_INIT;

    random_tree(seed, seed % 3 ? 20 : 100, false, &s);
    round_trip("tree", &s, SE_TREE, 0, false);
    round_trip("parents", &s, SE_TREE, 0, false);
    se_stream_release(&s);
    random_tree(seed, 1 + seed % 9, true, &s);
    if (se_stream_has(&s, SE_TREE)) {
        struct se_err err = SE_ERR_INIT;
        struct se_tree t;

        CHECK(se_tree_get(&t, &s, &err) == 0);
        round_trip("tree", &s, SE_TREE, 0, false);
        if (t.vertex[1] == SE_NONE) {           /* modules, and vertices in them */
            round_trip("clu", &s, SE_TREE, 0, false);
            round_trip("mcl", &s, SE_TREE, 0, false);
        }
    }
    se_stream_release(&s);
}

/* Lines of parents in any order, with gaps between the numbers, are the same tree. */
static void check_shuffled_parents(uint64_t seed)
{
    struct se_stream s = SE_STREAM_INIT, back = SE_STREAM_INIT;
    struct se_err err = SE_ERR_INIT;
    struct se_import in = { 0 };
    struct se_tree t = { 0, 0, NULL, NULL };
    struct se_rng r;
    FILE *f = fopen(path, "wb");

    random_tree(seed, 30, false, &s);
    CHECK(se_tree_get(&t, &s, &err) == 0);
    se_rng_init(&r, seed, SE_RNG_TEST, 2);

    const uint64_t start = se_rng_below(&r, t.nodes), step = 1 + se_rng_below(&r, 5);

    for (uint64_t k = 0; f && k < t.nodes; k++) {
        const uint64_t a = (start + k) % t.nodes;

        fprintf(f, "%" PRIu64 "\t", 3 + a * step);
        if (t.parent[a] == SE_NONE)
            fprintf(f, "-1\t");
        else
            fprintf(f, "%" PRIu64 " ", 3 + t.parent[a] * step);
        fprintf(f, "%" PRId64 "\n", t.vertex[a] == SE_NONE ? -1 : (int64_t)t.vertex[a]);
    }
    if (f)
        fclose(f);
    CHECK(import_with("parents", &in, &back, &err) == 0);
    CHECK(same_section(&s, &back, SE_TREE));
    se_stream_release(&s);
    se_stream_release(&back);
}

/* The parents of a text as "0 1 1 ...", -1 of the root left out, and the vertices of leaves. */
static void tree_is(const char *format, const char *text, const char *expected)
{
    struct se_stream s = SE_STREAM_INIT;
    struct se_err err = SE_ERR_INIT;
    struct se_tree t = { 0, 0, NULL, NULL };
    char shown[400] = "";
    size_t at = 0;

    CHECK(import_text(format, text, &s, &err) == 0 && se_tree_get(&t, &s, &err) == 0);
    for (uint64_t a = 1; a < t.nodes; a++)
        at += (size_t)snprintf(shown + at, sizeof shown - at,
                               t.vertex[a] == SE_NONE ? " %d" : " %d(%d)", (int)t.parent[a],
                               (int)t.vertex[a]);
    if (strcmp(shown, expected) != 0) {
        printf("# %s: '%s', not '%s'\n", format, shown, expected);
        unit_bad++;
    }
    se_stream_release(&s);
}

static void check_order(void)
{
    tree_is("tree", "2:10 0 \"a\" 0\n1:1 0 \"b\" 1\n2:9 0 \"c\" 2\n3 0 \"d\" 3\n"
            "1:3 0 \"e\" 4\n", " 0 1(1) 1(4) 0 4(2) 4(0) 0(3)");
    tree_is("clu", "3 10\n1 9\n0 10\n2 9\n", " 0 1(1) 1(2) 0 4(3) 4(0)");
    tree_is("mcl", "3\t1\n2\t0\n", " 0 1(3) 1(1) 0 4(2) 4(0)");
    tree_is("parents", "5 9 1\n9 -1 -1\n7 9 -1\n8 7 2\n6 7 0\n", " 0(1) 0 2(0) 2(2)");
}

/* A chain of 10^6 nodes: no recursion anywhere. */
static void check_deep(void)
{
    enum { DEPTH = 1000000 };
    struct se_nodes x = SE_NODES_INIT;
    struct se_stream s = SE_STREAM_INIT;
    struct se_err err = SE_ERR_INIT;
    uint64_t fault;

    for (uint32_t i = 0; i < DEPTH; i++)
        CHECK(se_nodes_add(&x, i ? i - 1 : SE_NONE, SE_NONE, &err) == 0);
    CHECK(se_nodes_add(&x, DEPTH - 1, 0, &err) == 0);
    CHECK(se_nodes_put(&x, 1, &s, &fault, &err) == 0);
    se_nodes_release(&x);
    round_trip("parents", &s, SE_TREE, 0, false);
    round_trip("tree", &s, SE_TREE, 0, false);
    se_stream_release(&s);
}

/* Tell if the import fails and says what is expected. */
static void refuses(const char *format, const char *text, const char *expected)
{
    struct se_stream s = SE_STREAM_INIT;
    struct se_err err = SE_ERR_INIT;

    CHECK(import_text(format, text, &s, &err) < 0);
    if (!strstr(err.text, expected)) {
        printf("# %s: '%s', not '%s'\n", format, err.text, expected);
        unit_bad++;
    }
    se_stream_release(&s);
}

static void takes(const char *format, const char *text, uint64_t n, uint64_t count)
{
    struct se_stream s = SE_STREAM_INIT;
    struct se_err err = SE_ERR_INIT;
    struct se_graph g;
    struct se_tree t;

    if (import_text(format, text, &s, &err) < 0) {
        printf("# %s: %s\n", format, err.text);
        unit_bad++;
    } else if (se_stream_has(&s, SE_TREE)) {
        CHECK(se_tree_get(&t, &s, &err) == 0 && t.n == n && t.nodes == count);
    } else {
        CHECK(se_graph_get(&g, &s, SE_GRAPH, &err) == 0 && g.n == n && g.m == count);
    }
    se_stream_release(&s);
}

#define MTX "%%MatrixMarket matrix coordinate "

static void check_matrices(void)
{
    struct se_stream s = SE_STREAM_INIT;
    struct se_err err = SE_ERR_INIT;
    struct se_graph g = { 0 };

    CHECK(import_text("mtx", MTX "real general\n2 2 3\n1 2 4\n2 1 3\n1 2 1.5\n", &s,
                      &err) == 0);
    CHECK(se_graph_get(&g, &s, SE_GRAPH, &err) == 0 && g.m == 1 && g.weight[0] == 5.5f);
    se_stream_release(&s);
    takes("mtx", MTX "pattern general\n% x\n3 3 2\n1 2\n2 1\n", 3, 1);
    takes("mtx", MTX "real symmetric\n3 3 2\n2 1 .5\n3 3 1\n", 3, 1);
    takes("mtx", MTX "integer general\n2 2 0\n", 2, 0);
    refuses("mtx", "", "is empty");
    refuses("mtx", "1 1 1\n", "does not start with %%MatrixMarket");
    refuses("mtx", "%%MatrixMarket matrix array real general\n", "'matrix array'");
    refuses("mtx", MTX "complex general\n", "complex values");
    refuses("mtx", MTX "real skew-symmetric\n", "skew-symmetric");
    refuses("mtx", MTX "real hermitian\n", "hermitian");
    refuses("mtx", MTX "real general\n2 3 1\n", "square");
    refuses("mtx", MTX "real general\n2 2 2\n1 1 1\n", "1 of 2 entries");
    refuses("mtx", MTX "real general\n2 2 1\n1 2 1\n2 1 1\n", "line 4: is one entry more");
    refuses("mtx", MTX "real general\n2 2 1\n1 3 1\n", "line 3: entry 1 3 is outside");
    refuses("mtx", MTX "real general\n2 2 1\n0 1 1\n", "outside");
    refuses("mtx", MTX "real general\n2 2 1\n1 2 -1\n", "line 3: value -1 is negative");
    refuses("mtx", MTX "real general\n2 2 1\n1 2\n", "no finite number");
    refuses("mtx", MTX "pattern general\n4000000000 4000000000 1\n1 2\n", "--vertices");

    takes("metis", "3 2\n2\n1 3\n2\n", 3, 2);
    takes("metis", "% c\n3 1 011 2\n9 9\n% c\n8 8 3 7\n7 7 2 7\n", 3, 1);
    takes("metis", "2 1 100\n5 2\n5 1\n\n\n", 2, 1);
    takes("metis", "3 0\n\n\n\n", 3, 0);
    refuses("metis", "", "holds no graph");
    refuses("metis", "3 2\n2\n1 3\n\n", "3 neighbours");
    refuses("metis", "3 2\n2\n1 3\n% c\n1\n",
            "line 5: vertex 3 lists 1, but vertex 1 (line 2) does not list 3");
    refuses("metis", "3 2\n2 3\n1\n2\n", "line 2: vertex 1 lists 3, but vertex 3 (line 4)");
    refuses("metis", "2 1 1\n2 5\n1 6\n", "lines 2 and 3 give the edge of vertices 1 and 2");
    refuses("metis", "2 2\n2 2\n1 1\n", "line 2: vertex 1 lists 2 twice");
    refuses("metis", "3 2\n2\n1 4\n2\n", "line 3: neighbour 2");
    refuses("metis", "3 2\n2\n1 3\n", "2 of 3 vertices");
    refuses("metis", "1 0\n\n5\n", "line 3: is behind the last");
    refuses("metis", "4000000000 1\n2\n1\n", "2 of 4000000000 vertices");
}

static void check_modules(void)
{
    takes("clu", "# node module flow\n0 1 .5\n1 2 .25\n2 1 .25\n", 3, 6);
    takes("clu", "1\n0\n1\n", 3, 6);
    takes("clu", "*Vertices 2\n4\n4\n", 2, 4);
    takes("clu", "0 7\n1 99999999999\n", 2, 5);
    refuses("clu", "", "holds no vertex");
    refuses("clu", "1 1\n2 1\n", "vertex 2 is too large; there are 2");
    refuses("clu", "0 1\n2 1\n3 4\n", "vertex 3 is too large");
    refuses("clu", "0 1\n0 2\n", "vertex 0 is there twice");
    refuses("clu", "0 1\n1\n", "line 2: has 1 columns");
    refuses("clu", "0 1 2 3\n", "line 1: should be");
    refuses("clu", "0 -1\n", "line 1: should be");

    takes("mcl", "0\t1\n2\n", 3, 6);
    refuses("mcl", "0\ta\n", "line 1: 'a' is not the id of a vertex");

    takes("tree", "# path flow name node_id\n1:1 .5 \"a b\" 1\n1:2 .5 \"c\" 0\n2 0 \"x\" 2\n"
          "*Links undirected\njunk\n", 3, 5);
    takes("tree", "1:1 0.5 \"0\"\n1:2 0.5 \"1\"\n", 2, 4);
    takes("tree", "1:1 0.5 \"a\" 9 1\n1:2 0.5 \"b\" 8 0\n", 2, 4);
    takes("tree", "7:1 1 \"a \"quoted\" name\" 0\n", 1, 3);
    refuses("tree", "", "holds no vertex");
    refuses("tree", "1:1 0 \"a\" 0\n1:1 0 \"b\" 1\n", "the path of vertex");
    refuses("tree", "1:1 0 \"a\" 0\n1:1:2 0 \"b\" 1\n", "the path of vertex 0");
    refuses("tree", "1:1 0 \"a\" 0\n1:2 0 \"b\" 0\n", "vertex 0 is there twice");
    refuses("tree", "1:1 0 \"a\" 1\n1:2 0 \"b\" 2\n", "vertex 2 is too large");
    refuses("tree", "1:1 0 \"a\n", "line 1: the name is missing");
    refuses("tree", "1: 0 \"a\" 1\n", "line 1: should start with a path");
    refuses("tree", "1:1 \"a\" 1\n", "a flow and a name");

    takes("parents", "0 -1 -1\n1 0 0\n", 1, 2);
    takes("parents", "# any order\n9\t7\t0\n7\t-1\t-1\n8\t7\t1\n", 2, 3);
    refuses("parents", "", "holds no tree");
    refuses("parents", "0 -1 -1\n1 -1 -1\n", "nodes 0 and 1 are both roots");
    refuses("parents", "0 1 -1\n1 0 -1\n", "there is no root");
    refuses("parents", "0 -1 -1\n1 0 0\n2 3 -1\n3 2 -1\n", "node 2 is on or below a cycle");
    refuses("parents", "0 -1 -1\n1 5 0\n", "node 1: its parent 5 is not there");
    refuses("parents", "0 -1 -1\n1 0 0\n1 0 1\n", "node 1 is there twice");
    refuses("parents", "0 -1 -1\n1 0 0\n2 0 0\n", "vertex 0 is there twice");
    refuses("parents", "0 -1 -1\n1 0 0\n2 0 2\n", "vertex 2 is too large");
    refuses("parents", "0 -1 -1\n1 0 -1\n2 0 0\n", "node 1 has no vertex and no children");
    refuses("parents", "0 -1 -1\n1 0 0\n2 1 1\n", "node 1 has vertex 0, but is not a leaf");
    refuses("parents", "0 -1 0\n", "node 0 has vertex 0, but is the root");
    refuses("parents", "0 -1 -1 4\n", "line 1: should be node");
}

/* Whatever becomes of a file, an import ends in a sound stream or in a line of text. */
static void import_damaged(const char *format, const char *data, size_t len)
{
    struct se_import in = { .keep_loops = true };
    struct se_stream s = SE_STREAM_INIT;
    struct se_err err = SE_ERR_INIT;

    write_file(data, len);
    if (import_with(format, &in, &s, &err) == 0)
        CHECK(se_stream_check(&s, &err) == 0);
    else
        CHECK(err.text[0] != '\0' && !strchr(err.text, '\n'));
    se_stream_release(&s);
}

static void check_damage(const char *format, const char *text)
{
    static const char others[] = { '\0', '\n', ' ', '\t', '0', '9', '-', ':', '"', 'x', '#',
                                   '*', '%', ',', '\r', (char)0xff };
    const size_t len = strlen(text);
    char *copy = strdup(text);

    for (size_t i = 0; i < len; i++)
        import_damaged(format, text, i);
    for (size_t i = 0; i < len; i++) {
        for (size_t k = 0; k < sizeof others; k++) {
            copy[i] = others[k];
            import_damaged(format, copy, len);
        }
        copy[i] = text[i];
    }
    free(copy);
}

/* Noise that looks like the format, made of its own pieces. */
static void check_noise(const char *format, const char *const *piece, size_t pieces)
{
    for (uint64_t seed = 0; seed < 300; seed++) {
        char text[400] = "";
        struct se_rng r;

        se_rng_init(&r, seed, SE_RNG_TEST, 7);
        for (uint64_t i = se_rng_below(&r, 40); i > 0; i--)
            strcat(text, piece[se_rng_below(&r, pieces)]);
        import_damaged(format, text, strlen(text));
    }
}

static void check_all_damage(void)
{
    static const char *const piece[] = { "0", "1", "2", " ", "\t", "\n", "\n", "-1", "a", "\"",
                                         ":", ".5", "*", "1:2", ",", "#", "4294967295" };
    static const char *const all[] = { "edges", "mtx", "metis", "clu", "mcl", "tree",
                                       "parents" };

    check_damage("edges", "# x\n0\t1\t2.5\n1\t12\t1e1\n3\t0\t1\n");
    check_damage("edges", "from,to\na,\"b c\"\nc,0\n");
    check_damage("mtx", MTX "real general\n3 3 2\n1 2 1.5\n3 1 2\n");
    check_damage("metis", "4 3 011 1\n5 2 1 3 2\n4 1 1\n3 1 2 4 1\n9 3 1\n");
    check_damage("clu", "# node module flow\n0 1 0.5\n2 1 0.25\n1 2 0.25\n");
    check_damage("clu", "*Vertices 3\n0\n1\n1\n");
    check_damage("mcl", "0\t2\n1\t3\n4\n");
    check_damage("tree", "# path\n1:1:1 0.5 \"0\" 0\n1:2 0.25 \"1\" 2\n2:1 0.25 \"2\" 1\n*L\n");
    check_damage("parents", "0\t-1\t-1\n1\t0\t-1\n2\t1\t1\n3\t1\t0\n4\t0\t2\n");
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        check_noise(all[i], piece, sizeof piece / sizeof piece[0]);
}

static void detected(const char *name, const char *text, const char *expected)
{
    struct se_err err = SE_ERR_INIT;
    const struct se_format *f;
    char other[64];

    snprintf(other, sizeof other, "%s%s", path, name);
    write_file(text, strlen(text));
    CHECK(rename(path, other) == 0);
    f = se_format_detect(other, &err);
    if (strcmp(f ? f->name : "none", expected) != 0) {
        printf("# %s: %s, not %s\n", name, f ? f->name : "none", expected);
        unit_bad++;
    }
    CHECK(rename(other, path) == 0);
}

static void check_detect(void)
{
    struct se_err err = SE_ERR_INIT;

    detected(".tsv", "a\tb\n", "edges");
    detected(".csv", "0,1\n", "edges");
    detected("", "# c\n0 1\n", "edges");
    detected(".dat", "hello\n", "none");
    detected(".dat", MTX "real general\n", "mtx");
    detected(".graph", "3 2\n2\n1 3\n2\n", "metis");
    detected(".metis", "%\n3 2\n", "metis");
    detected(".clu", "0 1\n", "clu");
    detected(".graph.part.4", "0\n1\n", "clu");
    detected(".tree", "1:1 1 \"a\" 0\n", "tree");
    detected(".dat", "# path flow name node_id\n", "tree");
    detected(".parents", "0\t-1\t-1\n", "parents");
    detected(".tsv", "0\t-1\t-1\n1\t0\t0\n", "parents");
    CHECK(!se_format_detect("-", &err) && strstr(err.text, "-f"));
    CHECK(!se_format_detect("/nowhere/at/all", &err));
}

int main(void)
{
    if (!file_begin())
        return 1;
    for (uint64_t seed = 0; seed < 300; seed++)
        check_graphs(seed);
    unit_ok("graphs come back from edges, mtx and metis");
    for (uint64_t seed = 0; seed < 300; seed++)
        check_trees(seed);
    unit_ok("trees come back from tree, parents, clu and mcl");
    for (uint64_t seed = 0; seed < 100; seed++)
        check_shuffled_parents(seed);
    unit_ok("parents in any order");
    check_order();
    unit_ok("children in the order that their format gives them");
    check_deep();
    unit_ok("a chain of a million nodes");
    check_matrices();
    unit_ok("matrices and adjacency lists, right and wrong");
    check_modules();
    unit_ok("modules and trees, right and wrong");
    check_detect();
    unit_ok("formats are told apart");
    check_all_damage();
    unit_ok("damaged files");
    return file_done();
}
