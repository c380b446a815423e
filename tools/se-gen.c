/* se-gen.c - make a graph with communities, features, labels and splits */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/graph/gen.h"
#include "common/graph/split.h"
#include "common/cli/tool.h"

static const char default_communities[] = "3,2";        /* as se_gen_default has them */

static struct se_gen g;

static struct {
    const char *communities;
    int features;
    uint64_t splits;
    bool no_features, tree, karate;
} o = { default_communities, SE_GEN_WORDS, 10, false, false, false };

/* What fits itself to the rest unless it was given */
static struct {
    bool classes, degree, homophily, noise, dims;
} given;

static const struct se_option options[] = {
    { 'n', "vertices", "N", SE_OPT_COUNT, &g.n, .min = 1, .max = UINT32_MAX,
      .help = "vertices" },
    { 0, "classes", "C", SE_OPT_COUNT, &g.branch[0], .min = 1, .max = INT32_MAX,
      .help = "classes, of nearly equal size; 5 unless given, or fewer for few vertices",
      .given = &given.classes },
    { 0, "communities", "B[,B...]", SE_OPT_STRING, &o.communities,
      .help = "communities of each class, parts of each community, and so on; none: classes "
              "only" },
    { 0, "degree", "D", SE_OPT_NUMBER, &g.degree, .min = 0, .max = UINT32_MAX,
      .help = "mean degree, 10 unless given, or less for few vertices; the graph has exactly "
              "round(N*D/2) edges", .given = &given.degree },
    { 0, "homophily", "H", SE_OPT_NUMBER, &g.homophily, .min = 0, .max = 1,
      .help = "share of the edges that join equal classes, exact but for rounding; 0.2 unless "
              "given", .given = &given.homophily },
    { 0, "noise", "R", SE_OPT_NUMBER, &g.noise, .min = 0, .max = 1,
      .help = "share of the edges that ignore classes and communities; 0.3 unless given, or "
              "less if homophily leaves no room for it", .given = &given.noise },
    { 0, "tight", "P", SE_OPT_NUMBER, &g.tight, .min = 0, .max = 1,
      .help = "chance of an edge within a class to stay in the innermost community; if not, "
              "to stay in the next, and so on" },
    { 0, "exponent", "G", SE_OPT_NUMBER, &g.exponent, .min = 0, .max = 100,
      .help = "expected degrees follow a power law with this exponent, above 2; 0: all alike" },
    { 0, "features", "words|normal|none", SE_OPT_CHOICE, &o.features,
      .help = "sparse ones, dense normal numbers, or no features" },
    { 0, "no-features", NULL, SE_OPT_FLAG, &o.no_features,
      .help = "the same as --features none" },
    { 0, "dims", "D", SE_OPT_COUNT, &g.dims, .min = 1, .max = UINT32_MAX,
      .help = "columns of the features; unless given 500 words or 16 normal numbers",
      .given = &given.dims },
    { 0, "words", "W", SE_OPT_COUNT, &g.words, .min = 1, .max = 1000,
      .help = "words of a vertex, in the mean; repeated ones count once" },
    { 0, "signal", "S", SE_OPT_NUMBER, &g.signal, .min = 0, .max = 1,
      .help = "share of the words, or of the variance, that class and community explain" },
    { 0, "splits", "N", SE_OPT_COUNT, &o.splits, .min = 0, .max = 1e6,
      .help = "random splits, 48 % to train, 32 % to validate, 20 % to test" },
    { 0, "tree", NULL, SE_OPT_FLAG, &o.tree,
      .help = "add the planted classes and communities as a tree section" },
    { 0, "karate", NULL, SE_OPT_FLAG, &o.karate,
      .help = "Zachary's karate club instead: 34 vertices, 78 edges, two factions" },
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

/* Is anything said that the karate club could not heed? */
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
        return asks_for_model() ? se_fail(err, SE_EUSAGE, "--karate is a graph as it is; only "
                                          "--splits and --seed go with it") : 0;
    if (g.exponent != 0 && g.exponent <= 2)
        return se_fail(err, SE_EUSAGE, "--exponent: %g is not above 2, or 0 for none",
                       g.exponent);
    if (o.no_features && o.features == SE_GEN_NORMAL)
        return se_fail(err, SE_EUSAGE, "--features and --no-features contradict each other");
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
    const struct se_split_plan plan = {
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
    .name = "se-gen", .brief = "make a graph with communities, features, labels and splits",
    .operands = "", .has = SE_TOOL_SEED | SE_TOOL_STREAM, .options = options,
    .about =
        "Writes a stream with graph, features, labels and splits, drawn from a block\n"
        "model: the vertices are divided into classes, these into communities, these\n"
        "into smaller ones. HOMOPHILY of the edges join equal classes and mostly stay\n"
        "in one community; the others join different classes, and NOISE of all edges\n"
        "do whatever chance gives. Features follow class and community: every class has\n"
        "words of its own, every community some of these.\n"
        "\n"
        "The default is a graph that misleads: most edges join different classes, so a\n"
        "plain graph network does badly, but the features could tell how the edges\n"
        "should have been. What cannot be had together (more edges than pairs, more\n"
        "noise than homophily allows) is an error that names the bound; what was not\n"
        "given fits itself to what was.\n",
    .examples =
        "  se-gen -o toy.seg                    a thousand vertices that mislead\n"
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
