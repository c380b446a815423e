/* section_graph.c - the sections graph and fused
 *
 * u64 n, m, loops, flags (1: weighted); u64 off[n + 1]; u32 to[m]; u32 loop[loops];
 * weighted: f32 weight[m], f32 loop_weight[loops] */
#include <inttypes.h>
#include <stdlib.h>

#include "common/base/mem.h"
#include "common/stream/payload.h"

enum { WEIGHTED = 1 };

static int check_rows(const struct se_graph *g, uint32_t tag, struct se_err *err)
{
    for (uint64_t u = 0; u < g->n; u++) {
        uint64_t last = u;

        for (uint64_t i = g->off[u]; i < g->off[u + 1]; i++) {
            if (g->to[i] <= last || g->to[i] >= g->n)
                return se_payload_fail(err, tag, "edge %" PRIu64 " - %" PRIu32 " is out of "
                                       "order or out of range", u, g->to[i]);
            last = g->to[i];
        }
    }
    for (uint64_t i = 0; i < g->loops; i++)
        if (g->loop[i] >= g->n || (i > 0 && g->loop[i] <= g->loop[i - 1]))
            return se_payload_fail(err, tag, "self-loop of %" PRIu32 " is out of order or out "
                                   "of range", g->loop[i]);
    return 0;
}

static int check_weights(const float *w, uint64_t count, uint32_t tag, struct se_err *err)
{
    if (se_first_not_finite(w, count) < count)
        return se_payload_fail(err, tag, "weight %" PRIu64 " is not a finite number",
                               se_first_not_finite(w, count));
    for (uint64_t i = 0; i < count; i++)
        if (w[i] < 0)
            return se_payload_fail(err, tag, "weight %" PRIu64 " is negative", i);
    return 0;
}

int se_graph_get(struct se_graph *g, struct se_stream *s, uint32_t tag, struct se_err *err)
{
    struct se_graph x = { 0 };
    struct se_cursor c;
    const uint64_t *h;

    if (se_payload_open(s, tag, &c, err) < 0)
        return -1;
    h = se_take(&c, 4, 8);
    if (!h)
        return se_payload_short(err, tag);
    if (se_payload_vertices(h[0], tag, err) < 0)
        return -1;
    if (h[3] & ~(uint64_t)WEIGHTED)
        return se_payload_fail(err, tag, "unknown flags; a newer se-gsl wrote this");
    x.n = h[0];
    x.m = h[1];
    x.loops = h[2];
    x.off = se_take(&c, x.n + 1, 8);
    x.to = se_take(&c, x.m, 4);
    x.loop = se_take(&c, x.loops, 4);
    if (h[3] & WEIGHTED) {
        x.weight = se_take(&c, x.m, 4);
        x.loop_weight = se_take(&c, x.loops, 4);
    }
    if (!x.off || !x.to || !x.loop || c.left ||
        ((h[3] & WEIGHTED) && (!x.weight || !x.loop_weight)))
        return se_payload_short(err, tag);
    if (se_payload_offsets(x.off, x.n, x.m, tag, err) < 0 || check_rows(&x, tag, err) < 0)
        return -1;
    if (x.weight && (check_weights(x.weight, x.m, tag, err) < 0 ||
                     check_weights(x.loop_weight, x.loops, tag, err) < 0))
        return -1;
    *g = x;
    return 0;
}

int se_graph_put(const struct se_graph *g, struct se_stream *s, uint32_t tag,
                 const uint32_t from[SE_ORIGINS], struct se_err *err)
{
    const uint64_t h[4] = { g->n, g->m, g->loops, g->weight ? WEIGHTED : 0 };
    const struct se_part part[] = {
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
    uint64_t *at = se_alloc(words, sizeof *at, err);

    if (!at)
        return -1;
    *r = (struct se_graph_room){ .n = n, .m = m, .loops = loops, .len = words * sizeof *at,
                                 .payload = at, .off = at + 4 };
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
    const uint64_t len = r->len;

    *r = (struct se_graph_room)SE_GRAPH_ROOM_INIT;
    return se_stream_give(s, tag, payload, len, from, err);
}

void se_graph_room_release(struct se_graph_room *r)
{
    free(r->payload);
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
