/* embedding.c - the representation as text, a line per vertex, tabs between the numbers */
#include "formats/internal.h"

static int export_embedding(const struct se_export *ex, struct se_stream *s,
                            struct se_out *out, struct se_err *err)
{
    struct se_embedding e;

    (void)ex;
    if (se_embedding_get(&e, s, err) < 0)
        return -1;
    for (uint64_t v = 0; v < e.n; v++)
        for (uint64_t i = 0; i < e.d; i++) {
            se_out_float(out, e.row[v * e.d + i]);
            se_out_char(out, i + 1 < e.d ? '\t' : '\n');
        }
    return 0;
}

const struct se_format se_format_embedding = {
    .name = "embedding",
    .what = "embedding: a line of numbers for each vertex",
    .kind = SE_FORMAT_TABLE,
    .extensions = { "tsv", "txt" },
    .export = export_embedding
};
