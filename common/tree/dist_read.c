/* dist_read.c - the rows of one process, from the file that all of them see
 *
 * An edge is stored once, under its lower end.  A process reads those of its vertices and sends
 * each to the process of the upper end, which has it as well. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/tree/dist_workings.h"

struct edge {                   /* what the upper end is told */
    uint32_t low, high;
    float weight;
};

struct source {
    int fd;
    const struct se_graph_place *place;
    uint64_t *off;              /* of our vertices */
    uint32_t *to;
    float *weight;              /* NULL: all 1 */
};

uint64_t se_dist_border(uint64_t n, int rank, int ranks)
{
    const uint64_t r = (uint64_t)rank, all = (uint64_t)ranks;

    return n / all * r + n % all * r / all;
}

/* `count` items of `size` bytes from place `at` on */
static void *read_items(int fd, uint64_t at, uint64_t first, uint64_t count, size_t size,
                        struct se_err *err)
{
    char *items = se_alloc(count, size, err);
    uint64_t got = 0;

    while (items && got < count * size) {
        const ssize_t some = pread(fd, items + got, count * size - got,
                                   (off_t)(at + first * size + got));

        if (some < 0 && errno == EINTR)
            continue;
        if (some <= 0) {
            if (some < 0)
                se_fail_errno(err, SE_EIO, "read error");
            else
                se_fail(err, SE_EINPUT, "is shorter than it was for the first process");
            free(items);
            return NULL;
        }
        got += (uint64_t)some;
    }
    return items;
}

/* The first process has checked the file.  Is this the same one? */
static int check(const struct source *s, const struct se_share *x, struct se_err *err)
{
    const uint64_t begin = s->off[0], end = s->off[x->n];
    bool good = begin <= end && end <= s->place->m;

    for (uint64_t u = 0; good && u < x->n; u++)
        good = s->off[u] <= s->off[u + 1] && s->off[u + 1] <= end;
    for (uint64_t u = 0; good && u < x->n; u++)
        for (uint64_t e = s->off[u]; good && e < s->off[u + 1]; e++)
            good = s->to[e - begin] > x->first + u && s->to[e - begin] < x->all;
    return good ? 0 : se_fail(err, SE_EINPUT, "graph: process %d has found another file than the "
                              "first one", x->team->rank);
}

static int read_rows(struct source *s, const struct se_share *x, struct se_err *err)
{
    const struct se_graph_place *p = s->place;
    uint64_t begin, end;

    s->off = read_items(s->fd, p->off, x->first, x->n + 1, sizeof *s->off, err);
    if (!s->off)
        return -1;
    begin = s->off[0];
    end = s->off[x->n];
    if (begin > end || end > p->m)
        return se_fail(err, SE_EINPUT, "graph: process %d has found another file than the first "
                       "one", x->team->rank);
    s->to = read_items(s->fd, p->to, begin, end - begin, sizeof *s->to, err);
    if (s->to && p->weight)
        s->weight = read_items(s->fd, p->weight, begin, end - begin, sizeof *s->weight, err);
    return !s->to || (p->weight && !s->weight) ? -1 : check(s, x, err);
}

static void source_release(struct source *s)
{
    free(s->off);
    free(s->to);
    free(s->weight);
}

/* The quantum is a power of 2, so small that a float has no smaller part if it can be, and so
 * large that all weights together are below 2^52 of it. */
static void choose_scale(struct se_share *x, const struct source *s, const float *loops,
                         uint64_t count)
{
    const struct se_graph_place *p = s->place;
    double most = 0;
    int bits = 0;

    for (uint64_t e = 0; s->weight && e < s->off[x->n] - s->off[0]; e++)
        most = fmax(most, (double)s->weight[e]);
    for (uint64_t i = 0; loops && i < count; i++)
        most = fmax(most, (double)loops[i]);
    x->team->most(x->team, &most, 1);
    while (bits < 40 && p->m + p->loops >= UINT64_C(1) << bits)
        bits++;
    x->scale = p->weight && most > 0 ? ldexp(1, 50 - bits - ilogb(most)) : 1;
}

static double whole(const struct se_share *x, float weight)
{
    return rint((double)weight * x->scale);
}

/* Edges for the processes of their upper ends, our own among them */
static int send_edges(struct se_share *x, const struct source *s, struct edge **in,
                      uint64_t *in_count, struct se_err *err)
{
    const uint64_t ranks = (uint64_t)x->team->ranks, begin = s->off[0];
    uint64_t *of = se_zalloc(3 * (ranks + 1), sizeof *of, err), *at, kept = 0;
    struct edge *out;
    void *got;
    int rc;

    if (!of)
        return -1;
    for (uint64_t e = 0; e < s->off[x->n] - begin; e++)
        if (!s->weight || s->weight[e] > 0) {
            of[se_team_owner(x->border, (int)ranks, s->to[e]) + 1]++;
            kept++;
        }
    out = se_alloc(kept, sizeof *out, err);
    if (!out) {
        free(of);
        return -1;
    }
    at = of + 2 * (ranks + 1);
    for (uint64_t r = 0; r < ranks; r++) {
        of[r + 1] += of[r];
        at[r] = of[r];
    }
    for (uint64_t u = 0; u < x->n; u++)
        for (uint64_t e = s->off[u] - begin; e < s->off[u + 1] - begin; e++)
            if (!s->weight || s->weight[e] > 0)
                out[at[se_team_owner(x->border, (int)ranks, s->to[e])]++] = (struct edge){
                    (uint32_t)(x->first + u), s->to[e], s->weight ? s->weight[e] : 1 };
    rc = se_team_send(x->team, out, of, &got, of + ranks + 1, sizeof *out, err);
    *in = got;
    *in_count = of[2 * ranks + 1];
    free(out);
    free(of);
    return rc;
}

static void put_arc(struct se_share *x, uint64_t *at, uint64_t item, uint32_t to, float weight)
{
    const uint64_t a = at[item]++;

    x->to[a] = to;
    if (x->w32)
        x->w32[a] = weight;
    x->volume[item] += x->w32 ? whole(x, weight) : 1;
}

/* Lower neighbours, as they came, in ascending order; then the upper ones */
static int fill_rows(struct se_share *x, const struct source *s, const struct edge *edge,
                     uint64_t edges, struct se_err *err)
{
    const uint64_t begin = s->off[0];
    uint64_t *at;

    for (uint64_t i = 0; i < edges; i++)
        x->off[edge[i].high - x->first + 1]++;
    for (uint64_t u = 0; u < x->n; u++)
        for (uint64_t e = s->off[u] - begin; e < s->off[u + 1] - begin; e++)
            x->off[u + 1] += !s->weight || s->weight[e] > 0;
    for (uint64_t u = 0; u < x->n; u++)
        x->off[u + 1] += x->off[u];
    x->arcs = x->off[x->n];
    x->to = se_alloc(x->arcs, sizeof *x->to, err);
    x->w32 = s->place->weight ? se_alloc(x->arcs, sizeof *x->w32, err) : NULL;
    at = se_alloc(x->n, sizeof *at, err);
    if (!x->to || (s->place->weight && !x->w32) || !at) {
        free(at);
        return -1;
    }
    memcpy(at, x->off, x->n * sizeof *at);
    for (uint64_t i = 0; i < edges; i++)
        put_arc(x, at, edge[i].high - x->first, edge[i].low, edge[i].weight);
    for (uint64_t u = 0; u < x->n; u++)
        for (uint64_t e = s->off[u] - begin; e < s->off[u + 1] - begin; e++)
            if (!s->weight || s->weight[e] > 0)
                put_arc(x, at, u, s->to[e], s->weight ? s->weight[e] : 1);
    free(at);
    return 0;
}

/* Loops count in the volume only; they are few, and every process reads them all. */
static int add_loops(struct se_share *x, const struct source *s, const uint32_t *loop,
                     const float *weight, struct se_err *err)
{
    for (uint64_t i = 0; i < s->place->loops; i++) {
        if (loop[i] >= x->all)
            return se_fail(err, SE_EINPUT, "graph: another file than that of the first process");
        if (loop[i] - x->first < x->n)
            x->volume[loop[i] - x->first] += 2 * (weight ? whole(x, weight[i]) : 1);
    }
    return 0;
}

static int make_rows(struct se_share *x, struct source *s, const uint32_t *loop,
                     const float *loop_weight, struct se_err *err)
{
    double total[2] = { 0 };
    struct edge *edge = NULL;
    uint64_t edges = 0;
    int rc = read_rows(s, x, err);

    if (rc == 0) {
        choose_scale(x, s, loop_weight, s->place->loops);
        rc = send_edges(x, s, &edge, &edges, err);
    }
    if (rc == 0)
        rc = fill_rows(x, s, edge, edges, err);
    free(edge);
    if (rc < 0 || add_loops(x, s, loop, loop_weight, err) < 0)
        return -1;
    for (uint64_t u = 0; u < x->n; u++)
        total[0] += x->volume[u];
    total[1] = (double)x->arcs;
    x->team->sum(x->team, total, 2);
    x->vol = total[0];
    x->all_arcs = (uint64_t)total[1];
    return 0;
}

int se_share_read(struct se_share *x, struct se_team *team, int fd,
                 const struct se_graph_place *place, struct se_err *err)
{
    struct source s = { .fd = fd, .place = place };
    uint32_t *loop = NULL;
    float *loop_weight = NULL;
    int rc = -1;

    *x = (struct se_share){ .team = team, .all = place->n };
    x->border = se_alloc((uint64_t)team->ranks + 1, sizeof *x->border, err);
    if (!x->border)
        return -1;
    for (int r = 0; r <= team->ranks; r++)
        x->border[r] = se_dist_border(place->n, r, team->ranks);
    x->first = x->border[team->rank];
    x->n = x->border[team->rank + 1] - x->first;
    x->off = se_zalloc(x->n + 1, sizeof *x->off, err);
    x->volume = se_zalloc(x->n, sizeof *x->volume, err);
    loop = read_items(fd, place->loop, 0, place->loops, sizeof *loop, err);
    if (loop && place->weight)
        loop_weight = read_items(fd, place->loop_weight, 0, place->loops, sizeof *loop_weight, err);
    if (x->off && x->volume && loop && (!place->weight || loop_weight))
        rc = make_rows(x, &s, loop, loop_weight, err);
    free(loop);
    free(loop_weight);
    source_release(&s);
    return rc < 0 ? -1 : se_share_link(x, err);
}
