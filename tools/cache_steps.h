/* cache_steps.h - the commands of se-cache --steps */
#ifndef SE_CACHE_STEPS_H
#define SE_CACHE_STEPS_H

#include "common/base/text.h"

struct cache_step {
    const char *output, *input; /* files; without an output the command is run beside the next ones */
    const char *with, *append;  /* as the options; "" for none */
    char **also, **word;
    int alsos, words;
};

struct cache_steps {
    struct se_bytes text;       /* the file; all pointers go into it or into `field` */
    char **field;
    struct cache_step *step;
    uint64_t count;
};
#define CACHE_STEPS_INIT { .count = 0 }

/* Read the file; release in any case. */
int cache_steps_read(struct cache_steps *x, const char *path, struct se_err *err);
void cache_steps_release(struct cache_steps *x);

#endif
