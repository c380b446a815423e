/* tree_options.c - the command line of se-tree */
#include "tools/tree_options.h"

#include <inttypes.h>
#include <string.h>

#include "common/tree/tree_build.h"

struct tree_command o = { .height = "2", .squeeze = SE_SQUEEZE_EXACT, .effort = SE_EFFORT_NORMAL };

const struct se_option tree_options[] = {
    { 'K', "height", "K", SE_OPT_STRING, &o.height, .given = &o.height_given,
      .help = "height of the tree: 1 is flat, 2 has modules, 3 modules of modules; auto keeps "
              "the levels that are stable and beyond chance" },
    { 0, "modules", "N", SE_OPT_STRING, &o.modules,
      .help = "make one level of modules: N of them, or with auto the most stable level" },
    { 0, "stability", NULL, SE_OPT_FLAG, &o.stability,
      .help = "measure how stable each level is when edges are missing" },
    { 0, "confidence", "FILE", SE_OPT_FILE, &o.confidence,
      .help = "write a table of how certain the module of each vertex is at each level" },
    { 'm', "method", "best|merge|paper", SE_OPT_CHOICE, &o.method, .given = &o.method_given,
      .help = "how to search; best is the fastest on large graphs, too" },
    { 0, "squeeze", "greedy|exact", SE_OPT_CHOICE, &o.squeeze, .given = &o.squeeze_given,
      .help = "how merge and paper squeeze their binary tree to height K; default: exact for "
              "merge, greedy for paper" },
    { 'e', "effort", "fast|normal|high", SE_OPT_CHOICE, &o.effort, .given = &o.effort_given,
      .help = "how long best searches" },
    { 0, "time", "SECONDS", SE_OPT_NUMBER, &o.seconds, .min = 0, .max = 1e9,
      .given = &o.seconds_given,
      .help = "stop searching for a better tree after so many seconds; the first search is "
              "always finished" },
    { 0, "start", NULL, SE_OPT_FLAG, &o.start,
      .help = "improve the tree in the stream instead of searching from scratch" },
    { 0, "update", "OLD", SE_OPT_FILE, &o.update,
      .help = "start from the tree in the stream OLD and search only around vertices whose edges "
              "differ from those of the graph in OLD" },
    { 0, "score", NULL, SE_OPT_FLAG, &o.score,
      .help = "print the entropy of the tree in the stream; writes no stream" },
    { 0, "levels", NULL, SE_OPT_FLAG, &o.levels,
      .help = "print nodes, leaves and entropy of each level, and its stability where that was "
              "measured (to standard error unless --score)" },
    { 0, "edges-of", "auto|graph|fused", SE_OPT_CHOICE, &o.on,
      .help = "the section whose edges are used; auto: fused if it is there, else graph",
      .old = "on" },
    { 0, "order", NULL, SE_OPT_FLAG, &o.order,
      .help = "make each module a run of consecutive vertices, as in contact maps and time "
              "series; optimal for height 2" },
    { 0, "pad", NULL, SE_OPT_FLAG, &o.pad,
      .help = "bring all leaves to one depth with nodes of a single child" },
    SE_OPTIONS_END
};

/* "auto" is 0 */
static int parse_count(const char *option, const char *text, uint64_t most, uint64_t *count,
                       struct se_err *err)
{
    *count = 0;
    if (strcmp(text, "auto") == 0)
        return 0;
    if (!se_whole_u64(text, count) || *count < 1 || *count > most)
        return se_fail(err, SE_EUSAGE, "%s: '%s' is neither auto nor a number from 1 to %"
                       PRIu64, option, text, most);
    return 0;
}

bool tree_is_auto(void)
{
    return o.k == 0 || (o.modules && o.count == 0);
}

int tree_check_usage(struct se_err *err)
{
    if (parse_count("--height", o.height, 1000000000, &o.k, err) < 0 ||
        (o.modules && parse_count("--modules", o.modules, UINT32_MAX, &o.count, err) < 0))
        return -1;
    if (o.score && (o.start || o.update || o.pad || o.method_given || o.effort_given || o.modules ||
                    o.stability || o.confidence || o.k == 0))
        return se_fail(err, SE_EUSAGE, "--score builds nothing; leave out --start, --update, "
                       "--pad, --method, --effort, --modules, --stability, --confidence and -K auto");
    if (o.modules && o.count == 0 && o.height_given)
        return se_fail(err, SE_EUSAGE, "--modules auto chooses the height itself; leave out "
                       "--height");
    if (o.modules && o.count > 0 && (o.stability || o.confidence))
        return se_fail(err, SE_EUSAGE, "--modules N has no level whose stability could be "
                       "measured; leave out --stability and --confidence");
    if (tree_is_auto() && o.method != SE_TREE_BEST)
        return se_fail(err, SE_EUSAGE, "auto works with --method best only");
    if ((o.stability || o.confidence) && o.k == 1)
        return se_fail(err, SE_EUSAGE, "a tree of height 1 has no level whose stability could "
                       "be measured");
    if (o.seconds_given && o.method != SE_TREE_BEST)
        return se_fail(err, SE_EUSAGE, "--time works with --method best only");
    if (o.start && o.method != SE_TREE_BEST)
        return se_fail(err, SE_EUSAGE, "--start works with --method best only");
    if (o.update && (o.start || o.method != SE_TREE_BEST || tree_is_auto() || o.modules))
        return se_fail(err, SE_EUSAGE, "--update works with a given height and --method best; "
                       "leave out --start, auto and --modules");
    if (o.order && (o.score || o.start || o.update || o.method_given || o.effort_given ||
                    o.seconds_given || o.modules || o.stability || o.confidence || o.k == 0))
        return se_fail(err, SE_EUSAGE, "--order has a search of its own; leave out --score, --start, "
                       "--update, --method, --effort, --time, --modules, --stability, --confidence "
                       "and -K auto");
    if (o.squeeze_given && o.method == SE_TREE_BEST)
        return se_fail(err, SE_EUSAGE, "--squeeze is for --method merge or paper; best always "
                       "squeezes exactly");
    return 0;
}
