/* dist_home.c - what is known of modules, each where the item of its number is */
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/tree/dist_workings.h"

struct brought {                  /* what an item brings to a module of another process */
    uint32_t module, unused;
    double volume, inside;
};

static double inside_of(const struct se_share *x, const uint32_t *module, uint64_t item)
{
    double twice = 0;

    for (uint64_t a = x->off[item]; a < x->off[item + 1]; a++)
        if (module[x->to[a]] == module[item])
            twice += se_share_weight(x, a);
    return (x->inner ? x->inner[item] : 0) + twice / 2;
}

static void add(const struct se_share *x, struct se_home *home, const struct brought *s)
{
    struct se_home *h = &home[s->module - x->first];

    h->volume += s->volume;
    h->inside += s->inside;
    h->count++;
}

int se_homes_make(struct se_home **home, const struct se_share *x, const uint32_t *module,
                  struct se_err *err)
{
    const uint64_t ranks = (uint64_t)x->team->ranks;
    uint64_t *of = se_alloc(2 * (ranks + 1), sizeof *of, err);
    uint32_t *place = se_alloc(x->n, sizeof *place, err);
    struct brought *out = se_alloc(x->n, sizeof *out, err);
    void *in = NULL;
    int rc = -1;

    *home = se_zalloc(x->n, sizeof **home, err);
    if (of && place && out && *home) {
        se_team_sort(x->border, (int)ranks, module, x->n, of, place);
        for (uint64_t i = 0; i < x->n; i++)
            out[i] = (struct brought){ module[place[i]], 0, x->volume[place[i]],
                                     inside_of(x, module, place[i]) };
        rc = se_team_send(x->team, out, of, &in, of + ranks + 1, sizeof *out, err);
    }
    for (uint64_t i = 0; rc == 0 && i < of[2 * ranks + 1]; i++)
        add(x, *home, (const struct brought *)in + i);
    for (uint64_t j = 0; rc == 0 && j < x->n; j++)
        (*home)[j].log = se_dist_log((*home)[j].volume);
    free(of);
    free(place);
    free(out);
    free(in);
    return rc;
}

double se_homes_value(const struct se_share *x, const struct se_dist_bound *b,
                      const struct se_home *home)
{
    const double limit = se_dist_log(x->vol);
    double value = 0;

    for (uint64_t j = 0; x->vol > 0 && j < x->n; j++)
        if (home[j].inside > 0)
            value += se_dist_term(home[j].inside / x->vol *
                                  ((b ? b->limit[j] : limit) - home[j].log));
    x->team->sum(x->team, &value, 1);
    return value;
}

struct member {
    uint32_t module, item;
};

/* Tell the owner of each module the least member here.  least[]: of the modules that are here */
static int find_least(const struct se_share *x, const uint32_t *module, uint32_t *least,
                      struct se_err *err)
{
    const uint64_t ranks = (uint64_t)x->team->ranks;
    uint64_t *of = se_alloc(2 * (ranks + 1), sizeof *of, err);
    uint32_t *place = se_alloc(x->n, sizeof *place, err);
    struct member *out = se_alloc(x->n, sizeof *out, err), *all;
    void *in = NULL;
    int rc = -1;

    if (of && place && out) {
        se_team_sort(x->border, (int)ranks, module, x->n, of, place);
        for (uint64_t i = 0; i < x->n; i++)
            out[i] = (struct member){ module[place[i]], (uint32_t)(x->first + place[i]) };
        rc = se_team_send(x->team, out, of, &in, of + ranks + 1, sizeof *out, err);
    }
    all = in;
    for (uint64_t i = 0; rc == 0 && i < of[2 * ranks + 1]; i++)
        if (all[i].item < least[all[i].module - x->first])
            least[all[i].module - x->first] = all[i].item;
    free(of);
    free(place);
    free(out);
    free(in);
    return rc;
}

int se_share_name(const struct se_share *x, uint32_t *module, struct se_err *err)
{
    uint32_t *least = se_alloc(x->n, sizeof *least, err);
    int rc = -1;

    if (least) {
        memset(least, 0xff, x->n * sizeof *least);
        rc = find_least(x, module, least, err) < 0 ||
             se_share_ask(x, module, x->n, least, module, err) < 0 ||
             se_share_fetch(x, module, err) < 0 ? -1 : 0;
    }
    free(least);
    return rc;
}
