/* payload.c - what the readers of sections share */
#include "common/stream/payload.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct se_section *se_payload_open(struct se_stream *s, uint32_t tag, struct se_err *err)
{
    const struct se_section_kind *kind = se_section_kind_of(tag);
    struct se_section *x;

    if (tag == SE_STATS && se_stats_flush(s, err) < 0)
        return NULL;
    x = se_stream_find(s, tag);
    if (!x)
        se_fail(err, SE_EINPUT, "no %s section; %s", se_section_name(tag),
                kind ? kind->made_by : "this stream does not have it");
    return x && se_section_plain(x, err) ? x : NULL;
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

int se_payload_offsets(struct se_reader *off, uint64_t total, uint32_t tag, struct se_err *err)
{
    uint64_t last = 0, count;
    const void *block;
    bool bad = false, first = true;

    while ((count = se_next_block(off, &block, sizeof last)) > 0) {
        const uint64_t *x = block;

        bad |= first ? x[0] != 0 : x[0] < last;
        for (uint64_t i = 1; i < count; i++)
            bad |= x[i - 1] > x[i];
        last = x[count - 1];
        first = false;
    }
    se_reader_restart(off);
    return bad || last != total ? se_payload_fail(err, tag, "its offsets are damaged") : 0;
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

uint64_t se_reader_not_finite(struct se_reader *r)
{
    const void *block;
    uint64_t count;

    for (uint64_t from = 0; (count = se_next_block(r, &block, sizeof(float))) > 0; from += count) {
        const uint64_t bad = se_first_not_finite(block, count);

        if (bad < count)
            return from + bad;
    }
    return UINT64_MAX;
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
