/* labels.c - "vertex<TAB>label<TAB>part" a line
 *
 * label is -1 where it is unknown, part is none without splits.  With names, classes are written
 * by name where they have one, and an unknown label is ?. */
#include "formats/facts.h"
#include "formats/internal.h"

/* Is there a section that is as long as there are vertices?  Neighbours of none of a billion
 * vertices are some bytes. */
static bool has_vertices(const struct se_stream *s)
{
    return se_stream_has(s, SE_LABELS) || se_stream_has(s, SE_SPLITS) || se_stream_has(s, SE_GRAPH) ||
           se_stream_has(s, SE_FUSED) || se_stream_has(s, SE_TREE) || se_stream_has(s, SE_NAMES) ||
           se_stream_has(s, SE_PREDICTIONS);
}

static int export_labels(const struct se_export *ex, struct se_stream *s, struct se_out *out,
                         struct se_err *err)
{
    struct se_facts f = SE_FACTS_INIT;
    struct se_names names;
    struct se_labels labels;
    int rc = -1;

    if (!has_vertices(s))
        return se_labels_get(&labels, s, err);          /* which says that there are none */
    if (se_facts_get(&f, ex, s, err) == 0 && se_export_columns(ex->names, s, &names, err) == 0 &&
        se_facts_columns(&f, ex->names, err) == 0) {
        for (uint64_t v = 0; v < f.n; v++) {
            se_out_vertex(out, &names, v);
            se_out_class(out, &f, ex->names, f.label ? f.label[v] : -1);
            se_outf(out, "\t%s\n", se_facts_part(&f, v));
        }
        rc = 0;
    }
    se_facts_release(&f);
    return rc;
}

const struct se_format se_format_labels = {
    .name = "labels",
    .what = "vertex, label and part of the split",
    .kind = SE_FORMAT_TABLE,
    .extensions = { "tsv", "txt" },
    .export = export_labels
};
