/* adjlist.c - adjacency lists: u v w ... a line, and the two kinds that networkx writes
 *
 * In the second kind of networkx a line has a vertex and the number of its neighbours, and each of
 * these has a line of its own, with a dictionary behind it.  Edges that are in the lists of both
 * ends are one edge. */
#include <string.h>

#include "formats/network.h"

struct lists {
    struct se_text t;
    struct se_network *x;
    uint32_t from;              /* the vertex whose neighbours follow */
    uint64_t left;              /* how many lines of neighbours */
    bool lines;                 /* each neighbour has a line */
};

/* The next word of a line, or NULL. */
static char *word_of(char **p, size_t *len)
{
    char *word = *p + strspn(*p, " \t,");

    *len = strcspn(word, " \t,");
    *p = word + *len;
    return *len > 0 ? word : NULL;
}

/* The line "v {'weight': 2}" of a neighbour */
static int take_neighbour(struct lists *a, char *line, struct se_err *err)
{
    const char *weight = strstr(line, "'weight': ");
    char *p = line;
    double w = 1;
    uint32_t v;
    size_t len;

    line = word_of(&p, &len);
    if (weight && (weight += 10, !se_parse_number(&weight, &w)))
        return se_text_fail(&a->t, err, "the weight is no number");
    if (w < 0)
        return se_text_fail(&a->t, err, "weight %g is negative; weights are 0 or more", w);
    a->left--;
    return se_network_vertex(a->x, line, len, &v, err) < 0 ||
           se_network_edge(a->x, a->from, v, w, err) < 0 ? -1 : 0;
}

static int take_line(struct lists *a, char *line, struct se_err *err)
{
    char *p = line, *word;
    uint32_t v;
    size_t len;

    if (a->left > 0)
        return take_neighbour(a, line, err);
    word = word_of(&p, &len);
    if (!word)
        return 0;
    if (se_network_vertex(a->x, word, len, &a->from, err) < 0)
        return -1;
    if (a->lines) {
        const char *count = p + strspn(p, " \t");

        return se_parse_u64(&count, &a->left) && !*count ? 0
               : se_text_fail(&a->t, err, "a vertex and the number of its neighbours were expected");
    }
    while ((word = word_of(&p, &len)) != NULL)
        if (se_network_vertex(a->x, word, len, &v, err) < 0 ||
            se_network_edge(a->x, a->from, v, 1, err) < 0)
            return -1;
    return 0;
}

/* A dictionary: each neighbour has a line then */
static bool has_dictionary(char *line, size_t len)
{
    return *line != '#' && len > 0 && line[len - 1] == '}' && strchr(line, '{');
}

static int read_lists(struct lists *a, struct se_err *err)
{
    char *line;
    size_t len;
    int rc;

    while ((rc = se_text_line(&a->t, &line, &len, err)) > 0)
        if (len > 0 && *line != '#' && take_line(a, line, err) < 0)
            return -1;
    if (rc == 0 && a->left > 0)
        return se_text_fail(&a->t, err, "the file ends before the last neighbour");
    return rc;
}

static int import(struct se_import *in, struct se_stream *s, struct se_err *err)
{
    struct se_network x = SE_NETWORK_INIT;
    struct lists a = { .x = &x };
    int rc;

    if (se_text_any(in->path, has_dictionary, &a.lines, err) < 0 ||
        se_text_open(&a.t, in->path, err) < 0)
        return -1;
    rc = read_lists(&a, err);
    if (rc == 0 && se_network_put(&x, in, s, err) < 0)
        rc = se_err_in(err, in->path);
    se_text_close(&a.t);
    se_network_release(&x);
    return rc;
}

/* networkx writes a heading of three lines: the program, the time, the name of the graph. */
static int detect(const char *path, const char *head, size_t len)
{
    const char *second = head ? memchr(head, '\n', len) : NULL;

    return head && se_path_is(path, ".adjlist") ? 82
           : second && *head == '#' && strncmp(second + 1, "# GMT ", 6) == 0 ? 85 : 0;
}

const struct se_format se_format_adjlist = {
    .name = "adjlist",
    .what = "adjacency list: a vertex and its neighbours a line",
    .import = import,
    .detect = detect
};
