/* test-join.c - several streams into one: shards of neighbours, conflicts, unknown sections */
#include "common/stream/join.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/rng.h"
#include "tests/unit/unit.h"

enum { N = 30, K = 3, SHARDS = 5 };

static const float row[N] = { 1 };
static const uint32_t from_embedding[SE_ORIGINS] = { SE_EMBEDDING, 0 };

static void put_embedding(struct se_stream *s, float value)
{
    float x[N];
    struct se_err err = SE_ERR_INIT;

    for (int v = 0; v < N; v++)
        x[v] = row[v] + value;
    CHECK(se_embedding_put(&(struct se_embedding){ N, 1, x }, s, &err) == 0);
}

/* Rows first .. last-1 of some neighbours */
static void put_knn(struct se_stream *s, uint64_t first, uint64_t last)
{
    uint32_t id[N * K];
    float similarity[N * K];
    const struct se_knn all = { N, K, first, last, SE_PCC, SE_EMBEDDING, id, similarity };
    struct se_err err = SE_ERR_INIT;

    for (uint64_t v = first, i = 0; v < last; v++)
        for (uint32_t j = 0; j < K; j++, i++) {
            id[i] = (uint32_t)(v + 1 + j * 2) % N;
            similarity[i] = 0.5f - (float)j / 10 - (float)v / 1000;
        }
    CHECK(se_knn_put(&all, s, &err) == 0);
}

static bool same_section(const struct se_stream *a, const struct se_stream *b, uint32_t tag)
{
    struct se_section *x = se_stream_find(a, tag), *y = se_stream_find(b, tag);
    struct se_digest p, q;
    struct se_err err = SE_ERR_INIT;

    return x && y && se_section_digest(x, &p, &err) == 0 &&
           se_section_digest(y, &q, &err) == 0 && se_digest_equal(&p, &q) &&
           memcmp(x->origin, y->origin, sizeof x->origin) == 0;
}

/* Cut at random places, shuffle, sometimes leave one out or give one twice. */
static void test_shards(void)
{
    struct se_stream whole = SE_STREAM_INIT;

    put_embedding(&whole, 0);
    put_knn(&whole, 0, N);
    for (uint64_t seed = 0; seed < 300; seed++) {
        struct se_stream s[SHARDS] = { SE_STREAM_INIT };
        struct se_err err = SE_ERR_INIT;
        struct se_rng r;
        uint64_t cut[SHARDS + 1] = { 0, 6, 12, 18, 24, N };
        const bool with_embedding = seed % 2, gap = seed % 3 == 1, overlap = seed % 3 == 2;
        int at;

        se_rng_init(&r, seed, SE_RNG_TEST, 0);
        for (int i = 1; i < SHARDS; i++)
            cut[i] = cut[i - 1] + se_rng_below(&r, N - cut[i - 1] + 1);
        const uint64_t bad = se_rng_below(&r, SHARDS);
        const uint64_t shift = se_rng_below(&r, SHARDS);
        for (uint64_t i = 0; i < SHARDS; i++) {
            struct se_stream *x = &s[(i + shift) % SHARDS];
            uint64_t last = cut[i + 1];

            put_embedding(x, 0);
            if (i == bad && gap && last > cut[i])
                last--;
            if (i == bad && overlap && last < N && last > cut[i])
                last++;
            put_knn(x, cut[i], last);
            if (!with_embedding)
                se_stream_drop(x, SE_EMBEDDING);
        }
        const bool has_gap = gap && cut[bad + 1] > cut[bad];
        const bool has_overlap = overlap && cut[bad + 1] < N && cut[bad + 1] > cut[bad];
        const int rc = se_stream_join(&s[0], s + 1, SHARDS - 1, false, &at, &err);
        CHECK(rc == (has_gap || has_overlap ? -1 : 0));
        if (rc == 0)
            CHECK(same_section(&s[0], &whole, SE_KNN));
        else
            CHECK(strstr(err.text, has_gap ? "missing" : "in two sections"));
        for (int i = 0; i < SHARDS; i++)
            se_stream_release(&s[i]);
    }
    se_stream_release(&whole);
    unit_ok("shards of neighbours give the whole, gaps and overlaps are refused");
}

static void test_other_shards(void)
{
    struct se_stream a = SE_STREAM_INIT, b = SE_STREAM_INIT;
    struct se_err err = SE_ERR_INIT;
    struct se_knn k;
    int at;

    put_embedding(&a, 0);
    put_knn(&a, 0, 10);
    put_embedding(&b, 1);
    put_knn(&b, 10, N);
    se_stream_drop(&a, SE_EMBEDDING);
    CHECK(se_stream_join(&a, &b, 1, false, &at, &err) < 0 && strstr(err.text, "origin"));
    CHECK(se_stream_join(&a, &b, 1, true, &at, &err) == 0);     /* the last wins */
    CHECK(se_knn_get(&k, &a, &err) == 0 && k.first == 10 && k.last == N);
    CHECK(se_stream_check_origin(&a, SE_KNN, &err) == 0);
    se_stream_release(&a);
    se_stream_release(&b);
    unit_ok("shards of different embeddings are not joined");
}

static void put_labels(struct se_stream *s, int32_t class)
{
    int32_t label[N];
    struct se_err err = SE_ERR_INIT;

    for (int v = 0; v < N; v++)
        label[v] = class;
    CHECK(se_labels_put(&(struct se_labels){ N, 3, label, NULL, 0 }, s, &err) == 0);
}

static void put_any(struct se_stream *s, uint32_t tag, const char *text)
{
    struct se_section x = { .tag = tag, .stored = (const unsigned char *)text,
                            .plain = (const unsigned char *)text, .stored_len = 8,
                            .plain_len = 8 };
    struct se_err err = SE_ERR_INIT;

    CHECK(se_stream_copy(s, &x, &err) == 0);
}

static void test_sections(void)
{
    const uint32_t odd = SE_TAG('x', 'o', 'd', 'd');
    struct se_stream s[3] = { SE_STREAM_INIT };
    struct se_err err = SE_ERR_INIT;
    struct se_labels l;
    struct se_history h;
    double value;
    int at;

    put_labels(&s[0], 0);
    put_embedding(&s[0], 0);
    put_labels(&s[1], 0);
    put_labels(&s[2], 2);
    put_any(&s[0], odd, "one-----");
    put_any(&s[1], odd, "one-----");
    put_any(&s[1], odd, "two-----");
    CHECK(se_stats_set(&s[0], "a.x", 1, &err) == 0 && se_stats_set(&s[1], "b.y", 2, &err) == 0);
    CHECK(se_stats_set(&s[1], "a.x", 3, &err) == 0);
    CHECK(se_history_add(&s[0], "first", &err) == 0);
    CHECK(se_history_add(&s[1], "first", &err) == 0);
    CHECK(se_history_add(&s[1], "second", &err) == 0);
    CHECK(se_stream_join(&s[0], s + 1, 2, false, &at, &err) < 0 && at == 1);
    CHECK(strstr(err.text, "labels: differs") != NULL);
    CHECK(se_stream_join(&s[0], s + 1, 2, true, &at, &err) == 0);
    CHECK(s[0].section[0].tag == SE_LABELS);                    /* in its old place */
    CHECK(se_labels_get(&l, &s[0], &err) == 0 && l.label[0] == 2);
    CHECK(se_stats_value(&s[0], "a.x", &value, &err) == 1 && value == 3);
    CHECK(se_stats_value(&s[0], "b.y", &value, &err) == 1 && value == 2);
    CHECK(se_history_get(&h, &s[0], &err) == 0 && h.len == 13);
    CHECK(memcmp(h.text, "first\nsecond\n", 13) == 0);
    CHECK(s[0].count == 6);     /* labels embedding odd stats history odd */
    for (int i = 0; i < 3; i++)
        se_stream_release(&s[i]);
    unit_ok("equal sections join, different ones conflict, stats and history unite");
}

/* A section that lost its origin finds it again in an equal one. */
static void test_origins(void)
{
    struct se_stream a = SE_STREAM_INIT, b = SE_STREAM_INIT;
    struct se_err err = SE_ERR_INIT;
    const uint64_t word = 5;
    const struct se_piece part = { &word, 8 };
    int at;

    CHECK(se_stream_put(&a, SE_MODEL, &part, 1, NULL, &err) == 0);
    put_embedding(&b, 0);
    CHECK(se_stream_put(&b, SE_MODEL, &part, 1, from_embedding, &err) == 0);
    CHECK(se_stream_join(&a, &b, 1, false, &at, &err) == 0);
    CHECK(se_stream_find(&a, SE_MODEL)->origin[0].tag == SE_EMBEDDING);
    se_stream_release(&a);
    se_stream_release(&b);
    unit_ok("of two equal sections the origin is kept");
}

int main(void)
{
    test_shards();
    test_other_shards();
    test_sections();
    test_origins();
    return unit_done();
}
