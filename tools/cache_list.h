/* cache_list.h - what se-cache says of stored results */
#ifndef SE_CACHE_LIST_H
#define SE_CACHE_LIST_H

#include "common/base/store.h"

/* Why a command is run: what differs from the stored results of the same command; about: what its
 * result would be stored with */
void cache_explain(struct se_store *store, const char *about);
/* A line for each result */
int cache_list(struct se_store *s, struct se_err *err);

#endif
