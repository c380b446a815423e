/* stats.c - the named numbers of the stages, "name<TAB>value" a line */
#include <string.h>

#include "formats/internal.h"

static int export_stats(const struct se_export *ex, struct se_stream *s, struct se_out *out,
                        struct se_err *err)
{
    struct se_stats x;

    (void)ex;
    if (se_stats_get(&x, s, err) < 0)
        return -1;
    const char *name = x.names;
    for (uint64_t i = 0; i < x.count; i++, name += strlen(name) + 1) {
        se_out_str(out, name);
        se_out_char(out, '\t');
        se_out_double(out, x.value[i]);
        se_out_char(out, '\n');
    }
    return 0;
}

const struct se_format se_format_stats = {
    .name = "stats",
    .what = "name and value of each number that the stages measured",
    .kind = SE_FORMAT_TABLE,
    .extensions = { "tsv", "txt" },
    .export = export_stats
};
