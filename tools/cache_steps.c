/* cache_steps.c - the commands of se-cache --steps
 *
 * Each field ends with a NUL byte.  A step is: output, input, the words of --with, the file of
 * --append, a number and so many files of --also, a number and so many words of the command. */
#include "tools/cache_steps.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"

enum { MOST_BYTES = 1 << 26 };

static int bad(const char *path, struct se_err *err)
{
    return se_fail(err, SE_EINPUT, "%s: is no list of steps, or is cut off", path);
}

static int split_fields(struct cache_steps *x, uint64_t *fields, const char *path,
                        struct se_err *err)
{
    const char *end = x->text.data + x->text.len;
    uint64_t count = 0;

    for (const char *c = x->text.data; c < end; c++)
        count += *c == '\0';
    if (x->text.len == 0 || end[-1] != '\0')
        return bad(path, err);
    x->field = se_alloc(count, sizeof *x->field, err);
    if (!x->field)
        return -1;
    for (char *c = x->text.data; c < end; c += strlen(c) + 1)
        x->field[(*fields)++] = c;
    return 0;
}

/* A number and so many fields, from field *at on */
static bool take_list(const struct cache_steps *x, uint64_t fields, uint64_t *at, char ***list,
                      int *count)
{
    uint64_t n;

    if (*at >= fields || !se_whole_u64(x->field[*at], &n) || n > INT_MAX || n > fields - *at - 1)
        return false;
    *list = x->field + *at + 1;
    *count = (int)n;
    *at += n + 1;
    return true;
}

int cache_steps_read(struct cache_steps *x, const char *path, struct se_err *err)
{
    uint64_t fields = 0, cap = 0;

    if (se_slurp(&x->text, path, MOST_BYTES, err) < 0 || split_fields(x, &fields, path, err) < 0)
        return -1;
    for (uint64_t at = 0; at < fields;) {
        struct cache_step s = { NULL };

        if (fields - at < 4)
            return bad(path, err);
        s.output = x->field[at];
        s.input = x->field[at + 1];
        s.with = x->field[at + 2];
        s.append = x->field[at + 3];
        at += 4;
        if (!take_list(x, fields, &at, &s.also, &s.alsos) ||
            !take_list(x, fields, &at, &s.word, &s.words) || s.words == 0 ||
            (*s.output && !*s.input))
            return bad(path, err);
        if (se_grow(&x->step, &cap, x->count + 1, sizeof *x->step, err) < 0)
            return -1;
        x->step[x->count++] = s;
    }
    return 0;
}

void cache_steps_release(struct cache_steps *x)
{
    free(x->step);
    free(x->field);
    se_bytes_release(&x->text);
}
