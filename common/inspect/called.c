/* called.c - what vertices and columns of features are called */
#include "common/inspect/called.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"

int se_called_make(struct se_called *x, struct se_stream *s, struct se_err *err)
{
    struct se_colnames c;
    const char *name;

    *x = (struct se_called)SE_CALLED_INIT;
    if (se_stream_has(s, SE_NAMES) && se_names_get(&x->names, s, err) < 0)
        return -1;
    if (!se_stream_has(s, SE_COLUMNS))
        return 0;
    if (se_colnames_get(&c, s, err) < 0 ||
        !(x->column = se_alloc(c.d, sizeof *x->column, err)))
        return -1;
    x->shift = c.shift;
    x->scale = c.scale;
    name = c.names;
    for (x->d = 0; x->d < c.d; x->d++, name += strlen(name) + 1)
        x->column[x->d] = name;
    return 0;
}

void se_called_release(struct se_called *x)
{
    free(x->column);
    *x = (struct se_called)SE_CALLED_INIT;
}

void se_called_vertex(const struct se_called *x, struct se_out *out, uint64_t v)
{
    if (v < x->names.n)
        se_out_shown(out, x->names.text + x->names.off[v], x->names.off[v + 1] - x->names.off[v]);
    else
        se_outf(out, "%" PRIu64, v);
}

void se_called_column(const struct se_called *x, struct se_out *out, uint64_t c)
{
    if (c < x->d)
        se_out_shown(out, x->column[c], strlen(x->column[c]));
    else
        se_outf(out, "column %" PRIu64, c);
}

double se_called_value(const struct se_called *x, uint64_t c, double value)
{
    return c < x->d && x->scale[c] > 0 ? value / x->scale[c] + x->shift[c] : value;
}
