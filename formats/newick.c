/* newick.c - the encoding tree in the notation of phylogenies: ((0,1),2);
 *
 * Leaves are vertices; inner nodes have no name.  A name that is more than letters, digits
 * and a few harmless signs is quoted. */
#include "formats/escape.h"
#include "formats/internal.h"

/* An unquoted underscore would be read as a blank. */
static bool is_plain(const char *name, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        const char c = name[i];

        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
              c == '.' || c == '-' || c == '+'))
            return false;
    }
    return len > 0;
}

static void write_leaf(struct se_out *out, const struct se_names *names, uint32_t v)
{
    static const struct se_escape quote[] = { { '\'', "''" }, { 0, NULL } };
    const char *name;
    size_t len;

    if (v >= names->n) {
        se_out_u64(out, v);
        return;
    }
    name = names->text + names->off[v];
    len = names->off[v + 1] - names->off[v];
    if (is_plain(name, len)) {
        se_out_bytes(out, name, len);
        return;
    }
    se_out_char(out, '\'');
    se_out_escaped(out, name, len, quote);
    se_out_char(out, '\'');
}

/* Nodes come in depth-first order: before each, close what does not hold it. */
static int export_newick(const struct se_export *ex, struct se_stream *s, struct se_out *out,
                         struct se_err *err)
{
    struct se_names names;
    struct se_tree t;
    uint32_t open = SE_NONE;                    /* the innermost open node */

    if (se_tree_get(&t, s, err) < 0 || se_export_names(ex->names, s, &names, err) < 0)
        return -1;
    for (uint64_t i = 0; i < t.nodes; i++) {
        for (; open != t.parent[i]; open = t.parent[open])
            se_out_char(out, ')');
        if (i > 0 && t.parent[i] != i - 1)
            se_out_char(out, ',');
        if (t.vertex[i] != SE_NONE) {
            write_leaf(out, &names, t.vertex[i]);
        } else {
            se_out_char(out, '(');
            open = (uint32_t)i;
        }
    }
    for (; open != SE_NONE; open = t.parent[open])
        se_out_char(out, ')');
    se_out_str(out, ";\n");
    return 0;
}

const struct se_format se_format_newick = {
    .name = "newick",
    .what = "tree as ((0,1),2);",
    .kind = SE_FORMAT_TREE,
    .extensions = { "nwk" },
    .export = export_newick
};
