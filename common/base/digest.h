/* digest.h - BLAKE2b-128, the name of a content (what `b2sum -l 128` prints) */
#ifndef SE_DIGEST_H
#define SE_DIGEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { SE_DIGEST_SIZE = 16, SE_DIGEST_TEXT = 2 * SE_DIGEST_SIZE + 1 };

struct se_digest {
    uint8_t byte[SE_DIGEST_SIZE];
};

struct se_hash {                /* a digest in the making */
    uint64_t h[8], bytes;
    uint8_t block[128];
    size_t fill;
};

void se_hash_init(struct se_hash *s);
void se_hash_add(struct se_hash *s, const void *data, size_t len);
struct se_digest se_hash_end(struct se_hash *s);

struct se_digest se_digest_of(const void *data, size_t len);
bool se_digest_equal(const struct se_digest *a, const struct se_digest *b);
/* 32 lower-case hexadecimal digits and a NUL.  Returns `text`. */
char *se_digest_text(const struct se_digest *d, char text[SE_DIGEST_TEXT]);

#endif
