/* mem.c - checked allocation */
#include "common/base/mem.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static int product(uint64_t count, size_t size, size_t *bytes, struct se_err *err)
{
    if (__builtin_mul_overflow(count, size, bytes) || *bytes > PTRDIFF_MAX)
        return se_fail(err, SE_EMEM, "%" PRIu64 " items of %zu bytes do not fit in memory",
                       count, size);
    if (*bytes == 0)
        *bytes = 1;
    return 0;
}

void se_large_pages(void *p, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    const uintptr_t page = 4096, first = ((uintptr_t)p + page - 1) & ~(page - 1);
    const uintptr_t last = ((uintptr_t)p + bytes) & ~(page - 1);

    if (bytes >= (size_t)4 << 20)
        (void)madvise((void *)first, last - first, MADV_HUGEPAGE);
#else
    (void)p;
    (void)bytes;
#endif
}

static void *check(void *p, size_t bytes, struct se_err *err)
{
    if (!p)
        se_fail(err, SE_EMEM, "out of memory (%zu more bytes needed)", bytes);
    else
        se_large_pages(p, bytes);
    return p;
}

void *se_alloc(uint64_t count, size_t size, struct se_err *err)
{
    size_t bytes;

    if (product(count, size, &bytes, err) < 0 || se_memory_check(bytes, err) < 0)
        return NULL;
    return check(malloc(bytes), bytes, err);
}

void *se_zalloc(uint64_t count, size_t size, struct se_err *err)
{
    size_t bytes;

    if (product(count, size, &bytes, err) < 0 || se_memory_check(bytes, err) < 0)
        return NULL;
    return check(calloc(1, bytes), bytes, err);
}

int se_grow(void *p, size_t *cap, uint64_t need, size_t size, struct se_err *err)
{
    void **array = p, *bigger;
    uint64_t want = *cap + *cap / 2 + 16;
    size_t bytes;

    if (need <= *cap)
        return 0;
    if (want < need)
        want = need;
    if (product(want, size, &bytes, err) < 0 || se_memory_check(bytes - *cap * size, err) < 0)
        return -1;
    bigger = check(realloc(*array, bytes), bytes, err);
    if (!bigger)
        return -1;
    *array = bigger;
    *cap = (size_t)want;
    return 0;
}

char *se_strndup(const char *s, size_t len, struct se_err *err)
{
    char *copy = se_alloc((uint64_t)len + 1, 1, err);

    if (copy) {
        memcpy(copy, s, len);
        copy[len] = '\0';
    }
    return copy;
}

char *se_strdup(const char *s, struct se_err *err)
{
    return se_strndup(s, strlen(s), err);
}

int se_bytes_add(struct se_bytes *b, const void *data, size_t len, struct se_err *err)
{
    if (len == 0)
        return 0;
    if (se_grow(&b->data, &b->cap, (uint64_t)b->len + len, 1, err) < 0)
        return -1;
    memcpy(b->data + b->len, data, len);
    b->len += len;
    return 0;
}

void se_bytes_release(struct se_bytes *b)
{
    free(b->data);
    *b = (struct se_bytes)SE_BYTES_INIT;
}
