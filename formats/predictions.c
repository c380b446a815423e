/* predictions.c - "vertex<TAB>label<TAB>predicted<TAB>confidence<TAB>part" a line
 *
 * label is -1 where it is unknown, part is none without splits. */
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
        se_export_names(ex->names, s, &names, err) == 0) {
        for (uint64_t v = 0; v < p.n; v++) {
            se_out_vertex(out, &names, v);
            se_outf(out, "\t%d\t%d\t", f.label ? f.label[v] : -1, p.label[v]);
            se_out_float(out, p.confidence[v]);
            se_outf(out, "\t%s\n", se_facts_part(&f, v));
        }
        rc = 0;
    }
    se_facts_release(&f);
    return rc;
}

const struct se_format se_format_predictions = {
    .name = "predictions", .what = "classes: vertex, label, predicted, confidence, part",
    .export = export_predictions
};
