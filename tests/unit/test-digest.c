/* test-digest.c - BLAKE2b-128 and CRC-32 against known answers */
#include <stdlib.h>
#include <string.h>

#include "common/base/crc.h"
#include "common/base/digest.h"
#include "common/base/rng.h"
#include "tests/unit/unit.h"

enum { LONGEST = 100000 };

/* Of the bytes (7 i + 3) mod 256, by Python's hashlib.blake2b(digest_size=16) */
static const struct {
    size_t len;
    const char *text;
} known[] = {
    { 0, "cae66941d9efbd404e4d88758ea67670" },
    { 1, "71b186b851e866e71be237342976049a" },
    { 3, "09e03a807474593d5cb98909e5d502cd" },
    { 127, "e00ab0ead4d729de8fbe7745d642e416" },
    { 128, "8e0cf9bb1b36fa6c42aa6490f719b575" },
    { 129, "6cefde50e4008690e61cf8225d101256" },
    { 255, "b1bce9f0dc0bec101cd5e09b7961937c" },
    { 256, "ac60b0f8b3227af67328401630cd4dfa" },
    { 257, "7e5b16bfede2940cbed4da50b56da597" },
    { 384, "a4654a1526f7dd9a7b99b35b1d0e51f8" },
    { 1000, "add263669b4eb2158678a360fa6f007a" },
    { 100000, "2f3199b6a34e7333afc1ece40990a6a3" }
};

static void pattern(unsigned char *to, size_t len)
{
    for (size_t i = 0; i < len; i++)
        to[i] = (unsigned char)(7 * i + 3);
}

static bool is(struct se_digest d, const char *want)
{
    char text[SE_DIGEST_TEXT];

    return strcmp(se_digest_text(&d, text), want) == 0;
}

static void test_known(const unsigned char *data)
{
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        CHECK(is(se_digest_of(data, known[i].len), known[i].text));
    CHECK(is(se_digest_of("abc", 3), "cf4ab791c62b8d2b2109c90275287816"));
    unit_ok("digest: known answers");
}

/* However the bytes arrive, the digest is that of the whole. */
static void test_pieces(const unsigned char *data)
{
    struct se_rng r;

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        for (uint64_t seed = 0; seed < 50; seed++) {
            struct se_hash s;

            se_rng_init(&r, seed, SE_RNG_TEST, i);
            se_hash_init(&s);
            for (size_t at = 0; at < known[i].len;) {
                size_t take = (size_t)se_rng_below(&r, seed % 2 ? 300 : 5000);

                if (take > known[i].len - at)
                    take = known[i].len - at;
                se_hash_add(&s, data + at, take);       /* sometimes 0 */
                at += take;
            }
            CHECK(is(se_hash_end(&s), known[i].text));
        }
    unit_ok("digest: the same in any pieces");
}

static void test_equal(void)
{
    struct se_digest a = se_digest_of("a", 1), b = se_digest_of("a", 1);

    CHECK(se_digest_equal(&a, &b));
    for (int i = 0; i < SE_DIGEST_SIZE; i++) {
        b.byte[i] ^= 1;
        CHECK(!se_digest_equal(&a, &b));
        b.byte[i] ^= 1;
    }
    unit_ok("digest: equal means every byte");
}

/* The definition, a bit at a time */
static uint32_t slow_crc(const unsigned char *p, size_t len)
{
    uint32_t crc = 0xffffffff;

    for (size_t i = 0; i < len; i++) {
        crc ^= p[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
    }
    return ~crc;
}

static void test_crc(const unsigned char *data)
{
    CHECK(se_crc32(0, "123456789", 9) == 0xcbf43926);
    CHECK(se_crc32(0, "", 0) == 0);
    for (size_t len = 0; len <= 300; len++)
        for (size_t from = 0; from < 17; from++) {
            const uint32_t whole = slow_crc(data + from, len);

            CHECK(se_crc32(0, data + from, len) == whole);
            CHECK(se_crc32(se_crc32(0, data + from, len / 3), data + from + len / 3,
                           len - len / 3) == whole);
        }
    CHECK(se_crc32(0, data, LONGEST) == slow_crc(data, LONGEST));
    unit_ok("crc: the definition, at all lengths to 300 and offsets to 16, continued");
}

int main(void)
{
    unsigned char *data = malloc(LONGEST);

    pattern(data, LONGEST);
    test_known(data);
    test_pieces(data);
    test_equal();
    test_crc(data);
    free(data);
    return unit_done();
}
