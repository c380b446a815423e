/* keyed.h - hashes for tables in memory, with a key that differs from process to process
 *
 * Whoever writes a file can choose names that all fall into one slot of a table, if he knows the
 * hash; then each look-up takes as long as a walk over all of them.  With a key that he does
 * not know he cannot.  Nothing that is written may depend on these hashes or on the order of
 * slots; digests of content are in digest.h. */
#ifndef SE_KEYED_H
#define SE_KEYED_H

#include <stddef.h>
#include <stdint.h>

/* The two words of the key, drawn when they are first asked for; the same to the end. */
const uint64_t *se_hash_key(void);

/* SipHash-1-3 of `len` bytes under that key, and under any key. */
uint64_t se_hash_bytes(const void *data, size_t len);
uint64_t se_siphash13(const uint64_t key[2], const void *data, size_t len);

/* Take the word x into h: for rows of numbers, where SipHash would cost too much.  The product
 * of two secrets has 128 bits, and all of them count. */
static inline uint64_t se_hash_word(const uint64_t key[2], uint64_t h, uint64_t x)
{
    const unsigned __int128 p = (unsigned __int128)(h ^ x ^ key[0]) * (key[1] | 1);

    return (uint64_t)p ^ (uint64_t)(p >> 64);
}

#endif
