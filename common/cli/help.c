/* help.c - the table of options for people, shells and man pages */
#include <inttypes.h>
#include <string.h>

#include "common/cli/options.h"

/* What a value is now, "" if there is nothing to say. */
static const char *value_text(const struct se_option *o, char *text, size_t len)
{
    const char *word;
    uint64_t count;
    size_t width;

    text[0] = '\0';
    if (strstr(o->help, "unless given") || strstr(o->help, "default:"))  /* says it itself */
        return text;
    switch (o->type) {
    case SE_OPT_COUNT:
        count = *(const uint64_t *)o->value;
        if ((double)count >= o->min && !(o->given && count == 0))      /* 0: not given */
            snprintf(text, len, "%" PRIu64, count);
        break;
    case SE_OPT_NUMBER:
        snprintf(text, len, "%g", *(const double *)o->value);
        break;
    case SE_OPT_STRING:
    case SE_OPT_FILE:
        if (*(const char **)o->value)
            snprintf(text, len, "%s", *(const char **)o->value);
        break;
    case SE_OPT_CHOICE:
        word = se_option_word(o, *(const int *)o->value, &width);
        if (word)
            snprintf(text, len, "%.*s", (int)width, word);
        break;
    default:
        break;
    }
    return text;
}

/* Words up to column 79, from `column` on; further lines start at `indent`. */
static void fill(FILE *out, const char *text, int column, int indent)
{
    while (*text) {
        const int len = (int)strcspn(text, " ");

        if (column > indent && column + 1 + len > 79) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', out);
            column++;
        }
        fprintf(out, "%.*s", len, text);
        column += len;
        text += len + (text[len] == ' ');
    }
    fputc('\n', out);
}

static void help_option(const struct se_option *o, FILE *out)
{
    enum { COLUMN = 26 };
    char left[256], right[512], value[128], arg[200];
    int len = snprintf(left, sizeof left, o->letter ? "  -%c" : "    ", o->letter);

    if (o->name)
        len += snprintf(left + len, sizeof left - (size_t)len, "%s--%s",
                        o->letter ? ", " : "  ", o->name);
    if (*se_option_arg(o, arg, sizeof arg))
        len += snprintf(left + len, sizeof left - (size_t)len, " %s", arg);
    value_text(o, value, sizeof value);
    snprintf(right, sizeof right, value[0] ? "%s (default %s)" : "%s", o->help, value);
    fputs(left, out);
    if (len >= COLUMN)
        fprintf(out, "\n%*s", COLUMN, "");
    else
        fprintf(out, "%*s", COLUMN - len, "");
    fill(out, right, COLUMN, COLUMN);
}

void se_help_row(FILE *out, const char *name, const char *text)
{
    enum { COLUMN = 15 };

    fprintf(out, "  %-*s", COLUMN - 2, name);
    fill(out, text, COLUMN, COLUMN);
}

void se_help_text(FILE *out, const char *text)
{
    fill(out, text, 0, 0);
}

/* Text that may lack the end of its last line */
static void help_text(FILE *out, const char *text)
{
    const size_t len = strlen(text);

    fputs(text, out);
    if (len == 0 || text[len - 1] != '\n')
        fputc('\n', out);
}

void se_options_help(const struct se_options *o, const struct se_tool *tool, FILE *out)
{
    fprintf(out, "usage: %s [option ...]%s%s\n%s - %s\n\n", tool->name,
            *tool->operands ? " " : "", tool->operands, tool->name, tool->brief);
    help_text(out, tool->about);
    if (tool->list) {
        fputc('\n', out);
        tool->list(out);
    }
    if (tool->notes) {
        fputc('\n', out);
        help_text(out, tool->notes);
    }
    for (int i = 0; i < o->count; i++) {
        if (i == 0 && o->own > 0)
            fputs("\nOptions:\n", out);
        if (i == o->own)
            fputs("\nCommon options:\n", out);
        help_option(o->item[i], out);
    }
    fputs("\nExamples:\n", out);
    help_text(out, tool->examples);
    fprintf(out, "\nThe manual: man %s, man se-gsl\n", tool->name);
}

static void words(const struct se_option *o, FILE *out)
{
    const char *word;
    size_t len;

    for (int i = 0; (word = se_option_word(o, i, &len)); i++)
        fprintf(out, "%s%.*s", i > 0 ? " " : "", (int)len, word);
}

static void print_bash(const struct se_options *o, const struct se_tool *tool, FILE *out)
{
    fprintf(out, "_%s()\n{\n    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD"
            "-1]}\n    case $prev in\n", tool->name);
    for (int i = 0; i < o->count; i++) {
        const struct se_option *x = o->item[i];

        if (x->type == SE_OPT_FLAG)
            continue;
        fputs("    ", out);
        if (x->letter)
            fprintf(out, "-%c%s", x->letter, x->name ? "|" : "");
        fprintf(out, "%s%s) ", x->name ? "--" : "", x->name ? x->name : "");
        if (x->type == SE_OPT_CHOICE) {
            fputs("mapfile -t COMPREPLY < <(compgen -W '", out);
            words(x, out);
            fputs("' -- \"$cur\"); return ;;\n", out);
        } else if (x->type == SE_OPT_FILE || x->type == SE_OPT_LIST) {
            fputs("mapfile -t COMPREPLY < <(compgen -f -- \"$cur\"); return ;;\n", out);
        } else {
            fputs("return ;;\n", out);
        }
    }
    fputs("    esac\n    if [[ $cur == -* ]]; then\n"
          "        mapfile -t COMPREPLY < <(compgen -W '", out);
    for (int i = 0; i < o->count; i++) {
        if (o->item[i]->letter)
            fprintf(out, "-%c ", o->item[i]->letter);
        if (o->item[i]->name)
            fprintf(out, "--%s ", o->item[i]->name);
    }
    fprintf(out, "' -- \"$cur\")\n    else\n        mapfile -t COMPREPLY < <(compgen -f -- "
            "\"$cur\")\n    fi\n}\ncomplete -o filenames -F _%s %s\n", tool->name, tool->name);
}

/* Inside '...[...]' of zsh's _arguments */
static void zsh_text(const char *s, FILE *out)
{
    for (; *s; s++) {
        if (*s == '\'')
            fputs("'\\'", out);
        else if (strchr("[]:\\", *s))
            fputc('\\', out);
        fputc(*s, out);
    }
}

static void print_zsh(const struct se_options *o, const struct se_tool *tool, FILE *out)
{
    fprintf(out, "#compdef %s\n_arguments -s -S", tool->name);
    for (int i = 0; i < o->count; i++) {
        const struct se_option *x = o->item[i];
        const char *kind = x->type == SE_OPT_FILE || x->type == SE_OPT_LIST ? "_files" : " ";

        for (int form = 0; form < 2; form++) {
            if (form == 0 ? !x->letter : !x->name)
                continue;
            if (form == 0)
                fprintf(out, " \\\n    '-%c[", x->letter);
            else
                fprintf(out, " \\\n    '--%s[", x->name);
            zsh_text(x->help, out);
            fputc(']', out);
            if (x->type == SE_OPT_CHOICE) {
                fputs(":word:(", out);
                words(x, out);
                fputc(')', out);
            } else if (x->type != SE_OPT_FLAG) {
                fputc(':', out);
                zsh_text(x->arg, out);
                fprintf(out, ":%s", kind);
            }
            fputc('\'', out);
        }
    }
    fputs(" \\\n    '*:file:_files'\n", out);
}

/* A text line of mdoc: no leading control character, backslashes kept. */
static void mdoc_text(const char *s, FILE *out)
{
    if (*s == '.' || *s == '\'')
        fputs("\\&", out);
    for (; *s; s++) {
        if (*s == '\\')
            fputs("\\e", out);
        else if (*s == '-' && s[1] == '-')
            fputs("\\-", out);
        else
            fputc(*s, out);
    }
    fputc('\n', out);
}

static void mdoc_names(const struct se_option *x, FILE *out)
{
    char arg[200];

    if (x->letter)
        fprintf(out, " Fl %c", x->letter);
    if (x->letter && x->name)
        fputs(" ,", out);
    if (x->name)
        fprintf(out, " Fl Fl %s", x->name);
    if (*se_option_arg(x, arg, sizeof arg))
        fprintf(out, " Ar %s", arg);
    fputc('\n', out);
}

static void print_mdoc(const struct se_options *o, const struct se_tool *tool, FILE *out)
{
    char value[128], arg[200];

    fputs(".Sh SYNOPSIS\n.Nm\n", out);
    for (int i = 0; i < o->own; i++) {
        const struct se_option *x = o->item[i];

        fputs(".Op", out);
        if (x->letter)
            fprintf(out, " Fl %c", x->letter);
        else
            fprintf(out, " Fl Fl %s", x->name);
        if (*se_option_arg(x, arg, sizeof arg))
            fprintf(out, " Ar %s", arg);
        fputc('\n', out);
    }
    fputs(".Op Ar common option ...\n", out);
    if (*tool->operands)
        fprintf(out, ".Ar %s\n", tool->operands);
    for (int i = 0; i < o->count; i++) {
        const struct se_option *x = o->item[i];

        if (i == 0)
            fputs(".Sh OPTIONS\n", out);
        if (i == o->own && i > 0)
            fputs(".El\n.Pp\nCommon options:\n", out);
        if (i == 0 || i == o->own)
            fputs(".Bl -tag -width Ds\n", out);
        fputs(".It", out);
        mdoc_names(x, out);
        mdoc_text(x->help, out);
        if (i < o->own && *value_text(x, value, sizeof value))
            fprintf(out, "(default %s)\n", value);
    }
    fputs(".El\n", out);
}

void se_options_print(const struct se_options *o, const struct se_tool *tool,
                      const char *form, FILE *out)
{
    if (strcmp(form, "bash") == 0)
        print_bash(o, tool, out);
    else if (strcmp(form, "zsh") == 0)
        print_zsh(o, tool, out);
    else
        print_mdoc(o, tool, out);
}
