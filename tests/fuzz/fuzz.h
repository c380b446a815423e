/* fuzz.h - what the fuzz targets share */
#ifndef SE_FUZZ_H
#define SE_FUZZ_H

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/base/crc.h"
#include "common/stream/section.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

/* A finding: what must hold does not. */
static inline void fuzz_fail(const char *what, const struct se_err *err)
{
    fprintf(stderr, "fuzz: %s: %s\n", what, err->text);
    abort();
}

/* An error is one line. */
static inline void fuzz_error(const struct se_err *err)
{
    if (err->code == SE_OK || !err->text[0] || strchr(err->text, '\n'))
        fuzz_fail("an error without a line", err);
}

/* Make all checksums right, as far as the lengths go, and the counts of the end section: no
 * fuzzer guesses those. */
static inline void fuzz_repair(uint8_t *data, size_t len)
{
    const uint32_t end = SE_END;
    uint64_t sections = 0;
    uint32_t crc;

    if (len < 16)
        return;
    crc = se_crc32(0, data, 12);
    memcpy(data + 12, &crc, 4);
    for (size_t at = 16; len - at >= 80; sections++) {
        uint8_t *h = data + at;
        uint64_t size;

        memcpy(&size, h + 8, 8);
        if (size > len - at - 80)
            size = 0;
        if (memcmp(h, &end, 4) == 0 && size == 16) {
            const uint64_t before = at;

            memcpy(h + 80, &sections, 8);
            memcpy(h + 88, &before, 8);
        }
        crc = se_crc32(0, h + 80, size);
        memcpy(h + 72, &crc, 4);
        crc = se_crc32(0, h, 76);
        memcpy(h + 76, &crc, 4);
        size = 80 + ((size + 15) & ~(uint64_t)15);
        if (size > len - at)
            break;
        at += size;
    }
}

/* Write the stream, read it again: the same digest, and sound. */
static inline void fuzz_again(struct se_stream *s, int level)
{
    const int fd = memfd_create("again", MFD_CLOEXEC);
    struct se_stream t = SE_STREAM_INIT;
    struct se_err err = SE_ERR_INIT;
    struct se_digest a, b;

    if (fd < 0 || se_stream_write(s, fd, level, &err) < 0)
        fuzz_fail("cannot write", &err);
    lseek(fd, 0, SEEK_SET);
    if (se_stream_read(&t, fd, &err) < 0 || se_stream_check(&t, &err) < 0)
        fuzz_fail("cannot read what was written", &err);
    if (se_stream_digest(s, &a, &err) < 0 || se_stream_digest(&t, &b, &err) < 0 ||
        !se_digest_equal(&a, &b))
        fuzz_fail("what was written is not what is read", &err);
    se_stream_release(&t);
    close(fd);
}

#endif
