/* infojson.c - the summary of se-info as JSON */
#include "common/inspect/infojson.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Where values go: all of them into one object, or the value of one name alone */
struct sink {
    struct se_out *out;
    const char *want;           /* the name asked for, `len` long; NULL: all */
    size_t len;
    bool any, found;
};

/* Is the value of this name to be written?  Only the first of a name is found. */
static bool json_name(struct sink *k, const char *name)
{
    if (k->want) {
        const bool same = !k->found && strlen(name) == k->len &&
                          memcmp(name, k->want, k->len) == 0;

        k->found |= same;
        return same;
    }
    se_outf(k->out, "%s\n  \"%s\": ", k->any ? "," : "{", name);
    k->any = true;
    return true;
}

/* The same for arrays and objects, which are no single value */
static bool json_group(struct sink *k, const char *name)
{
    return !k->want && json_name(k, name);
}

static void json_word(struct sink *k, const char *name, const char *word)
{
    if (json_name(k, name))
        se_out_str(k->out, word);
}

static void json_count(struct sink *k, const char *name, uint64_t v)
{
    if (json_name(k, name))
        se_out_u64(k->out, v);
}

/* A number, or null for what there is not. */
static void json_number(struct sink *k, const char *name, double v)
{
    if (!json_name(k, name))
        return;
    if (isfinite(v))
        se_out_double(k->out, v);
    else
        se_out_str(k->out, "null");
}

static void json_graph(struct sink *k, const struct se_info *x)
{
    const struct se_graph_facts *f = &x->graph_facts;
    const double none = x->has_graph ? 0 : NAN;

    json_number(k, "edges", none + (double)x->graph.m);
    json_number(k, "loops", none + (double)x->graph.loops);
    if (x->has_arcs) {
        json_number(k, "arcs", (double)x->arcs.m);
        json_number(k, "arcs_one_way", (double)x->arc_facts.one_way);
    }
    json_word(k, "weighted", x->has_graph ? x->graph.weight ? "true" : "false" : "null");
    json_number(k, "components", none + (double)f->components);
    json_number(k, "largest_component", none + (double)f->largest);
    json_number(k, "isolated", none + (double)f->isolated);
    json_number(k, "degree_min", none + (double)f->degree_min);
    json_number(k, "degree_median", none + f->degree_median);
    json_number(k, "degree_mean", none + f->degree_mean);
    json_number(k, "degree_max", none + (double)f->degree_max);
    json_count(k, "features", x->features.d);
    json_count(k, "feature_nonzeros", x->nonzeros);
    json_count(k, "classes", x->labels.classes);
    json_count(k, "unlabelled", x->unlabelled);
    json_count(k, "splits", x->splits.count);
    json_number(k, "homophily", none + f->homophily);
    json_number(k, "h1", none + f->h1);
}

static void json_fused(struct sink *k, const struct se_info *x)
{
    json_count(k, "fused_edges", x->fused.m);
    json_count(k, "fused_components", x->fused_facts.components);
    json_number(k, "fused_homophily", x->fused_facts.homophily);
    json_number(k, "fused_h1", x->fused_facts.h1);
}

static void json_splits(struct sink *k, const struct se_splits *s)
{
    static const char *const part[] = { "train", "val", "test" };
    static const uint8_t which[] = { SE_SPLIT_TRAIN, SE_SPLIT_VAL, SE_SPLIT_TEST };
    struct se_out *out = k->out;
    uint64_t size[4];

    for (uint64_t i = 0; k->want && i < 3 * s->count; i++) {
        char name[48];

        snprintf(name, sizeof name, "split_sizes.%" PRIu64 ".%s", i / 3, part[i % 3]);
        if (json_name(k, name)) {
            se_splits_sizes(s, i / 3, size);
            se_out_u64(out, size[which[i % 3]]);
        }
    }
    if (!json_group(k, "split_sizes"))
        return;
    for (uint64_t i = 0; i < s->count; i++) {
        se_splits_sizes(s, i, size);
        se_outf(out, "%s[%" PRIu64 ", %" PRIu64 ", %" PRIu64 "]", i == 0 ? "[" : ", ",
                size[SE_SPLIT_TRAIN], size[SE_SPLIT_VAL], size[SE_SPLIT_TEST]);
    }
    se_out_str(out, s->count == 0 ? "[]" : "]");
}

static void json_tree(struct sink *k, const struct se_info *x)
{
    struct se_out *out = k->out;

    json_count(k, "tree_nodes", x->tree.nodes);
    json_count(k, "tree_height", x->height);
    json_number(k, "tree_h", x->tree_on ? x->tree_h : NAN);
    json_number(k, "tree_h_normalised", se_info_normalised(x));
    if (json_name(k, "tree_on"))
        se_outf(out, !x->tree_on ? "null" : k->want ? "%s" : "\"%s\"",
                se_section_name(x->tree_on));
    if (!json_group(k, "tree_levels"))
        return;
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

/* Asked for by name it is "accuracy.train", ... */
static void json_hits(struct sink *k, const struct se_info *x)
{
    struct se_out *out = k->out;
    bool first = true;

    for (int p = 0; k->want && p < 4; p++) {
        char name[32];

        snprintf(name, sizeof name, "accuracy.%s", se_split_part_names[p]);
        if (x->hits.of[p] > 0)
            json_number(k, name, (double)x->hits.right[p] / (double)x->hits.of[p]);
    }
    if (!json_group(k, "accuracy"))
        return;
    se_out_char(out, '{');
    for (int p = 0; p < 4; p++)
        if (x->hits.of[p] > 0) {
            se_outf(out, "%s\"%s\": %.17g", first ? "" : ", ", se_split_part_names[p],
                    (double)x->hits.right[p] / (double)x->hits.of[p]);
            first = false;
        }
    se_out_char(out, '}');
}

/* Asked for by name it is the name of the number itself */
static void json_stats(struct sink *k, const struct se_stats *s)
{
    struct se_out *out = k->out;
    const char *name = s->names;

    double h = NAN, h1 = NAN;

    for (uint64_t i = 0; k->want && i < s->count; i++, name += strlen(name) + 1) {
        json_number(k, name, s->value[i]);
        if (strcmp(name, "tree.h") == 0)
            h = s->value[i];
        else if (strcmp(name, "tree.h1") == 0)
            h1 = s->value[i];
    }
    if (isfinite(h) && h1 > 0)
        json_number(k, "tree.h/tree.h1", h / h1);
    if (!json_group(k, "stats"))
        return;
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

static void json_history(struct sink *k, const struct se_history *h)
{
    struct se_out *out = k->out;

    if (!json_group(k, "history"))
        return;
    for (uint64_t at = 0; at < h->len;) {
        const char *line = h->text + at, *end = memchr(line, '\n', h->len - at);

        se_out_str(out, at == 0 ? "[\n    " : ",\n    ");
        json_line(out, line, (size_t)(end - line));
        at += (uint64_t)(end - line) + 1;
    }
    se_out_str(out, h->len == 0 ? "[]" : "]");
}

static int json_sections(struct sink *k, struct se_stream *s, struct se_err *err)
{
    struct se_out *out = k->out;

    json_group(k, "sections");
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

static void json_values(struct sink *k, const struct se_info *x)
{
    json_count(k, "vertices", x->vertices);
    json_graph(k, x);
    if (x->has_splits)
        json_splits(k, &x->splits);
    if (x->has_fused)
        json_fused(k, x);
    if (x->has_embedding)
        json_count(k, "embedding_dims", x->embedding.d);
    if (x->has_knn)
        json_count(k, "knn_k", x->knn.k);
    if (x->has_tree)
        json_tree(k, x);
    if (x->has_predictions && x->has_labels)
        json_hits(k, x);
    if (x->has_stats)
        json_stats(k, &x->stats);
    if (x->has_history)
        json_history(k, &x->history);
}

int se_info_json(const struct se_info *x, struct se_stream *s, bool sections,
                 struct se_out *out, struct se_err *err)
{
    struct sink k = { .out = out };
    int rc = 0;

    json_values(&k, x);
    if (sections)
        rc = json_sections(&k, s, err);
    se_out_str(out, "\n}\n");
    return rc;
}

int se_info_get(const struct se_info *x, const char *names, struct se_out *out,
                struct se_err *err)
{
    for (const char *at = names; at;) {
        const size_t len = strcspn(at, ",");
        const bool optional = len > 1 && at[len - 1] == '?';
        struct sink k = { .out = out, .want = at, .len = len - optional };

        if (at != names)
            se_out_char(out, '\t');
        json_values(&k, x);
        if (!k.found && optional)
            se_out_str(out, "null");
        else if (!k.found)
            return se_fail(err, SE_EINPUT, "--get: this stream has no single value called "
                           "'%.*s'; se-info --json shows the names it has",
                           (int)(k.len < 80 ? k.len : 80), at);
        at = at[len] ? at + len + 1 : NULL;
    }
    se_out_char(out, '\n');
    return 0;
}
