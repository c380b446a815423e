/* test-treecheck.c - the check of trees far deeper than what it keeps of their paths */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "common/base/mem.h"
#include "common/base/rng.h"
#include "common/stream/payload.h"
#include "tests/unit/unit.h"

enum { DEEP = SE_BLOCK(1 << 18), MOST = 5 * DEEP, HEAD = 4 };

#ifdef SE_SMALL_BLOCKS
enum { CASES = 2000 };
#else
enum { CASES = 4 };
#endif

/* A section: n and nodes; then the two arrays, of an even number of nodes */
static uint32_t payload[HEAD + 2 * (MOST + DEEP + 8)];

struct tree {
    uint32_t *parent, *vertex;
    uint64_t n, nodes;
};

static void add(struct tree *t, uint32_t parent, bool leaf)
{
    t->parent[t->nodes] = parent;
    t->vertex[t->nodes++] = leaf ? (uint32_t)t->n++ : SE_NONE;
}

/* Runs down and up of any length, some longer than what is kept, each ended by a leaf */
static void make(struct tree *t, struct se_rng *r)
{
    const uint64_t most = 1 + se_rng_below(r, MOST);

    *t = (struct tree){ payload + HEAD, malloc(sizeof payload / 2), 0, 0 };
    add(t, SE_NONE, false);
    for (uint32_t at = 0; t->nodes < most;) {
        const uint64_t down = se_rng_below(r, se_rng_below(r, 2) ? DEEP + DEEP / 2 : 9);
        const uint64_t up = se_rng_below(r, se_rng_below(r, 2) ? 2 * DEEP : 9);

        for (uint64_t i = 0; i < down && t->nodes < MOST; i++) {
            add(t, at, false);
            at = (uint32_t)t->nodes - 1;
        }
        add(t, at, true);
        for (uint64_t i = 0; i < up && at > 0; i++) {
            if (se_rng_below(r, 3) == 0)
                add(t, at, true);
            at = t->parent[at];
        }
    }
    if (t->nodes % 2)
        add(t, 0, true);
    for (uint64_t a = 0; a < t->nodes; a++)     /* another vertex for each leaf, but a permutation */
        if (t->vertex[a] != SE_NONE)
            t->vertex[a] = (uint32_t)(t->n - 1 - t->vertex[a]);
    memcpy(payload, &t->n, 8);
    memcpy(payload + 2, &t->nodes, 8);
    memcpy(payload + HEAD + t->nodes, t->vertex, t->nodes * 4);
    free(t->vertex);
    t->vertex = payload + HEAD + t->nodes;
}

/* By the definition: each parent is the node before or above it.  An inner node has a child, which
 * comes next; a leaf has none; each vertex has one leaf. */
static bool is_tree(const struct tree *t)
{
    unsigned char *seen = calloc(t->n + 1, 1);
    bool ok = t->parent[0] == SE_NONE && t->vertex[0] == SE_NONE;

    for (uint64_t a = 0; a < t->nodes && ok; a++) {
        const uint32_t p = t->parent[a], v = t->vertex[a];
        const bool child = a + 1 < t->nodes && t->parent[a + 1] == a;
        uint64_t q = a - 1;

        while (a > 0 && p < a && q > p)
            q = t->parent[q];
        ok = (a == 0 || (p < a && q == p)) && child == (v == SE_NONE);
        if (ok && v != SE_NONE)
            ok = v < t->n && !seen[v] && ++seen[v];
    }
    free(seen);
    return ok;
}

/* In memory and a piece at a time, with one verdict */
static bool check(const struct tree *t)
{
    const struct se_tree tree = { t->n, t->nodes, t->parent, t->vertex };
    const uint64_t len = HEAD * 4 + 8 * t->nodes;
    uLongf packed = compressBound(len);
    unsigned char *stored = malloc(packed);
    struct se_section x = { .tag = SE_TREE, .codec = SE_DEFLATED, .plain_len = len };
    struct se_stream s = { .section = &x, .count = 1 };
    struct se_err memory = SE_ERR_INIT, pieces = SE_ERR_INIT;
    const int rc = se_tree_check(&tree, &memory);

    CHECK(compress2(stored, &packed, (unsigned char *)payload, len, 1) == Z_OK);
    x.stored = stored;
    x.stored_len = packed;
    CHECK(se_walk_check(&s, SE_TREE, se_walk_tree, &pieces) == rc);
    CHECK(!x.plain && strcmp(memory.text, pieces.text) == 0);
    free(stored);
    return rc == 0;
}

static void test_deep(void)
{
    for (uint64_t seed = 0; seed < UNIT_CASES(CASES); seed++) {
        struct se_rng r;
        struct tree t;

        se_rng_init(&r, seed, SE_RNG_TEST, 3);
        make(&t, &r);
        CHECK(is_tree(&t) && check(&t));
        for (int k = 0; k < 2; k++) {           /* and damaged, often near the end */
            const uint64_t a = t.nodes - 1 - se_rng_below(&r, k ? t.nodes : t.nodes / 9 + 1);
            uint32_t *x = se_rng_below(&r, 3) ? &t.parent[a] : &t.vertex[a], old = *x;

            *x = se_rng_below(&r, 2) ? (uint32_t)se_rng_below(&r, t.nodes) : t.parent[old % t.nodes];
            CHECK(is_tree(&t) == check(&t));
            *x = old;
        }
    }
    unit_ok("trees deeper than what is kept of a path: the verdict of the definition");
}

int main(void)
{
    test_deep();
    return unit_done();
}
