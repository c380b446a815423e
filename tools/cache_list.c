/* cache_list.c - what se-cache says of stored results: list, and --why */
#include "tools/cache_list.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

struct search {
    const char *about;                  /* the result that was looked for */
    bool same_command, same_input;
    char changed[400];                  /* a file that differs */
};

/* The line of `kind` in `about`, in a static buffer */
static bool line_of(const char *about, const char *kind, char line[4096])
{
    const size_t len = strlen(kind);

    for (const char *at = about; *at; at = strchrnul(at, '\n') + (*strchrnul(at, '\n') != '\0'))
        if (strncmp(at, kind, len) == 0 && at[len] == '\t') {
            snprintf(line, 4096, "%.*s", (int)(strchrnul(at, '\n') - at), at);
            return true;
        }
    return false;
}

static int compare(void *arg, struct se_entry *e)
{
    struct search *s = arg;
    char mine[4096], other[4096];

    if (!line_of(s->about, "command", mine) || !line_of(e->about, "command", other) ||
        strcmp(mine, other) != 0)
        return 0;
    s->same_command = true;
    if (!line_of(s->about, "input", mine) || !line_of(e->about, "input", other) ||
        strncmp(mine, other, 6 + SE_DIGEST_TEXT - 1) != 0)
        return 0;
    s->same_input = true;
    for (const char *at = e->about; *at; at = strchrnul(at, '\n') + (*strchrnul(at, '\n') != '\0')) {
        snprintf(other, sizeof other, "%.*s", (int)(strchrnul(at, '\n') - at), at);
        if (strncmp(other, "file\t", 5) == 0 && strlen(other) > 5 + SE_DIGEST_TEXT &&
            !strstr(s->about, other))
            snprintf(s->changed, sizeof s->changed, "%.399s", other + 5 + SE_DIGEST_TEXT);
    }
    return 0;
}

void cache_explain(struct se_store *store, const char *about)
{
    struct search s = { .about = about };
    struct se_err ignored = SE_ERR_INIT;

    if (store->folder >= 0)
        se_store_walk(store, compare, &s, &ignored);
    if (s.changed[0])
        fprintf(stderr, "se-cache: run, because %s has changed\n", s.changed);
    else if (s.same_input)
        fprintf(stderr, "se-cache: run, because its files or the version differ\n");
    else if (s.same_command)
        fprintf(stderr, "se-cache: run, because this input is new for this command\n");
    else
        fprintf(stderr, "se-cache: run, because no result of this command is stored\n");
}

static const char *in_words(double value, const char *unit[], const double *step, char text[32])
{
    int i = 0;

    while (step[i] > 0 && value >= step[i])
        value /= step[i++];
    snprintf(text, 32, value < 10 && i > 0 ? "%.1f %s" : "%.0f %s", value, unit[i]);
    return text;
}

static int list_one(void *arg, struct se_entry *e)
{
    static const char *times[] = { "seconds", "minutes", "hours", "days" };
    static const char *sizes[] = { "bytes", "KB", "MB", "GB", "TB" };
    static const double time_steps[] = { 60, 60, 24, 0 }, size_steps[] = { 1024, 1024, 1024, 1024, 0 };
    char age[32], size[32], input[4096] = "", command[4096] = "";
    const char *name;

    (void)arg;
    line_of(e->about, "input", input);
    line_of(e->about, "command", command);
    name = strrchr(input, '\t');
    in_words(difftime(time(NULL), (time_t)e->used), times, time_steps, age);
    printf("%s ago\t%s\t%.3f s\t%s\t%s\t%.8s\n", age, in_words((double)e->size, sizes, size_steps, size),
           (double)e->ms / 1000, *command ? command + 8 : "?", name ? name + 1 : "?", e->result);
    return 0;
}

int cache_list(struct se_store *s, struct se_err *err)
{
    printf("used\tsize\ttook\tcommand\tinput\tresult\n");
    return se_store_walk(s, list_one, NULL, err);
}
