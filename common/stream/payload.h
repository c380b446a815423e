/* payload.h - what the readers of sections share */
#ifndef SE_PAYLOAD_H
#define SE_PAYLOAD_H

#include "common/stream/walk.h"

/* A section whose plain payload is in memory, or NULL with `err`.  An absent one is an error that
 * says which tool makes it. */
struct se_section *se_payload_open(struct se_stream *s, uint32_t tag, struct se_err *err);
/* A fault in a section: "NAME: text".  Returns -1. */
int se_payload_fail(struct se_err *err, uint32_t tag, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The payload does not have the length that its counts ask for. */
int se_payload_short(struct se_err *err, uint32_t tag);
/* Offsets start at 0, ascend and end at `total`; at least one.  The reader is at its start. */
int se_payload_offsets(struct se_reader *off, uint64_t total, uint32_t tag, struct se_err *err);
/* The index of the first float that is not finite, or UINT64_MAX. */
uint64_t se_reader_not_finite(struct se_reader *r);
/* The index of the first of `count` numbers that is not finite, or `count`. */
uint64_t se_first_not_finite(const float *x, uint64_t count);
/* A section of `have` vertices belongs to one of `n`, which messages call `other`. */
int se_payload_fits(uint64_t have, uint64_t n, uint32_t tag, const char *other,
                    struct se_err *err);
/* The walks of all sections, for the table */
se_walk_section se_walk_graph, se_walk_arcs, se_walk_features, se_walk_labels, se_walk_splits,
    se_walk_embedding, se_walk_knn, se_walk_block, se_walk_tree, se_walk_predictions, se_walk_probabilities, se_walk_names,
    se_walk_colnames, se_walk_stats, se_walk_history, se_walk_model;
/* n is a number of vertices that ids can count */
int se_payload_vertices(uint64_t n, uint32_t tag, struct se_err *err);

#endif
