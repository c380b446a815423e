/* mutate.h - mutations that know the layout of a stream: one payload changes, its length follows,
 * and what was derived from it names its new digest.  fuzz.h mends the checksums. */
#ifndef SE_FUZZ_MUTATE_H
#define SE_FUZZ_MUTATE_H

#include "common/base/digest.h"
#include "tests/fuzz/fuzz.h"

size_t LLVMFuzzerMutate(uint8_t *data, size_t len, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t most, unsigned seed);

enum { FUZZ_SECTIONS = 40 };

struct fuzz_section {
    size_t at;                  /* of its header */
    uint64_t len;               /* of its payload */
};

static inline size_t fuzz_padded(uint64_t len)
{
    return 80 + (size_t)((len + 15) & ~(uint64_t)15);
}

/* Where the sections are, as far as the lengths go.  Returns how many, the end section too. */
static inline int fuzz_sections(const uint8_t *data, size_t len,
                                struct fuzz_section x[FUZZ_SECTIONS])
{
    int count = 0;

    for (size_t at = 16; count < FUZZ_SECTIONS && at < len && len - at >= 80; count++) {
        memcpy(&x[count].len, data + at + 8, 8);
        x[count].at = at;
        if (x[count].len > len - at - 80 || fuzz_padded(x[count].len) > len - at)
            return count;
        at += fuzz_padded(x[count].len);
    }
    return count;
}

/* Origins name the digests that plain sections have now. */
static inline void fuzz_origins(uint8_t *data, size_t len)
{
    struct fuzz_section x[FUZZ_SECTIONS];
    const int count = fuzz_sections(data, len, x);

    for (int i = 0; i < count; i++) {
        const struct se_digest digest = se_digest_of(data + x[i].at + 80, x[i].len);
        uint32_t codec;

        memcpy(&codec, data + x[i].at + 4, 4);
        for (int k = 0; k < count && codec == 0; k++)
            for (int from = 0; from < 2; from++)
                if (memcmp(data + x[k].at + 24 + 24 * from, data + x[i].at, 4) == 0)
                    memcpy(data + x[k].at + 32 + 24 * from, digest.byte, SE_DIGEST_SIZE);
    }
}

static inline size_t fuzz_mutate_one(uint8_t *data, size_t len, size_t most,
                                     const struct fuzz_section *x)
{
    const size_t old = fuzz_padded(x->len), room = most - (len - old) - 80;
    const size_t cap = x->len + 64 < room / 16 * 16 ? x->len + 64 : room / 16 * 16;
    uint8_t *copy = malloc(cap + 1), *h = data + x->at;
    uint64_t now;

    memcpy(copy, h + 80, x->len < cap ? x->len : cap);
    now = LLVMFuzzerMutate(copy, x->len < cap ? x->len : cap, cap) & ~(size_t)7;
    memmove(h + fuzz_padded(now), h + old, len - x->at - old);
    memset(h + 80, 0, fuzz_padded(now) - 80);
    memcpy(h + 80, copy, now);
    memcpy(h + 8, &now, 8);
    memcpy(h + 16, &now, 8);
    free(copy);
    return len - old + fuzz_padded(now);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t len, size_t most, unsigned seed)
{
    struct fuzz_section x[FUZZ_SECTIONS];
    const int count = fuzz_sections(data, len, x);
    uint32_t codec;

    if (count < 2 || seed % 8 == 0 || len + 256 > most)         /* any bytes, too */
        return LLVMFuzzerMutate(data, len, most);
    const struct fuzz_section *one = &x[seed / 8 % (unsigned)(count - 1)];

    if (seed % 8 == 1)                          /* the choice of options, see tool.h */
        memcpy(data + 12, &seed, 4);
    memcpy(&codec, data + one->at + 4, 4);
    if (seed % 64 == 2) {                       /* without the section */
        const size_t gone = fuzz_padded(one->len);

        memmove(data + one->at, data + one->at + gone, len - one->at - gone);
        return len - gone;
    }
    return codec != 0 ? LLVMFuzzerMutate(data, len, most)
                      : fuzz_mutate_one(data, len, most, one);
}

/* Repair the data; what is then a sound stream goes to `use` with bytes to choose by. */
static inline int fuzz_stream(const uint8_t *data, size_t len,
                              void (*use)(struct se_stream *s, uint32_t choice))
{
    uint8_t *copy = malloc(len + 1);
    struct se_stream s = SE_STREAM_INIT;
    struct se_err err = SE_ERR_INIT;
    uint32_t choice = 0;

    memcpy(copy, data, len);
    if (len > 16)                               /* bytes of the header that repair mends */
        memcpy(&choice, copy + 12, 4);
    fuzz_origins(copy, len);
    fuzz_repair(copy, len);
    if (se_stream_read_memory(&s, copy, len, &err) == 0 && se_stream_check(&s, &err) == 0)
        use(&s, choice);
    else
        fuzz_error(&err);
    se_stream_release(&s);
    free(copy);
    return 0;
}

#endif
