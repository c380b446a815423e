/* folder.c - formats that are a folder of files with known names */
#include "formats/folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

char *se_plain_file(char *path, struct se_err *err)
{
    struct stat st;

    if (stat(path, &st) < 0 || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))
        return path;
    se_fail(err, SE_EINPUT, "%s: is no regular file, as those of a folder are", path);
    free(path);
    return NULL;
}

char *se_find_file(const char *a, const char *between, const char *b, struct se_err *err)
{
    char *path = se_join(a, between, b, err), *packed;

    if (!path || se_file_exists(path))
        return path ? se_plain_file(path, err) : NULL;
    packed = se_join(path, "", ".gz", err);
    if (packed && !se_file_exists(packed)) {
        free(packed);
        return path;
    }
    free(path);
    return packed ? se_plain_file(packed, err) : NULL;
}

static bool matches(const char *name, size_t len, const char *head, const char *tail)
{
    const size_t front = strlen(head), back = strlen(tail);

    return len >= front + back && memcmp(name, head, front) == 0 &&
           memcmp(name + len - back, tail, back) == 0;
}

/* The length of the name if it matches, without .gz; 0: it does not, or the file is there
 * unpacked, too. */
static size_t fits(DIR *dir, const char *name, const char *head, const char *tail)
{
    const size_t len = strlen(name);
    char plain[NAME_MAX + 1];

    if (matches(name, len, head, tail))
        return len;
    if (len <= 3 || len > NAME_MAX || strcmp(name + len - 3, ".gz") != 0 ||
        !matches(name, len - 3, head, tail))
        return 0;
    memcpy(plain, name, len - 3);
    plain[len - 3] = '\0';
    return faccessat(dirfd(dir), plain, F_OK, 0) == 0 ? 0 : len - 3;
}

/* Keep the first name of the alphabet, whatever order the system lists them in. */
static int keep_first(char **first, const char *name, size_t len, struct se_err *err)
{
    char *copy = se_strndup(name, len, err);

    if (!copy)
        return -1;
    if (*first && strcmp(*first, copy) <= 0) {
        free(copy);
        return 0;
    }
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
    while (count >= 0 && (entry = readdir(dir)) != NULL) {
        const size_t len = fits(dir, entry->d_name, head, tail);

        if (len > 0)
            count = keep_first(&first, entry->d_name, len, err) < 0 ? -1 : count + 1;
    }
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
