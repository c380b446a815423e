/* test-folders.c - geomgcn and musae folders, and the JSON reader: right and damaged */
#include "common/base/rng.h"
#include "formats/internal.h"
#include "formats/jsonread.h"
#include "tests/unit/damage.h"
#include "tests/unit/unit.h"

extern const struct se_format se_format_geomgcn, se_format_musae;

static struct se_err err;
static const char *folder;

static void write_text(const char *name, const char *text)
{
    char path[320];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    write_file(path, text, strlen(text));
}

static int import(const struct se_format *format, bool keep_loops, struct se_stream *s)
{
    struct se_import in = { .path = folder, .keep_loops = keep_loops };

    err.text[0] = '\0';
    return format->import(&in, s, &err);
}

/* The value of column j of vertex v. */
static float feature(const struct se_features *f, uint64_t v, uint64_t j)
{
    if (f->dense)
        return f->dense[v * f->d + j];
    for (uint64_t i = f->off[v]; i < f->off[v + 1]; i++)
        if (f->col[i] == j)
            return f->value ? f->value[i] : 1;
    return 0;
}

static const char edges_text[] = "node_id\tnode_id\n0\t1\n1\t0\n2\t2\n1\t2\n",
                  dense_text[] = "node_id\tfeature\tlabel\n2\t0,2.5,0\t1\n0\t1,0,0\t-1\n"
                                 "1\t0,0,0\t0\n",
                  lists_text[] = "node_id\tfeature(feature_amount:9)\tlabel\n2\t9,0,9\t1\n"
                                 "0\t\t0\n1\t3\t0\n";

static void test_geomgcn(void)
{
    struct se_stream s = SE_STREAM_INIT;
    struct se_features f;
    struct se_labels l;
    struct se_graph g;

    write_text("out1_graph_edges.txt", edges_text);
    write_text("out1_node_feature_label.txt", dense_text);
    CHECK(import(&se_format_geomgcn, true, &s) == 0 && se_stream_check(&s, &err) == 0);
    CHECK(se_graph_get(&g, &s, SE_GRAPH, &err) == 0 && g.n == 3 && g.m == 2 && g.loops == 1);
    CHECK(se_labels_get(&l, &s, &err) == 0 && l.classes == 2);
    CHECK(l.label[0] == -1 && l.label[1] == 0 && l.label[2] == 1);
    CHECK(se_features_get(&f, &s, &err) == 0 && f.d == 3);
    CHECK(feature(&f, 0, 0) == 1 && feature(&f, 2, 1) == 2.5f && feature(&f, 1, 0) == 0);
    se_stream_release(&s);

    write_text("out1_node_feature_label.txt", lists_text);
    CHECK(import(&se_format_geomgcn, false, &s) == 0 && se_stream_check(&s, &err) == 0);
    CHECK(se_graph_get(&g, &s, SE_GRAPH, &err) == 0 && g.m == 2 && g.loops == 0);
    CHECK(se_features_get(&f, &s, &err) == 0 && f.d == 10);
    CHECK(feature(&f, 2, 9) == 1 && feature(&f, 2, 0) == 1 && feature(&f, 1, 3) == 1);
    CHECK(feature(&f, 0, 0) == 0);
    se_stream_release(&s);
    CHECK(se_format_geomgcn.detect(folder, NULL, 0) > 0);
    unit_ok("geomgcn: values and lists of columns");
}

static const char musae_edges[] = "from,to\n0,1\n2,1\n",
                  musae_features[] = "{\"2\": [5, 0, 5], \"0\": [], \"1\":[3]}",
                  musae_target[] = "id,days,mature,views,partner,new_id\n7,1,True,2,False,2\n"
                                   "8,1,False,2,False,0\n9,1,True,2,False,1\n";

static void write_musae(void)
{
    write_text("musae_XX_edges.csv", musae_edges);
    write_text("musae_XX_features.json", musae_features);
    write_text("musae_XX_target.csv", musae_target);
}

static void test_musae(void)
{
    struct se_stream s = SE_STREAM_INIT;
    struct se_features f;
    struct se_labels l;
    struct se_graph g;

    write_musae();
    CHECK(import(&se_format_musae, false, &s) == 0 && se_stream_check(&s, &err) == 0);
    CHECK(se_graph_get(&g, &s, SE_GRAPH, &err) == 0 && g.n == 3 && g.m == 2);
    CHECK(se_labels_get(&l, &s, &err) == 0 && l.classes == 2);
    CHECK(l.label[0] == 0 && l.label[1] == 1 && l.label[2] == 1);
    CHECK(se_features_get(&f, &s, &err) == 0 && f.d == 6);
    CHECK(feature(&f, 2, 5) == 2 && feature(&f, 2, 0) == 1 && feature(&f, 1, 3) == 1);
    se_stream_release(&s);
    CHECK(se_format_musae.detect(folder, NULL, 0) > se_format_geomgcn.detect(folder, NULL, 0));
    unit_ok("musae: columns that occur twice count two");
}

static void refuse(const struct se_format *format, const char *name, const char *text,
                   const char *why)
{
    struct se_stream s = SE_STREAM_INIT;

    write_text(name, text);
    if (import(format, false, &s) == 0) {
        printf("# was taken: %s\n", text);
        CHECK(false);
    } else if (!strstr(err.text, why)) {
        printf("# \"%s\" instead of \"%s\"\n", err.text, why);
        CHECK(false);
    }
    se_stream_release(&s);
}

static void test_faults(void)
{
    static const char vertices[] = "out1_node_feature_label.txt", edges[] = "out1_graph_edges.txt";
    static const struct {
        const char *file, *text, *why;
    } cases[] = {
        { vertices, "", "no vertices" },
        { vertices, "node_id\tfeature\tlabel\n", "no vertices" },
        { vertices, "0\t1\t1\n", "line 1: a header" },
        { vertices, "h\n0\t1\t0\n1\t1\n", "line 3: vertex, features and label" },
        { vertices, "h\n0\t1\t0\n2\t1\t0\n1\t1\tx\n", "line 4: label 'x'" },
        { vertices, "h\n0\t1\t0\n3\t1\t0\n1\t1\t0\n", "line 3: vertex 3" },
        { vertices, "h\n0\t1\t0\n1\t1\t0\n1\t1\t0\n", "line 4: vertex 1 was there" },
        { vertices, "h\n0\t1,2\t0\n1\t1,nan\t0\n", "line 3: feature 1 is not a number" },
        { vertices, "h\n0\t1,1e99\t0\n1\t1,2\t0\n", "line 2: feature 1 is not a number" },
        { vertices, "h\n0\t1,2\t0\n1\t1.5\t0\n", "a comma was expected" },
        { vertices, "h\n0\t1\t0\n1\t1\t0\n2\t1\t4000000000\n", "label '4000000000'" },
        { vertices, "h\n0\t1\t0\n1\t1\t0\n2\t1\t2000000000\n", "classes for 3 vertices" },
        { edges, "0\t1\n", "line 1: a header" },
        { edges, "h\n0\t1\n0 1\n", "line 3: two vertices" },
        { edges, "h\n0\t3\n", "line 2: vertex 3 is not one of the 3" },
        { edges, "h\n0\t4294967295\n", "line 2: vertex 4294967295" },
        { edges, "h\n0\t99999999999999999999\n", "line 2: two vertices" },
        { edges, "", "is empty" }
    };
    static const struct {
        const char *file, *text, *why;
    } more[] = {
        { "musae_XX_target.csv", "", "no vertices" },
        { "musae_XX_target.csv", "a,b,new_id\n", "which column holds the class?" },
        { "musae_XX_target.csv", "a,b\n", "no column new_id or id" },
        { "musae_XX_target.csv", "mature,new_id\nTrue,0\nTrue\n", "line 3: 1 fields" },
        { "musae_XX_target.csv", "mature,new_id\nTrue,x\n", "line 2: id 'x'" },
        { "musae_XX_edges.csv", "from,to\n0\t1\n", "line 2: two vertices" },
        { "musae_XX_features.json", "", "cut short" },
        { "musae_XX_features.json", "[]", "an object" },
        { "musae_XX_features.json", "{\"3\": [1]}", "not one of the vertices" },
        { "musae_XX_features.json", "{\"1\": [1], \"1\": [1]}", "occurs twice" },
        { "musae_XX_features.json", "{\"1\": [-1]}", "whole number" },
        { "musae_XX_features.json", "{\"1\": [1.5]}", "whole number" },
        { "musae_XX_features.json", "{\"1\": [4294967295]}", "whole number" },
        { "musae_XX_features.json", "{\"1\": [[1]]}", "a list of columns" },
        { "musae_XX_features.json", "{\"1\": 1}", "a list of columns" },
        { "musae_XX_features.json", "{\"1\": [1]} x", "behind the end" },
        { "musae_XX_features.json", "{\"1\": [1]", "cut short" }
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        write_text(edges, edges_text);
        write_text(vertices, dense_text);
        refuse(&se_format_geomgcn, cases[i].file, cases[i].text, cases[i].why);
    }
    for (size_t i = 0; i < sizeof more / sizeof *more; i++) {
        write_musae();
        refuse(&se_format_musae, more[i].file, more[i].text, more[i].why);
    }
    unit_ok("faults are named with their line");
}

struct damaged {
    const struct se_format *format;
    const char *name;
    int bad;
};

static void import_damaged(void *arg, const unsigned char *data, size_t len)
{
    struct se_stream s = SE_STREAM_INIT;
    struct damaged *x = arg;
    char path[320];

    snprintf(path, sizeof path, "%s/%s", folder, x->name);
    write_file(path, data, len);
    if (import(x->format, true, &s) == 0)
        CHECK(se_stream_check(&s, &err) == 0);
    else
        x->bad += err.text[0] != '\0';
    se_stream_release(&s);
}

static void test_damage(void)
{
    static const struct {
        const struct se_format *format;
        const char *name, *text;
    } cases[] = {
        { &se_format_geomgcn, "out1_node_feature_label.txt", dense_text },
        { &se_format_geomgcn, "out1_node_feature_label.txt", lists_text },
        { &se_format_geomgcn, "out1_graph_edges.txt", edges_text },
        { &se_format_musae, "musae_XX_edges.csv", musae_edges },
        { &se_format_musae, "musae_XX_features.json", musae_features },
        { &se_format_musae, "musae_XX_target.csv", musae_target }
    };
    const long before = peak_memory();

    write_text("out1_graph_edges.txt", edges_text);
    write_musae();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct damaged x = { cases[i].format, cases[i].name, 0 };

        damage_all((const unsigned char *)cases[i].text, strlen(cases[i].text), import_damaged,
                   &x);
        CHECK(x.bad > 20);
        write_text(cases[i].name, cases[i].text);
    }
    CHECK(memory_within(before, 65536));
    unit_ok("damaged folders are refused or harmless");
}

/* The tokens of a text as letters, with the texts of keys, strings and numbers. */
static void tokens(const char *json, char *to)
{
    static const char letter[] = ".{}[]ksntf0";
    enum se_json_token token;
    struct se_json j;

    se_json_init(&j, json, strlen(json));
    while ((token = se_json_next(&j, &err)) > SE_JSON_END) {
        *to++ = letter[token];
        if (token == SE_JSON_KEY || token == SE_JSON_STRING || token == SE_JSON_NUMBER)
            to += sprintf(to, "%.*s,", (int)j.len, j.text);
    }
    strcpy(to, token == SE_JSON_END ? "." : "!");
}

static void test_json(void)
{
    static const char *const cases[][2] = {
        { "1", "n1,." }, { " [ ] ", "[]." }, { "{}", "{}." },
        { "{\"a\":[1,-2.5e+3,\"x\\\"y\"],\"b\":{\"c\":null}}",
          "{ka,[n1,n-2.5e+3,sx\\\"y,]kb,{kc,0}}." },
        { "[true,false]", "[tf]." },
        { "", "!" }, { "[", "[!" }, { "[1", "[n1,!" }, { "[1,", "[n1,!" }, { "[1,]", "[n1,!" },
        { "[,1]", "[!" }, { "{\"a\"}", "{!" }, { "{\"a\":}", "{ka,!" }, { "{1:2}", "{!" },
        { "{\"a\":1,}", "{ka,n1,!" }, { "[1}", "[n1,!" }, { "{\"a\":1]", "{ka,n1,!" },
        { "1 2", "n1,!" }, { "\"abc", "!" }, { "\"a\nb\"", "!" }, { "-", "!" }, { "1.", "!" },
        { "1e", "!" }, { "tru", "!" }, { "]", "!" }
    };
    char got[256], deep[200];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tokens(cases[i][0], got);
        if (strcmp(got, cases[i][1]) != 0) {
            printf("# %s gave %s\n", cases[i][0], got);
            CHECK(false);
        }
    }
    for (int depth = 63; depth <= 65; depth++) {
        memset(deep, '[', (size_t)depth);
        memset(deep + depth, ']', (size_t)depth);
        deep[2 * depth] = '\0';
        tokens(deep, got);
        CHECK((got[strlen(got) - 1] == '.') == (depth <= 64));
    }
    unit_ok("JSON tokens, 64 levels at most");
}

int main(void)
{
    static const char *const files[] = {
        "out1_graph_edges.txt", "out1_node_feature_label.txt", "musae_XX_edges.csv",
        "musae_XX_features.json", "musae_XX_target.csv"
    };

    folder = temp_folder();
    test_geomgcn();
    test_musae();
    test_faults();
    test_damage();
    test_json();
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[320];

        snprintf(path, sizeof path, "%s/%s", folder, files[i]);
        unlink(path);
    }
    rmdir(folder);
    return unit_done();
}
