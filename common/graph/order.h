/* order.h - renumbers the vertices in every section */
#ifndef SE_ORDER_H
#define SE_ORDER_H

#include "common/stream/section.h"

/* An order is a permutation: the vertex that becomes vertex 0, the one that becomes 1, ... */

/* The leaves of the tree as it lists them (modules false), or by the children of the root, in
 * each by id.  NULL with `err`; free() it. */
uint32_t *se_order_by_tree(struct se_stream *s, bool modules, struct se_err *err);
/* By name: as numbers where all names are numbers, by position where all are such as
 * chr1:10000-20000, else byte by byte. */
uint32_t *se_order_by_name(struct se_stream *s, struct se_err *err);
/* False if the names are numbers or positions and do not ascend. */
bool se_order_is_kept(const struct se_names *x);
/* As a file lists them: a name (an id, where there are no names) a line, each vertex once. */
uint32_t *se_order_by_file(struct se_stream *s, const char *path, struct se_err *err);

/* Renumber the vertices of all sections.  Old ids become names where there were none; names that
 * are the ids again are dropped, so that an order can be undone.  Fails on a section of vertices
 * that is unknown to us. */
int se_order_apply(struct se_stream *s, const uint32_t *order, uint64_t n, struct se_err *err);

#endif
