/* damage.h - every way to cut a small file short and to change one byte of it */
#ifndef SE_DAMAGE_H
#define SE_DAMAGE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

/* What is done to each damaged file; it checks for itself.  The copy has just `len` bytes and
 * a NUL, so that a sanitizer sees any step beyond. */
typedef void damage_try(void *arg, const unsigned char *data, size_t len);

static void damage_one(const unsigned char *data, size_t len, damage_try *try, void *arg)
{
    unsigned char *copy = malloc(len + 1);

    memcpy(copy, data, len);
    copy[len] = '\0';
    try(arg, copy, len);
    free(copy);
}

static void damage_all(const unsigned char *data, size_t len, damage_try *try, void *arg)
{
    static const unsigned char flips[] = { 0x01, 0x02, 0x08, 0x10, 0x20, 0x80, 0xff };
    unsigned char *copy = malloc(len + 1);

    for (size_t cut = 0; cut < len; cut++)
        damage_one(data, cut, try, arg);
    memcpy(copy, data, len);
    for (size_t i = 0; i < len; i++) {
        for (size_t f = 0; f < sizeof flips; f++) {
            copy[i] = data[i] ^ flips[f];
            damage_one(copy, len, try, arg);
        }
        copy[i] = 0;
        damage_one(copy, len, try, arg);
        copy[i] = data[i];
    }
    free(copy);
}

static inline void write_file(const char *path, const void *data, size_t len)
{
    FILE *f;

    unlink(path);                       /* writing over a file makes some systems wait for disk */
    f = fopen(path, "wb");
    if (!f || fwrite(data, 1, len, f) != len || fclose(f) != 0) {
        perror(path);
        exit(1);
    }
}

/* A new folder for files of a test; its path is static. */
static inline char *temp_folder(void)
{
    static char path[256];
    const char *tmp = getenv("TMPDIR");

    snprintf(path, sizeof path, "%s/se-test-XXXXXX", tmp ? tmp : "/tmp");
    if (!mkdtemp(path)) {
        perror(path);
        exit(1);
    }
    return path;
}

/* The most memory this process ever had, in KiB. */
static inline long peak_memory(void)
{
    struct rusage r;

    getrusage(RUSAGE_SELF, &r);
    return r.ru_maxrss;
}

/* Did the peak stay within `room` KiB of what it was?  AddressSanitizer keeps what is freed
 * for a while, 256 MiB of it. */
static inline int memory_within(long before, long room)
{
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
    room += 512 * 1024;
#endif
#elif defined(__SANITIZE_ADDRESS__)
    room += 512 * 1024;
#endif
    return peak_memory() - before < room;
}

#endif
