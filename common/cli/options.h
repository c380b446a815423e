/* options.h - the table of options: parsing it and printing it (used by tool.c alone) */
#ifndef SE_OPTIONS_H
#define SE_OPTIONS_H

#include <stdio.h>

#include "common/cli/tool.h"

enum { SE_MOST_OPTIONS = 96 };

struct se_options {
    const struct se_option *item[SE_MOST_OPTIONS];      /* the tool's own, then the shared */
    int count, own;
};

/* Set the values that argv gives; operands are left at argv[*first] and on.  0, or -1 with
 * `err` (SE_EUSAGE). */
int se_options_parse(const struct se_options *o, int argc, char **argv, int *first,
                     struct se_err *err);

/* Word i of a choice and its length, or NULL behind the last */
const char *se_option_word(const struct se_option *o, int i, size_t *len);
/* What stands for the argument in help: `arg`, or the words of the choice; "" for none */
const char *se_option_arg(const struct se_option *o, char *text, size_t len);

/* The text of --help, with defaults as the values stand. */
void se_options_help(const struct se_options *o, const struct se_tool *tool, FILE *out);
/* For machines: "bash", "zsh" or "mdoc" (the synopsis and options of the man page). */
void se_options_print(const struct se_options *o, const struct se_tool *tool,
                      const char *form, FILE *out);

#endif
