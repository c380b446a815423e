/* options.c - reading the command line by a table */
#include "common/cli/options.h"

#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

/* getopt's value of option i, and of its former name that has a value of its own */
enum { LONG_ONLY = 256, OLD_VALUE = LONG_ONLY + SE_MOST_OPTIONS };

static int bad_value(struct se_err *err, const struct se_option *o, const char *text,
                     const char *want)
{
    if (o->name)
        return se_fail(err, SE_EUSAGE, "--%s: '%s' is not %s", o->name, text, want);
    return se_fail(err, SE_EUSAGE, "-%c: '%s' is not %s", o->letter, text, want);
}

static bool in_range(const struct se_option *o, double v)
{
    return (o->min == 0 && o->max == 0) || (v >= o->min && v <= o->max);
}

static void describe_range(const struct se_option *o, const char *kind, char *text, size_t len)
{
    if (o->min == 0 && o->max == 0)
        snprintf(text, len, "a %s", kind);
    else if (o->max >= 1e15)
        snprintf(text, len, "a %s of at least %.15g", kind, o->min);
    else
        snprintf(text, len, "a %s from %.15g to %.15g", kind, o->min, o->max);
}

static int set_count(const struct se_option *o, const char *text, struct se_err *err)
{
    char want[80];
    uint64_t v;
    double d;

    describe_range(o, "whole number", want, sizeof want);
    if (!se_whole_u64(text, &v)) {              /* 1e6 is a whole number too */
        if (!se_whole_number(text, &d) || d < 0 || d != floor(d) || d > 9e15)
            return bad_value(err, o, text, want);
        v = (uint64_t)d;
    }
    if (!in_range(o, (double)v))
        return bad_value(err, o, text, want);
    *(uint64_t *)o->value = v;
    return 0;
}

static int set_number(const struct se_option *o, const char *text, struct se_err *err)
{
    char want[80];
    double v;

    describe_range(o, "number", want, sizeof want);
    if (!se_whole_number(text, &v) || !in_range(o, v))
        return bad_value(err, o, text, want);
    *(double *)o->value = v;
    return 0;
}

const char *se_option_word(const struct se_option *o, int i, size_t *len)
{
    const char *word = o->words ? o->words[i] : o->arg;

    for (; !o->words && i > 0 && word; i--) {
        word = strchr(word, '|');
        word = word ? word + 1 : NULL;
    }
    if (word)
        *len = strcspn(word, "|");
    return word;
}

static void join_words(const struct se_option *o, char *text, size_t room)
{
    const char *word;
    size_t len, at = 0;

    text[0] = '\0';
    for (int i = 0; (word = se_option_word(o, i, &len)) && at + len + 2 < room; i++)
        at += (size_t)snprintf(text + at, room - at, "%s%.*s", i > 0 ? "|" : "", (int)len, word);
}

const char *se_option_arg(const struct se_option *o, char *text, size_t len)
{
    if (o->words && !o->arg)
        join_words(o, text, len);
    else
        snprintf(text, len, "%s", o->arg ? o->arg : "");
    return text;
}

static int set_choice(const struct se_option *o, const char *text, struct se_err *err)
{
    const char *word;
    char all[400];
    size_t len;

    for (int i = 0; (word = se_option_word(o, i, &len)); i++)
        if (len == strlen(text) && memcmp(word, text, len) == 0) {
            *(int *)o->value = i;
            return 0;
        }
    join_words(o, all, sizeof all);
    return bad_value(err, o, text, all);
}

static int set(const struct se_option *o, char *text, struct se_err *err)
{
    if (o->given)
        *o->given = true;
    switch (o->type) {
    case SE_OPT_FLAG:
        *(bool *)o->value = true;
        return 0;
    case SE_OPT_COUNT:
        return set_count(o, text, err);
    case SE_OPT_NUMBER:
        return set_number(o, text, err);
    case SE_OPT_CHOICE:
        return set_choice(o, text, err);
    case SE_OPT_STRING:
    case SE_OPT_FILE:
        *(const char **)o->value = text;
        return 0;
    case SE_OPT_LIST:
        break;                                  /* se_options_parse takes it */
    }
    return 0;
}

/* --name ITEM ITEM ...: the items are neighbours in argv now, but getopt may move them. */
static int set_list(const struct se_option *o, char **argv, int argc, struct se_err *err)
{
    struct se_list *list = o->value;

    if (list->count > 0)
        return se_fail(err, SE_EUSAGE, "--%s is given twice; list all arguments after one of them",
                       o->name);
    if (optarg != argv[optind - 1])
        return se_fail(err, SE_EUSAGE, "--%s: use a space, not '=', before the first argument",
                       o->name);
    list->item = se_alloc((uint64_t)argc, sizeof *list->item, err);
    if (!list->item)
        return -1;
    list->item[list->count++] = optarg;
    while (optind < argc && (argv[optind][0] != '-' || argv[optind][1] == '\0'))
        list->item[list->count++] = argv[optind++];
    return 0;
}

static void make_getopt(const struct se_options *o, char *shorts, struct option *longs)
{
    *shorts++ = ':';                            /* tell a missing argument apart */
    for (int i = 0; i < o->count; i++) {
        const struct se_option *x = o->item[i];

        if (x->letter) {
            *shorts++ = x->letter;
            if (x->type != SE_OPT_FLAG)
                *shorts++ = ':';
        }
        for (int old = 0; old < 2; old++) {
            const bool meant = old && x->old_value;

            if (old ? x->old : x->name)
                *longs++ = (struct option){
                    old ? x->old : x->name,
                    x->type == SE_OPT_FLAG || meant ? no_argument : required_argument, NULL,
                    (meant ? OLD_VALUE : LONG_ONLY) + i
                };
        }
    }
    *shorts = '\0';
    *longs = (struct option){ 0 };
}

static const struct se_option *find(const struct se_options *o, int c)
{
    if (c >= OLD_VALUE)
        return o->item[c - OLD_VALUE];
    if (c >= LONG_ONLY)
        return o->item[c - LONG_ONLY];
    for (int i = 0; i < o->count; i++)
        if (o->item[i]->letter == c)
            return o->item[i];
    return NULL;
}

int se_options_parse(const struct se_options *o, int argc, char **argv, int *first,
                     struct se_err *err)
{
    char shorts[2 * SE_MOST_OPTIONS + 2];
    struct option longs[2 * SE_MOST_OPTIONS + 1];
    int c;

    make_getopt(o, shorts, longs);
    opterr = 0;
    while ((c = getopt_long(argc, argv, shorts, longs, NULL)) != -1) {
        const struct se_option *x = c == '?' || c == ':' ? NULL : find(o, c);

        if (c == ':')
            return se_fail(err, SE_EUSAGE, "%s requires an argument", argv[optind - 1]);
        if (!x && optopt > 0 && optopt < LONG_ONLY)
            return se_fail(err, SE_EUSAGE, "unknown option -%c", optopt);
        if (!x)
            return se_fail(err, SE_EUSAGE, optopt ? "%s takes no argument"
                           : "unknown or ambiguous option %s", argv[optind - 1]);
        if (c >= OLD_VALUE) {
            char value[64];

            snprintf(value, sizeof value, "%s", x->old_value);
            if (set(x, value, err) < 0)
                return -1;
            continue;
        }
        if ((x->type == SE_OPT_LIST ? set_list(x, argv, argc, err) : set(x, optarg, err)) < 0)
            return -1;
    }
    *first = optind;
    return 0;
}
