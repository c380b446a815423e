/* keyed.c - hashes for tables in memory, with a key that differs from process to process */
#include "common/base/keyed.h"

#include <pthread.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

static uint64_t the_key[2];

/* Where the system has no random numbers: what an author of files cannot know either. */
static void guess_key(void)
{
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    the_key[0] = (uint64_t)t.tv_nsec << 32 ^ (uint64_t)t.tv_sec ^ (uint64_t)getpid() << 48;
    the_key[1] = (uint64_t)(uintptr_t)&t ^ (uint64_t)(uintptr_t)&guess_key << 21;
}

static void draw_key(void)
{
    if (getrandom(the_key, sizeof the_key, GRND_NONBLOCK) != (ssize_t)sizeof the_key)
        guess_key();
}

const uint64_t *se_hash_key(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    pthread_once(&once, draw_key);
    return the_key;
}

static inline uint64_t turn(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

static inline void sip_round(uint64_t v[4])
{
    v[0] += v[1];
    v[2] += v[3];
    v[1] = turn(v[1], 13) ^ v[0];
    v[3] = turn(v[3], 16) ^ v[2];
    v[0] = turn(v[0], 32);
    v[2] += v[1];
    v[0] += v[3];
    v[1] = turn(v[1], 17) ^ v[2];
    v[3] = turn(v[3], 21) ^ v[0];
    v[2] = turn(v[2], 32);
}

static inline void sip_word(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    sip_round(v);
    v[0] ^= word;
}

uint64_t se_siphash13(const uint64_t key[2], const void *data, size_t len)
{
    uint64_t v[4] = { key[0] ^ UINT64_C(0x736f6d6570736575), key[1] ^ UINT64_C(0x646f72616e646f6d),
                      key[0] ^ UINT64_C(0x6c7967656e657261), key[1] ^ UINT64_C(0x7465646279746573) };
    const unsigned char *p = data;
    uint64_t word, last = (uint64_t)len << 56;

    for (; len >= 8; len -= 8, p += 8) {
        memcpy(&word, p, 8);
        sip_word(v, word);
    }
    for (size_t i = 0; i < len; i++)
        last |= (uint64_t)p[i] << 8 * i;
    sip_word(v, last);
    v[2] ^= 0xff;
    sip_round(v);
    sip_round(v);
    sip_round(v);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

uint64_t se_hash_bytes(const void *data, size_t len)
{
    return se_siphash13(se_hash_key(), data, len);
}
