/* payload.c - what the readers of sections share */
#include "common/stream/payload.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *made_by(uint32_t tag)
{
    switch (tag) {
    case SE_GRAPH:
        return "bring one in with se-import or make one with se-gen";
    case SE_FUSED:
        return "make one with se-kselect";
    case SE_FEATURES:
    case SE_LABELS:
        return "bring them in with se-import";
    case SE_SPLITS:
        return "make some with se-split or bring them in with se-import";
    case SE_KNN:
        return "make one with se-sim";
    case SE_TREE:
        return "make one with se-tree";
    case SE_EMBEDDING:
    case SE_PREDICTIONS:
    case SE_MODEL:
        return "train with se-train first";
    default:
        return "this stream does not carry it";
    }
}

int se_payload_open(struct se_stream *s, uint32_t tag, struct se_cursor *c,
                    struct se_err *err)
{
    struct se_section *x = se_stream_find(s, tag);

    if (!x)
        return se_fail(err, SE_EINPUT, "no %s section; %s", se_section_name(tag),
                       made_by(tag));
    c->at = se_section_plain(x, err);
    c->left = x->plain_len;
    return c->at ? 0 : -1;
}

int se_payload_fail(struct se_err *err, uint32_t tag, const char *fmt, ...)
{
    char text[256];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return se_fail(err, SE_EINPUT, "%s: %s", se_section_name(tag), text);
}

int se_payload_short(struct se_err *err, uint32_t tag)
{
    return se_payload_fail(err, tag, "its length does not fit its counts");
}

int se_payload_offsets(const uint64_t *off, uint64_t n, uint64_t total, uint32_t tag,
                       struct se_err *err)
{
    bool bad = off[0] != 0 || off[n] != total;

    for (uint64_t i = 0; i < n; i++)
        bad |= off[i] > off[i + 1];
    return bad ? se_payload_fail(err, tag, "its offsets are damaged") : 0;
}

/* A float is not finite if all bits of its exponent are set. */
uint64_t se_first_not_finite(const float *x, uint64_t count)
{
    const uint64_t block = 4096;

    for (uint64_t from = 0; from < count; from += block) {
        const uint64_t to = count - from < block ? count : from + block;
        int bad = 0;

        for (uint64_t i = from; i < to; i++) {
            uint32_t bits;

            memcpy(&bits, &x[i], sizeof bits);
            bad |= (bits & 0x7f800000) == 0x7f800000;
        }
        for (uint64_t i = from; bad && i < to; i++)
            if (!__builtin_isfinite(x[i]))
                return i;
    }
    return count;
}

int se_payload_vertices(uint64_t n, uint32_t tag, struct se_err *err)
{
    return n <= SE_MAX_VERTICES ? 0 : se_payload_fail(err, tag, "%" PRIu64 " vertices are "
                                                      "more than 32-bit ids can name", n);
}

int se_payload_fits(uint64_t have, uint64_t n, uint32_t tag, const char *other,
                    struct se_err *err)
{
    return have == n ? 0 : se_payload_fail(err, tag, "has %" PRIu64 " vertices, but %s has %"
                                           PRIu64, have, other, n);
}
