/* builder_block.h - a block of edges on its way into a graph: builder_block.c sorts and packs it,
 * builder.c fills blocks and merges them */
#ifndef SE_BUILDER_BLOCK_H
#define SE_BUILDER_BLOCK_H

#include "common/graph/builder.h"

enum { SE_EDGES_IN_BLOCK = SE_BLOCK(1 << 18), SE_EDGE_ESCAPED = 8 };

struct se_edge_work {                   /* of the block being filled, handed on from one to the next */
    uint64_t key[2][SE_EDGES_IN_BLOCK];     /* u << 32 | v while filling; then for sorting */
    uint32_t order[2][SE_EDGES_IN_BLOCK];   /* weighted: where the entry was */
};

struct se_edge_block {
    struct se_edge_block *next;
    uint32_t count;
    struct se_edge_work *work;          /* NULL once another block has it */
    float *weight;              /* NULL: all 1 */
    unsigned bits, width;       /* key: low << bits | high; bytes of a step */
    size_t step_len;
    unsigned char *step;        /* packed: from key to key; all ones: 8 bytes follow */
    unsigned char *turned;      /* weighted: bit i: entry i was given high end first */
    uint64_t loops, repeated;   /* entries that packing joined to others */
    bool on_disk;               /* step, weight and turned belong to the builder's disk */
    uint64_t place[3];          /* where they are there */
};

/* Sort the entries of a full block and turn them into steps; its work can be used again. */
int se_edge_block_pack(struct se_edge_block *x, const struct se_builder *b, struct se_err *err);
/* Bring a packed block to disk; its arrays are there again from se_edge_block_reach() on. */
int se_edge_block_spill(struct se_edge_block *x, struct se_scratch *disk, struct se_err *err);
void se_edge_block_reach(struct se_edge_block *x, unsigned char *disk);
void se_edge_block_free(struct se_edge_block *x);

#endif
