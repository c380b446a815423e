/* test-npz.c - streams as npz archives: exported, imported again, damaged */
#include "common/base/rng.h"
#include "common/graph/builder.h"
#include "tests/unit/archive.h"

extern const struct se_format se_format_npz;

/* A random stream with every section that an archive can hold. */
static void random_graph(struct se_rng *r, uint64_t n, bool weighted, struct se_stream *s)
{
    struct se_builder b = SE_BUILDER_INIT;

    b.n = n;
    b.weighted = weighted;
    for (uint64_t i = se_rng_below(r, 4 * n); i > 0; i--)
        CHECK(se_builder_add(&b, (uint32_t)se_rng_below(r, n), (uint32_t)se_rng_below(r, n),
                             (float)(1 + se_rng_below(r, 5)) / 4, &err) == 0);
    CHECK(se_builder_put(&b, s, SE_GRAPH, SE_MERGE_SUM, true, NULL, &err) == 0);
}

static void random_features(struct se_rng *r, uint64_t n, struct se_stream *s)
{
    const uint64_t d = 1 + se_rng_below(r, 9), kind = se_rng_below(r, 3);
    float *x = calloc(n * d, sizeof *x);
    const struct se_features f = { .n = n, .d = d, .nnz = n * d, .dense = x };

    for (uint64_t i = 0; i < n * d; i++)
        if (se_rng_below(r, 8) < (kind == 0 ? 8 : 1))
            x[i] = kind == 1 ? 1 : (float)se_rng_normal(r);
    CHECK(se_features_put(&f, s, &err) == 0);
    free(x);
}

static void random_labels(struct se_rng *r, uint64_t n, struct se_stream *s)
{
    static const char names[] = "Neural_Nets\0Gen\xc3\xa4\0\0Theory";
    struct se_labels l = { .n = n, .classes = 4 };
    struct se_predictions p = { .n = n };
    int32_t *label = malloc(n * sizeof *label);
    float *sure = malloc(n * sizeof *sure);

    for (uint64_t v = 0; v < n; v++) {
        label[v] = (int32_t)se_rng_below(r, 4) - 1;     /* class 3 never occurs */
        sure[v] = (float)se_rng_unit(r);
    }
    l.label = p.label = label;
    p.confidence = sure;
    if (se_rng_below(r, 2)) {
        l.names = names;
        l.names_len = sizeof names;
    }
    CHECK(se_labels_put(&l, s, &err) == 0 && se_predictions_put(&p, s, &err) == 0);
    free(label);
    free(sure);
}

static void random_rest(struct se_rng *r, uint64_t n, struct se_stream *s)
{
    const uint64_t count = 1 + se_rng_below(r, 3), d = 1 + se_rng_below(r, 5);
    uint8_t *part = malloc(count * n);
    float *row = malloc(n * d * sizeof *row);
    uint32_t *parent = malloc((n + 1) * sizeof *parent), *vertex = malloc((n + 1) * 4);
    uint64_t *off = malloc((n + 1) * sizeof *off);
    const struct se_splits splits = { n, count, part };
    const struct se_embedding e = { n, d, row };
    const struct se_tree t = { n, n + 1, parent, vertex };
    const struct se_names names = { n, off, "\xc3\xa9 \xff|x" };

    for (uint64_t i = 0; i < count * n; i++)
        part[i] = (uint8_t)se_rng_below(r, 4);
    for (uint64_t i = 0; i < n * d; i++)
        row[i] = (float)se_rng_normal(r);
    parent[0] = vertex[0] = SE_NONE;
    for (uint64_t v = 0; v < n; v++) {
        parent[v + 1] = 0;
        vertex[v + 1] = (uint32_t)(n - 1 - v);
    }
    off[0] = 0;                                         /* with or without what is not UTF-8 */
    for (uint64_t v = 0; v < n; v++)
        off[v + 1] = v == 0 ? 2 : off[v];
    if (se_rng_below(r, 2))
        off[n] = 6;
    CHECK(se_splits_put(&splits, s, &err) == 0 && se_embedding_put(&e, s, &err) == 0 &&
          se_tree_put(&t, s, 0, &err) == 0 && se_names_put(&names, s, &err) == 0);
    free(part);
    free(row);
    free(parent);
    free(vertex);
    free(off);
}

static void random_stream(uint64_t seed, struct se_stream *s)
{
    struct se_rng r;
    uint64_t n;

    se_rng_init(&r, seed, SE_RNG_TEST, 1);
    n = 1 + se_rng_below(&r, 20);
    random_graph(&r, n, seed % 2, s);
    random_features(&r, n, s);
    random_labels(&r, n, s);
    random_rest(&r, n, s);
}

static void export_to(const char *path, struct se_stream *s)
{
    const struct se_export ex = { .section = SE_GRAPH };
    struct se_out out;

    CHECK(begin_file(path, &out) == 0);
    CHECK(se_format_npz.export(&ex, s, &out, &err) == 0);
    end_file(&out);
}

static int import_from(const char *path, struct se_stream *s)
{
    struct se_import in = { .path = path, .keep_loops = true };

    return se_format_npz.import(&in, s, &err);
}

static void test_round_trip(void)
{
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct se_stream a = SE_STREAM_INIT, b = SE_STREAM_INIT;

        random_stream(seed, &a);
        export_to(path_of("x.npz"), &a);
        CHECK(import_from(path_of("x.npz"), &b) == 0);
        CHECK(se_stream_check(&b, &err) == 0);
        CHECK(a.count == 8 && b.count == 8);
        for (size_t i = 0; i < a.count; i++) {
            const struct se_section *x = &a.section[i], *y = se_stream_find(&b, x->tag);

            CHECK(y && x->plain_len == y->plain_len &&
                  memcmp(x->plain, y->plain, x->plain_len) == 0);
            if (unit_bad)
                printf("# seed %d, section %s\n", (int)seed, se_section_name(x->tag));
        }
        se_stream_release(&a);
        se_stream_release(&b);
        if (unit_bad)
            break;
    }
    unit_ok("what is exported to npz comes back, section by section");
}

static void import_damaged(void *arg, const unsigned char *data, size_t len)
{
    struct se_stream s = SE_STREAM_INIT;

    write_file(arg, data, len);
    if (import_from(arg, &s) == 0)
        CHECK(se_stream_check(&s, &err) == 0);
    se_stream_release(&s);
}

/* Damage the arrays themselves: checksums are made anew, or nothing would get through. */
static void test_damaged_arrays(void)
{
    static const char *const names[] = {
        "adj_indptr", "adj_indices", "adj_data", "adj_shape", "attr_indptr", "attr_indices",
        "attr_shape", "labels", "class_names", "splits", "tree_parent", "tree_vertex",
        "predictions", "confidence", "embedding", "node_names"
    };
    struct se_stream s = SE_STREAM_INIT;
    unsigned char *data;
    struct se_rng r;
    struct se_zip z;
    int good = 0, bad = 0;
    size_t len;

    random_stream(3, &s);
    export_to(path_of("y.npz"), &s);
    se_stream_release(&s);
    len = slurp(path_of("y.npz"), &data);
    CHECK(se_zip_open(&z, data, len, &err) == 0);
    se_rng_init(&r, 1, SE_RNG_TEST, 2);
    for (int round = 0; round < 1500; round++) {
        const uint64_t which = se_rng_below(&r, sizeof names / sizeof *names);
        struct se_zip_out w;
        struct se_out out;

        CHECK(begin_file(path_of("z.npz"), &out) == 0);
        se_zip_begin(&w, &out);
        for (size_t i = 0; i < z.count; i++) {
            struct se_blob b;
            char member[64];
            unsigned char *copy;

            snprintf(member, sizeof member, "%.*s", (int)z.member[i].name_len, z.member[i].name);
            CHECK(se_zip_read(&z, &z.member[i], &b, &err) == 0);
            copy = malloc(b.len);
            memcpy(copy, b.data, b.len);
            if (strncmp(member, names[which], strlen(names[which])) == 0 && b.len > 0) {
                /* mostly the numbers, at times the header */
                const uint64_t from = se_rng_below(&r, 8) ? 128 : 10;
                const uint64_t at = from + se_rng_below(&r, b.len - (b.len > from ? from : 0));

                if (at < b.len)
                    copy[at] = (unsigned char)(se_rng_below(&r, 2) ? 0xff : se_rng_u32(&r));
            }
            const struct se_piece part = { copy, b.len };
            CHECK(se_zip_add(&w, member, &part, 1, &err) == 0);
            free(copy);
            se_blob_release(&b);
        }
        CHECK(se_zip_end(&w, &err) == 0);
        end_file(&out);
        struct se_stream t = SE_STREAM_INIT;
        if (import_from(path_of("z.npz"), &t) < 0) {
            bad++;
        } else {
            CHECK(se_stream_check(&t, &err) == 0);
            good++;
        }
        se_stream_release(&t);
    }
    CHECK(good > 100 && bad > 100);
    se_zip_release(&z);
    free(data);
    unit_ok("arrays with wrong numbers are refused or harmless");
}

static void test_damaged_import(void)
{
    struct se_stream s = SE_STREAM_INIT;
    struct se_builder b = SE_BUILDER_INIT;
    char *path = strdup(path_of("d.npz"));
    unsigned char *data;
    size_t len;

    CHECK(se_builder_add(&b, 0, 1, 1, &err) == 0);
    CHECK(se_builder_put(&b, &s, SE_GRAPH, SE_MERGE_SUM, false, NULL, &err) == 0);
    export_to(path, &s);
    se_stream_release(&s);
    len = slurp(path, &data);
    damage_all(data, len, import_damaged, path);
    free(data);
    free(path);
    unit_ok("a damaged npz file is refused or harmless");
}

int main(void)
{
    static const char *const files[] = { "x.npz", "y.npz", "z.npz", "d.npz" };

    folder = temp_folder();
    test_round_trip();
    test_damaged_arrays();
    test_damaged_import();
    remove_files(files, sizeof files / sizeof *files);
    return unit_done();
}
