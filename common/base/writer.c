/* writer.c - writing text, buffered and checked */
#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/text.h"

enum { SIZE = 1 << 16 };

int se_write_all(int fd, const void *data, size_t len, struct se_err *err)
{
    const char *p = data;

    while (len > 0) {
        const ssize_t n = write(fd, p, len > 1 << 30 ? 1 << 30 : len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return se_fail_errno(err, errno == EPIPE ? SE_EPIPE : SE_EIO, "write error");
        p += n;
        len -= (size_t)n;
    }
    return 0;
}

int se_out_init(struct se_out *o, int fd, struct se_err *err)
{
    *o = (struct se_out){ .fd = fd, .buffer = se_alloc(SIZE, 1, err) };
    return o->buffer ? 0 : -1;
}

static void spill(struct se_out *o)
{
    struct se_err err;

    if (!o->failed && se_write_all(o->fd, o->buffer, o->len, &err) < 0) {
        o->failed = true;
        o->why = errno;
    }
    o->len = 0;
}

void se_out_bytes(struct se_out *o, const void *data, size_t len)
{
    const char *p = data;

    while (len > 0) {
        size_t take = SIZE - o->len;

        if (take > len)
            take = len;
        memcpy(o->buffer + o->len, p, take);
        o->len += take;
        p += take;
        len -= take;
        if (o->len == SIZE)
            spill(o);
    }
}

void se_out_str(struct se_out *o, const char *s)
{
    se_out_bytes(o, s, strlen(s));
}

void se_out_char(struct se_out *o, char c)
{
    o->buffer[o->len++] = c;
    if (o->len == SIZE)
        spill(o);
}

void se_out_u64(struct se_out *o, uint64_t v)
{
    char text[20], *p = text + sizeof text;

    do
        *--p = (char)('0' + v % 10);
    while (v /= 10);
    se_out_bytes(o, p, (size_t)(text + sizeof text - p));
}

void se_out_i64(struct se_out *o, int64_t v)
{
    if (v < 0)
        se_out_char(o, '-');
    se_out_u64(o, v < 0 ? -(uint64_t)v : (uint64_t)v);
}

void se_outf(struct se_out *o, const char *fmt, ...)
{
    char text[1024];
    va_list ap;
    int len;

    va_start(ap, fmt);
    len = vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    if (len >= (int)sizeof text)                /* longer texts go through se_out_str */
        len = sizeof text - 1;
    se_out_bytes(o, text, (size_t)len);
}

void se_out_float(struct se_out *o, float v)
{
    if (!signbit(v) && v < 1e9f && v == (float)(uint32_t)v)
        se_out_u64(o, (uint32_t)v);
    else
        se_outf(o, "%.9g", (double)v);
}

void se_out_double(struct se_out *o, double v)
{
    char text[32];

    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, v);
        if (strtod(text, NULL) == v)
            break;
    }
    se_out_str(o, text);
}

/* The bytes of a UTF-8 character at s, 0 if it is not well formed. */
size_t se_utf8_length(const unsigned char *s, size_t len)
{
    const size_t n = s[0] < 0x80 ? 1 : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
                   : s[0] >= 0xe0 && s[0] < 0xf0 ? 3 : s[0] >= 0xf0 && s[0] < 0xf5 ? 4 : 0;

    if (n == 0 || n > len)
        return 0;
    for (size_t i = 1; i < n; i++)
        if ((s[i] & 0xc0) != 0x80)
            return 0;
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
        (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))
        return 0;
    return n;
}

bool se_is_control(const unsigned char *s, size_t len)
{
    return len == 1 ? *s < 0x20 || *s == 0x7f : len == 2 && s[0] == 0xc2 && s[1] < 0xa0;
}

void se_out_shown(struct se_out *o, const char *s, size_t len)
{
    for (size_t i = 0; i < len;) {
        const unsigned char *c = (const unsigned char *)s + i;
        const size_t n = se_utf8_length(c, len - i);

        if (*c == '\t')
            se_out_char(o, ' ');
        else if (n == 0 || se_is_control(c, n))
            se_out_char(o, '?');
        else
            se_out_bytes(o, c, n);
        i += n ? n : 1;
    }
}

void se_out_json(struct se_out *o, const char *s, size_t len)
{
    se_out_char(o, '"');
    for (size_t i = 0; i < len;) {
        const unsigned char *c = (const unsigned char *)s + i;
        const size_t n = se_utf8_length(c, len - i);

        if (n == 0)
            se_out_str(o, "\\ufffd");
        else if (*c == '"' || *c == '\\')
            se_outf(o, "\\%c", *c);
        else if (*c < 0x20 || *c == 0x7f)
            se_outf(o, "\\u%04x", *c);
        else if (se_is_control(c, n))
            se_outf(o, "\\u%04x", c[1]);
        else
            se_out_bytes(o, c, n);
        i += n ? n : 1;
    }
    se_out_char(o, '"');
}

int se_out_flush(struct se_out *o, struct se_err *err)
{
    spill(o);
    if (!o->failed)
        return 0;
    errno = o->why;
    return se_fail_errno(err, o->why == EPIPE ? SE_EPIPE : SE_EIO, "write error");
}

void se_out_release(struct se_out *o)
{
    free(o->buffer);
    o->buffer = NULL;
}
