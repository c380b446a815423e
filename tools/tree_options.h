/* tree_options.h - the command line of se-tree */
#ifndef SE_TREE_OPTIONS_H
#define SE_TREE_OPTIONS_H

#include "common/cli/tool.h"

enum { ON_AUTO, ON_GRAPH, ON_FUSED };

struct tree_command {
    const char *height, *modules, *confidence, *update;
    double seconds;
    bool seconds_given;
    uint64_t k, count;          /* 0: auto; count: of modules, 0 also when they are not asked for */
    int method, squeeze, effort, on;
    bool squeeze_given, method_given, effort_given;
    bool height_given, score, start, levels, pad, stability, order;
};
extern struct tree_command o;
extern const struct se_option tree_options[];

/* Read -K and --modules, and refuse options that contradict each other. */
int tree_check_usage(struct se_err *err);
/* Are height or modules to be chosen? */
bool tree_is_auto(void);

#endif
