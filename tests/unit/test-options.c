/* test-options.c - the command line by a table, and the table as text */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#include "common/cli/options.h"
#include "tests/unit/unit.h"

static struct {
    bool flag, given;
    uint64_t count, any;
    double number;
    const char *text, *file;
    int choice;
    struct se_list list;
} o;

static const struct se_option table[] = {
    { 'f', "flag", NULL, SE_OPT_FLAG, &o.flag, .help = "a flag" },
    { 'c', "count", "N", SE_OPT_COUNT, &o.count, .min = 1, .max = 1000, .help = "a count",
      .given = &o.given },
    { 0, "any", "N", SE_OPT_COUNT, &o.any, .help = "any count" },
    { 'x', "number", "X", SE_OPT_NUMBER, &o.number, .min = -1, .max = 1, .help = "a number" },
    { 0, "text", "TEXT", SE_OPT_STRING, &o.text, .help = "a [text]: it's odd" },
    { 0, "file", "FILE", SE_OPT_FILE, &o.file, .help = ".a file \\ a name" },
    { 'm', "metric", "pcc|cosine|dot", SE_OPT_CHOICE, &o.choice, .help = "a choice" },
    { 0, "list", "FILE...", SE_OPT_LIST, &o.list, .help = "files" },
    { 0, "flat", NULL, SE_OPT_FLAG, &o.flag, .help = "shares its beginning with flag" }
};

static struct se_options all(void)
{
    struct se_options x = { .count = 0 };

    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        x.item[x.count++] = &table[i];
    x.own = x.count;
    return x;
}

/* Parse words separated by blanks ("_" is an empty word).  Returns the operands, or -1. */
static char words[512], *argv[32];
static int argc, first;
static struct se_err err;

static int parse(const char *line)
{
    const struct se_options x = all();

    free(o.list.item);
    memset(&o, 0, sizeof o);
    o.choice = 1;
    snprintf(words, sizeof words, "tool %s", line);
    argc = 0;
    for (char *w = strtok(words, " "); w; w = strtok(NULL, " ")) {
        if (strcmp(w, "_") == 0)
            *w = '\0';
        argv[argc++] = w;
    }
    argv[argc] = NULL;
    optind = 0;                                 /* glibc: from the start again */
    return se_options_parse(&x, argc, argv, &first, &err) < 0 ? -1 : argc - first;
}

static bool wrong(const char *line, const char *text)
{
    const bool ok = parse(line) == -1 && err.code == SE_EUSAGE && strcmp(err.text, text) == 0;

    if (!ok)
        printf("# %s: %s\n", line, err.text);
    return ok;
}

static void test_values(void)
{
    CHECK(parse("") == 0 && !o.flag && !o.given && o.choice == 1);
    CHECK(parse("-f") == 0 && o.flag);
    CHECK(parse("--flag a b") == 2 && o.flag);
    CHECK(parse("a -f b -c 7 --") == 2 && o.flag && o.count == 7 && o.given);
    CHECK(strcmp(argv[first], "a") == 0 && strcmp(argv[first + 1], "b") == 0);
    CHECK(parse("-- -f --count") == 2 && !o.flag);
    CHECK(parse("-fc7") == 0 && o.flag && o.count == 7);
    CHECK(parse("--count=1e3") == 0 && o.count == 1000);
    CHECK(parse("--any 18446744073709551615") == 0 && o.any == UINT64_MAX);
    CHECK(parse("--any=0") == 0 && !o.any);
    CHECK(parse("-x -0.5") == 0 && o.number == -0.5);
    CHECK(parse("-x-.5e0 -") == 1 && o.number == -0.5);
    CHECK(parse("--text -f") == 0 && strcmp(o.text, "-f") == 0 && !o.flag);
    CHECK(parse("--text _") == 0 && strcmp(o.text, "") == 0);
    CHECK(parse("--text=a=b --file x") == 0 && strcmp(o.text, "a=b") == 0);
    CHECK(parse("-m pcc") == 0 && o.choice == 0);
    CHECK(parse("--metric dot") == 0 && o.choice == 2);
    CHECK(parse("--met cosine --nu 1 --co 5") == 0 && o.choice == 1 && o.count == 5);
    unit_ok("options: values");
}

static void test_lists(void)
{
    CHECK(parse("--list a b c") == 0 && o.list.count == 3);
    CHECK(strcmp(o.list.item[0], "a") == 0 && strcmp(o.list.item[2], "c") == 0);
    CHECK(parse("in --list a - -f out") == 2 && o.list.count == 2 && o.flag);
    CHECK(strcmp(argv[first], "in") == 0 && strcmp(argv[first + 1], "out") == 0);
    CHECK(parse("--list a -- b") == 1 && o.list.count == 1);
    CHECK(wrong("--list a --list b", "--list is given twice; list all arguments after one of them"));
    CHECK(wrong("--list=a b", "--list: use a space, not '=', before the first argument"));
    CHECK(wrong("--list", "--list requires an argument"));
    unit_ok("options: lists");
}

static void test_wrong(void)
{
    CHECK(wrong("-y", "unknown option -y"));
    CHECK(wrong("-fy", "unknown option -y"));
    CHECK(wrong("-:", "unknown option -:"));
    CHECK(wrong("-?", "unknown option -?"));
    CHECK(wrong("--nothing", "unknown or ambiguous option --nothing"));
    CHECK(wrong("--fla", "unknown or ambiguous option --fla"));
    CHECK(wrong("--flag=1", "--flag=1 takes no argument"));
    CHECK(wrong("-c", "-c requires an argument"));
    CHECK(wrong("--count", "--count requires an argument"));
    CHECK(wrong("-c 0", "--count: '0' is not a whole number from 1 to 1000"));
    CHECK(wrong("-c 1001", "--count: '1001' is not a whole number from 1 to 1000"));
    CHECK(wrong("-c 1.5", "--count: '1.5' is not a whole number from 1 to 1000"));
    CHECK(wrong("-c -3", "--count: '-3' is not a whole number from 1 to 1000"));
    CHECK(wrong("-c 7x", "--count: '7x' is not a whole number from 1 to 1000"));
    CHECK(wrong("-c _", "--count: '' is not a whole number from 1 to 1000"));
    CHECK(wrong("--any 1e30", "--any: '1e30' is not a whole number"));
    CHECK(wrong("--any 18446744073709551616", "--any: '18446744073709551616' is not a whole "
                "number"));
    CHECK(wrong("-x 1.01", "--number: '1.01' is not a number from -1 to 1"));
    CHECK(wrong("-x nan", "--number: 'nan' is not a number from -1 to 1"));
    CHECK(wrong("-x 1,0", "--number: '1,0' is not a number from -1 to 1"));
    CHECK(wrong("-m pc", "--metric: 'pc' is not pcc|cosine|dot"));
    CHECK(wrong("-m pcc|cosine", "--metric: 'pcc|cosine' is not pcc|cosine|dot"));
    CHECK(wrong("-m _", "--metric: '' is not pcc|cosine|dot"));
    unit_ok("options: what is wrong is said");
}

/* What one of the printers gives; free() it */
static char *printed(const char *form)
{
    static const struct se_tool tool = { .name = "se-tool", .brief = "do it",
                                         .operands = "[FILE]", .about = "About it.\n",
                                         .examples = "  se-tool x\n" };
    const struct se_options x = all();
    char *text = NULL;
    size_t len;
    FILE *out = open_memstream(&text, &len);

    if (strcmp(form, "help") == 0)
        se_options_help(&x, &tool, out);
    else
        se_options_print(&x, &tool, form, out);
    fclose(out);
    return text;
}

static bool has_line(const char *text, const char *line)
{
    const size_t len = strlen(line);

    for (const char *at = text; at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL)
        if (strncmp(at, line, len) == 0 && (at[len] == '\n' || at[len] == '\0'))
            return true;
    printf("# there is no line: %s\n", line);
    return false;
}

static void test_printed(void)
{
    char *text;

    parse("-c 5");
    o.text = "words";
    text = printed("help");
    CHECK(has_line(text, "usage: se-tool [option ...] [FILE]"));
    CHECK(has_line(text, "  -f, --flag              a flag"));
    CHECK(has_line(text, "  -c, --count N           a count (default 5)"));
    CHECK(has_line(text, "      --any N             any count (default 0)"));
    CHECK(has_line(text, "      --text TEXT         a [text]: it's odd (default words)"));
    CHECK(has_line(text, "  -m, --metric pcc|cosine|dot"));
    CHECK(has_line(text, "                          a choice (default cosine)"));
    free(text);
    text = printed("bash");
    CHECK(has_line(text, "    -m|--metric) mapfile -t COMPREPLY < <(compgen -W 'pcc cosine dot' "
                   "-- \"$cur\"); return ;;"));
    CHECK(has_line(text, "complete -o filenames -F _se-tool se-tool"));
    free(text);
    text = printed("zsh");
    CHECK(has_line(text, "#compdef se-tool"));
    CHECK(has_line(text, "    '--text[a \\[text\\]\\: it'\\''s odd]:TEXT: ' \\"));
    free(text);
    text = printed("mdoc");
    CHECK(has_line(text, ".It Fl c , Fl Fl count Ar N"));
    CHECK(has_line(text, "\\&.a file \\e a name"));
    free(text);
    unit_ok("options: help, completions and the manual from the same table");
}

int main(void)
{
    test_values();
    test_lists();
    test_wrong();
    test_printed();
    free(o.list.item);
    return unit_done();
}
