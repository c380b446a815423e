/* modules.h - the modules of a tree at one level, for exporters */
#ifndef SE_FORMATS_MODULES_H
#define SE_FORMATS_MODULES_H

#include "formats/internal.h"

/* The modules of one level, from 0 on in the order of the tree: of level ex->depth, or the deepest
 * that has at most ex->most modules, or the first.  Where that has more than ex->most, the
 * largest are taken, of equal ones the first, and ex->notes says so. */
struct se_cut {
    uint32_t level;
    uint64_t count;
    uint32_t *module;           /* of each vertex; SE_NONE: it was left out */
    uint32_t *node;             /* of each module, ascending */
    uint32_t *size;             /* of each module, vertices */
};
#define SE_CUT_INIT { .level = 0 }
int se_cut_make(struct se_cut *c, const struct se_export *ex, const struct se_tree *t,
                struct se_err *err);
void se_cut_release(struct se_cut *c);

/* A sum of weights; digits are only searched for where it is no whole number. */
void se_out_sum(struct se_out *out, double v);

#endif
