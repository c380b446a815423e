/* tally.h - a sum per key, for keys met one by one; not for users of the library
 *
 * A hash table whose slots say by a stamp whether they belong to the present round, so that
 * it costs nothing to empty it. */
#ifndef SE_SETREE_TALLY_H
#define SE_SETREE_TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/err.h"

struct se_tally_slot {
    uint32_t key, stamp;
    double sum;
};

struct se_tally {
    struct se_tally_slot *slot;
    uint32_t *used;             /* used[0 .. count-1]: slots in order of arrival */
    uint32_t count, mask, shift, slots, stamp;
};
#define SE_TALLY_INIT { NULL, NULL, 0, 0, 0, 0, 0 }

/* Memory for up to `keys` keys in a round. */
int se_tally_room(struct se_tally *t, uint64_t keys, struct se_err *err);
void se_tally_release(struct se_tally *t);
/* A new round of at most `keys` keys, no more than there is room for. */
void se_tally_begin(struct se_tally *t, uint64_t keys);

static inline uint32_t se_tally_place(const struct se_tally *t, uint32_t key)
{
    uint32_t h = key * UINT32_C(0x9E3779B1) >> t->shift;

    while (t->slot[h].stamp == t->stamp && t->slot[h].key != key)
        h = (h + 1) & t->mask;
    return h;
}

/* Returns true if the key is new. */
static inline bool se_tally_add(struct se_tally *t, uint32_t key, double w)
{
    uint32_t h = se_tally_place(t, key);
    struct se_tally_slot *s = &t->slot[h];

    if (s->stamp == t->stamp) {
        s->sum += w;
        return false;
    }
    *s = (struct se_tally_slot){ key, t->stamp, w };
    t->used[t->count++] = h;
    return true;
}

/* The sum of a key, 0 if it was not met. */
static inline double se_tally_get(const struct se_tally *t, uint32_t key)
{
    const struct se_tally_slot *s = &t->slot[se_tally_place(t, key)];

    return s->stamp == t->stamp ? s->sum : 0;
}

/* The i-th key that was met, and its sum. */
static inline const struct se_tally_slot *se_tally_at(const struct se_tally *t, uint32_t i)
{
    return &t->slot[t->used[i]];
}

#endif
