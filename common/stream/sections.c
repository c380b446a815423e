/* sections.c - the table of sections, and what follows from it: names, checks, messages
 *
 * A new section is a row here, its se_X_get() and se_X_put() in section.h, its layout in
 * man/se-stream.5 and tests/segread.py, and golden streams. */
#include <inttypes.h>
#include <string.h>

#include "common/stream/payload.h"

#define TRAIN "train with se-train first"
#define NOBODY "this stream does not have it"

static const struct se_section_kind kinds[] = {
    { SE_GRAPH, "graph", true, "import one with se-import or generate one with se-gen",
      { { 0 } }, se_walk_graph },
    { SE_ARCS, "arcs", true, "import one with se-import --directed", { { SE_GRAPH } },
      se_walk_arcs },
    { SE_FUSED, "fused", true, "make one with se-kselect",
      { { SE_GRAPH }, { SE_KNN, SE_FEATURES } }, se_walk_graph },
    { SE_FEATURES, "features", true, "import them with se-import", { { 0 } },
      se_walk_features },
    { SE_LABELS, "labels", true, "import them with se-import", { { 0 } }, se_walk_labels },
    { SE_SPLITS, "splits", true, "make some with se-split or import them with se-import",
      { { 0 } }, se_walk_splits },
    { SE_EMBEDDING, "embedding", true, TRAIN, { { 0 } }, se_walk_embedding },
    { SE_KNN, "knn", true, "make one with se-sim", { { SE_EMBEDDING, SE_FEATURES } },
      se_walk_knn },
    { SE_KNN_BLOCK, "block", true, "make one with se-sim --columns", { { SE_EMBEDDING, SE_FEATURES } },
      se_walk_block },
    { SE_TREE, "tree", true, "make one with se-tree", { { SE_FUSED, SE_GRAPH } },
      se_walk_tree },
    { SE_PREDICTIONS, "predictions", true, TRAIN, { { SE_GRAPH } }, se_walk_predictions },
    { SE_PROBABILITIES, "probabilities", true, "train with se-train --probabilities first",
      { { SE_GRAPH } }, se_walk_probabilities },
    { SE_MODEL, "model", false, TRAIN, { { 0 } }, se_walk_model },
    { SE_NAMES, "names", true, NOBODY, { { 0 } }, se_walk_names },
    { SE_COLUMNS, "columns", false, "import them with se-import --attributes",
      { { SE_FEATURES } }, se_walk_colnames },
    { SE_STATS, "stats", false, NOBODY, { { 0 } }, se_walk_stats },
    { SE_HISTORY, "history", false, NOBODY, { { 0 } }, se_walk_history }
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

const struct se_section_kind *se_section_kind(int i)
{
    return i < KINDS ? &kinds[i] : NULL;
}

const struct se_section_kind *se_section_kind_of(uint32_t tag)
{
    for (int i = 0; i < KINDS; i++)
        if (kinds[i].tag == tag)
            return &kinds[i];
    return NULL;
}

const char *se_section_name(uint32_t tag)
{
    static _Thread_local char letters[5];
    const struct se_section_kind *kind = se_section_kind_of(tag);

    if (kind)
        return kind->name;
    for (int i = 0; i < 4; i++) {
        const char c = (char)(tag >> 8 * i);
        letters[i] = c > 0x20 && c < 0x7f ? c : '?';
    }
    return letters;
}

uint32_t se_section_tag(const char *name)
{
    for (int i = 0; i < KINDS; i++)
        if (strcmp(kinds[i].name, name) == 0)
            return kinds[i].tag;
    return 0;
}

/* The tag of the name that *list begins with; 0: no section has it.  *list goes on to the next. */
static uint32_t next_listed(const char **list)
{
    const size_t len = strcspn(*list, ",");
    char name[32] = "";

    if (len < sizeof name)
        memcpy(name, *list, len);
    *list = (*list)[len] ? *list + len + 1 : NULL;
    return se_section_tag(name);
}

bool se_section_listed(const char *list, uint32_t tag)
{
    while (list)
        if (next_listed(&list) == tag)
            return true;
    return false;
}

int se_section_check_list(const char *option, const char *list, struct se_err *err)
{
    while (list) {
        const char *name = list;
        char all[256] = "";

        if (next_listed(&list))
            continue;
        for (int i = 0; i < KINDS; i++) {
            strncat(all, " ", sizeof all - strlen(all) - 1);
            strncat(all, kinds[i].name, sizeof all - strlen(all) - 1);
        }
        return se_fail(err, SE_EUSAGE, "--%s: '%.*s' is not a section; the sections are%s",
                       option, (int)(strcspn(name, ",") < 40 ? strcspn(name, ",") : 40), name, all);
    }
    return 0;
}

int se_stream_vertices(struct se_stream *s, uint64_t *n, struct se_err *err)
{
    const struct se_section_kind *first = NULL;

    *n = 0;
    for (int i = 0; i < KINDS; i++) {
        const struct se_section_kind *kind = &kinds[i];
        struct se_section *x = kind->per_vertex ? se_stream_find(s, kind->tag) : NULL;
        uint64_t has = 0;
        int rc;

        if (!x)
            continue;
        rc = se_section_first(x, &has, err);
        if (rc <= 0)
            return rc < 0 ? -1 : se_payload_short(err, kind->tag);
        if (first && has != *n)
            return se_payload_fail(err, kind->tag, "has %" PRIu64 " vertices, but %s has %"
                                   PRIu64 "; they belong to different graphs", has, first->name,
                                   *n);
        if (!first)
            *n = has;
        first = first ? first : kind;
    }
    return 0;
}

int se_stream_check(struct se_stream *s, struct se_err *err)
{
    uint64_t n;

    for (size_t i = 0; i < s->count; i++) {
        struct se_section *x = &s->section[i];
        const struct se_section_kind *kind = se_section_kind_of(x->tag);
        struct se_digest d;

        if ((kind ? se_walk_check(s, x->tag, kind->walk, err) : se_section_digest(x, &d, err)) < 0)
            return -1;
    }
    return se_stream_vertices(s, &n, err);
}
