/* se-gen.c - generate a graph with communities, features, labels and splits */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/tool.h"
#include "common/graph/gen.h"
#include "common/graph/split.h"

static const char default_communities[] = "3,2";        /* as se_gen_default has them */

static struct se_gen g;

static struct {
    const char *communities;
    int features;
    uint64_t splits;
    bool no_features, tree, karate;
} o = { default_communities, SE_GEN_WORDS, 10, false, false, false };

/* Which of the parameters that are otherwise derived were given */
static struct {
    bool classes, degree, homophily, noise, dims;
} given;

static const struct se_option options[] = {
    { 'n', "vertices", "N", SE_OPT_COUNT, &g.n, .min = 1, .max = UINT32_MAX,
      .help = "number of vertices" },
    { 0, "classes", "C", SE_OPT_COUNT, &g.branch[0], .min = 1, .max = INT32_MAX,
      .help = "number of classes, of nearly equal size; default: 5, or fewer for few vertices",
      .given = &given.classes },
    { 0, "communities", "B[,B...]", SE_OPT_STRING, &o.communities,
      .help = "number of communities per class, of parts per community, and so on; none: "
              "classes only" },
    { 0, "degree", "D", SE_OPT_NUMBER, &g.degree, .min = 0, .max = UINT32_MAX,
      .help = "mean degree; the graph has exactly round(N*D/2) edges; default: 10, or less for "
              "few vertices", .given = &given.degree },
    { 0, "homophily", "H", SE_OPT_NUMBER, &g.homophily, .min = 0, .max = 1,
      .help = "fraction of the edges within a class, exact up to rounding; default: 0.2", .given = &given.homophily },
    { 0, "noise", "R", SE_OPT_NUMBER, &g.noise, .min = 0, .max = 1,
      .help = "fraction of the edges that ignore classes and communities; default: 0.3, or less "
              "if --homophily requires it", .given = &given.noise },
    { 0, "tight", "P", SE_OPT_NUMBER, &g.tight, .min = 0, .max = 1,
      .help = "probability that an edge within a class stays in the innermost community; "
              "otherwise that it stays in the next larger one, and so on" },
    { 0, "exponent", "G", SE_OPT_NUMBER, &g.exponent, .min = 0, .max = 100,
      .help = "expected degrees follow a power law with this exponent, above 2; 0: all equal" },
    { 0, "features", "words|normal|none", SE_OPT_CHOICE, &o.features,
      .help = "kind of features: sparse words, dense normal numbers, or none" },
    { 0, "no-features", NULL, SE_OPT_FLAG, &o.no_features,
      .help = "same as --features none" },
    { 0, "dims", "D", SE_OPT_COUNT, &g.dims, .min = 1, .max = UINT32_MAX,
      .help = "number of feature columns; default: 500 words or 16 normal numbers",
      .given = &given.dims },
    { 0, "words", "W", SE_OPT_COUNT, &g.words, .min = 1, .max = 1000,
      .help = "mean number of words per vertex; repeated ones count once" },
    { 0, "signal", "S", SE_OPT_NUMBER, &g.signal, .min = 0, .max = 1,
      .help = "fraction of the words, or of the variance, explained by class and community" },
    { 0, "splits", "N", SE_OPT_COUNT, &o.splits, .min = 0, .max = 1e6,
      .help = "number of random splits: 48 % training, 32 % validation, 20 % test" },
    { 0, "tree", NULL, SE_OPT_FLAG, &o.tree,
      .help = "add the planted classes and communities as a tree section" },
    { 0, "karate", NULL, SE_OPT_FLAG, &o.karate,
      .help = "write Zachary's karate club instead: 34 vertices, 78 edges, two factions" },
    SE_OPTIONS_END
};

/* "3,2" into the levels below the classes */
static int parse_communities(struct se_err *err)
{
    const char *at = o.communities;

    g.levels = 1;
    if (strcmp(at, "none") == 0)
        return 0;
    for (;;) {
        uint64_t parts;

        if (!se_parse_u64(&at, &parts) || parts < 1 || parts > UINT32_MAX ||
            (*at != ',' && *at != '\0'))
            return se_fail(err, SE_EUSAGE, "--communities: '%s' is not a list of numbers such "
                           "as 3,2", o.communities);
        if (g.levels == SE_GEN_LEVELS)
            return se_fail(err, SE_EUSAGE, "--communities: more than %d levels",
                           SE_GEN_LEVELS - 1);
        g.branch[g.levels++] = parts;
        if (*at++ == '\0')
            return 0;
    }
}

/* Was an option given that does not apply to the karate club? */
static bool asks_for_model(void)
{
    return given.classes || given.degree || given.homophily || given.noise || given.dims ||
           o.tree || o.no_features || o.features != SE_GEN_WORDS || g.exponent != 0 ||
           o.communities != default_communities || g.n != se_gen_default.n ||
           g.words != se_gen_default.words || g.tight != se_gen_default.tight ||
           g.signal != se_gen_default.signal;
}

static int check_options(struct se_run *run, struct se_err *err)
{
    if (o.karate)
        return asks_for_model() ? se_fail(err, SE_EUSAGE, "--karate is a fixed graph; only --splits and "
                                          "--seed can be used with it") : 0;
    if (g.exponent != 0 && g.exponent <= 2)
        return se_fail(err, SE_EUSAGE, "--exponent: %g is neither above 2 nor 0",
                       g.exponent);
    if (o.no_features && o.features == SE_GEN_NORMAL)
        return se_fail(err, SE_EUSAGE, "--features and --no-features cannot be combined");
    g.features = o.no_features ? SE_GEN_NONE : (enum se_gen_features)o.features;
    if (g.features == SE_GEN_NORMAL && !given.dims)
        g.dims = 16;
    g.seed = run->seed;
    g.threads = run->threads;
    if (parse_communities(err) < 0)
        return -1;
    return se_gen_settle(&g, (given.classes ? SE_GEN_CLASSES : 0) |
                             (given.degree ? SE_GEN_DEGREE : 0) |
                             (given.homophily ? SE_GEN_HOMOPHILY : 0) |
                             (given.noise ? SE_GEN_NOISE : 0), err);
}

static int add_splits(struct se_run *run, struct se_stream *s, struct se_err *err)
{
    const struct se_split_options plan = {
        .count = o.splits, .seed = run->seed, .threads = run->threads,
        .share = { 0, 0.48, 0.32, 0.20 }
    };
    struct se_splits x = { 0, o.splits, NULL };
    uint8_t *part = NULL;
    int rc;

    if (o.splits == 0)
        return 0;
    if (se_stream_vertices(s, &x.n, err) < 0 ||
        se_split_make(&plan, x.n, NULL, &part, err) < 0)
        return -1;
    x.part = part;
    rc = se_splits_put(&x, s, err);
    free(part);
    return rc;
}

static int run_gen(struct se_run *run, struct se_err *err)
{
    struct se_stream s = SE_STREAM_INIT;
    int rc;

    if (check_options(run, err) < 0 || se_run_check_output(run, err) < 0)
        return -1;
    if (!o.karate)
        se_note(run, "%" PRIu64 " vertices, %" PRIu64 " classes, mean degree %g, homophily %g, "
                "noise %g", g.n, g.branch[0], g.degree, g.homophily, g.noise);
    rc = o.karate ? se_karate_make(&s, err) : se_gen_make(&g, o.tree, &s, err);
    if (rc == 0)
        rc = add_splits(run, &s, err);
    if (rc == 0)
        rc = se_run_write(run, &s, err);
    se_stream_release(&s);
    return rc;
}

static const struct se_tool tool = {
    .name = "se-gen", .brief = "generate a graph with communities, features, labels and splits",
    .operands = "", .has = SE_TOOL_SEED | SE_TOOL_STREAM, .options = options,
    .about =
        "Writes a stream with graph, features, labels and splits from a stochastic block\n"
        "model: vertices are divided into classes, classes into communities, and these\n"
        "into smaller ones. A fraction HOMOPHILY of the edges lies within a class, and\n"
        "mostly within a community; the others join different classes. A fraction NOISE\n"
        "of all edges is random. Features follow class and community: every class has\n"
        "its own words, and every community some of these.\n"
        "\n"
        "By default the edges mislead: most of them join different classes, so a plain\n"
        "GCN does badly, while the features still carry the class. Unspecified\n"
        "parameters are derived from the given ones. Impossible combinations (more edges\n"
        "than pairs, more noise than homophily allows) are errors that state the bound.\n",
    .examples =
        "  se-gen -o toy.seg                    1000 vertices with misleading edges\n"
        "  se-gen --karate | se-info            Zachary's karate club\n"
        "  se-gen -n 1e6 --degree 20 --homophily .9 --no-features -o big.seg\n"
        "  se-gen --exponent 2.5 --tree | se-info     hubs, and the planted hierarchy\n"
        "  se-gen --classes 3 --communities 4,4,4 --homophily 1 --noise .1 -o deep.seg\n",
    .run = run_gen
};

int main(int argc, char **argv)
{
    g = se_gen_default;
    return se_tool_main(&tool, argc, argv);
}
