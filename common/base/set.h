/* set.h - a set of numbers below UINT64_MAX, of known maximum size */
#ifndef SE_SET_H
#define SE_SET_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/err.h"

struct se_set {
    uint64_t *slot, mask, key[2];
};
#define SE_SET_INIT { NULL, 0, { 0, 0 } }
int se_set_make(struct se_set *s, uint64_t members, struct se_err *err);
/* True if it was not in the set before.  No more than `members` times. */
bool se_set_add(struct se_set *s, uint64_t key);
void se_set_release(struct se_set *s);

#endif
