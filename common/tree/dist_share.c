/* dist_share.c - the part of a net that one process has, and what it knows of the others */
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/sort.h"
#include "common/tree/dist_workings.h"

void se_share_release(struct se_share *x)
{
    free(x->border);
    free(x->off);
    free(x->to);
    free(x->w64);
    free(x->w32);
    free(x->volume);
    free(x->inner);
    free(x->id);
    free(x->halo_of);
    free(x->row);
    free(x->row_of);
    memset(x, 0, sizeof *x);
}

/* ---- linking ---- */

static bool is_ours(const struct se_share *x, uint32_t item)
{
    return item - x->first < x->n;
}

static int compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* Each once, ascending.  Sorted as soon as it is twice as long, so that it never holds all arcs. */
static uint64_t sort_once(uint32_t *id, uint64_t count)
{
    uint64_t kept = 0;

    qsort(id, count, sizeof *id, compare);
    for (uint64_t i = 0; i < count; i++)
        if (i == 0 || id[i] != id[i - 1])
            id[kept++] = id[i];
    return kept;
}

static int find_halo(struct se_share *x, struct se_err *err)
{
    size_t room = 0, twice = 1024;
    uint64_t count = 0;

    for (uint64_t a = 0; a < x->arcs; a++) {
        if (is_ours(x, x->to[a]))
            continue;
        if (count == twice) {
            count = sort_once(x->id, count);
            twice = 2 * count > 1024 ? 2 * count : 1024;
        }
        if (se_grow(&x->id, &room, count + 1, sizeof *x->id, err) < 0)
            return -1;
        x->id[count++] = x->to[a];
    }
    x->halo = count ? sort_once(x->id, count) : 0;
    return 0;
}

/* The place of an item of others in the halo */
static uint32_t place_of(const struct se_share *x, uint32_t item)
{
    return (uint32_t)se_lower_bound_u32(x->id, x->halo, item);
}

int se_share_link(struct se_share *x, struct se_err *err)
{
    const int ranks = x->team->ranks;
    void *row;

    x->halo_of = se_alloc((uint64_t)ranks + 1, sizeof *x->halo_of, err);
    x->row_of = se_alloc((uint64_t)ranks + 1, sizeof *x->row_of, err);
    if (!x->halo_of || !x->row_of || find_halo(x, err) < 0)
        return -1;
    for (int r = 0; r <= ranks; r++)
        x->halo_of[r] = place_of(x, (uint32_t)x->border[r]);
    x->halo_of[ranks] = x->halo;
    for (uint64_t a = 0; a < x->arcs; a++)
        x->to[a] = is_ours(x, x->to[a]) ? (uint32_t)(x->to[a] - x->first)
                                        : (uint32_t)(x->n + place_of(x, x->to[a]));
    if (se_team_send(x->team, x->id, x->halo_of, &row, x->row_of, sizeof *x->row, err) < 0)
        return -1;
    x->row = row;
    for (uint64_t i = 0; i < x->row_of[ranks]; i++)
        x->row[i] -= (uint32_t)x->first;
    return 0;
}

/* ---- values of items ---- */

int se_share_fetch(const struct se_share *x, uint32_t *value, struct se_err *err)
{
    const uint64_t count = x->row_of[x->team->ranks];
    uint32_t *out = se_alloc(count, sizeof *out, err);

    if (!out)
        return -1;
    for (uint64_t i = 0; i < count; i++)
        out[i] = value[x->row[i]];
    x->team->swap(x->team, out, x->row_of, value + x->n, x->halo_of, sizeof *out);
    free(out);
    return 0;
}

int se_share_ask(const struct se_share *x, const uint32_t *id, uint64_t count,
                const uint32_t *table, uint32_t *answer, struct se_err *err)
{
    const uint64_t ranks = (uint64_t)x->team->ranks;
    uint64_t *of = se_alloc(2 * (ranks + 1), sizeof *of, err);
    uint32_t *place = se_alloc(count, sizeof *place, err);
    uint32_t *out = se_alloc(count, sizeof *out, err), *in = NULL;
    uint64_t *in_of = of ? of + ranks + 1 : NULL;
    void *asked = NULL;
    int rc = of && place && out ? 0 : -1;

    if (rc == 0) {
        se_team_sort(x->border, (int)ranks, id, count, of, place);
        for (uint64_t i = 0; i < count; i++)
            out[i] = id[place[i]];
        rc = se_team_send(x->team, out, of, &asked, in_of, sizeof *out, err);
    }
    if (rc == 0) {
        in = asked;
        for (uint64_t i = 0; i < in_of[ranks]; i++)
            in[i] = table[in[i] - x->first];
        x->team->swap(x->team, in, in_of, out, of, sizeof *out);
        for (uint64_t i = 0; i < count; i++)
            answer[place[i]] = out[i];
    }
    free(of);
    free(place);
    free(out);
    free(asked);
    return rc;
}
