/* folder.c - formats that are a folder of files with known names */
#include "formats/folder.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

char *se_join(const char *a, const char *between, const char *b, struct se_err *err)
{
    const size_t len = strlen(a) + strlen(between) + strlen(b) + 1;
    char *s = se_alloc(len, 1, err);

    if (s)
        snprintf(s, len, "%s%s%s", a, between, b);
    return s;
}

bool se_file_exists(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && !S_ISDIR(st.st_mode);
}

static bool matches(const char *name, const char *head, const char *tail)
{
    const size_t len = strlen(name), front = strlen(head), back = strlen(tail);

    return len >= front + back && memcmp(name, head, front) == 0 &&
           strcmp(name + len - back, tail) == 0;
}

/* Keep the first name of the alphabet, whatever order the system lists them in. */
static int keep_first(char **first, const char *name, struct se_err *err)
{
    char *copy;

    if (*first && strcmp(*first, name) <= 0)
        return 0;
    copy = se_strdup(name, err);
    if (!copy)
        return -1;
    free(*first);
    *first = copy;
    return 0;
}

int se_folder_find(const char *folder, const char *head, const char *tail, char **stem,
                   struct se_err *err)
{
    DIR *dir = opendir(folder);
    const struct dirent *entry;
    char *first = NULL;
    int count = 0;

    *stem = NULL;
    if (!dir)
        return 0;
    while (count >= 0 && (entry = readdir(dir)) != NULL)
        if (matches(entry->d_name, head, tail))
            count = keep_first(&first, entry->d_name, err) < 0 ? -1 : count + 1;
    closedir(dir);
    if (count > 0) {
        first[strlen(first) - strlen(tail)] = '\0';
        *stem = se_join(folder, "/", first, err);
        if (!*stem)
            count = -1;
    }
    free(first);
    return count;
}
