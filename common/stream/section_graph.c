/* section_graph.c - the sections graph, fused and arcs
 *
 * graph, fused: u64 n, m, loops, flags (1: weighted); u64 off[n + 1]; u32 to[m]; u32 loop[loops];
 * weighted: f32 weight[m], f32 loop_weight[loops]
 * arcs: u64 n, m, flags; u64 off[n + 1]; u32 to[m]; weighted: f32 weight[m] */
#include <inttypes.h>
#include <stdlib.h>

#include "common/base/mem.h"
#include "common/base/scratch.h"
#include "common/stream/payload.h"

enum { WEIGHTED = 1 };

static int check_rows(const struct se_graph *g, struct se_reader *off, struct se_reader *to,
                      uint32_t tag, struct se_err *err)
{
    uint64_t first = se_next_u64(off);

    for (uint64_t u = 0; u < g->n; u++) {
        const uint64_t behind = se_next_u64(off);
        uint64_t last = u;

        for (uint64_t i = first; i < behind; i++) {
            const uint32_t v = se_next_u32(to);

            if (v <= last || v >= g->n)
                return se_payload_fail(err, tag, "edge %" PRIu64 " - %" PRIu32 " is out of "
                                       "order or out of range", u, v);
            last = v;
        }
        first = behind;
    }
    return 0;
}

static int check_loops(const struct se_graph *g, struct se_reader *loop, uint32_t tag,
                       struct se_err *err)
{
    uint32_t last = 0;

    for (uint64_t i = 0; i < g->loops; i++) {
        const uint32_t v = se_next_u32(loop);

        if (v >= g->n || (i > 0 && v <= last))
            return se_payload_fail(err, tag, "self-loop of %" PRIu32 " is out of order or out "
                                   "of range", v);
        last = v;
    }
    return 0;
}

static int check_weights(struct se_reader *r, uint32_t tag, struct se_err *err)
{
    const uint64_t bad = se_reader_not_finite(r);
    const void *block;
    uint64_t count;

    if (bad != UINT64_MAX)
        return se_payload_fail(err, tag, "weight %" PRIu64 " is not a finite number", bad);
    se_reader_restart(r);
    for (uint64_t from = 0; (count = se_next_block(r, &block, sizeof(float))) > 0; from += count)
        for (uint64_t i = 0; i < count; i++)
            if (((const float *)block)[i] < 0)
                return se_payload_fail(err, tag, "weight %" PRIu64 " is negative", from + i);
    return 0;
}

int se_walk_graph(struct se_walk *w, void *to, struct se_err *err)
{
    const uint32_t tag = w->section->tag;
    struct se_reader off, ends, loop, weight[2];
    struct se_graph x = { 0 };
    const uint64_t *h = se_walk_head(w, 4);
    bool weighted;

    if (!h)
        return se_payload_short(err, tag);
    if (se_payload_vertices(h[0], tag, err) < 0)
        return -1;
    if (h[3] & ~(uint64_t)WEIGHTED)
        return se_payload_fail(err, tag, "unknown flags; a newer se-gsl wrote this");
    weighted = h[3] & WEIGHTED;
    x.n = h[0];
    x.m = h[1];
    x.loops = h[2];
    x.off = se_walk_array(w, &off, x.n + 1, 8);
    x.to = se_walk_array(w, &ends, x.m, 4);
    x.loop = se_walk_array(w, &loop, x.loops, 4);
    if (weighted) {
        x.weight = se_walk_array(w, &weight[0], x.m, 4);
        x.loop_weight = se_walk_array(w, &weight[1], x.loops, 4);
    }
    if (!x.off || !x.to || !x.loop || w->left || (weighted && (!x.weight || !x.loop_weight)))
        return se_payload_short(err, tag);
    if (se_payload_offsets(&off, x.m, tag, err) < 0 ||
        check_rows(&x, &off, &ends, tag, err) < 0 || check_loops(&x, &loop, tag, err) < 0)
        return -1;
    if (weighted && (check_weights(&weight[0], tag, err) < 0 ||
                     check_weights(&weight[1], tag, err) < 0))
        return -1;
    if (to)
        *(struct se_graph *)to = x;
    return 0;
}

int se_graph_get(struct se_graph *g, struct se_stream *s, uint32_t tag, struct se_err *err)
{
    return se_walk_whole(s, tag, se_walk_graph, g, err);
}

static int check_arcs(const struct se_graph *g, struct se_reader *off, struct se_reader *to,
                      struct se_err *err)
{
    uint64_t first = se_next_u64(off);

    for (uint64_t u = 0; u < g->n; u++) {
        const uint64_t behind = se_next_u64(off);
        uint64_t least = 0;

        for (uint64_t i = first; i < behind; i++) {
            const uint32_t v = se_next_u32(to);

            if (v < least || v >= g->n)
                return se_payload_fail(err, SE_ARCS, "arc %" PRIu64 " -> %" PRIu32 " is out of "
                                       "order or out of range", u, v);
            least = (uint64_t)v + 1;
        }
        first = behind;
    }
    return 0;
}

int se_walk_arcs(struct se_walk *w, void *to, struct se_err *err)
{
    struct se_reader off, ends, weight;
    struct se_graph x = { 0 };
    const uint64_t *h = se_walk_head(w, 3);
    bool weighted;

    if (!h)
        return se_payload_short(err, SE_ARCS);
    if (se_payload_vertices(h[0], SE_ARCS, err) < 0)
        return -1;
    if (h[2] & ~(uint64_t)WEIGHTED)
        return se_payload_fail(err, SE_ARCS, "unknown flags; a newer se-gsl wrote this");
    weighted = h[2] & WEIGHTED;
    x.n = h[0];
    x.m = h[1];
    x.off = se_walk_array(w, &off, x.n + 1, 8);
    x.to = se_walk_array(w, &ends, x.m, 4);
    if (weighted)
        x.weight = se_walk_array(w, &weight, x.m, 4);
    if (!x.off || !x.to || w->left || (weighted && !x.weight))
        return se_payload_short(err, SE_ARCS);
    if (se_payload_offsets(&off, x.m, SE_ARCS, err) < 0 || check_arcs(&x, &off, &ends, err) < 0 ||
        (weighted && check_weights(&weight, SE_ARCS, err) < 0))
        return -1;
    if (to)
        *(struct se_graph *)to = x;
    return 0;
}

int se_arcs_get(struct se_graph *g, struct se_stream *s, struct se_err *err)
{
    return se_walk_whole(s, SE_ARCS, se_walk_arcs, g, err);
}

int se_arcs_put(const struct se_graph *g, struct se_stream *s, struct se_err *err)
{
    const uint32_t from[SE_ORIGINS] = { SE_GRAPH, 0 };
    const uint64_t h[3] = { g->n, g->m, g->weight ? WEIGHTED : 0 };
    const struct se_piece part[] = {
        { h, sizeof h }, { g->off, (g->n + 1) * 8 }, { g->to, g->m * 4 }, { g->weight, g->m * 4 }
    };

    return se_stream_put(s, SE_ARCS, part, g->weight ? 4 : 3, from, err);
}

int se_graph_put(const struct se_graph *g, struct se_stream *s, uint32_t tag,
                 const uint32_t from[SE_ORIGINS], struct se_err *err)
{
    const uint64_t h[4] = { g->n, g->m, g->loops, g->weight ? WEIGHTED : 0 };
    const struct se_piece part[] = {
        { h, sizeof h },
        { g->off, (g->n + 1) * 8 },
        { g->to, g->m * 4 },
        { g->loop, g->loops * 4 },
        { g->weight, g->m * 4 },
        { g->loop_weight, g->loops * 4 }
    };

    return se_stream_put(s, tag, part, g->weight ? 6 : 4, from, err);
}

/* `count` items of 4 bytes, with zeros up to a whole word. */
static void *take_items(uint64_t **at, uint64_t count)
{
    uint64_t *const p = *at;

    *at += (count + 1) / 2;
    if (count > 0)
        (*at)[-1] = 0;
    return p;
}

int se_graph_room_make(struct se_graph_room *r, uint64_t n, uint64_t m, uint64_t loops,
                       bool weighted, struct se_err *err)
{
    const uint64_t items = (m + 1) / 2 + (loops + 1) / 2;
    const uint64_t words = 4 + n + 1 + (weighted ? 2 * items : items);
    uint64_t mapped, *at = se_room(words, sizeof *at, &mapped, err);

    if (!at)
        return -1;
    *r = (struct se_graph_room){ .n = n, .m = m, .loops = loops, .len = words * sizeof *at,
                                 .mapped = mapped, .payload = at, .off = at + 4 };
    at[0] = n;
    at[1] = m;
    at[2] = loops;
    at[3] = weighted ? WEIGHTED : 0;
    at += 4 + n + 1;
    r->to = take_items(&at, m);
    r->loop = take_items(&at, loops);
    r->weight = weighted ? take_items(&at, m) : NULL;
    r->loop_weight = weighted ? take_items(&at, loops) : NULL;
    return 0;
}

int se_graph_room_give(struct se_graph_room *r, struct se_stream *s, uint32_t tag,
                       const uint32_t from[SE_ORIGINS], struct se_err *err)
{
    void *payload = r->payload;
    const uint64_t len = r->len, mapped = r->mapped;

    *r = (struct se_graph_room)SE_GRAPH_ROOM_INIT;
    return se_stream_give_room(s, tag, payload, mapped, len, from, err);
}

void se_graph_room_release(struct se_graph_room *r)
{
    se_room_free(r->payload, r->mapped);
    *r = (struct se_graph_room)SE_GRAPH_ROOM_INIT;
}

int se_graph_put_edges(const struct se_graph *g, uint64_t most, se_fill_edges *fill,
                       void *arg, struct se_stream *s, struct se_err *err)
{
    struct se_graph new = *g;
    uint64_t *off = se_alloc(g->n + 1, sizeof *off, err);
    uint32_t *to = NULL;
    float *weight = NULL;
    int rc = -1;

    if (off && (to = se_alloc(most, sizeof *to, err)) &&
        (!g->weight || (weight = se_alloc(most, sizeof *weight, err)))) {
        new.m = fill(g, arg, off, to, weight);
        new.off = off;
        new.to = to;
        new.weight = weight;
        rc = se_graph_put(&new, s, SE_GRAPH, NULL, err);
    }
    free(off);
    free(to);
    free(weight);
    return rc;
}

uint32_t se_graph_current(const struct se_stream *s)
{
    return se_stream_has(s, SE_FUSED) ? SE_FUSED : SE_GRAPH;
}
