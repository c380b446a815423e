/* test-section.c - what is put into a section is what comes out; what is wrong does not */
#include <zlib.h>

#include "common/stream/payload.h"
#include "tests/unit/anystream.h"

static const uint64_t sizes[] = { 0, 1, 2, 3, 5, 17, 40 };
enum { SIZES = sizeof sizes / sizeof sizes[0] };

static void test_put_get(void)
{
    for (uint64_t seed = 0; seed < 400; seed++) {
        struct se_stream s = SE_STREAM_INIT;
        struct se_err err = SE_ERR_INIT;
        struct any a;
        uint64_t n = 99;

        any_make(&a, seed, sizes[seed % SIZES], seed < 200 ? 1 : 0.5);
        CHECK(any_put(&a, &s, &err) == 0);
        CHECK(any_same(&a, &s));
        CHECK(se_stream_check(&s, &err) == 0);
        CHECK(se_stream_vertices(&s, &n, &err) == 0);
        CHECK(n == (seed < 200 ? a.graph.n : n));
        se_stream_release(&s);
        any_release(&a);
    }
    unit_ok("sections: put and get of random content, 0 to 40 vertices");
}

/* The other content takes the place of the first; neither leaves a trace of the other. */
static void test_replace(void)
{
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct se_stream s = SE_STREAM_INIT, t = SE_STREAM_INIT;
        struct se_err err = SE_ERR_INIT;
        struct se_digest d, e;
        struct any a, b;

        any_make(&a, seed, 17, 1);
        any_make(&b, seed + 1000, 17, 1);
        for (int i = 0; se_section_kind(i); i++)        /* stats and history add */
            if (se_section_kind(i)->tag == SE_STATS || se_section_kind(i)->tag == SE_HISTORY)
                a.has[i] = b.has[i] = false;
        CHECK(any_put(&a, &s, &err) == 0 && any_put(&b, &s, &err) == 0);
        CHECK(any_same(&b, &s) && s.count == 13);
        CHECK(any_put(&b, &t, &err) == 0);
        for (size_t i = 0; i < t.count; i++) {          /* order may differ */
            struct se_section *x = se_stream_find(&s, t.section[i].tag);

            CHECK(x && x->plain_len == t.section[i].plain_len);
            CHECK(se_section_digest(x, &d, &err) == 0);
            CHECK(se_section_digest(&t.section[i], &e, &err) == 0);
            CHECK(se_digest_equal(&d, &e));
        }
        se_stream_release(&s);
        se_stream_release(&t);
        any_release(&a);
        any_release(&b);
    }
    unit_ok("sections: replaced content is the new content");
}

/* A graph that is written in its payload has the bytes of one that was copied there. */
static void test_room(void)
{
    for (uint64_t seed = 0; seed < 100; seed++) {
        struct se_stream s = SE_STREAM_INIT, t = SE_STREAM_INIT;
        struct se_err err = SE_ERR_INIT;
        struct se_graph_room room;
        const struct se_section *x, *y;
        struct any a;

        any_make(&a, seed, sizes[seed % SIZES], 1);
        const struct se_graph *g = &a.graph;

        CHECK(se_graph_put(g, &s, SE_GRAPH, NULL, &err) == 0);
        CHECK(se_graph_room_make(&room, g->n, g->m, g->loops, g->weight, &err) == 0);
        memcpy(room.off, g->off, (g->n + 1) * sizeof *g->off);
        for (uint64_t i = 0; i < g->m; i++) {
            room.to[i] = g->to[i];
            if (g->weight)
                room.weight[i] = g->weight[i];
        }
        for (uint64_t i = 0; i < g->loops; i++) {
            room.loop[i] = g->loop[i];
            if (g->weight)
                room.loop_weight[i] = g->loop_weight[i];
        }
        CHECK(se_graph_room_give(&room, &t, SE_GRAPH, NULL, &err) == 0);
        x = se_stream_find(&s, SE_GRAPH);
        y = se_stream_find(&t, SE_GRAPH);
        CHECK(x->plain_len == y->plain_len && memcmp(x->plain, y->plain, x->plain_len) == 0);
        CHECK(x->crc == y->crc);
        se_stream_release(&s);
        se_stream_release(&t);
        any_release(&a);
    }
    unit_ok("sections: a graph written in its place");
}

static uint64_t words(uint64_t bytes)
{
    return (bytes + 7) & ~(uint64_t)7;
}

/* n x 1 .. 20 features of every density: the smaller layout, by its length */
static void test_features_size(void)
{
    int layouts[3] = { 0 };

    for (uint64_t seed = 0; seed < 500; seed++) {
        struct se_stream s = SE_STREAM_INIT;
        struct se_err err = SE_ERR_INIT;
        struct se_features f;
        uint64_t nonzero = 0, sparse, dense;
        bool ones = true;
        struct any a;

        any_make(&a, seed, 1 + seed % 30, 1);
        for (uint64_t i = 0; i < a.features.n * a.features.d; i++) {
            const float x = any_entry(&a.features, i / a.features.d, i % a.features.d);

            nonzero += x != 0;
            ones &= x == 0 || x == 1;
        }
        CHECK(se_features_put(&a.features, &s, &err) == 0);
        CHECK(se_features_get(&f, &s, &err) == 0);
        sparse = 32 + (f.n + 1) * 8 + words(nonzero * 4) + (ones ? 0 : words(nonzero * 4));
        dense = f.d ? 32 + words(f.n * f.d * 4) : UINT64_MAX;
        CHECK(s.section[0].plain_len <= (sparse < dense ? sparse : dense) + 8);
        CHECK(s.section[0].plain_len == (f.dense ? dense : sparse));
        layouts[f.dense ? 0 : f.value ? 1 : 2]++;
        se_stream_release(&s);
        any_release(&a);
    }
    CHECK(layouts[0] > 20 && layouts[1] > 20 && layouts[2] > 20);
    unit_ok("features: stored in the smaller layout");
}

/* Is this a tree, by walking it? */
static bool walk(const struct se_tree *t, uint32_t node, uint32_t *next, int *seen)
{
    bool children = false;

    if (node != (*next)++)
        return false;
    for (uint32_t c = node + 1; c < t->nodes; c++)
        if (t->parent[c] == node) {
            children = true;
            if (!walk(t, c, next, seen))
                return false;
        }
    if (t->vertex[node] == SE_NONE)
        return children || node == 0;
    return !children && node > 0 && t->vertex[node] < t->n && seen[t->vertex[node]]++ == 0;
}

static bool is_tree(const struct se_tree *t)
{
    uint32_t next = 0;
    int seen[8] = { 0 };

    if (t->parent[0] != SE_NONE || !walk(t, 0, &next, seen) || next != t->nodes)
        return false;
    for (uint64_t v = 0; v < t->n; v++)
        if (!seen[v])
            return false;
    return true;
}

/* All arrays of `nodes` parents and vertices, good or bad */
static void try_trees(uint64_t n, uint64_t nodes, uint64_t *good, uint64_t *tried)
{
    uint64_t cases = 1;

    for (uint64_t i = 0; i < nodes; i++)
        cases *= (nodes + 1) * (n + 2);
    for (uint64_t number = 0; number < cases; number++) {
        uint32_t parent[8], vertex[8];
        const struct se_tree t = { n, nodes, parent, vertex };
        struct se_err err = SE_ERR_INIT;
        uint64_t rest = number;

        for (uint64_t i = 0; i < nodes; i++) {
            parent[i] = (uint32_t)(rest % (nodes + 1)) - 1;
            rest /= nodes + 1;
            vertex[i] = (uint32_t)(rest % (n + 2)) - 1;        /* n itself is out of range */
            rest /= n + 2;
        }
        const bool valid = is_tree(&t);
        CHECK((se_tree_check(&t, &err) == 0) == valid);
        CHECK(valid || (err.code == SE_EINPUT && err.text[0]));
        *good += valid;
        ++*tried;
    }
}

static void test_trees(void)
{
    uint64_t good = 0, tried = 0;

    for (uint64_t nodes = 1; nodes <= 4; nodes++)
        for (uint64_t n = 0; n <= nodes; n++)
            if (nodes < 4 || n < 3)
                try_trees(n, nodes, &good, &tried);
    CHECK(good > 5 && tried > 100000);
    for (uint64_t seed = 0; seed < 300; seed++) {       /* one number of a large one changed */
        struct se_err err = SE_ERR_INIT;
        struct se_rng r;
        struct any a;
        uint32_t *x;

        any_make(&a, seed, 6, 1);
        se_rng_init(&r, seed, SE_RNG_TEST, 1);
        x = (uint32_t *)(uintptr_t)(seed % 2 ? a.tree.parent : a.tree.vertex);
        CHECK(is_tree(&a.tree) && se_tree_check(&a.tree, &err) == 0);
        x[se_rng_below(&r, a.tree.nodes)] = (uint32_t)se_rng_below(&r, a.tree.nodes + 1) - 1;
        CHECK((se_tree_check(&a.tree, &err) == 0) == is_tree(&a.tree));
        any_release(&a);
    }
    unit_ok("tree: every tree of up to 4 nodes and damaged larger ones, against a walk");
}

/* Put bytes as they are and ask se_graph_get. */
static bool graph_passes(const uint64_t *off, const uint32_t *to, uint64_t n, uint64_t m)
{
    const uint64_t h[4] = { n, m, 0, 0 };
    const struct se_piece part[] = { { h, 32 }, { off, (n + 1) * 8 }, { to, m * 4 } };
    struct se_stream s = SE_STREAM_INIT;
    struct se_err err = SE_ERR_INIT;
    struct se_graph g;
    bool ok = se_stream_put(&s, SE_GRAPH, part, 3, NULL, &err) == 0 &&
              se_graph_get(&g, &s, SE_GRAPH, &err) == 0;

    CHECK(ok || err.code == SE_EINPUT);
    se_stream_release(&s);
    return ok;
}

/* All offsets 0..3 and ends 0..3 of three vertices and two edges */
static void test_graphs(void)
{
    int good = 0;

    for (unsigned number = 0; number < 1 << 12; number++) {
        uint64_t off[4];
        uint32_t to[2] = { number >> 8 & 3, number >> 10 };
        bool valid;

        for (int i = 0; i < 4; i++)
            off[i] = number >> 2 * i & 3;
        valid = off[0] == 0 && off[3] == 2 && off[0] <= off[1] && off[1] <= off[2] &&
                off[2] <= off[3];
        for (uint64_t u = 0; valid && u < 3; u++)
            for (uint64_t i = off[u]; i < off[u + 1]; i++)
                valid &= to[i] > u && to[i] < 3 && (i == off[u] || to[i] > to[i - 1]);
        CHECK(graph_passes(off, to, 3, 2) == valid);
        good += valid;
    }
    CHECK(good == 3);                           /* two of the three pairs */
    unit_ok("graph: every three offsets and two ends, against the definition");
}

static void test_stats(void)
{
    struct se_stream s = SE_STREAM_INIT;
    struct se_err err = SE_ERR_INIT;
    struct se_stats x;
    double v = -1;

    CHECK(se_stats_value(&s, "sim.k", &v, &err) == 0 && v == -1);
    CHECK(se_stats_forget(&s, "sim.", &err) == 0 && !se_stream_has(&s, SE_STATS));
    CHECK(se_stats_set(&s, "sim.k", 3, &err) == 0);
    CHECK(se_stats_set(&s, "tree.h", 1.5, &err) == 0);
    CHECK(se_stats_set(&s, "sim.time", 9, &err) == 0);
    CHECK(se_stats_set(&s, "sim.k", 4, &err) == 0);            /* again: in its place */
    CHECK(se_stats_get(&x, &s, &err) == 0 && x.count == 3 && x.names_len == 22);
    CHECK(memcmp(x.names, "sim.k\0tree.h\0sim.time", 22) == 0);
    CHECK(x.value[0] == 4 && x.value[1] == 1.5 && x.value[2] == 9);
    CHECK(se_stats_forget(&s, "sim.", &err) == 0);
    CHECK(se_stats_value(&s, "sim.k", &v, &err) == 0);
    CHECK(se_stats_value(&s, "tree.h", &v, &err) == 1 && v == 1.5);
    CHECK(se_stats_value(&s, "tree", &v, &err) == 0);
    CHECK(se_stats_set(&s, "bad", NAN, &err) < 0 || se_stats_get(&x, &s, &err) < 0);
    se_stream_release(&s);
    unit_ok("stats: set, set again, forget");
}

/* Random sets, forgets and reads against two plain arrays */
static void test_stats_random(void)
{
    for (uint64_t seed = 0; seed < 200; seed++) {
        struct se_rng r;
        struct se_stream s = SE_STREAM_INIT;
        struct se_err err = SE_ERR_INIT;
        struct se_stats x;
        char name[64][16];
        double value[64];
        uint64_t count = 0;
        bool any = false;

        se_rng_init(&r, seed, 77, 0);

        for (int step = 0; step < 60; step++) {
            const uint64_t what = se_rng_below(&r, 10);
            char new[16];
            uint64_t at = 0;

            snprintf(new, sizeof new, "%c.%d", 'a' + (int)se_rng_below(&r, 3),
                     (int)se_rng_below(&r, 20));
            if (what == 0) {                    /* forget a.* and so on */
                uint64_t kept = 0;

                new[2] = '\0';
                CHECK(se_stats_forget(&s, new, &err) == 0);
                for (uint64_t i = 0; i < count; i++)
                    if (strncmp(name[i], new, 2) != 0) {
                        memmove(name[kept], name[i], sizeof name[i]);
                        value[kept++] = value[i];
                    }
                count = kept;
            } else if (what < 8) {
                CHECK(se_stats_set(&s, new, step, &err) == 0);
                any = true;
                while (at < count && strcmp(name[at], new) != 0)
                    at++;
                if (at == count)
                    strcpy(name[count++], new);
                value[at] = step;
            } else if (what == 8) {
                CHECK(se_history_add(&s, "line", &err) == 0);
            }
            if ((what < 9 && step < 59) || !any)
                continue;
            CHECK(se_stats_get(&x, &s, &err) == 0 && x.count == count);
            const char *text = x.names;
            for (uint64_t i = 0; i < count; i++, text += strlen(text) + 1)
                CHECK(strcmp(text, name[i]) == 0 && x.value[i] == value[i]);
        }
        se_stream_drop(&s, SE_STATS);
        CHECK(!se_stream_has(&s, SE_STATS));
        CHECK(se_stats_set(&s, "new", 1, &err) == 0 && se_stats_get(&x, &s, &err) == 0);
        CHECK(x.count == 1);
        se_stream_release(&s);
    }
    unit_ok("stats: random sets, forgets and reads agree with plain arrays");
}

/* A deflated section x, checked in memory and a piece at a time: the same verdict */
static void compare_walks(const struct se_section *x, const unsigned char *plain, uint64_t len)
{
    const struct se_section_kind *kind = se_section_kind_of(x->tag);
    uLongf packed = compressBound(len);
    unsigned char *stored = malloc(packed);
    struct se_section y = { .tag = x->tag, .codec = SE_DEFLATED, .plain_len = len };
    struct se_stream s = { .section = &y, .count = 1 };
    struct se_err a = SE_ERR_INIT, b = SE_ERR_INIT;
    int rc;

    CHECK(compress2(stored, &packed, plain, len, 1) == Z_OK);
    y.stored = stored;
    y.stored_len = packed;
    y.has_digest = true;                /* do not inflate it for that */
    rc = se_walk_check(&s, x->tag, kind->walk, &a);
    CHECK(!y.plain);
    CHECK(se_walk_whole(&s, x->tag, kind->walk, NULL, &b) == rc);
    CHECK(a.code == b.code && strcmp(a.text, b.text) == 0);
    se_section_release(&y);
    free(stored);
}

static void test_pieces(void)
{
    static const uint64_t n[] = { 5, 40, 300, 1500 };

    for (uint64_t seed = 0; seed < UNIT_CASES(60); seed++) {
        struct se_stream s = SE_STREAM_INIT;
        struct se_err err = SE_ERR_INIT;
        struct any a;
        struct se_rng r;

        any_make(&a, seed, n[seed % 20 == 19 ? 3 : seed % 3], 1);
        CHECK(any_put(&a, &s, &err) == 0 && se_stats_flush(&s, &err) == 0);
        se_rng_init(&r, seed, SE_RNG_TEST, 77);
        for (size_t i = 0; i < s.count; i++) {
            const struct se_section *x = &s.section[i];
            unsigned char *copy = malloc(x->plain_len + 1);

            memcpy(copy, x->plain, x->plain_len);
            compare_walks(x, copy, x->plain_len);
            for (int k = 0; k < 12 && x->plain_len > 0; k++) {          /* and damaged */
                const uint64_t at = se_rng_below(&r, k % 2 && x->plain_len > 48 ? 48
                                                                               : x->plain_len);
                const unsigned char old = copy[at];

                copy[at] ^= (unsigned char)(1 << se_rng_below(&r, 8));
                compare_walks(x, copy, x->plain_len);
                copy[at] = old;
            }
            compare_walks(x, copy, se_rng_below(&r, x->plain_len + 1) & ~UINT64_C(7));
            free(copy);
        }
        se_stream_release(&s);
        any_release(&a);
    }
    unit_ok("sections: the same faults are found a piece at a time as in memory");
}

static void test_absent(void)
{
    struct se_stream s = SE_STREAM_INIT;
    struct se_err err = SE_ERR_INIT;
    uint64_t n = 7;

    for (int i = 0; se_section_kind(i); i++) {
        const uint32_t tag = se_section_kind(i)->tag;

        CHECK(se_section_tag(se_section_name(tag)) == tag);
        CHECK(!se_payload_open(&s, tag, &err) && err.code == SE_EINPUT);
        CHECK(strstr(err.text, se_section_name(tag)) && strncmp(err.text, "no ", 3) == 0);
    }
    CHECK(se_section_tag("gr") == 0 && se_section_tag("") == 0);
    CHECK(strcmp(se_section_name(SE_TAG('a', '\n', 'c', 'd')), "a?cd") == 0);
    CHECK(se_stream_vertices(&s, &n, &err) == 0 && n == 0);
    CHECK(se_graph_current(&s) == SE_GRAPH);
    unit_ok("sections: what is absent is named");
}

static void test_vertices(void)
{
    uint32_t tags[32];
    int count = 0;
    struct any a, b;

    for (int i = 0; se_section_kind(i); i++)
        if (se_section_kind(i)->per_vertex)
            tags[count++] = se_section_kind(i)->tag;
    CHECK(count >= 10);

    any_make(&a, 1, 5, 1);
    any_make(&b, 2, 6, 1);
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++) {
            struct se_stream s = SE_STREAM_INIT;
            struct se_err err = SE_ERR_INIT;
            uint64_t n;

            CHECK(any_put_one(&a, tags[i], &s, &err) == 0);
            CHECK(i == j || any_put_one(&b, tags[j], &s, &err) == 0);
            CHECK((se_stream_vertices(&s, &n, &err) == 0) == (i == j));
            CHECK((se_stream_check(&s, &err) == 0) == (i == j));
            if (i != j)
                CHECK(strstr(err.text, se_section_name(tags[i])) &&
                      strstr(err.text, se_section_name(tags[j])));
            se_stream_release(&s);
        }
    any_release(&a);
    any_release(&b);
    unit_ok("sections: two that differ in vertices are both named");
}

int main(void)
{
    test_put_get();
    test_replace();
    test_room();
    test_features_size();
    test_trees();
    test_graphs();
    test_stats();
    test_stats_random();
    test_pieces();
    test_absent();
    test_vertices();
    return unit_done();
}
