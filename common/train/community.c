/* community.c - the communities of a tree as columns of features */
#include "common/train/community.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/rng.h"
#include "common/stream/payload.h"

void se_communities_release(struct se_communities *c)
{
    free(c->col);
    memset(c, 0, sizeof *c);
}

static uint32_t column(uint64_t k, uint64_t level, uint64_t of_level, uint64_t dims)
{
    const uint32_t counter[4] = { (uint32_t)k, SE_RNG_COMMUNITY, (uint32_t)level, 0 };
    const uint32_t key[2] = { 0, 0 };
    uint32_t word[4];

    if (of_level <= dims)
        return (uint32_t)k;
    se_philox(counter, key, word);
    return (uint32_t)(word[0] * dims >> 32);
}

/* Per node its distance from the root, and for inner nodes the place in their level; how many
 * each level has, the root's first. */
static int find_levels(const struct se_tree *t, uint32_t *depth, uint32_t *place,
                       uint64_t *of_level, struct se_err *err)
{
    depth[0] = 0;
    for (uint64_t a = 1; a < t->nodes; a++) {
        depth[a] = depth[t->parent[a]] + 1;
        if (t->vertex[a] != SE_NONE)
            continue;
        if (depth[a] > SE_MOST_LEVELS)
            return se_payload_fail(err, SE_TREE, "has more than %d levels of communities; make "
                                   "one with se-tree -K", SE_MOST_LEVELS);
        place[a] = (uint32_t)of_level[depth[a]]++;
    }
    return 0;
}

static void fill(struct se_communities *c, const struct se_tree *t, const uint32_t *depth,
                 const uint32_t *place, const uint64_t *of_level)
{
    for (uint64_t leaf = 1; leaf < t->nodes; leaf++) {
        uint32_t *col;

        if (t->vertex[leaf] == SE_NONE)
            continue;
        col = c->col + t->vertex[leaf] * c->levels;
        for (uint64_t l = 0; l < c->levels; l++)
            col[l] = SE_NONE;
        for (uint32_t a = t->parent[leaf]; a != 0; a = t->parent[a])
            col[depth[a] - 1] = column(place[a], depth[a], of_level[depth[a]], c->dims);
    }
}

int se_communities_make(struct se_communities *c, const struct se_tree *t, uint64_t dims,
                        struct se_err *err)
{
    uint64_t of_level[SE_MOST_LEVELS + 2] = { 0 };
    uint32_t *depth = se_alloc(t->nodes, sizeof *depth, err);
    uint32_t *place = depth ? se_zalloc(t->nodes, sizeof *place, err) : NULL;
    int rc = place ? find_levels(t, depth, place, of_level, err) : -1;

    *c = (struct se_communities){ t->n, 0, dims, NULL };
    while (rc == 0 && of_level[c->levels + 1] > 0)
        c->levels++;
    if (rc == 0 && c->levels == 0)
        rc = se_payload_fail(err, SE_TREE, "has no communities: every leaf hangs from the root");
    if (rc == 0)
        rc = (c->col = se_alloc(t->n * c->levels, sizeof *c->col, err)) ? 0 : -1;
    if (rc == 0)
        fill(c, t, depth, place, of_level);
    free(depth);
    free(place);
    return rc;
}
