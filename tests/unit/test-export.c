/* test-export.c - the text of the exporters, byte by byte, on streams made here */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/graph/entropy.h"
#include "formats/formats.h"
#include "tests/unit/unit.h"

/* The export as a string to free, or NULL with `err` set. */
static char *export(const char *format, const struct se_export *ex, struct se_stream *s,
                    struct se_err *err)
{
    const struct se_format *f = se_format_find(format);
    FILE *file = tmpfile();
    struct se_out out;
    char *text = NULL;
    long len;

    if (!f || !f->export || !file || se_out_init(&out, fileno(file), err) < 0)
        abort();
    if (f->export(ex, s, &out, err) == 0 && se_out_flush(&out, err) == 0) {
        fseek(file, 0, SEEK_END);
        len = ftell(file);
        rewind(file);
        text = calloc((size_t)len + 1, 1);
        if (fread(text, 1, (size_t)len, file) != (size_t)len)
            abort();
    } else {
        CHECK(out.len == 0);                    /* nothing goes out before all is checked */
    }
    se_out_release(&out);
    fclose(file);
    return text;
}

static bool gives(const char *format, const struct se_export *ex, struct se_stream *s,
                  const char *want)
{
    struct se_err err = SE_ERR_INIT;
    char *text = export(format, ex, s, &err);
    const bool same = text && strcmp(text, want) == 0;

    if (!same)
        printf("# %s gives:\n%s\n# not:\n%s\n", format, text ? text : err.text, want);
    free(text);
    return same;
}

static bool refuses(const char *format, const struct se_export *ex, struct se_stream *s,
                    const char *why)
{
    struct se_err err = SE_ERR_INIT;
    char *text = export(format, ex, s, &err);
    const bool ok = !text && err.code == SE_EINPUT && strstr(err.text, why);

    if (!ok)
        printf("# %s: %s\n", format, text ? text : err.text);
    free(text);
    return ok;
}

/* The path 0 - 1 - 2 and the loop 3 - 3; tree ((0,1),2,3). */
static const uint64_t off[5] = { 0, 1, 2, 2, 2 };
static const uint32_t to[2] = { 1, 2 }, loop[1] = { 3 };
static const float weight[2] = { 0.5f, 2 }, loop_weight[1] = { 0.25f };
static const uint32_t parent[6] = { SE_NONE, 0, 1, 1, 0, 0 };
static const uint32_t vertex[6] = { SE_NONE, SE_NONE, 0, 1, 2, 3 };
static const int32_t label[4] = { 1, 0, -1, 12 }, predicted[4] = { 1, 1, 0, -1 };
static const float confidence[4] = { 0.75f, 0.5f, 0.1f, 0 };
static const uint8_t part[8] = { 1, 2, 3, 0, 3, 3, 1, 2 };

static const struct se_graph plain = { 4, 2, 1, off, to, NULL, loop, NULL };
static const struct se_graph weighted = { 4, 2, 1, off, to, weight, loop, loop_weight };
static const struct se_tree tree = { 4, 6, parent, vertex };

static void put_graph(struct se_stream *s)
{
    struct se_err err = SE_ERR_INIT;

    CHECK(se_graph_put(&plain, s, SE_GRAPH, NULL, &err) == 0);
}

static void put_all(struct se_stream *s)
{
    /* every sign that some format treats in its own way, broken UTF-8 among them */
    static const char text[] = "a<b>&\"c\"" "it's\\n\n" "\xc3\xa9\xff\x01" "x_y";
    static const uint64_t name_off[5] = { 0, 8, 15, 19, 22 };
    static const char classes[] = "good\0b&d\0c2\0c3\0c4\0c5\0c6\0c7\0c8\0c9\0c10\0c11\0last";
    const struct se_labels l = { 4, 13, label, classes, sizeof classes };
    const struct se_predictions p = { 4, predicted, confidence };
    const struct se_splits splits = { 4, 2, part };
    const struct se_names names = { 4, name_off, text };
    struct se_err err = SE_ERR_INIT;

    put_graph(s);
    CHECK(se_graph_put(&weighted, s, SE_FUSED, NULL, &err) == 0);
    CHECK(se_tree_put(&tree, s, SE_FUSED, &err) == 0);
    CHECK(se_labels_put(&l, s, &err) == 0);
    CHECK(se_predictions_put(&p, s, &err) == 0);
    CHECK(se_splits_put(&splits, s, &err) == 0);
    CHECK(se_names_put(&names, s, &err) == 0);
    CHECK(se_stats_set(s, "tree.h", 0.1, &err) == 0);
    CHECK(se_stats_set(s, "kselect.k", 3, &err) == 0);
}

static void test_tables(void)
{
    static const uint32_t id[4] = { 2, 3, 0, 1 };
    static const float similarity[4] = { 1, 0.1f, -0.5f, -1 };
    static const float row[6] = { 1, 2, 0.1f, -3e-10f, 0, 1e20f };
    const struct se_export ex = { .section = SE_GRAPH }, second = { .split = 1 };
    const struct se_knn k = { .n = 4, .k = 2, .first = 1, .last = 3, .metric = SE_PCC,
                        .on = SE_EMBEDDING, .id = id, .similarity = similarity };
    const struct se_embedding e = { 3, 2, row };
    const struct se_labels odd = { 3, 1, (const int32_t[3]){ 0, 0, -1 }, "a\tb", 4 };
    struct se_stream s = SE_STREAM_INIT, other = SE_STREAM_INIT;
    struct se_err err = SE_ERR_INIT;

    CHECK(se_embedding_put(&e, &other, &err) == 0);
    CHECK(gives("embedding", &ex, &other,
                "1\t2\n0.100000001\t-2.99999997e-10\n0\t1.00000002e+20\n"));
    put_all(&s);
    CHECK(se_knn_put(&k, &s, &err) == 0);
    CHECK(gives("knn", &ex, &s, "1\t2\t1\n1\t3\t0.100000001\n2\t0\t-0.5\n2\t1\t-1\n"));
    CHECK(se_labels_put(&odd, &other, &err) == 0);
    CHECK(refuses("classes", &ex, &other, "has a tab or a line end in it"));
    CHECK(gives("classes", &ex, &s, "0\tgood\t1\n1\tb&d\t1\n2\tc2\t0\n3\tc3\t0\n"
                "4\tc4\t0\n5\tc5\t0\n6\tc6\t0\n7\tc7\t0\n8\tc8\t0\n9\tc9\t0\n10\tc10\t0\n"
                "11\tc11\t0\n12\tlast\t1\n"));
    CHECK(gives("stats", &ex, &s, "tree.h\t0.1\nkselect.k\t3\n"));
    CHECK(gives("predictions", &ex, &s, "0\t1\t1\t0.75\ttrain\n1\t0\t1\t0.5\tval\n"
                "2\t-1\t0\t0.100000001\ttest\n3\t12\t-1\t0\tnone\n"));
    CHECK(gives("predictions", &second, &s, "0\t1\t1\t0.75\ttest\n1\t0\t1\t0.5\ttest\n"
                "2\t-1\t0\t0.100000001\ttrain\n3\t12\t-1\t0\tval\n"));
    se_stream_drop(&s, SE_SPLITS);
    se_stream_drop(&s, SE_LABELS);
    CHECK(gives("predictions", &ex, &s, "0\t-1\t1\t0.75\tnone\n1\t-1\t1\t0.5\tnone\n"
                "2\t-1\t0\t0.100000001\tnone\n3\t-1\t-1\t0\tnone\n"));
    se_stream_release(&s);
    se_stream_release(&other);
}

static void test_tree(void)
{
    const struct se_export ex = { .section = SE_TREE }, named = { .section = SE_TREE,
                                                                  .names = true };
    struct se_stream s = SE_STREAM_INIT;

    put_all(&s);
    CHECK(gives("newick", &ex, &s, "((0,1),2,3);\n"));
    CHECK(gives("newick", &named, &s, "(('a<b>&\"c\"','it''s\\n\xef\xbf\xbd'),"
                "'\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd','x_y');\n"));
    CHECK(gives("json", &ex, &s, "{\"id\":0,\"children\":[{\"id\":1,\"children\":["
                "{\"id\":2,\"vertex\":0},{\"id\":3,\"vertex\":1}]},{\"id\":4,\"vertex\":2},"
                "{\"id\":5,\"vertex\":3}]}\n"));
    CHECK(gives("dot", &named, &s,
                "digraph {\n  graph [ ordering=out ];\n"
                "  node [ shape=circle style=filled fillcolor=white ];\n"
                "  edge [ arrowhead=none ];\n"
                "  0 [ shape=point ];\n"
                "  1 [ shape=point ];\n  0 -> 1;\n"
                "  2 [ label=\"a<b>&amp;\\\"c\\\"\" fillcolor=\"#8ecae6\" tooltip=\"b&amp;d\" "
                "predicted=\"b&amp;d\" ];\n"
                "  1 -> 2;\n"
                "  3 [ label=\"it's\\\\n\\n\" fillcolor=\"#f4a261\" tooltip=\"good\" "
                "predicted=\"b&amp;d\" ];\n"
                "  1 -> 3;\n"
                "  4 [ label=\"\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd\" predicted=\"good\" ];\n  0 -> 4;\n"
                "  5 [ label=\"x_y\" fillcolor=\"#f4a261\" tooltip=\"last\" ];\n  0 -> 5;\n"
                "}\n"));
    se_stream_release(&s);
}

static void test_graph(void)
{
    const struct se_export ex = { .section = SE_GRAPH }, fused = { .section = SE_FUSED,
                                                                   .split = 1 };
    struct se_stream s = SE_STREAM_INIT;

    put_graph(&s);
    CHECK(gives("dot", &ex, &s, "graph {\n  graph [ outputorder=edgesfirst ];\n"
                "  node [ shape=circle style=filled fillcolor=white ];\n"
                "  0 [ ];\n  1 [ ];\n  2 [ ];\n  3 [ ];\n"
                "  0 -- 1;\n  1 -- 2;\n  3 -- 3;\n}\n"));
    CHECK(gives("json", &ex, &s, "{\"vertices\":4,\n\"weighted\":false,\n"
                "\"edges\":[[0,1,1],[1,2,1],[3,3,1]]}\n"));
    put_all(&s);
    CHECK(gives("json", &fused, &s, "{\"vertices\":4,\n\"weighted\":true,\n"
                "\"edges\":[[0,1,0.5],[1,2,2],[3,3,0.25]],\n"
                "\"names\":[\"a<b>&\\\"c\\\"\",\"it's\\\\n\\u000a\",\"\xc3\xa9\\ufffd\\u0001\","
                "\"x_y\"],\n\"labels\":[1,0,-1,12],\n"
                "\"class_names\":[\"good\",\"b&d\",\"c2\",\"c3\",\"c4\",\"c5\",\"c6\",\"c7\","
                "\"c8\",\"c9\",\"c10\",\"c11\",\"last\"],\n"
                "\"split\":1,\n\"parts\":[\"test\",\"test\",\"train\",\"val\"],\n"
                "\"predicted\":[1,1,0,-1],\n\"confidence\":[0.75,0.5,0.100000001,0],\n"
                "\"tree\":{\"id\":0,\"children\":[{\"id\":1,\"children\":["
                "{\"id\":2,\"vertex\":0},{\"id\":3,\"vertex\":1}]},{\"id\":4,\"vertex\":2},"
                "{\"id\":5,\"vertex\":3}]},\n"
                "\"stats\":{\"tree.h\":0.1,\"kselect.k\":3}}\n"));
    CHECK(gives("graphml", &fused, &s, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">\n"
                "  <key id=\"name\" for=\"node\" attr.name=\"name\" attr.type=\"string\"/>\n"
                "  <key id=\"label\" for=\"node\" attr.name=\"label\" attr.type=\"int\"/>\n"
                "  <key id=\"class\" for=\"node\" attr.name=\"class\" attr.type=\"string\"/>\n"
                "  <key id=\"predicted\" for=\"node\" attr.name=\"predicted\""
                " attr.type=\"int\"/>\n"
                "  <key id=\"confidence\" for=\"node\" attr.name=\"confidence\""
                " attr.type=\"double\"/>\n"
                "  <key id=\"part\" for=\"node\" attr.name=\"part\" attr.type=\"string\"/>\n"
                "  <key id=\"module\" for=\"node\" attr.name=\"module\" attr.type=\"int\"/>\n"
                "  <key id=\"weight\" for=\"edge\" attr.name=\"weight\" attr.type=\"double\"/>\n"
                "  <graph edgedefault=\"undirected\">\n"
                "    <node id=\"0\"><data key=\"name\">a&lt;b&gt;&amp;&quot;c&quot;</data>"
                "<data key=\"label\">1</data><data key=\"class\">b&amp;d</data>"
                "<data key=\"predicted\">1</data><data key=\"confidence\">0.75</data>"
                "<data key=\"part\">test</data>"
                "<data key=\"module\">0</data></node>\n"
                "    <node id=\"1\"><data key=\"name\">it's\\n&#10;</data>"
                "<data key=\"label\">0</data><data key=\"class\">good</data>"
                "<data key=\"predicted\">1</data><data key=\"confidence\">0.5</data>"
                "<data key=\"part\">test</data>"
                "<data key=\"module\">0</data></node>\n"
                "    <node id=\"2\"><data key=\"name\">\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd</data>"
                "<data key=\"predicted\">0</data><data key=\"confidence\">0.100000001</data>"
                "<data key=\"part\">train</data>"
                "<data key=\"module\">1</data></node>\n"
                "    <node id=\"3\"><data key=\"name\">x_y</data><data key=\"label\">12</data>"
                "<data key=\"class\">last</data><data key=\"part\">val</data>"
                "<data key=\"module\">2</data></node>\n"
                "    <edge source=\"0\" target=\"1\"><data key=\"weight\">0.5</data></edge>\n"
                "    <edge source=\"1\" target=\"2\"><data key=\"weight\">2</data></edge>\n"
                "    <edge source=\"3\" target=\"3\"><data key=\"weight\">0.25</data></edge>\n"
                "  </graph>\n</graphml>\n"));
    se_stream_release(&s);
}

/* V of {0,1} is 3, of all 5.5; 2 leaves it.  Numbers below are log2 by hand. */
static void test_nodes(void)
{
    const struct se_export ex = { .section = 0 }, graph = { .section = SE_GRAPH };
    struct se_stream s = SE_STREAM_INIT;
    struct se_err err = SE_ERR_INIT;
    double h[6], down[6];
    char *text;

    put_all(&s);
    text = export("nodes", &ex, &s, &err);
    CHECK(text && strncmp(text, "node\tparent\tlevel\tsize\tV\tg\tH\tdeduction\tvertex\n"
                          "0\t-1\t0\t4\t5.5\t0\t0\t0\t-1\n1\t0\t1\t2\t3\t2\t", 70) == 0);
    if (text) {
        char *at = strchr(text, '\n') + 1;

        for (int i = 0; i < 6; i++, at = strchr(at, '\n') + 1)
            CHECK(sscanf(at, "%*s %*s %*s %*s %*s %*s %lf %lf", &h[i], &down[i]) == 2);
        CHECK_NEAR(h[1], 2 / 5.5 * log2(5.5 / 3), 1e-15);
        CHECK_NEAR(h[2], 0.5 / 5.5 * log2(3 / 0.5), 1e-15);
        CHECK_NEAR(h[3], 2.5 / 5.5 * log2(3 / 2.5), 1e-15);
        CHECK_NEAR(h[4], 2 / 5.5 * log2(5.5 / 2), 1e-15);
        CHECK(h[0] == 0 && h[5] == 0 && down[0] == 0 && down[5] == 0);
        CHECK_NEAR(down[2], h[1] + h[2], 1e-15);
        CHECK_NEAR(down[4], h[4], 0);
    }
    free(text);
    text = export("nodes", &graph, &s, &err);   /* without weights */
    CHECK(text && strstr(text, "\n0\t-1\t0\t4\t6\t0\t0\t0\t-1\n1\t0\t1\t2\t3\t1\t"));
    free(text);
    se_stream_drop(&s, SE_TREE);
    CHECK(refuses("nodes", &ex, &s, "no tree section; make one with se-tree"));
    se_stream_release(&s);
}

static void test_missing(void)
{
    static const char *const need[][2] = {
        { "knn", "no knn section" }, { "embedding", "no embedding section" },
        { "predictions", "no predictions section" }, { "classes", "no labels section" }, { "stats", "no stats section" },
        { "newick", "no tree section" }, { "nodes", "no tree section" }
    };
    const struct se_export ex = { .section = SE_GRAPH }, fused = { .section = SE_FUSED };
    const struct se_export tree_of = { .section = SE_TREE }, third = { .section = SE_GRAPH,
                                                                       .split = 2 };
    static const uint32_t up[4] = { SE_NONE, 0, 0, 0 }, leaf[4] = { SE_NONE, 0, 1, 2 };
    static const int32_t few[3] = { 0, 0, 0 };
    const struct se_tree small = { 3, 4, up, leaf };
    const struct se_labels l = { 3, 1, few, NULL, 0 };
    struct se_stream s = SE_STREAM_INIT;
    struct se_err err = SE_ERR_INIT;

    put_graph(&s);
    for (size_t i = 0; i < sizeof need / sizeof need[0]; i++)
        CHECK(refuses(need[i][0], &ex, &s, need[i][1]));
    CHECK(refuses("dot", &fused, &s, "no fused section; make one with se-kselect"));
    CHECK(refuses("graphml", &fused, &s, "no fused section"));
    CHECK(refuses("json", &fused, &s, "no fused section"));
    CHECK(refuses("dot", &tree_of, &s, "no tree section; make one with se-tree"));
    CHECK(refuses("json", &tree_of, &s, "no tree section; make one with se-tree"));
    CHECK(refuses("json", &third, &s, "there is no split 2; the stream has 0"));
    put_all(&s);
    CHECK(refuses("json", &third, &s, "there is no split 2; the stream has 2"));
    CHECK(refuses("predictions", &third, &s, "there is no split 2"));
    CHECK(se_labels_put(&l, &s, &err) == 0);    /* of another graph */
    CHECK(refuses("json", &ex, &s, "labels: has 3 vertices, but graph has 4"));
    CHECK(se_tree_put(&small, &s, 0, &err) == 0);
    CHECK(refuses("nodes", &ex, &s, "the tree has 3 vertices and the graph 4"));
    CHECK(refuses("graphml", &ex, &s, "labels: has 3 vertices"));
    se_stream_release(&s);
}

/* A tree far deeper than any stack: written without recursion. */
static void test_deep(void)
{
    enum { N = 200000 };
    uint32_t *up = malloc(2 * N * sizeof *up), *leaf = malloc(2 * N * sizeof *leaf), c = 0;
    const struct se_export ex = { .section = SE_TREE };
    const struct se_tree t = { N, 2 * N, up, leaf };
    struct se_stream s = SE_STREAM_INIT;
    struct se_err err = SE_ERR_INIT;
    char *newick, *json;
    size_t open = 0, close = 0;

    for (uint32_t v = 0; v < N; v++) {
        up[c] = v ? c - 2 : SE_NONE;
        leaf[c++] = SE_NONE;
        up[c] = c - 1;
        leaf[c++] = v;
    }
    CHECK(se_tree_put(&t, &s, 0, &err) == 0);
    newick = export("newick", &ex, &s, &err);
    json = export("json", &ex, &s, &err);
    CHECK(newick && json && strncmp(newick, "(0,(1,(2,", 9) == 0);
    for (const char *p = newick; p && *p; p++) {
        open += *p == '(';
        close += *p == ')';
    }
    CHECK(open == N && close == N);
    free(newick);
    free(json);
    free(up);
    free(leaf);
    se_stream_release(&s);
}

int main(void)
{
    test_tables();
    unit_ok("export: knn, embedding, predictions, stats");
    test_tree();
    unit_ok("export: newick, json and dot of a tree");
    test_graph();
    unit_ok("export: dot, json and graphml of a graph");
    test_nodes();
    unit_ok("export: nodes");
    test_missing();
    unit_ok("export: missing or foreign sections are refused before any output");
    test_deep();
    unit_ok("export: a tree 200000 levels deep");
    return unit_done();
}
