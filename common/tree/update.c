/* update.c - the tree of an older graph for a graph that has changed since
 *
 * A vertex has changed if the set of its edges and weights has.  Where vertices keep their numbers
 * the edges are compared row by row.  Else sets are compared by the sum of a hash over their
 * members: it needs one pass over each graph, and no sorting. */
#include "common/tree/update.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/keyed.h"
#include "common/base/mem.h"

void se_update_release(struct se_update *u)
{
    se_hierarchy_release(&u->start);
    free(u->changed);
    *u = (struct se_update)SE_UPDATE_INIT;
}

/* ---- which vertex is which ---- */

static uint64_t name_length(const struct se_names *x, uint64_t v)
{
    return x->off[v + 1] - x->off[v];
}

/* The slot of a name in a table of vertices of x, or the empty one where it belongs. */
static uint64_t slot_of(const uint32_t *table, uint64_t mask, const struct se_names *x,
                        const char *name, uint64_t length)
{
    uint64_t i = se_hash_bytes(name, length) & mask;

    while (table[i] != SE_NONE && (name_length(x, table[i]) != length ||
                                   memcmp(x->text + x->off[table[i]], name, length) != 0))
        i = (i + 1) & mask;
    return i;
}

int se_update_match(uint32_t *now_of_old, uint64_t old_n, uint64_t n, const struct se_names *old,
                    const struct se_names *now, struct se_err *err)
{
    uint64_t slots = 4;
    uint32_t *table;

    for (uint64_t v = 0; !old && v < old_n; v++)
        now_of_old[v] = v < n ? (uint32_t)v : SE_NONE;
    if (!old)
        return 0;
    while (slots < 2 * n)
        slots *= 2;
    table = se_alloc(slots, sizeof *table, err);
    if (!table)
        return -1;
    memset(table, 0xff, slots * sizeof *table);
    for (uint64_t v = 0; v < n; v++)
        table[slot_of(table, slots - 1, now, now->text + now->off[v], name_length(now, v))] =
            (uint32_t)v;
    for (uint64_t v = 0; v < old_n; v++)
        now_of_old[v] = table[slot_of(table, slots - 1, now, old->text + old->off[v],
                                      name_length(old, v))];
    free(table);
    return 0;
}

/* ---- what has changed ---- */

static float weight_of(const struct se_graph *g, uint64_t e)
{
    return g->weight ? g->weight[e] : 1;
}

static uint64_t hash_edge(uint32_t to, float weight)
{
    uint32_t bits;

    memcpy(&bits, &weight, sizeof bits);
    return se_hash_word(se_hash_key(), 0x9e3779b97f4a7c15, (uint64_t)to << 32 | bits);
}

/* Add the edges of g to the sums of their ends.  id: the vertices by other numbers, or NULL. */
static void add_edges(uint64_t *sum, const struct se_graph *g, const uint32_t *id)
{
    for (uint64_t u = 0; u < g->n; u++) {
        const uint32_t a = id ? id[u] : (uint32_t)u;

        for (uint64_t e = g->off[u]; e < g->off[u + 1]; e++) {
            const uint32_t b = id ? id[g->to[e]] : g->to[e];
            const float w = weight_of(g, e);

            if (a != SE_NONE)
                sum[a] += hash_edge(b, w);
            if (b != SE_NONE)
                sum[b] += hash_edge(a, w);
        }
    }
    for (uint64_t i = 0; i < g->loops; i++) {
        const uint32_t a = id ? id[g->loop[i]] : g->loop[i];

        if (a != SE_NONE)
            sum[a] += hash_edge(a, g->loop_weight ? g->loop_weight[i] : 1);
    }
}

static bool same_weights(const struct se_graph *a, uint64_t i, const struct se_graph *b, uint64_t j,
                         uint64_t count)
{
    for (uint64_t e = 0; (a->weight || b->weight) && e < count; e++)
        if (weight_of(a, i + e) < weight_of(b, j + e) || weight_of(a, i + e) > weight_of(b, j + e))
            return false;
    return true;
}

/* Rows are ascending: what is in one of them only has changed at both ends. */
static void compare_row(uint8_t *changed, const struct se_graph *a, const struct se_graph *b,
                        uint64_t u)
{
    uint64_t i = a->off[u], j = b->off[u];
    const uint64_t i_end = a->off[u + 1], j_end = b->off[u + 1];

    if (i_end - i == j_end - j && memcmp(a->to + i, b->to + j, (i_end - i) * sizeof *a->to) == 0 &&
        same_weights(a, i, b, j, i_end - i))
        return;
    while (i < i_end || j < j_end) {
        const uint32_t x = i < i_end ? a->to[i] : SE_NONE, y = j < j_end ? b->to[j] : SE_NONE;

        if (x != y || !same_weights(a, i, b, j, 1))
            changed[u] = changed[x < y ? x : y] = 1;
        i += x <= y;
        j += y <= x;
    }
}

static void compare_loops(uint8_t *changed, const struct se_graph *a, const struct se_graph *b)
{
    uint64_t i = 0, j = 0;

    while (i < a->loops || j < b->loops) {
        const uint32_t x = i < a->loops ? a->loop[i] : SE_NONE;
        const uint32_t y = j < b->loops ? b->loop[j] : SE_NONE;
        const float v = x <= y && a->loop_weight ? a->loop_weight[i] : 1;
        const float w = y <= x && b->loop_weight ? b->loop_weight[j] : 1;

        if (x != y || v < w || v > w)
            changed[x < y ? x : y] = 1;
        i += x <= y;
        j += y <= x;
    }
}

/* Has every vertex kept its number? */
static bool same_numbers(const struct se_graph *old, const struct se_graph *now,
                         const uint32_t *now_of_old)
{
    uint64_t v = 0;

    while (old->n == now->n && v < old->n && now_of_old[v] == v)
        v++;
    return old->n == now->n && v == old->n;
}

static int mark_same(struct se_update *u, const struct se_graph *old, const struct se_graph *now,
                     struct se_err *err)
{
    u->changed = se_zalloc(now->n, sizeof *u->changed, err);
    if (!u->changed)
        return -1;
    for (uint64_t v = 0; v < now->n; v++)
        compare_row(u->changed, old, now, v);
    compare_loops(u->changed, old, now);
    for (uint64_t v = 0; v < now->n; v++)
        u->touched += u->changed[v];
    return 0;
}

static int mark_changed(struct se_update *u, const struct se_graph *old,
                        const struct se_graph *now, const uint32_t *now_of_old,
                        struct se_err *err)
{
    uint64_t *before = se_zalloc(now->n, sizeof *before, err);
    uint64_t *after = se_zalloc(now->n, sizeof *after, err);

    u->changed = se_alloc(now->n, sizeof *u->changed, err);
    if (!before || !after || !u->changed) {
        free(before);
        free(after);
        return -1;
    }
    add_edges(before, old, now_of_old);
    add_edges(after, now, NULL);
    memset(u->changed, 1, now->n);
    u->added = u->touched = now->n;
    for (uint64_t v = 0; v < old->n; v++) {
        const uint32_t a = now_of_old[v];

        if (a == SE_NONE) {
            u->gone++;
            continue;
        }
        u->added--;
        u->changed[a] = before[a] != after[a];
        u->touched -= !u->changed[a];
    }
    free(before);
    free(after);
    return 0;
}

/* ---- the tree ---- */

/* Number the nodes that have a vertex left below them; the root is among them.  Returns how many
 * there are.  A parent comes before its children. */
static uint64_t number_nodes(uint32_t *id, const struct se_tree *t, const uint32_t *now_of_old)
{
    uint64_t count = 0;

    for (uint64_t a = 0; a < t->nodes; a++)
        id[a] = a == 0 || (t->vertex[a] != SE_NONE && now_of_old[t->vertex[a]] != SE_NONE)
                    ? 0 : SE_NONE;
    for (uint64_t a = t->nodes; a-- > 1;)
        if (id[a] != SE_NONE)
            id[t->parent[a]] = 0;
    for (uint64_t a = 0; a < t->nodes; a++)
        if (id[a] != SE_NONE)
            id[a] = (uint32_t)count++;
    return count;
}

static int carry_tree(struct se_update *u, const struct se_tree *t, const uint32_t *now_of_old,
                      uint64_t n, struct se_err *err)
{
    uint32_t *id = se_alloc(t->nodes, sizeof *id, err);
    bool *has = se_zalloc(n, sizeof *has, err);
    uint64_t count = id ? number_nodes(id, t, now_of_old) : 0;
    struct se_hierarchy *h = &u->start;

    h->parent = se_alloc(count + u->added, sizeof *h->parent, err);
    h->vertex = se_alloc(count + u->added, sizeof *h->vertex, err);
    if (!id || !has || !h->parent || !h->vertex) {
        free(id);
        free(has);
        return -1;
    }
    for (uint64_t a = 0; a < t->nodes; a++) {
        if (id[a] == SE_NONE)
            continue;
        h->parent[id[a]] = a == 0 ? SE_NONE : id[t->parent[a]];
        h->vertex[id[a]] = t->vertex[a] == SE_NONE ? SE_NONE : now_of_old[t->vertex[a]];
        if (t->vertex[a] != SE_NONE)
            has[now_of_old[t->vertex[a]]] = true;
    }
    for (uint64_t v = 0; v < n; v++)
        if (!has[v]) {
            h->parent[count] = 0;
            h->vertex[count++] = (uint32_t)v;
        }
    h->n = n;
    h->nodes = count;
    free(id);
    free(has);
    return 0;
}

int se_update_make(struct se_update *u, const struct se_tree *tree, const struct se_graph *old,
                   const struct se_graph *now, const uint32_t *now_of_old, struct se_err *err)
{
    struct se_tree t;

    if ((same_numbers(old, now, now_of_old) ? mark_same(u, old, now, err)
                                            : mark_changed(u, old, now, now_of_old, err)) < 0 ||
        carry_tree(u, tree, now_of_old, now->n, err) < 0)
        return -1;
    t = se_hierarchy_view(&u->start);
    return se_tree_check(&t, err);
}
