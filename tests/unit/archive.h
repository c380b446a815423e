/* archive.h - for tests of archives: files in a folder of their own, read and written whole */
#ifndef SE_UNIT_ARCHIVE_H
#define SE_UNIT_ARCHIVE_H

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "formats/internal.h"
#include "formats/npy.h"
#include "tests/unit/damage.h"
#include "tests/unit/unit.h"

static char *folder;
static struct se_err err;

static inline const char *path_of(const char *name)
{
    static char path[512];

    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static inline size_t slurp(const char *path, unsigned char **data)
{
    struct se_bytes b = SE_BYTES_INIT;

    if (se_slurp(&b, path, 0, &err) < 0) {
        printf("# %s\n", err.text);
        exit(1);
    }
    *data = (unsigned char *)b.data;
    return b.len;
}

static inline int begin_file(const char *path, struct se_out *out)
{
    int fd;

    unlink(path);
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL, 0600);
    return fd < 0 ? -1 : se_out_init(out, fd, &err);
}

static inline void end_file(struct se_out *out)
{
    CHECK(se_out_flush(out, &err) == 0);
    close(out->fd);
    se_out_release(out);
}

/* Remove these files and the folder. */
static inline void remove_files(const char *const *name, size_t count)
{
    for (size_t i = 0; i < count; i++)
        unlink(path_of(name[i]));
    rmdir(folder);
}

#endif
