/* knn.c - nearest neighbours, "u<TAB>v<TAB>similarity" a line, best first */
#include "formats/internal.h"

static int export_knn(const struct se_export *ex, struct se_stream *s, struct se_out *out,
                      struct se_err *err)
{
    struct se_names names;
    struct se_knn k;

    if (se_knn_get(&k, s, err) < 0 || se_export_columns(ex->names, s, &names, err) < 0)
        return -1;
    for (uint64_t u = k.first; u < k.last; u++)
        for (uint64_t i = (u - k.first) * k.k; i < (u - k.first + 1) * k.k && k.id[i] != SE_NONE;
             i++) {
            se_out_vertex(out, &names, u);
            se_out_char(out, '\t');
            se_out_vertex(out, &names, k.id[i]);
            se_out_char(out, '\t');
            se_out_float(out, k.similarity[i]);
            se_out_char(out, '\n');
        }
    return 0;
}

const struct se_format se_format_knn = {
    .name = "knn",
    .what = "neighbours: vertex, neighbour and similarity, most similar first",
    .kind = SE_FORMAT_TABLE,
    .extensions = { "tsv", "txt" },
    .export = export_knn
};
