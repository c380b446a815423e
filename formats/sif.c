/* sif.c - the simple interaction format of Cytoscape: a relation b c d ...
 *
 * Fields are separated by tabs if the file has one, else by blanks.  A line of one field is a
 * vertex without edges.  What the relations are is not kept. */
#include <inttypes.h>
#include <string.h>

#include "formats/network.h"

struct sif {
    struct se_text t;
    struct se_network *x;
    struct se_table relations;
    const char *between;        /* what separates fields */
};

static char *field_of(char **p, const char *between, size_t *len)
{
    char *field = *p + strspn(*p, between);

    *len = strcspn(field, between);
    *p = field + *len;
    return *len > 0 ? field : NULL;
}

static int take_line(struct sif *f, char *line, struct se_err *err)
{
    char *p = line, *word;
    uint32_t u, v, relation;
    size_t len;

    word = field_of(&p, f->between, &len);
    if (!word)
        return 0;
    if (se_network_vertex(f->x, word, len, &u, err) < 0)
        return -1;
    word = field_of(&p, f->between, &len);
    if (!word)
        return 0;
    if (se_table_add(&f->relations, word, len, &relation, err) < 0)
        return -1;
    word = field_of(&p, f->between, &len);
    if (!word)
        return se_text_fail(&f->t, err, "has two fields; a line is a relation b, as in YBR1 pp "
                            "YAL2 (edges without relations are -f edges)");
    for (; word; word = field_of(&p, f->between, &len))
        if (se_network_vertex(f->x, word, len, &v, err) < 0 ||
            se_network_edge(f->x, u, v, 1, err) < 0)
            return -1;
    return 0;
}

static bool has_tab(char *line, size_t len)
{
    return memchr(line, '\t', len) != NULL;
}

static int read_lines(struct sif *f, struct se_err *err)
{
    char *line;
    size_t len;
    int rc;

    while ((rc = se_text_line(&f->t, &line, &len, err)) > 0)
        if (take_line(f, line, err) < 0)
            return -1;
    return rc;
}

static int import(struct se_import *in, struct se_stream *s, struct se_err *err)
{
    struct se_network x = SE_NETWORK_INIT;
    struct sif f = { .x = &x, .relations = SE_TABLE_INIT };
    bool tabs;
    int rc;

    if (se_text_any(in->path, has_tab, &tabs, err) < 0 || se_text_open(&f.t, in->path, err) < 0)
        return -1;
    f.between = tabs ? "\t" : " ";         /* names may hold blanks between tabs */
    rc = read_lines(&f, err);
    if (rc == 0 && se_network_put(&x, in, s, err) < 0)
        rc = se_err_in(err, in->path);
    if (rc == 0 && f.relations.n > 1)
        rc = se_say(in->notes, err, "%s: edges of %" PRIu64 " relations become one graph",
                    in->path, f.relations.n);
    se_text_close(&f.t);
    se_table_release(&f.relations);
    se_network_release(&x);
    return rc;
}

static int detect(const char *path, const char *head, size_t len)
{
    (void)len;
    return head && se_path_is(path, ".sif") ? 85 : 0;
}

const struct se_format se_format_sif = {
    .name = "sif",
    .what = "simple interaction format of Cytoscape: a relation b",
    .import = import,
    .detect = detect
};
