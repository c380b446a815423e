/* checkpoint.h - a training that was broken off goes on where it was
 *
 * The file holds what an epoch leaves to the next: parameters, the moments of Adam, the best epoch
 * so far with its parameters.  Logits of the best epoch are made again from these. */
#ifndef SE_CHECKPOINT_H
#define SE_CHECKPOINT_H

#include "common/base/digest.h"
#include "common/train/net.h"

struct se_checkpoint {
    const char *path;           /* NULL: there is none */
    uint64_t every;             /* epochs from one to the next */
    struct se_digest key;       /* of input and options: a file with another key is refused */
};

struct se_progress_made {       /* besides arrays */
    uint64_t epoch, steps, best, count;         /* count: parameters */
    double loss, val_loss, accuracy[4];
};

/* Write it, atomically; value, moment, square and best: m->count numbers each.  0, or -1 with
 * `err`. */
int se_checkpoint_write(const struct se_checkpoint *c, const struct se_progress_made *m,
                        const se_real *const array[4], struct se_err *err);
/* 1: read into m and the arrays; 0: there is no such file; -1 with `err`: it is damaged, or of
 * another run. */
int se_checkpoint_read(const struct se_checkpoint *c, struct se_progress_made *m, uint64_t count,
                       se_real *const array[4], struct se_err *err);

#endif
