/* test-keyed.c - keyed hashes: right values, a key for each process, and names that were chosen
 * to meet in one slot of an unkeyed table */
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/keyed.h"
#include "common/base/rng.h"
#include "formats/internal.h"
#include "tests/unit/unit.h"

/* Python 3.11 and later hash bytes by SipHash-1-3: PYTHONHASHSEED=0 makes its key 0. */
static void test_values(void)
{
    static const uint64_t key[2];
    unsigned char run[63];

    for (int i = 0; i < 63; i++)
        run[i] = (unsigned char)(i + 1);
    CHECK(se_siphash13(key, "a", 1) == UINT64_C(0x407448d2b89b1813));
    CHECK(se_siphash13(key, "abcdefg", 7) == UINT64_C(0x6db12aae9070f506));
    CHECK(se_siphash13(key, "abcdefgh", 8) == UINT64_C(0x3f7b849c0b8e35ea));
    CHECK(se_siphash13(key, "the quick brown fox jumps", 25) == UINT64_C(0x00c98b97e4f70042));
    CHECK(se_siphash13(key, run, sizeof run) == UINT64_C(0x6bafe9f92616651b));
    unit_ok("SipHash-1-3 gives the values of another program");
}

/* The key of a process of its own: this program again */
static uint64_t key_of_another(const char *self)
{
    uint64_t key = 0;
    int fd[2];
    pid_t child;

    if (pipe(fd) < 0 || (child = fork()) < 0)
        abort();
    if (child == 0) {
        dup2(fd[1], STDOUT_FILENO);
        execl(self, self, "key", (char *)NULL);
        _exit(1);
    }
    close(fd[1]);
    CHECK(read(fd[0], &key, sizeof key) == (ssize_t)sizeof key);
    close(fd[0]);
    waitpid(child, NULL, 0);
    return key;
}

static void test_keys(const char *self)
{
    const uint64_t a = key_of_another(self), b = key_of_another(self);

    CHECK(a != b && a != se_hash_key()[0] && se_hash_key() == se_hash_key());
    unit_ok("each process has a key of its own");
}

/* The hash that names once had: words mixed by steps that can be taken back */
#define STEP UINT64_C(0xd6e8feb86659fd93)
#define TIMES UINT64_C(0x9e3779b97f4a7c15)

static uint64_t mix(uint64_t x)
{
    x ^= x >> 32;
    x *= STEP;
    return x ^ x >> 32;
}

static uint64_t inverse(uint64_t odd)
{
    uint64_t x = odd;

    for (int i = 0; i < 6; i++)                 /* Newton: the right bits double each time */
        x *= 2 - odd * x;
    return x;
}

static uint64_t unmix(uint64_t x)
{
    x ^= x >> 32;
    x *= inverse(STEP);
    return x ^ x >> 32;
}

/* Bytes that a table of names in text may hold */
static bool harmless(const char *s, int len)
{
    for (int i = 0; i < len; i++)
        if ((unsigned char)s[i] < 0x30 || s[i] == 0x7f)
            return false;
    return true;
}

/* 16 bytes whose old hash ends in 20 zeros: any first word has a second one that does it. */
static void chosen_name(struct se_rng *r, char name[16])
{
    uint64_t word, h;

    do {
        for (int i = 0; i < 8; i++)
            name[i] = (char)('a' + se_rng_below(r, 26));
        memcpy(&word, name, 8);
        h = mix(mix(16) ^ word) * TIMES;
        word = unmix(unmix(unmix(se_rng_u64(r) << 20)) * inverse(TIMES)) ^ h;
        memcpy(name + 8, &word, 8);
    } while (!harmless(name + 8, 8));
}

static void test_flood(uint64_t count)
{
    struct se_table t = SE_TABLE_INIT;
    struct se_err err = SE_ERR_INIT;
    struct se_rng r;

    se_rng_init(&r, 1, SE_RNG_TEST, 0);
    for (uint64_t i = 0; i < count; i++) {
        char name[17] = "";
        uint32_t id;
        uint64_t word[2];

        chosen_name(&r, name);
        memcpy(word, name, 16);
        CHECK((mix(mix(mix(mix(mix(16) ^ word[0]) * TIMES ^ word[1]) * TIMES)) & 0xfffff) == 0);
        CHECK(se_table_add(&t, name, 16, &id, &err) == 0);
    }
    CHECK(se_table_reach(&t) < count / 10);     /* all in one slot: count - 1 */
    se_table_release(&t);
    unit_ok("names chosen for one slot are spread");
}

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "key") == 0)
        return write(STDOUT_FILENO, se_hash_key(), 8) != 8;
    if (argc == 3 && strcmp(argv[1], "names") == 0) {   /* a file for se-import, to see it */
        struct se_rng r;
        char name[17] = "";

        se_rng_init(&r, 1, SE_RNG_TEST, 0);
        for (long i = atol(argv[2]); i > 0; i--) {
            chosen_name(&r, name);
            puts(name);
        }
        return 0;
    }
    test_values();
    test_keys(argv[0]);
    test_flood(2000);
    return unit_done();
}
