/* checkpoint.c - a training that was broken off goes on where it was */
#include "common/train/checkpoint.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/crc.h"
#include "common/base/mem.h"
#include "common/base/outfile.h"

enum { ARRAYS = 4 };

struct header {                 /* of the file; arrays and their CRC-32 follow */
    char magic[8];
    struct se_digest key;
    struct se_progress_made made;
};
static const char magic[8] = "SECKPT1\n";

static int write_all(FILE *f, const struct header *h, const se_real *const array[ARRAYS])
{
    const uint64_t bytes = h->made.count * sizeof *array[0];
    uint32_t crc = se_crc32(0, h, sizeof *h);
    bool ok = fwrite(h, sizeof *h, 1, f) == 1;

    for (int i = 0; ok && i < ARRAYS; i++) {
        ok = fwrite(array[i], 1, bytes, f) == bytes;
        crc = se_crc32(crc, array[i], bytes);
    }
    ok = ok && fwrite(&crc, sizeof crc, 1, f) == 1 && fflush(f) == 0;
    return ok && (!se_output_syncs() || fsync(fileno(f)) == 0) ? 0 : -1;
}

/* Beside it, under a name that nobody else has, then renamed */
int se_checkpoint_write(const struct se_checkpoint *c, const struct se_progress_made *m,
                        const se_real *const array[ARRAYS], struct se_err *err)
{
    struct header h;
    char *aside = se_alloc(strlen(c->path) + 16, 1, err);
    FILE *f = NULL;
    int fd, rc = -1;

    if (!aside)
        return -1;
    memset(&h, 0, sizeof h);
    memcpy(h.magic, magic, sizeof h.magic);
    h.key = c->key;
    h.made = *m;
    sprintf(aside, "%s.XXXXXX", c->path);
    fd = mkstemp(aside);
    if (fd >= 0 && !(f = fdopen(fd, "wb")))
        close(fd);
    if (f) {
        rc = write_all(f, &h, array);
        if (fclose(f) != 0)
            rc = -1;
    }
    if (rc == 0)
        rc = rename(aside, c->path);
    if (rc < 0) {
        se_fail_errno(err, SE_EIO, "%s: cannot write the checkpoint", c->path);
        if (fd >= 0)
            unlink(aside);
    }
    free(aside);
    return rc;
}

/* Could a training have come to these numbers?  Shares are nan where there is nothing to count. */
static bool plausible(const struct header *h, se_real *const array[ARRAYS])
{
    bool good = h->made.best <= h->made.epoch;

    for (int i = 0; i < 4; i++)
        good = good && !(h->made.accuracy[i] < 0 || h->made.accuracy[i] > 1);
    for (int i = 0; i < ARRAYS; i++)
        for (uint64_t k = 0; good && k < h->made.count; k++)
            good = isfinite(array[i][k]);
    return good;
}

/* The arrays and what comes behind them */
static bool read_arrays(FILE *f, const struct header *h, se_real *const array[ARRAYS])
{
    const uint64_t bytes = h->made.count * sizeof *array[0];
    uint32_t crc = se_crc32(0, h, sizeof *h), stored;

    for (int i = 0; i < ARRAYS; i++) {
        if (fread(array[i], 1, bytes, f) != bytes)
            return false;
        crc = se_crc32(crc, array[i], bytes);
    }
    return fread(&stored, sizeof stored, 1, f) == 1 && stored == crc && fgetc(f) == EOF;
}

int se_checkpoint_read(const struct se_checkpoint *c, struct se_progress_made *m, uint64_t count,
                       se_real *const array[ARRAYS], struct se_err *err)
{
    FILE *f = fopen(c->path, "rb");
    struct header h;
    int rc;

    if (!f)
        return errno == ENOENT ? 0 : se_fail_errno(err, SE_EIO, "%s: cannot open", c->path);
    if (fread(&h, sizeof h, 1, f) != 1 || memcmp(h.magic, magic, sizeof magic) != 0)
        rc = se_fail(err, SE_EINPUT, "%s: is no checkpoint of a training; remove it or name "
                     "another file", c->path);
    else if (!se_digest_equal(&h.key, &c->key) || h.made.count != count)
        rc = se_fail(err, SE_EINPUT, "%s: is the checkpoint of a training with other input or "
                     "options; remove it or name another file", c->path);
    else if (!read_arrays(f, &h, array) || !plausible(&h, array))
        rc = se_fail(err, SE_EINPUT, "%s: the checkpoint is damaged; remove it", c->path);
    else
        rc = 1;
    *m = h.made;
    fclose(f);
    return rc;
}
