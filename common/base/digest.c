/* digest.c - BLAKE2b (RFC 7693), unkeyed, 16 bytes long */
#include "common/base/digest.h"

#include <string.h>

static const uint64_t IV[8] = {
    0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
    0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179
};

static const uint8_t SIGMA[12][16] = {
    { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 },
    { 14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3 },
    { 11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4 },
    { 7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8 },
    { 9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13 },
    { 2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9 },
    { 12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11 },
    { 13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10 },
    { 6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5 },
    { 10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0 },
    { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 },
    { 14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3 }
};

static inline uint64_t rotate(uint64_t x, int n)
{
    return x >> n | x << (64 - n);
}

#define MIX(a, b, c, d, x, y)                                                              \
    do {                                                                                   \
        v[a] += v[b] + (x);                                                                \
        v[d] = rotate(v[d] ^ v[a], 32);                                                    \
        v[c] += v[d];                                                                      \
        v[b] = rotate(v[b] ^ v[c], 24);                                                    \
        v[a] += v[b] + (y);                                                                \
        v[d] = rotate(v[d] ^ v[a], 16);                                                    \
        v[c] += v[d];                                                                      \
        v[b] = rotate(v[b] ^ v[c], 63);                                                    \
    } while (0)

static void compress(struct se_hash *s, const uint8_t *block, int last)
{
    uint64_t v[16], m[16];

    memcpy(m, block, sizeof m);                 /* little-endian, as all of se-gsl */
    memcpy(v, s->h, sizeof s->h);
    memcpy(v + 8, IV, sizeof IV);
    v[12] ^= s->bytes;
    if (last)
        v[14] = ~v[14];
#pragma GCC unroll 12
    for (int r = 0; r < 12; r++) {
        const uint8_t *p = SIGMA[r];

        MIX(0, 4, 8, 12, m[p[0]], m[p[1]]);
        MIX(1, 5, 9, 13, m[p[2]], m[p[3]]);
        MIX(2, 6, 10, 14, m[p[4]], m[p[5]]);
        MIX(3, 7, 11, 15, m[p[6]], m[p[7]]);
        MIX(0, 5, 10, 15, m[p[8]], m[p[9]]);
        MIX(1, 6, 11, 12, m[p[10]], m[p[11]]);
        MIX(2, 7, 8, 13, m[p[12]], m[p[13]]);
        MIX(3, 4, 9, 14, m[p[14]], m[p[15]]);
    }
    for (int i = 0; i < 8; i++)
        s->h[i] ^= v[i] ^ v[i + 8];
}

void se_hash_init(struct se_hash *s)
{
    memset(s, 0, sizeof *s);
    memcpy(s->h, IV, sizeof IV);
    s->h[0] ^= 0x01010000 ^ SE_DIGEST_SIZE;
}

void se_hash_add(struct se_hash *s, const void *data, size_t len)
{
    const uint8_t *p = data;

    while (len > 0) {
        if (s->fill == sizeof s->block) {       /* the last block waits for se_hash_end */
            s->bytes += s->fill;
            compress(s, s->block, 0);
            s->fill = 0;
        }
        if (s->fill == 0)
            for (; len > sizeof s->block; len -= sizeof s->block, p += sizeof s->block) {
                s->bytes += sizeof s->block;
                compress(s, p, 0);
            }
        size_t take = sizeof s->block - s->fill;
        if (take > len)
            take = len;
        memcpy(s->block + s->fill, p, take);
        s->fill += take;
        p += take;
        len -= take;
    }
}

struct se_digest se_hash_end(struct se_hash *s)
{
    struct se_digest d;

    s->bytes += s->fill;
    memset(s->block + s->fill, 0, sizeof s->block - s->fill);
    compress(s, s->block, 1);
    memcpy(d.byte, s->h, sizeof d.byte);
    return d;
}

struct se_digest se_digest_of(const void *data, size_t len)
{
    struct se_hash s;

    se_hash_init(&s);
    se_hash_add(&s, data, len);
    return se_hash_end(&s);
}

bool se_digest_equal(const struct se_digest *a, const struct se_digest *b)
{
    return memcmp(a->byte, b->byte, SE_DIGEST_SIZE) == 0;
}

char *se_digest_text(const struct se_digest *d, char text[SE_DIGEST_TEXT])
{
    static const char hex[] = "0123456789abcdef";

    for (int i = 0; i < SE_DIGEST_SIZE; i++) {
        text[2 * i] = hex[d->byte[i] >> 4];
        text[2 * i + 1] = hex[d->byte[i] & 15];
    }
    text[2 * SE_DIGEST_SIZE] = '\0';
    return text;
}
