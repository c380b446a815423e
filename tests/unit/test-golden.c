/* test-golden.c - the golden streams: every field of v1.seg, every fault by its message */
#include <errno.h>

#include "tests/unit/anystream.h"

static const char folder[] = "tests/golden/";

static unsigned char *load(const char *name, size_t *len)
{
    char path[256];
    unsigned char *data = NULL;
    FILE *file;

    snprintf(path, sizeof path, "%s%s", folder, name);
    file = fopen(path, "rb");
    if (!file) {
        printf("# %s: %s (run this from the top of the project)\n", path, strerror(errno));
        exit(1);
    }
    data = calloc(1, 1 << 20);
    *len = data ? fread(data, 1, (1 << 20) - 1, file) : 0;
    fclose(file);
    return data;
}

#define SAME(array, ...)                                                                   \
    CHECK(memcmp(array, (const __typeof__((array)[0])[]){ __VA_ARGS__ },                   \
                 sizeof((const __typeof__((array)[0])[]){ __VA_ARGS__ })) == 0)

static void check_graphs(struct se_stream *s)
{
    struct se_err err = SE_ERR_INIT;
    struct se_graph g = { 0 };

    CHECK(se_graph_get(&g, s, SE_GRAPH, &err) == 0);
    CHECK(g.n == 6 && g.m == 7 && g.loops == 1 && !g.weight && !g.loop_weight);
    SAME(g.off, 0, 2, 3, 4, 6, 7, 7);
    SAME(g.to, 1, 2, 2, 3, 4, 5, 5);
    SAME(g.loop, 4);
    CHECK(se_graph_get(&g, s, SE_FUSED, &err) == 0);
    CHECK(g.n == 6 && g.m == 8 && g.loops == 0 && g.weight && g.loop_weight);
    SAME(g.off, 0, 3, 4, 5, 7, 8, 8);
    SAME(g.to, 1, 2, 5, 2, 3, 4, 5, 5);
    SAME(g.weight, 1.5f, 0.5f, 0.125f, 2, 0.25f, 1.5f, 3, 1.75f);
    CHECK(se_graph_current(s) == SE_FUSED);
}

static void check_vertices(struct se_stream *s)
{
    struct se_err err = SE_ERR_INIT;
    struct se_features f = { 0 };
    struct se_labels l = { 0 };
    struct se_splits x = { 0 };
    struct se_predictions p = { 0 };
    struct se_names names = { 0 };

    CHECK(se_features_get(&f, s, &err) == 0);
    CHECK(f.n == 6 && f.d == 5 && f.nnz == 8 && !f.dense && !f.value);
    SAME(f.off, 0, 2, 3, 5, 6, 6, 8);
    SAME(f.col, 0, 3, 1, 0, 4, 2, 1, 4);
    CHECK(se_labels_get(&l, s, &err) == 0 && l.n == 6 && l.classes == 2);
    SAME(l.label, 0, 0, 0, 1, 1, -1);
    CHECK(l.names_len == 11 && memcmp(l.names, "left\0right", 11) == 0);
    CHECK(se_splits_get(&x, s, &err) == 0 && x.n == 6 && x.count == 2);
    SAME(x.part, 1, 2, 3, 1, 3, 0, 3, 1, 1, 2, 3, 0);
    CHECK(se_predictions_get(&p, s, &err) == 0 && p.n == 6);
    SAME(p.label, 0, 0, 1, 1, 1, -1);
    SAME(p.confidence, 0.75f, 1, 0.5f, 0.875f, 0.625f, 0);
    CHECK(se_names_get(&names, s, &err) == 0 && names.n == 6);
    SAME(names.off, 0, 3, 6, 9, 13, 18, 21);
    CHECK(memcmp(names.text, "annbobcyddora\xc3\xa9lanf g", 21) == 0);
}

static void check_derived(struct se_stream *s)
{
    struct se_err err = SE_ERR_INIT;
    struct se_embedding e = { 0 };
    struct se_knn k = { 0 };
    struct se_tree t = { 0 };

    CHECK(se_embedding_get(&e, s, &err) == 0 && e.n == 6 && e.d == 3);
    SAME(e.row, 1, 0.5f, -1, 1, 0.25f, -0.5f, 2, 1, -1, -1, 0, 1.5f, -2, 0.5f, 1, -1, 0.125f, 1);
    CHECK(se_knn_get(&k, s, &err) == 0 && k.n == 6 && k.k == 2 && k.first == 0 && k.last == 6);
    CHECK(k.metric == SE_PCC && k.on == SE_EMBEDDING);
    SAME(k.id, 1, 2, 0, 2, 0, 1, 5, 4, 5, 3, 3, 4);
    SAME(k.similarity, 0.875f, 0.75f, 0.875f, 0.5f, 0.75f, 0.5f, 0.9375f, 0.25f, 0.625f, 0.25f,
         0.9375f, 0.625f);
    CHECK(se_tree_get(&t, s, &err) == 0 && t.n == 6 && t.nodes == 9);
    SAME(t.parent, SE_NONE, 0, 1, 1, 1, 0, 5, 5, 5);
    SAME(t.vertex, SE_NONE, SE_NONE, 0, 1, 2, SE_NONE, 3, 4, 5);
    for (int i = 0; se_section_kind(i); i++)
        CHECK(se_stream_check_origin(s, se_section_kind(i)->tag, &err) == 0);
    CHECK(se_stream_find(s, SE_FUSED)->origin[0].tag == SE_GRAPH);
    CHECK(se_stream_find(s, SE_FUSED)->origin[1].tag == SE_KNN);
    CHECK(se_stream_find(s, SE_KNN)->origin[0].tag == SE_EMBEDDING);
    CHECK(se_stream_find(s, SE_TREE)->origin[0].tag == SE_FUSED);
    CHECK(se_stream_find(s, SE_PREDICTIONS)->origin[0].tag == SE_GRAPH);
    CHECK(se_stream_find(s, SE_GRAPH)->origin[0].tag == 0);
}

static void check_meta(struct se_stream *s)
{
    static const char history[] =
        "se-gen\t0.1.0\t7\t0.010\t--karate\nse-sim\t0.1.0\t-\t0.200\t-k 2\n";
    struct se_err err = SE_ERR_INIT;
    struct se_model m = { 0 };
    struct se_history h = { 0 };
    double v = 0;

    CHECK(se_model_get(&m, s, &err) == 0 && m.arrays == 2 && m.text_len == 19);
    CHECK(memcmp(m.text, "model=gcn\nhidden=2\n", 19) == 0);
    CHECK(strcmp(m.array[0].name, "w1") == 0 && strcmp(m.array[1].name, "b1") == 0);
    CHECK(m.array[0].rows == 5 && m.array[0].cols == 2);
    CHECK(m.array[1].rows == 1 && m.array[1].cols == 2);
    SAME(m.array[0].data, 0.5f, -0.5f, 1, -1, 0.25f, -0.25f, 2, -2, 0, 4);
    SAME(m.array[1].data, 0.125f, -0.125f);
    se_model_release(&m);
    CHECK(se_stats_value(s, "kselect.k", &v, &err) == 1 && v == 2);
    CHECK(se_stats_value(s, "tree.h", &v, &err) == 1 && v == 1.6995138503);
    CHECK(se_history_get(&h, s, &err) == 0 && h.len == sizeof history - 1);
    CHECK(memcmp(h.text, history, h.len) == 0);
}

static void test_first(void)
{
    static const char *const same[] = { "v1.seg", "v1-deflated.seg", "v1-mixed.seg" };

    for (int i = 0; i < 3; i++) {
        struct se_stream s = SE_STREAM_INIT;
        struct se_err err = SE_ERR_INIT;
        size_t len;
        unsigned char *data = load(same[i], &len);

        CHECK(se_stream_read_memory(&s, data, len, &err) == 0 && s.count == 13);
        check_graphs(&s);
        check_vertices(&s);
        check_derived(&s);
        check_meta(&s);
        se_stream_release(&s);
        free(data);
        unit_ok(same[i]);
    }
}

static void test_layouts(void)
{
    struct se_stream s = SE_STREAM_INIT;
    struct se_err err = SE_ERR_INIT;
    struct se_graph g = { 0 };
    struct se_features f = { 0 };
    struct se_labels l = { 0 };
    struct se_knn k = { 0 };
    struct se_tree t = { 0 };
    size_t len;
    unsigned char *data = load("v1-layouts.seg", &len);

    CHECK(se_stream_read_memory(&s, data, len, &err) == 0 && s.count == 5);
    CHECK(se_graph_get(&g, &s, SE_GRAPH, &err) == 0 && g.n == 4 && g.m == 2 && g.loops == 2);
    SAME(g.weight, 0.5f, 0);
    SAME(g.loop, 2, 3);
    SAME(g.loop_weight, 1, 2.5f);
    CHECK(se_features_get(&f, &s, &err) == 0 && f.n == 4 && f.d == 2 && f.nnz == 8);
    SAME(f.dense, 1, 2, 3, 4, -5, 6.5f, 7, 1e-30f);
    CHECK(se_labels_get(&l, &s, &err) == 0 && l.classes == 5 && !l.names);
    SAME(l.label, 2, -1, 0, 2);
    CHECK(se_knn_get(&k, &s, &err) == 0 && k.k == 3 && k.first == 2 && k.last == 4);
    CHECK(k.metric == SE_COSINE && k.on == SE_FEATURES);
    SAME(k.id, 0, 1, 3, 2, 1, 0);
    SAME(k.similarity, 1, 0.5f, -1, 0, 0, -0.5f);
    CHECK(se_tree_get(&t, &s, &err) == 0 && t.n == 4 && t.nodes == 8);
    SAME(t.parent, SE_NONE, 0, 1, 2, 3, 1, 0, 0);
    SAME(t.vertex, SE_NONE, SE_NONE, SE_NONE, SE_NONE, 3, 0, 1, 2);
    se_stream_release(&s);
    free(data);
    data = load("v1-values.seg", &len);
    CHECK(se_stream_read_memory(&s, data, len, &err) == 0);
    CHECK(se_features_get(&f, &s, &err) == 0 && f.n == 3 && f.d == 70000 && f.nnz == 3);
    SAME(f.off, 0, 2, 2, 3);
    SAME(f.col, 0, 69999, 5);
    SAME(f.value, 0.5f, -2, 3e38f);
    se_stream_release(&s);
    free(data);
    unit_ok("v1-layouts.seg, v1-values.seg");
}

static void test_small(void)
{
    struct se_stream s = SE_STREAM_INIT;
    struct se_err err = SE_ERR_INIT;
    struct se_section *x;
    uint64_t n = 9;
    size_t len;
    unsigned char *data = load("v1-empty.seg", &len);

    CHECK(se_stream_read_memory(&s, data, len, &err) == 0 && s.count == 5);
    CHECK(se_stream_check(&s, &err) == 0 && se_stream_vertices(&s, &n, &err) == 0 && n == 0);
    se_stream_release(&s);
    free(data);
    data = load("v1-no-section.seg", &len);
    CHECK(len == 16 + 96 && se_stream_read_memory(&s, data, len, &err) == 0 && s.count == 0);
    se_stream_release(&s);
    free(data);
    data = load("v1-minor-7.seg", &len);
    CHECK(se_stream_read_memory(&s, data, len, &err) == 0 && s.count == 1);
    se_stream_release(&s);
    free(data);
    data = load("v1-unknown-optional.seg", &len);
    CHECK(se_stream_read_memory(&s, data, len, &err) == 0 && s.count == 4);
    x = se_stream_find(&s, SE_TAG('w', 'h', 'a', 't'));
    CHECK(x && x->plain_len == 44 && memcmp(x->plain, "bytes that only", 15) == 0);
    CHECK(se_stream_check(&s, &err) == 0);
    se_stream_release(&s);
    free(data);
    unit_ok("v1-empty.seg, v1-no-section.seg, v1-minor-7.seg, v1-unknown-optional.seg");
}

/* What the library writes is what another program wrote from the same description. */
static void test_writer(void)
{
    struct se_stream s = SE_STREAM_INIT, t = SE_STREAM_INIT;
    struct se_err err = SE_ERR_INIT;
    struct se_graph g;
    struct se_tree tree;
    size_t len, got_len;
    unsigned char *data = load("v1.seg", &len), *got;

    CHECK(se_stream_read_memory(&s, data, len, &err) == 0);
    got = any_written(&s, 0, &got_len);
    CHECK(got_len == len && memcmp(got, data, len) == 0);
    free(got);
    CHECK(se_graph_get(&g, &s, SE_GRAPH, &err) == 0);
    CHECK(se_graph_put(&g, &t, SE_GRAPH, NULL, &err) == 0);
    CHECK(se_tree_get(&tree, &s, &err) == 0 && se_tree_put(&tree, &t, 0, &err) == 0);
    for (size_t i = 0; i < t.count; i++) {
        const struct se_section *x = se_stream_find(&s, t.section[i].tag);

        CHECK(x->stored_len == t.section[i].stored_len && x->crc == t.section[i].crc);
    }
    se_stream_release(&s);
    se_stream_release(&t);
    free(data);
    unit_ok("v1.seg: written as it was read");
}

static void test_faults(void)
{
    size_t len;
    char *list = (char *)load("EXPECTED", &len), *next = list;
    int files = 0;

    while (*next) {
        char *name = next, *want = strchr(name, '\t');
        struct se_stream s = SE_STREAM_INIT;
        struct se_err err = SE_ERR_INIT;
        unsigned char *data;

        next = strchr(name, '\n') + 1;
        next[-1] = *want++ = '\0';
        data = load(name, &len);
        CHECK(se_stream_read_memory(&s, data, len, &err) < 0 || se_stream_check(&s, &err) < 0);
        if (strcmp(err.text, want) != 0)
            printf("# %s: %s; not: %s\n", name, err.text, want);
        CHECK(err.code == SE_EINPUT && strcmp(err.text, want) == 0);
        se_stream_release(&s);
        free(data);
        files++;
    }
    CHECK(files > 100);
    free(list);
    unit_ok("every damaged stream: the fault by its name");
}

int main(void)
{
    test_first();
    test_layouts();
    test_small();
    test_writer();
    test_faults();
    return unit_done();
}
