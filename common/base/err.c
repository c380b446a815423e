/* err.c - errors */
#include "common/base/err.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/base/text.h"

/* Messages are one line: what came from a file may hold anything. */
static void make_printable(char *s)
{
    size_t left = strlen(s);

    while (left > 0) {
        size_t n = se_utf8_length((unsigned char *)s, left);

        if (n == 0 || se_is_control((unsigned char *)s, n)) {
            n = n ? n : 1;
            memset(s, '?', n);
        }
        s += n;
        left -= n;
    }
}

static void set(struct se_err *err, enum se_code code, const char *fmt, va_list ap)
{
    err->code = code;
    vsnprintf(err->text, sizeof err->text, fmt, ap);
    make_printable(err->text);
}

int se_fail(struct se_err *err, enum se_code code, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    set(err, code, fmt, ap);
    va_end(ap);
    return -1;
}

int se_fail_errno(struct se_err *err, enum se_code code, const char *fmt, ...)
{
    const int why = errno;
    va_list ap;
    size_t len;

    va_start(ap, fmt);
    set(err, code, fmt, ap);
    va_end(ap);
    len = strlen(err->text);
    snprintf(err->text + len, sizeof err->text - len, ": %s", strerror(why));
    errno = why;
    return -1;
}

int se_err_in(struct se_err *err, const char *where)
{
    char old[sizeof err->text];

    memcpy(old, err->text, sizeof old);
    snprintf(err->text, sizeof err->text, "%.200s: %.300s", where, old);
    make_printable(err->text);
    return -1;
}
