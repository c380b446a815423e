/* infojson.c - what se-info tells, as JSON */
#include "common/inspect/infojson.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static void json_name(struct se_out *out, const char *name)
{
    se_outf(out, ",\n  \"%s\": ", name);
}

static void json_count(struct se_out *out, const char *name, uint64_t v)
{
    json_name(out, name);
    se_out_u64(out, v);
}

/* A number, or null for what there is not. */
static void json_number(struct se_out *out, const char *name, double v)
{
    json_name(out, name);
    if (isfinite(v))
        se_out_double(out, v);
    else
        se_out_str(out, "null");
}

static void json_graph(struct se_out *out, const struct se_info *x)
{
    const struct se_graph_facts *f = &x->graph_facts;
    const double none = x->has_graph ? 0 : NAN;

    json_number(out, "edges", none + (double)x->graph.m);
    json_number(out, "loops", none + (double)x->graph.loops);
    json_name(out, "weighted");
    se_out_str(out, x->has_graph ? x->graph.weight ? "true" : "false" : "null");
    json_number(out, "components", none + (double)f->components);
    json_number(out, "largest_component", none + (double)f->largest);
    json_number(out, "isolated", none + (double)f->isolated);
    json_number(out, "degree_min", none + (double)f->degree_min);
    json_number(out, "degree_median", none + f->degree_median);
    json_number(out, "degree_mean", none + f->degree_mean);
    json_number(out, "degree_max", none + (double)f->degree_max);
    json_count(out, "features", x->features.d);
    json_count(out, "feature_nonzeros", x->nonzeros);
    json_count(out, "classes", x->labels.classes);
    json_count(out, "unlabelled", x->unlabelled);
    json_count(out, "splits", x->splits.count);
    json_number(out, "homophily", none + f->homophily);
    json_number(out, "h1", none + f->h1);
}

static void json_fused(struct se_out *out, const struct se_info *x)
{
    json_count(out, "fused_edges", x->fused.m);
    json_count(out, "fused_components", x->fused_facts.components);
    json_number(out, "fused_homophily", x->fused_facts.homophily);
    json_number(out, "fused_h1", x->fused_facts.h1);
}

static void json_splits(struct se_out *out, const struct se_splits *s)
{
    uint64_t size[4];

    json_name(out, "split_sizes");
    for (uint64_t i = 0; i < s->count; i++) {
        se_part_sizes(s, i, size);
        se_outf(out, "%s[%" PRIu64 ", %" PRIu64 ", %" PRIu64 "]", i == 0 ? "[" : ", ",
                size[SE_PART_TRAIN], size[SE_PART_VAL], size[SE_PART_TEST]);
    }
    se_out_str(out, s->count == 0 ? "[]" : "]");
}

static void json_tree(struct se_out *out, const struct se_info *x)
{
    json_count(out, "tree_nodes", x->tree.nodes);
    json_count(out, "tree_height", x->height);
    json_number(out, "tree_h", x->tree_on ? x->tree_h : NAN);
    json_number(out, "tree_h_normalised", se_info_normalised(x));
    json_name(out, "tree_on");
    se_outf(out, x->tree_on ? "\"%s\"" : "null", se_section_name(x->tree_on));
    json_name(out, "tree_levels");
    for (uint32_t i = 0; i < x->levels; i++) {
        const struct se_level *l = &x->level[i];

        se_outf(out, "%s\n    {\"level\": %" PRIu32 ", \"nodes\": %" PRIu64 ", \"leaves\": %"
                PRIu64 ", \"size_min\": %" PRIu64 ", \"size_median\": %.17g, \"size_max\": %"
                PRIu64 ", \"h\": %.17g, \"purity\": ", i == 0 ? "[" : ",", i + 1, l->nodes,
                l->leaves, l->size_min, l->size_median, l->size_max, l->h);
        se_outf(out, isnan(l->purity) ? "null}" : "%.17g}", l->purity);
    }
    se_out_str(out, x->levels == 0 ? "[]" : "]");
}

static void json_hits(struct se_out *out, const struct se_info *x)
{
    bool first = true;

    json_name(out, "accuracy");
    se_out_char(out, '{');
    for (int p = 0; p < 4; p++)
        if (x->hits.of[p] > 0) {
            se_outf(out, "%s\"%s\": %.17g", first ? "" : ", ", se_part_names[p],
                    (double)x->hits.right[p] / (double)x->hits.of[p]);
            first = false;
        }
    se_out_char(out, '}');
}

static void json_stats(struct se_out *out, const struct se_stats *s)
{
    const char *name = s->names;

    json_name(out, "stats");
    for (uint64_t i = 0; i < s->count; i++, name += strlen(name) + 1) {
        se_out_str(out, i == 0 ? "{" : ", ");
        se_out_json(out, name, strlen(name));
        se_out_str(out, ": ");
        se_out_double(out, s->value[i]);
    }
    se_out_str(out, s->count == 0 ? "{}" : "}");
}

/* A line of history has five fields; the last one takes what is left. */
static void json_line(struct se_out *out, const char *line, size_t len)
{
    static const char *const field[] = { "tool", "version", "seed", "seconds", "arguments" };

    for (int i = 0; i < 5; i++) {
        const char *tab = i < 4 ? memchr(line, '\t', len) : NULL;
        const size_t width = tab ? (size_t)(tab - line) : len;

        se_outf(out, "%s\"%s\": ", i == 0 ? "{" : ", ", field[i]);
        se_out_json(out, line, width);
        line += width + (tab != NULL);
        len -= width + (tab != NULL);
    }
    se_out_char(out, '}');
}

static void json_history(struct se_out *out, const struct se_history *h)
{
    json_name(out, "history");
    for (uint64_t at = 0; at < h->len;) {
        const char *line = h->text + at, *end = memchr(line, '\n', h->len - at);

        se_out_str(out, at == 0 ? "[\n    " : ",\n    ");
        json_line(out, line, (size_t)(end - line));
        at += (uint64_t)(end - line) + 1;
    }
    se_out_str(out, h->len == 0 ? "[]" : "]");
}

static int json_sections(struct se_out *out, struct se_stream *s, struct se_err *err)
{
    json_name(out, "sections");
    for (size_t i = 0; i < s->count; i++) {
        struct se_section *x = &s->section[i];
        struct se_digest d;
        char text[SE_DIGEST_TEXT];

        if (se_section_digest(x, &d, err) < 0)
            return -1;
        se_outf(out, "%s\n    {\"name\": ", i == 0 ? "[" : ",");
        se_out_json(out, se_section_name(x->tag), strlen(se_section_name(x->tag)));
        se_outf(out, ", \"bytes\": %" PRIu64 ", \"stored\": %" PRIu64 ", \"deflated\": %s, "
                "\"digest\": \"%s\"}", x->plain_len, x->stored_len,
                x->codec == SE_PLAIN ? "false" : "true", se_digest_text(&d, text));
    }
    se_out_str(out, s->count == 0 ? "[]" : "]");
    return 0;
}

int se_info_json(const struct se_info *x, struct se_stream *s, bool sections,
                 struct se_out *out, struct se_err *err)
{
    int rc = 0;

    se_outf(out, "{\n  \"vertices\": %" PRIu64, x->vertices);
    json_graph(out, x);
    if (x->has_splits)
        json_splits(out, &x->splits);
    if (x->has_fused)
        json_fused(out, x);
    if (x->has_embedding)
        json_count(out, "embedding_dims", x->embedding.d);
    if (x->has_knn)
        json_count(out, "knn_k", x->knn.k);
    if (x->has_tree)
        json_tree(out, x);
    if (x->has_predictions && x->has_labels)
        json_hits(out, x);
    if (x->has_stats)
        json_stats(out, &x->stats);
    if (x->has_history)
        json_history(out, &x->history);
    if (sections)
        rc = json_sections(out, s, err);
    se_out_str(out, "\n}\n");
    return rc;
}
