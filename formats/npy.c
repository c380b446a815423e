/* npy.c - numpy's arrays */
#include "formats/npy.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAGIC_SIZE = 6 };
static const char magic[] = "\x93NUMPY";

bool se_npy_is(const void *head, size_t len)
{
    return len >= MAGIC_SIZE && memcmp(head, magic, MAGIC_SIZE) == 0;
}

bool se_zip_is(const void *head, size_t len)
{
    return len >= 4 && (memcmp(head, "PK\3\4", 4) == 0 || memcmp(head, "PK\5\6", 4) == 0);
}

int se_npy_copy(struct se_npy *copy, const struct se_npy *a, struct se_err *err)
{
    void *data = se_alloc(a->count, a->size, err);

    if (!data)
        return -1;
    memcpy(data, a->data, a->count * a->size);
    *copy = *a;
    copy->data = data;
    copy->blob = (struct se_blob){ data, a->count * a->size, data };
    return 0;
}

void se_npy_release(struct se_npy *a)
{
    se_blob_release(&a->blob);
    *a = (struct se_npy)SE_NPY_INIT;
}

/* "i4" behind its order: '<', '>', '|' (of no matter) or '=' (of this machine). */
static int set_type(struct se_npy *a, const char *type, size_t len, char order,
                    struct se_err *err)
{
    const int shown = len < 40 ? (int)len : 40;
    uint64_t size = 0;

    a->kind = len > 0 ? type[0] : '\0';
    a->swapped = order == '>';
    for (size_t i = 1; i < len; i++) {
        if (type[i] < '0' || type[i] > '9' || size > 1u << 26)
            return se_fail(err, SE_EINPUT, "element type '%.*s' is not known", shown, type);
        size = 10 * size + (uint64_t)(type[i] - '0');
    }
    a->size = a->kind == 'U' ? 4 * size : size;
    switch (a->kind) {
    case 'b':
        if (size == 1)
            return 0;
        break;
    case 'i': case 'u':
        if (size == 1 || size == 2 || size == 4 || size == 8)
            return 0;
        break;
    case 'f':
        if (size == 2 || size == 4 || size == 8)
            return 0;
        break;
    case 'U': case 'S':
        return 0;
    }
    return se_fail(err, SE_EINPUT, "element type '%.*s' is not read; b1, i1 to i8, u1 to u8, "
                   "f2 to f8, U and S are", shown, type);
}

/* Does the data have just the size that type and shape ask for? */
static int set_shape(struct se_npy *a, int dims, const uint64_t *shape, const void *data,
                     uint64_t len, struct se_err *err)
{
    uint64_t bytes;

    a->count = 1;
    a->dims = dims;
    for (int i = 0; i < dims; i++) {
        a->shape[i] = shape[i];
        if (shape[i] == 0)
            a->count = 0;               /* whatever the others are */
    }
    for (int i = 0; i < dims; i++)
        if (__builtin_mul_overflow(a->count, shape[i], &a->count))
            return se_fail(err, SE_EINPUT, "shape is beyond all memory");
    if (__builtin_mul_overflow(a->count, a->size, &bytes) || bytes > len)
        return se_fail(err, SE_EINPUT, "shape asks for %" PRIu64 " elements of %" PRIu64
                       " bytes, but the data end after %" PRIu64 " bytes", a->count, a->size,
                       len);
    if (bytes < len)
        return se_fail(err, SE_EINPUT, "%" PRIu64 " bytes more than the shape asks for",
                       len - bytes);
    if (a->size == 0 && a->count > 0)   /* texts of no length: nothing stands behind a count */
        return se_fail(err, SE_EINPUT, "elements have no length");
    a->data = data;
    return 0;
}

int se_npy_set(struct se_npy *a, const char *type, size_t type_len, char order, int dims,
               const uint64_t *shape, const void *data, uint64_t len, struct se_err *err)
{
    *a = (struct se_npy)SE_NPY_INIT;
    return set_type(a, type, type_len, order, err) < 0 ||
           set_shape(a, dims, shape, data, len, err) < 0 ? -1 : 0;
}

/* The header is a Python dictionary of three known keys; this walks over it. */
struct walk {
    const char *at, *end;
    const char *type;
    size_t type_len;
    bool fortran;
    int dims;
    uint64_t shape[SE_NPY_DIMS];
    unsigned seen;              /* a bit per key */
};

static void skip_blanks(struct walk *w)
{
    while (w->at < w->end && (*w->at == ' ' || *w->at == '\n' || *w->at == '\t'))
        w->at++;
}

static bool take(struct walk *w, char c)
{
    skip_blanks(w);
    if (w->at == w->end || *w->at != c)
        return false;
    w->at++;
    return true;
}

static bool take_word(struct walk *w, const char *word)
{
    const size_t len = strlen(word);

    skip_blanks(w);
    if ((size_t)(w->end - w->at) < len || memcmp(w->at, word, len) != 0)
        return false;
    w->at += len;
    return true;
}

static bool take_string(struct walk *w, const char **text, size_t *len)
{
    const char *close;
    char quote;

    skip_blanks(w);
    if (w->at == w->end || (*w->at != '\'' && *w->at != '"'))
        return false;
    quote = *w->at++;
    close = memchr(w->at, quote, (size_t)(w->end - w->at));
    if (!close)
        return false;
    *text = w->at;
    *len = (size_t)(close - w->at);
    w->at = close + 1;
    return true;
}

/* (), (3,), (3, 4); Python 2 wrote 3L */
static bool take_shape(struct walk *w)
{
    if (!take(w, '('))
        return false;
    while (!take(w, ')')) {
        uint64_t size = 0;
        const char *start;

        skip_blanks(w);
        start = w->at;
        for (; w->at < w->end && *w->at >= '0' && *w->at <= '9'; w->at++)
            if (__builtin_mul_overflow(size, 10, &size) ||
                __builtin_add_overflow(size, (uint64_t)(*w->at - '0'), &size))
                return false;
        if (w->at == start || w->dims == SE_NPY_DIMS)
            return false;
        w->shape[w->dims++] = size;
        take(w, 'L');
        if (!take(w, ',')) {
            if (w->dims == 1)           /* (3) is no tuple */
                return false;
            return take(w, ')');
        }
    }
    return true;
}

static int read_value(struct walk *w, const char *key, size_t len, struct se_err *err)
{
    unsigned bit;

    if (len == 5 && memcmp(key, "descr", 5) == 0) {
        bit = 1;
        if (!take_string(w, &w->type, &w->type_len))
            return se_fail(err, SE_EINPUT, "array of records, or its type is damaged; only "
                           "plain numbers and texts are read");
    } else if (len == 13 && memcmp(key, "fortran_order", 13) == 0) {
        bit = 2;
        w->fortran = take_word(w, "True");
        if (!w->fortran && !take_word(w, "False"))
            return se_fail(err, SE_EINPUT, "npy header: fortran_order is neither True nor "
                           "False");
    } else if (len == 5 && memcmp(key, "shape", 5) == 0) {
        bit = 4;
        if (!take_shape(w))
            return se_fail(err, SE_EINPUT, "npy header: shape is damaged, or has more than %d "
                           "dimensions", SE_NPY_DIMS);
    } else {
        return se_fail(err, SE_EINPUT, "npy header: unknown key");
    }
    if (w->seen & bit)
        return se_fail(err, SE_EINPUT, "npy header: a key occurs twice");
    w->seen |= bit;
    return 0;
}

static int read_dictionary(struct walk *w, struct se_err *err)
{
    const char *key;
    size_t len;

    if (!take(w, '{'))
        return se_fail(err, SE_EINPUT, "npy header is not a dictionary");
    while (!take(w, '}')) {
        if (!take_string(w, &key, &len) || !take(w, ':'))
            return se_fail(err, SE_EINPUT, "npy header is damaged");
        if (read_value(w, key, len, err) < 0)
            return -1;
        if (!take(w, ',')) {
            if (!take(w, '}'))
                return se_fail(err, SE_EINPUT, "npy header is damaged");
            break;
        }
    }
    skip_blanks(w);
    if (w->at != w->end || w->seen != 7 || w->type_len < 2)
        return se_fail(err, SE_EINPUT, "npy header is damaged");
    return 0;
}

int se_npy_parse(struct se_npy *a, const void *data, uint64_t len, struct se_err *err)
{
    const unsigned char *p = data;
    struct walk w = { .type = "" };
    uint64_t head, size;

    *a = (struct se_npy)SE_NPY_INIT;
    if (!se_npy_is(data, len) || len < 10)
        return se_fail(err, SE_EINPUT, "not an npy array");
    if (p[6] < 1 || p[6] > 3)
        return se_fail(err, SE_EINPUT, "npy version %d.%d is not read; 1 to 3 are", p[6], p[7]);
    head = p[6] == 1 ? 10 : 12;
    if (len < head)
        return se_fail(err, SE_EINPUT, "npy header is cut short");
    size = p[8] | (uint64_t)p[9] << 8;
    if (p[6] > 1)
        size |= (uint64_t)p[10] << 16 | (uint64_t)p[11] << 24;
    if (size > len - head)
        return se_fail(err, SE_EINPUT, "npy header is cut short");
    w.at = (const char *)p + head;
    w.end = w.at + size;
    if (read_dictionary(&w, err) < 0)
        return -1;
    if (!strchr("<>|=", w.type[0]))
        return se_fail(err, SE_EINPUT, "element type '%.*s' is not known",
                       w.type_len < 40 ? (int)w.type_len : 40, w.type);
    a->fortran = w.fortran && w.dims > 1;
    if (a->fortran && w.dims > 2)
        return se_fail(err, SE_EINPUT, "array of %d dimensions in Fortran order is not read",
                       w.dims);
    return set_type(a, w.type + 1, w.type_len - 1, w.type[0], err) < 0 ||
           set_shape(a, w.dims, w.shape, p + head + size, len - head - size, err) < 0 ? -1 : 0;
}

/* The bits of a number at p, which need not be aligned. */
static uint64_t load(const unsigned char *p, uint64_t size, bool swapped)
{
    uint16_t b2;
    uint32_t b4;
    uint64_t b8;

    switch (size) {
    case 2:
        memcpy(&b2, p, 2);
        return swapped ? __builtin_bswap16(b2) : b2;
    case 4:
        memcpy(&b4, p, 4);
        return swapped ? __builtin_bswap32(b4) : b4;
    case 8:
        memcpy(&b8, p, 8);
        return swapped ? __builtin_bswap64(b8) : b8;
    default:
        return *p;
    }
}

static double half_value(uint64_t bits)
{
    const int exponent = (int)(bits >> 10 & 31);
    const double fraction = (double)(bits & 1023);
    double v;

    if (exponent == 31)
        v = fraction > 0 ? (double)NAN : (double)INFINITY;
    else if (exponent == 0)
        v = ldexp(fraction, -24);
    else
        v = ldexp(1024 + fraction, exponent - 25);
    return bits >> 15 ? -v : v;
}

static double float_value(uint64_t bits, uint64_t size)
{
    const uint32_t bits4 = (uint32_t)bits;
    float f;
    double d;

    if (size == 2)
        return half_value(bits);
    if (size == 4) {
        memcpy(&f, &bits4, sizeof f);
        return (double)f;
    }
    memcpy(&d, &bits, sizeof d);
    return d;
}

/* Carry the sign of `size` bytes up to 64 bits. */
static int64_t extend(uint64_t bits, uint64_t size)
{
    const int shift = 64 - 8 * (int)size;

    return (int64_t)(bits << shift) >> shift;
}

bool se_npy_whole(const struct se_npy *a, uint64_t i, int64_t *value)
{
    uint64_t bits;
    double x;

    if (a->kind == 'U' || a->kind == 'S')
        return false;
    bits = load(a->data + i * a->size, a->size, a->swapped);
    switch (a->kind) {
    case 'b':
        *value = bits != 0;
        return true;
    case 'i':
        *value = extend(bits, a->size);
        return true;
    case 'u':
        *value = (int64_t)bits;
        return bits <= INT64_MAX;
    default:
        x = float_value(bits, a->size);
        if (!(fabs(x) <= 0x1p53) || x != trunc(x))
            return false;
        *value = (int64_t)x;
        return true;
    }
}

double se_npy_number(const struct se_npy *a, uint64_t i)
{
    uint64_t bits;

    if (a->kind == 'U' || a->kind == 'S')
        return (double)NAN;
    bits = load(a->data + i * a->size, a->size, a->swapped);
    switch (a->kind) {
    case 'b':
        return bits != 0;
    case 'i':
        return (double)extend(bits, a->size);
    case 'u':
        return (double)bits;
    default:
        return float_value(bits, a->size);
    }
}

static int add_utf8(struct se_bytes *text, uint64_t c, struct se_err *err)
{
    unsigned char b[4];
    size_t len = 1;

    if (c > 0x10ffff || (c >= 0xd800 && c < 0xe000))
        return se_fail(err, SE_EINPUT, "text holds 0x%" PRIx64 ", which is no character", c);
    if (c < 0x80) {
        b[0] = (unsigned char)c;
    } else {
        len = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
        for (size_t i = len - 1; i > 0; i--, c >>= 6)
            b[i] = (unsigned char)(0x80 | (c & 0x3f));
        b[0] = (unsigned char)((0xf00 >> len & 0xff) | c);
    }
    return se_bytes_add(text, b, len, err);
}

int se_npy_text(const struct se_npy *a, uint64_t i, struct se_bytes *text, struct se_err *err)
{
    const uint64_t unit = a->kind == 'U' ? 4 : 1;
    const unsigned char *p = a->data + i * a->size;
    uint64_t len = a->size / unit;

    if (a->kind != 'U' && a->kind != 'S')
        return se_fail(err, SE_EINPUT, "numbers where texts were expected");
    while (len > 0 && load(p + (len - 1) * unit, unit, a->swapped) == 0)
        len--;                          /* padding */
    for (uint64_t k = 0; k < len; k++) {
        const uint64_t c = load(p + k * unit, unit, a->swapped);

        if (c == 0)
            return se_fail(err, SE_EINPUT, "text %" PRIu64 " holds a NUL", i);
        if (unit == 1 ? se_bytes_add(text, &p[k], 1, err) < 0 : add_utf8(text, c, err) < 0)
            return -1;
    }
    return 0;
}

uint64_t se_npy_place(const struct se_npy *a, uint64_t i, uint64_t j)
{
    return a->fortran ? j * a->shape[0] + i : i * a->shape[1] + j;
}

float *se_npy_floats(const struct se_npy *a, struct se_err *err)
{
    const uint64_t rows = a->dims == 2 ? a->shape[0] : 1;
    const uint64_t columns = a->dims == 2 ? a->shape[1] : a->count;
    float *x;

    if (a->dims > 2 || a->kind == 'U' || a->kind == 'S') {
        se_fail(err, SE_EINPUT, "numbers in one or two dimensions were expected");
        return NULL;
    }
    x = se_alloc(a->count, sizeof *x, err);
    for (uint64_t i = 0; x && a->count > 0 && i < rows; i++)
        for (uint64_t j = 0; j < columns; j++) {
            const uint64_t at = a->fortran ? j * rows + i : i * columns + j;
            const float v = (float)se_npy_number(a, at);

            if (!isfinite(v)) {
                se_fail(err, SE_EINPUT, "row %" PRIu64 ", column %" PRIu64 " is not a finite "
                        "32-bit number", i, j);
                free(x);
                return NULL;
            }
            x[i * columns + j] = v;
        }
    return x;
}
