/* gen_parts.h - what the parts of the generator share */
#ifndef SE_GENPARTS_H
#define SE_GENPARTS_H

#include "common/graph/gen.h"

/* A block of a line: places first .. last-1. */
struct se_block {
    uint64_t first, last;
};
static inline uint64_t se_block_size(struct se_block b)
{
    return b.last - b.first;
}
/* Part i of `parts` nearly equal ones. */
struct se_block se_block_part(struct se_block b, uint64_t i, uint64_t parts);
/* Which of them the place x is in. */
uint64_t se_block_find(struct se_block b, uint64_t x, uint64_t parts);

/* Which vertex has which place, made from the seed. */
struct se_places {
    const struct se_gen *gen;
    uint32_t *vertex;           /* at each place */
    int32_t *label;             /* of each vertex */
};

/* How many edges of each kind. */
struct se_gen_counts {
    uint64_t pairs, same_pairs; /* pairs of vertices; those within a class */
    uint64_t edges, same;       /* edges; those within a class */
    uint64_t loose;             /* of these, wherever in the class */
};
void se_gen_count(const struct se_gen *g, struct se_gen_counts *c);

int se_gen_put_edges(const struct se_places *p, struct se_stream *s, struct se_err *err);
int se_gen_put_features(const struct se_places *p, struct se_stream *s, struct se_err *err);

#endif
