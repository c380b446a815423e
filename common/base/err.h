/* err.h - errors: each callee fills a struct se_err, only main prints it */
#ifndef SE_ERR_H
#define SE_ERR_H

#include <stddef.h>

enum se_code {
    SE_OK,
    SE_EINPUT,                  /* the data are wrong */
    SE_EIO,                     /* reading or writing failed */
    SE_EMEM,                    /* no memory */
    SE_EDEVICE,                 /* the requested device is not available */
    SE_EUSAGE,                  /* the command line is wrong: exit status 2 */
    SE_EPIPE                    /* the reader of our output went away: end quietly */
};

struct se_err {
    enum se_code code;
    char text[512];             /* one line, no newline, no name of the tool */
};
#define SE_ERR_INIT { SE_OK, "" }

/* Set `err` and return -1, so that `return se_fail(...)` reads well. */
int se_fail(struct se_err *err, enum se_code code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* The same with ": " and the text of errno behind it. */
int se_fail_errno(struct se_err *err, enum se_code code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Put the name of the file or section and ": " before the text.  Returns -1. */
int se_err_in(struct se_err *err, const char *where);

#endif
