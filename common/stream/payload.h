/* payload.h - what the readers of sections share */
#ifndef SE_PAYLOAD_H
#define SE_PAYLOAD_H

#include "common/stream/section.h"

/* Start reading a section.  An absent one is an error that says which tool makes it. */
int se_payload_open(struct se_stream *s, uint32_t tag, struct se_cursor *c,
                    struct se_err *err);
/* A fault in a section: "NAME: text".  Returns -1. */
int se_payload_fail(struct se_err *err, uint32_t tag, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The payload does not have the length that its counts ask for. */
int se_payload_short(struct se_err *err, uint32_t tag);
/* Offsets start at 0, ascend and end at `total`; n + 1 of them. */
int se_payload_offsets(const uint64_t *off, uint64_t n, uint64_t total, uint32_t tag,
                       struct se_err *err);
/* The index of the first of `count` numbers that is not finite, or `count`. */
uint64_t se_first_not_finite(const float *x, uint64_t count);
/* A section of `have` vertices belongs to one of `n`, which messages call `other`. */
int se_payload_fits(uint64_t have, uint64_t n, uint32_t tag, const char *other,
                    struct se_err *err);
/* n is a number of vertices that ids can count */
int se_payload_vertices(uint64_t n, uint32_t tag, struct se_err *err);

#endif
