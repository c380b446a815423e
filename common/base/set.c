/* set.c - a hash set of numbers */
#include "common/base/set.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/keyed.h"
#include "common/base/mem.h"

int se_set_make(struct se_set *s, uint64_t members, struct se_err *err)
{
    uint64_t slots = 16;

    while (slots / 2 < members)
        slots *= 2;
    s->slot = se_alloc(slots, sizeof *s->slot, err);
    if (!s->slot)
        return -1;
    memset(s->slot, 0xff, slots * sizeof *s->slot);
    s->mask = slots - 1;
    memcpy(s->key, se_hash_key(), sizeof s->key);
    return 0;
}

bool se_set_add(struct se_set *s, uint64_t key)
{
    uint64_t at = se_hash_word(s->key, 0, key);

    for (; s->slot[at & s->mask] != UINT64_MAX; at++)
        if (s->slot[at & s->mask] == key)
            return false;
    s->slot[at & s->mask] = key;
    return true;
}

void se_set_release(struct se_set *s)
{
    free(s->slot);
    *s = (struct se_set)SE_SET_INIT;
}
