/* predictions.c - "vertex<TAB>label<TAB>predicted<TAB>confidence<TAB>part" a line
 *
 * label is -1 where it is unknown, part is none without splits.  With names, classes are written
 * by name where they have one, and an unknown label is ?. */
#include "formats/facts.h"
#include "formats/internal.h"

static int export_predictions(const struct se_export *ex, struct se_stream *s,
                              struct se_out *out, struct se_err *err)
{
    struct se_facts f = SE_FACTS_INIT;
    struct se_predictions p;
    struct se_names names;
    int rc = -1;

    if (se_predictions_get(&p, s, err) == 0 && se_facts_get(&f, ex, s, err) == 0 &&
        se_export_columns(ex->names, s, &names, err) == 0 &&
        se_facts_columns(&f, ex->names, err) == 0) {
        for (uint64_t v = 0; v < p.n; v++) {
            se_out_vertex(out, &names, v);
            se_out_class(out, &f, ex->names, f.label ? f.label[v] : -1);
            se_out_class(out, &f, ex->names, p.label[v]);
            se_out_char(out, '\t');
            se_out_float(out, p.confidence[v]);
            se_outf(out, "\t%s\n", se_facts_part(&f, v));
        }
        rc = 0;
    }
    se_facts_release(&f);
    return rc;
}

const struct se_format se_format_predictions = {
    .name = "predictions",
    .what = "vertex, label, predicted class, confidence and part of the split",
    .kind = SE_FORMAT_TABLE,
    .extensions = { "tsv", "txt" },
    .export = export_predictions
};
