/* textfile.h - a file for tests to write, import and export */
#ifndef SE_TEXTFILE_H
#define SE_TEXTFILE_H

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "formats/internal.h"
#include "tests/unit/unit.h"

static char path[] = "/tmp/se-test-XXXXXX";

static inline void write_file(const void *data, size_t len)
{
    FILE *f = fopen(path, "wb");

    CHECK(f && fwrite(data, 1, len, f) == len);
    if (f)
        CHECK(fclose(f) == 0);
}

static inline int import_with(const char *format, struct se_import *in, struct se_stream *s,
                       struct se_err *err)
{
    in->path = path;
    err->text[0] = '\0';
    return se_format_find(format)->import(in, s, err);
}

static inline int import_text(const char *format, const char *text, struct se_stream *s,
                       struct se_err *err)
{
    struct se_import in = { 0 };

    write_file(text, strlen(text));
    return import_with(format, &in, s, err);
}

/* Is the section the same, byte for byte? */
static inline bool same_section(struct se_stream *a, struct se_stream *b, uint32_t tag)
{
    struct se_section *x = se_stream_find(a, tag), *y = se_stream_find(b, tag);

    return x && y && x->plain_len == y->plain_len &&
           memcmp(x->stored, y->stored, x->plain_len) == 0;
}

/* Write `s` in a format, read it back, and compare one section. */
static inline void round_trip(const char *format, struct se_stream *s, uint32_t tag, uint64_t n,
                       bool names)
{
    const struct se_export ex = { .section = SE_GRAPH, .names = names };
    struct se_import in = { .n = n, .keep_loops = true,
                            .ids = names ? SE_IDS_STRING : SE_IDS_AUTO };
    struct se_stream back = SE_STREAM_INIT;
    struct se_err err = SE_ERR_INIT;
    struct se_out out;
    FILE *f = fopen(path, "wb");

    CHECK(f && se_out_init(&out, fileno(f), &err) == 0);
    CHECK(se_format_find(format)->export(&ex, s, &out, &err) == 0);
    CHECK(se_out_flush(&out, &err) == 0);
    se_out_release(&out);
    if (f)
        fclose(f);
    if (import_with(format, &in, &back, &err) < 0) {
        printf("# %s: %s\n", format, err.text);
        unit_bad++;
    } else {
        CHECK(same_section(s, &back, tag));
    }
    se_stream_release(&back);
}

/* Make the file; false if there is no room for it. */
static inline bool file_begin(void)
{
    const int fd = mkstemp(path);

    return fd >= 0 && close(fd) == 0;
}

static inline int file_done(void)
{
    unlink(path);
    return unit_done();
}

#endif
