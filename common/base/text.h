/* text.h - reading and writing text, fast and checked */
#ifndef SE_TEXT_H
#define SE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/err.h"
#include "common/base/mem.h"

/* What messages call a path: "standard input" for "-". */
const char *se_path_name(const char *path);

/* A file read line by line; gzip'd files are read as what they hold. */
struct se_text {
    void *file;                 /* gzFile */
    const char *path;           /* for messages; "-" is standard input */
    struct se_bytes buffer;
    size_t at;                  /* where the next line starts */
    uint64_t line;              /* number of the last line given, from 1 */
    bool end;
};
#define SE_TEXT_INIT { NULL, NULL, SE_BYTES_INIT, 0, 0, false }

int se_text_open(struct se_text *t, const char *path, struct se_err *err);
/* The next line, without its end (LF or CR LF), ended by NUL; valid until the next call, may
 * be changed.  Returns 1, 0 at the end of the file, -1 with `err` set.  A NUL byte inside a
 * line is an error: the file is not text. */
int se_text_line(struct se_text *t, char **line, size_t *len, struct se_err *err);
void se_text_close(struct se_text *t);
/* Does `is` hold for any line of the file?  It may change the line.  Returns 0 or -1. */
int se_text_any(const char *path, bool (*is)(char *line, size_t len), bool *found,
                struct se_err *err);
/* An error with the place: "PATH: line N: ...".  Returns -1. */
int se_text_fail(const struct se_text *t, struct se_err *err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* All bytes of a file (gzip'd or not) in memory with a NUL behind them; free b->data.
 * `limit` bytes at most, 0 for no limit. */
int se_slurp(struct se_bytes *b, const char *path, uint64_t limit, struct se_err *err);

/* Parse a number at *p and move *p behind it.  False: there is none, or it is too large.
 * se_parse_number takes what C's strtod takes, but not hexadecimal, "nan" or "inf". */
bool se_parse_u64(const char **p, uint64_t *value);
bool se_parse_number(const char **p, double *value);
/* The same for a whole string. */
bool se_whole_u64(const char *s, uint64_t *value);
bool se_whole_number(const char *s, double *value);
/* A number of bytes such as 4096, 500M, 4G or 4GB; one that is too large is UINT64_MAX. */
bool se_whole_size(const char *s, uint64_t *value);

/* A buffered writer to a file descriptor.  Errors stick; se_out_flush tells. */
struct se_out {
    int fd;
    bool failed;
    int why;                    /* errno of the first failure */
    size_t len;
    char *buffer;               /* 64 KiB, made by se_out_init */
};
int se_out_init(struct se_out *o, int fd, struct se_err *err);
void se_out_bytes(struct se_out *o, const void *data, size_t len);
void se_out_str(struct se_out *o, const char *s);
void se_out_char(struct se_out *o, char c);
void se_out_u64(struct se_out *o, uint64_t v);
void se_out_i64(struct se_out *o, int64_t v);
void se_out_float(struct se_out *o, float v);           /* %.9g */
void se_out_double(struct se_out *o, double v);         /* %.17g, shorter where exact */
void se_outf(struct se_out *o, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void se_out_json(struct se_out *o, const char *s, size_t len);  /* quoted and escaped */
/* Text of a file for a terminal: tabs become blanks; control characters, those of two bytes
 * (U+0080 to U+009F) too, and bytes that are no UTF-8 become '?'. */
void se_out_shown(struct se_out *o, const char *s, size_t len);
/* The bytes of the UTF-8 character at s, 0 if it is not well formed; is it a control one? */
size_t se_utf8_length(const unsigned char *s, size_t len);
bool se_is_control(const unsigned char *s, size_t len);
/* Write what is buffered.  0, or -1 with `err` set if anything failed since init. */
int se_out_flush(struct se_out *o, struct se_err *err);
void se_out_release(struct se_out *o);

/* write(2) until all is out.  0, or -1 with `err` (SE_EPIPE when the reader is gone). */
int se_write_all(int fd, const void *data, size_t len, struct se_err *err);

#endif
