/* karate.c - Zachary's karate club (W. W. Zachary, J. Anthropological Research 33, 1977)
 *
 * Members 1-34 are vertices 0-33; an edge: the two met outside the club; classes: whom a
 * member followed when the club broke up. */
#include "common/graph/gen.h"

enum { MEMBERS = 34, TIES = 78 };

static const uint8_t tie[TIES][2] = {
    { 0, 1 }, { 0, 2 }, { 0, 3 }, { 0, 4 }, { 0, 5 }, { 0, 6 }, { 0, 7 }, { 0, 8 },
    { 0, 10 }, { 0, 11 }, { 0, 12 }, { 0, 13 }, { 0, 17 }, { 0, 19 }, { 0, 21 },
    { 0, 31 }, { 1, 2 }, { 1, 3 }, { 1, 7 }, { 1, 13 }, { 1, 17 }, { 1, 19 }, { 1, 21 },
    { 1, 30 }, { 2, 3 }, { 2, 7 }, { 2, 8 }, { 2, 9 }, { 2, 13 }, { 2, 27 }, { 2, 28 },
    { 2, 32 }, { 3, 7 }, { 3, 12 }, { 3, 13 }, { 4, 6 }, { 4, 10 }, { 5, 6 }, { 5, 10 },
    { 5, 16 }, { 6, 16 }, { 8, 30 }, { 8, 32 }, { 8, 33 }, { 9, 33 }, { 13, 33 },
    { 14, 32 }, { 14, 33 }, { 15, 32 }, { 15, 33 }, { 18, 32 }, { 18, 33 }, { 19, 33 },
    { 20, 32 }, { 20, 33 }, { 22, 32 }, { 22, 33 }, { 23, 25 }, { 23, 27 }, { 23, 29 },
    { 23, 32 }, { 23, 33 }, { 24, 25 }, { 24, 27 }, { 24, 31 }, { 25, 31 }, { 26, 29 },
    { 26, 33 }, { 27, 33 }, { 28, 31 }, { 28, 33 }, { 29, 32 }, { 29, 33 }, { 30, 32 },
    { 30, 33 }, { 31, 32 }, { 31, 33 }, { 32, 33 }
};

static const int32_t faction[MEMBERS] = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0,
    1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1
};

static const char names[] = "Mr. Hi\0Officer";   /* the last NUL is the string's own */

int se_karate_make(struct se_stream *s, struct se_err *err)
{
    uint64_t off[MEMBERS + 1] = { 0 };
    uint32_t to[TIES];
    const struct se_graph g = { MEMBERS, TIES, 0, off, to, NULL, NULL, NULL };
    const struct se_labels l = { MEMBERS, 2, faction, names, sizeof names };

    for (int e = 0; e < TIES; e++) {
        off[tie[e][0] + 1]++;
        to[e] = tie[e][1];
    }
    for (int v = 0; v < MEMBERS; v++)
        off[v + 1] += off[v];
    return se_graph_put(&g, s, SE_GRAPH, NULL, err) < 0 ? -1 : se_labels_put(&l, s, err);
}
