/* text.c - reading text, and the numbers in it */
#include "common/base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "common/base/utf16.h"

enum { BLOCK = SE_BLOCK(1 << 18) };

const char *se_path_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

/* zlib's reader also passes plain files on as they are. */
static gzFile open_gz(const char *path, struct se_err *err)
{
    const bool in = strcmp(path, "-") == 0;
    const int fd = in ? dup(STDIN_FILENO) : open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    gzFile file;

    if (fd < 0) {
        se_fail_errno(err, SE_EIO, "%s: cannot open", se_path_name(path));
        return NULL;
    }
    if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
        se_fail(err, SE_EIO, "%s: is a folder, not a file", path);
        close(fd);
        return NULL;
    }
    file = gzdopen(fd, "rb");
    if (!file) {
        se_fail(err, SE_EMEM, "%s: out of memory", path);
        close(fd);
        return NULL;
    }
    gzbuffer(file, BLOCK);
    return file;
}

static int gz_fail(gzFile file, const char *path, struct se_err *err)
{
    int code;
    const char *why = gzerror(file, &code);

    if (code == Z_ERRNO)
        return se_fail_errno(err, SE_EIO, "%s: read error", path);
    return se_fail(err, SE_EINPUT, "%s: gzip data are damaged (%s)", path, why);
}

int se_text_open(struct se_text *t, const char *path, struct se_err *err)
{
    *t = (struct se_text)SE_TEXT_INIT;
    t->path = se_path_name(path);
    t->file = open_gz(path, err);
    return t->file ? 0 : -1;
}

void se_text_close(struct se_text *t)
{
    if (t->file)
        gzclose(t->file);
    se_bytes_release(&t->buffer);
    t->file = NULL;
}

int se_text_any(const char *path, bool (*is)(char *line, size_t len), bool *found,
                struct se_err *err)
{
    struct se_text t;
    char *line;
    size_t len;
    int rc = 0;

    if (se_text_open(&t, path, err) < 0)
        return -1;
    for (*found = false; !*found && (rc = se_text_line(&t, &line, &len, err)) > 0;)
        *found = is(line, len);
    se_text_close(&t);
    return rc < 0 ? -1 : 0;
}

int se_text_fail(const struct se_text *t, struct se_err *err, const char *fmt, ...)
{
    char text[256];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    return se_fail(err, SE_EINPUT, "%s: line %llu: %s", t->path,
                   (unsigned long long)t->line, text);
}

static int refill(struct se_text *t, struct se_err *err);

/* The whole file, as UTF-8 */
static int read_utf16(struct se_text *t, struct se_err *err)
{
    t->line = 1;                                /* no second time */
    while (!t->end)
        if (refill(t, err) < 0)
            return -1;
    t->line = 0;
    return se_utf16_to_utf8(&t->buffer, err);
}

/* Move the rest of the buffer to its front and read on. */
static int refill(struct se_text *t, struct se_err *err)
{
    struct se_bytes *b = &t->buffer;
    int got;

    b->len -= t->at;
    if (t->at > 0)
        memmove(b->data, b->data + t->at, b->len);
    t->at = 0;
    if (se_grow(&b->data, &b->cap, (uint64_t)b->len + BLOCK + 1, 1, err) < 0)
        return -1;
    got = gzread(t->file, b->data + b->len, BLOCK);
    if (got < 0)
        return gz_fail(t->file, t->path, err);
    if (got == 0) {
        int code;

        gzerror(t->file, &code);
        if (code != Z_OK && code != Z_STREAM_END)
            return gz_fail(t->file, t->path, err);
        t->end = true;
    }
    b->len += (size_t)got;
    return t->line == 0 && !t->end && se_utf16_is(b->data, b->len) ? read_utf16(t, err) : 0;
}

int se_text_line(struct se_text *t, char **line, size_t *len, struct se_err *err)
{
    size_t searched = 0;
    char *start, *end;

    for (;;) {
        const size_t have = t->buffer.len - t->at;

        start = have > 0 ? t->buffer.data + t->at : NULL;
        end = have > searched ? memchr(start + searched, '\n', have - searched) : NULL;
        if (end)
            break;
        if (t->end) {
            if (have == 0)
                return 0;
            end = start + have;                 /* the last line has no newline */
            break;
        }
        searched = have;
        if (refill(t, err) < 0)
            return -1;
    }
    t->line++;
    t->at += (size_t)(end - start);
    if (t->at < t->buffer.len)
        t->at++;
    *len = (size_t)(end - start);
    if (*len > 0 && start[*len - 1] == '\r')
        (*len)--;
    start[*len] = '\0';
    *line = start;
    if (memchr(start, '\0', *len))
        return se_text_fail(t, err, "holds a NUL byte; this is not a text file");
    return 1;
}

int se_slurp(struct se_bytes *b, const char *path, uint64_t limit, struct se_err *err)
{
    const char *name = se_path_name(path);
    gzFile file = open_gz(path, err);
    int got = 1, code = Z_OK, rc = -1;

    if (!file)
        return -1;
    while (got > 0) {
        const uint64_t room = b->len < BLOCK ? BLOCK : b->len;

        if (se_grow(&b->data, &b->cap, b->len + room + 1, 1, err) < 0)
            goto done;
        got = gzread(file, b->data + b->len, room > 1 << 30 ? 1 << 30 : (unsigned)room);
        if (got > 0)
            b->len += (size_t)got;
        if (limit && b->len > limit) {
            se_fail(err, SE_EINPUT, "%s: is larger than the %llu bytes such a file can have",
                    name, (unsigned long long)limit);
            goto done;
        }
    }
    gzerror(file, &code);
    if (got < 0 || (code != Z_OK && code != Z_STREAM_END)) {
        gz_fail(file, name, err);
        goto done;
    }
    b->data[b->len] = '\0';
    rc = 0;
done:
    gzclose(file);
    if (rc < 0)
        se_bytes_release(b);
    return rc;
}

bool se_parse_u64(const char **p, uint64_t *value)
{
    const char *s = *p;
    uint64_t v = 0;

    if (*s < '0' || *s > '9')
        return false;
    for (; *s >= '0' && *s <= '9'; s++)
        if (__builtin_mul_overflow(v, 10, &v) ||
            __builtin_add_overflow(v, (uint64_t)(*s - '0'), &v))
            return false;
    *p = s;
    *value = v;
    return true;
}

/* Numbers of up to 15 digits and a small exponent are exact in one operation (Clinger). */
static bool parse_short(const char **p, double *value)
{
    static const double power[] = { 1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10,
                                    1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19,
                                    1e20, 1e21, 1e22 };
    const char *s = *p;
    const bool minus = *s == '-';
    uint64_t digits = 0;
    int count = 0, exponent = 0;

    s += *s == '-' || *s == '+';
    for (; *s >= '0' && *s <= '9' && count < 16; s++, count++)
        digits = digits * 10 + (uint64_t)(*s - '0');
    if (*s == '.')
        for (s++; *s >= '0' && *s <= '9' && count < 16; s++, count++, exponent--)
            digits = digits * 10 + (uint64_t)(*s - '0');
    if (count == 0 || count > 15 || (*s >= '0' && *s <= '9'))
        return false;
    if (*s == 'e' || *s == 'E') {
        const char *e = s + 1;
        const bool down = *e == '-';
        int x = 0;

        e += *e == '-' || *e == '+';
        if (*e < '0' || *e > '9')
            return false;
        for (; *e >= '0' && *e <= '9' && x < 1000; e++)
            x = x * 10 + (*e - '0');
        exponent += down ? -x : x;
        s = e;
    }
    if (exponent < -22 || exponent > 22)
        return false;
    *value = exponent < 0 ? (double)digits / power[-exponent] : (double)digits * power[exponent];
    if (minus)
        *value = -*value;
    *p = s;
    return true;
}

bool se_parse_number(const char **p, double *value)
{
    const char *s = *p + (**p == '-' || **p == '+');
    char *end;
    double v;

    if (parse_short(p, value))
        return true;
    if (!(*s >= '0' && *s <= '9') && *s != '.')         /* no nan, inf, blanks */
        return false;
    if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))
        return false;
    v = strtod(*p, &end);
    if (end == *p || !isfinite(v))
        return false;
    *p = end;
    *value = v;
    return true;
}

bool se_whole_size(const char *s, uint64_t *value)
{
    static const char units[] = "KMGT";
    const char *unit;

    if (!se_parse_u64(&s, value))
        return false;
    unit = *s & ~0x20 ? strchr(units, *s & ~0x20) : NULL;
    for (int i = 0; unit && i <= unit - units; i++)
        if (__builtin_mul_overflow(*value, 1024, value))
            *value = UINT64_MAX;
    s += unit != NULL;
    s += unit && (*s == 'B' || *s == 'b');
    return *s == '\0';
}

bool se_whole_u64(const char *s, uint64_t *value)
{
    return se_parse_u64(&s, value) && *s == '\0';
}

bool se_whole_number(const char *s, double *value)
{
    return se_parse_number(&s, value) && *s == '\0';
}
