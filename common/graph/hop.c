/* hop.c - pairs of vertices at an exact distance */
#include "common/graph/hop.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/parallel.h"
#include "common/graph/adjacency.h"

enum { ROWS = 64 };             /* vertices a task */

struct found {                  /* the higher ends of the pairs of a task's vertices */
    uint32_t *to;
    size_t cap;
    uint64_t count;
};

struct room {
    uint32_t *queue;            /* n */
    uint32_t *seen;             /* n: the last start that met the vertex, plus 1 */
    struct se_err err;
    bool failed;
};

struct hops {
    struct se_adjacency a;
    uint64_t hops, *degree;     /* pairs of each vertex, under its lower end */
    struct found *found;
    struct room *room;          /* one per thread */
};

static int by_id(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* Breadth first from u: the vertices at distance `hops` are queue[*from] .. queue[*to - 1]. */
static void search(const struct hops *h, struct room *r, uint32_t u, uint64_t *from,
                   uint64_t *to)
{
    const struct se_adjacency *a = &h->a;
    uint64_t first = 0, last = 1;

    r->queue[0] = u;
    r->seen[u] = u + 1;
    for (uint64_t hop = 0; hop < h->hops && first < last; hop++) {
        uint64_t end = last;

        for (; first < last; first++)
            for (uint64_t i = a->off[r->queue[first]]; i < a->off[r->queue[first] + 1]; i++)
                if (r->seen[a->to[i]] != u + 1) {
                    r->seen[a->to[i]] = u + 1;
                    r->queue[end++] = a->to[i];
                }
        last = end;
    }
    *from = first;
    *to = last;
}

static void search_rows(void *arg, uint64_t task, int thread)
{
    struct hops *h = arg;
    struct room *r = &h->room[thread];
    struct found *f = &h->found[task];
    const uint64_t n = h->a.n, last = n - task * ROWS < ROWS ? n : (task + 1) * ROWS;

    for (uint64_t u = task * ROWS; u < last && !r->failed; u++) {
        const uint64_t start = f->count;
        uint64_t from, to;

        search(h, r, (uint32_t)u, &from, &to);
        if (se_grow(&f->to, &f->cap, f->count + (to - from), sizeof *f->to, &r->err) < 0) {
            r->failed = true;
            return;
        }
        for (; from < to; from++)
            if (r->queue[from] > u)
                f->to[f->count++] = r->queue[from];
        h->degree[u] = f->count - start;
        if (f->count > start)
            qsort(f->to + start, f->count - start, sizeof *f->to, by_id);
    }
}

static int make_rooms(struct hops *h, int threads, struct se_err *err)
{
    h->room = se_zalloc((uint64_t)threads, sizeof *h->room, err);
    for (int i = 0; h->room && i < threads; i++) {
        h->room[i].queue = se_alloc(h->a.n, sizeof *h->room->queue, err);
        h->room[i].seen = h->room[i].queue ? se_zalloc(h->a.n, sizeof *h->room->seen, err) : NULL;
        if (!h->room[i].seen)
            return -1;
    }
    return h->room ? 0 : -1;
}

static int put(struct hops *h, uint64_t tasks, struct se_stream *s, uint64_t *edges,
               struct se_err *err)
{
    struct se_graph_room room = SE_GRAPH_ROOM_INIT;
    uint64_t at = 0;

    *edges = 0;
    for (uint64_t t = 0; t < tasks; t++)
        *edges += h->found[t].count;
    if (se_graph_room_make(&room, h->a.n, *edges, 0, false, err) < 0)
        return -1;
    for (uint64_t t = 0; t < tasks; t++) {
        struct found *f = &h->found[t];

        if (f->count > 0)
            memcpy(room.to + at, f->to, f->count * sizeof *f->to);
        at += f->count;
        free(f->to);
        f->to = NULL;
    }
    room.off[0] = 0;
    for (uint64_t u = 0; u < h->a.n; u++)
        room.off[u + 1] = room.off[u] + h->degree[u];
    return se_graph_room_give(&room, s, SE_GRAPH, NULL, err);
}

int se_hop(const struct se_graph *g, uint64_t hops, int threads, struct se_stream *s,
           uint64_t *edges, struct se_err *err)
{
    const uint64_t tasks = (g->n + ROWS - 1) / ROWS;
    struct hops h = { .a = SE_ADJACENCY_INIT, .hops = hops };
    int rc = -1;

    if (se_adjacency_make(&h.a, g, err) == 0 && make_rooms(&h, threads, err) == 0 &&
        (h.degree = se_zalloc(g->n, sizeof *h.degree, err)) &&
        (h.found = se_zalloc(tasks, sizeof *h.found, err))) {
        se_parallel(threads, tasks, search_rows, &h);
        rc = 0;
        for (int i = 0; rc == 0 && i < threads; i++)
            if (h.room[i].failed) {
                *err = h.room[i].err;
                rc = -1;
            }
        if (rc == 0)
            rc = put(&h, tasks, s, edges, err);
    }
    for (int i = 0; h.room && i < threads; i++) {
        free(h.room[i].queue);
        free(h.room[i].seen);
    }
    for (uint64_t t = 0; h.found && t < tasks; t++)
        free(h.found[t].to);
    free(h.found);
    free(h.room);
    free(h.degree);
    se_adjacency_release(&h.a);
    return rc;
}
