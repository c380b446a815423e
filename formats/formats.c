/* formats.c - the table of formats, and which of them a file is in */
#include "formats/formats.h"

#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <zlib.h>

#include "common/base/utf16.h"
#include "formats/internal.h"

enum { HEAD = 4096 };           /* how much of a file is looked at */

/* formats.inc is made by the Makefile: a line FORMAT(NAME) for each se_format_NAME */
#define FORMAT(name) extern const struct se_format se_format_##name;
#include "formats.inc"
#undef FORMAT

const struct se_format *const se_formats[] = {
#define FORMAT(name) &se_format_##name,
#include "formats.inc"
#undef FORMAT
    NULL
};

const struct se_format *se_format_find(const char *name)
{
    for (int i = 0; se_formats[i]; i++)
        if (strcmp(se_formats[i]->name, name) == 0)
            return se_formats[i];
    return NULL;
}

/* Graphs first, then trees, then tables */
const struct se_format *se_format_at(bool import, int i)
{
    for (int kind = SE_FORMAT_GRAPH; kind <= SE_FORMAT_TABLE; kind++)
        for (int k = 0; se_formats[k]; k++) {
            const struct se_format *f = se_formats[k];

            if ((int)f->kind == kind && (import ? f->import != NULL : f->export != NULL) &&
                i-- == 0)
                return f;
        }
    return NULL;
}

bool se_format_fits(const struct se_format *f, const char *path)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(slash ? slash : path, '.');

    if (!dot)
        return false;
    for (int i = 0; f->extensions[i]; i++)
        if (strcasecmp(dot + 1, f->extensions[i]) == 0)
            return true;
    return strcasecmp(dot + 1, f->name) == 0;
}

const struct se_format *se_format_for(const char *path, const struct se_format *usual)
{
    const struct se_format *found = NULL;
    const char *dot = strrchr(path, '.');

    if (se_format_fits(usual, path))
        return usual;
    for (int i = 0; se_formats[i]; i++)
        if (se_formats[i]->export && se_format_fits(se_formats[i], path) &&
            (!found || strcasecmp(dot + 1, se_formats[i]->name) == 0))
            found = se_formats[i];
    return found;
}

bool se_path_is(const char *path, const char *ext)
{
    size_t len = strlen(path);
    const size_t tail = strlen(ext);

    if (len > 3 && strcasecmp(path + len - 3, ".gz") == 0)
        len -= 3;
    return len >= tail && strncasecmp(path + len - tail, ext, tail) == 0;
}

/* The same as UTF-8, which may have a few characters less */
static int head_of_utf16(char *head, int len, struct se_err *err)
{
    struct se_bytes text = SE_BYTES_INIT;

    if (se_bytes_add(&text, head, (size_t)len, err) < 0 || se_utf16_to_utf8(&text, err) < 0) {
        se_bytes_release(&text);
        return -1;
    }
    len = text.len < HEAD ? (int)text.len : HEAD;
    memcpy(head, text.data, (size_t)len);
    se_bytes_release(&text);
    return len;
}

/* The first bytes of a file, inflated if it is gzip'd.  Returns how many, or -1. */
static int read_head(const char *path, char *head, struct se_err *err)
{
    gzFile file = gzopen(path, "rb");
    int got;

    if (!file)
        return se_fail_errno(err, SE_EIO, "%s: cannot open", path);
    got = gzread(file, head, HEAD);
    gzclose(file);
    if (got < 0)
        return se_fail(err, SE_EINPUT, "%s: cannot be read", path);
    if (se_utf16_is(head, (size_t)got) && (got = head_of_utf16(head, got, err)) < 0)
        return -1;
    head[got] = '\0';
    return got;
}

/* What a folder holds: as many names as fit, then dots */
static void list_folder(const char *path, char *text, size_t room)
{
    struct dirent **entry = NULL;
    const int count = scandir(path, &entry, NULL, alphasort);
    size_t len = 0;
    bool full = false;

    *text = '\0';
    for (int i = 0; i < count; i++) {
        const char *name = entry[i]->d_name;

        if (*name != '.' && !full) {
            full = len + strlen(name) + 8 > room;
            len += (size_t)snprintf(text + len, room - len, "%s%s", len ? ", " : "",
                                    full ? "..." : name);
        }
        free(entry[i]);
    }
    free(entry);
}

static int unknown(const char *path, bool folder, const char *what, struct se_err *err)
{
    char names[120];

    if (what)
        return se_fail(err, SE_EINPUT, "%s: %s", path, what);
    if (folder) {
        list_folder(path, names, sizeof names);
        return se_fail(err, SE_EINPUT, "%s: is a folder with none of the files that are known%s%s%s; "
                       "give the file of the edges, and those beside it by --attributes, "
                       "--features and --labels, see se-import --help", path,
                       *names ? " (" : "", names, *names ? ")" : "");
    }
    return se_fail(err, SE_EINPUT, "%s: is in none of the formats that can be told apart; say "
                   "which it is with -f, see se-import --help", path);
}

const struct se_format *se_format_detect(const char *path, struct se_err *err)
{
    const struct se_format *best = NULL;
    char head[HEAD + 1];
    struct stat st;
    const struct se_format *equal = NULL;
    const char *hint;
    int len = 0, score = 0;
    bool folder;

    if (strcmp(path, "-") == 0) {
        se_fail(err, SE_EUSAGE, "standard input can be in any format; say which with -f");
        return NULL;
    }
    if (stat(path, &st) < 0) {
        se_fail_errno(err, SE_EIO, "%s: cannot open", path);
        return NULL;
    }
    folder = S_ISDIR(st.st_mode);
    if (!folder && !S_ISREG(st.st_mode)) {      /* what is read here would be gone */
        se_fail(err, SE_EUSAGE, "%s: is a pipe or device; say its format with -f", path);
        return NULL;
    }
    if (!folder && (len = read_head(path, head, err)) < 0)
        return NULL;
    if (len >= 4 && memcmp(head, "SEG\1", 4) == 0) {
        se_fail(err, SE_EINPUT, "%s: is a stream already; to add to it, give it as --onto",
                path);
        return NULL;
    }
    for (int i = 0; se_formats[i]; i++) {
        const struct se_format *f = se_formats[i];
        const int sure = f->import && f->detect
                             ? f->detect(path, folder ? NULL : head, (size_t)len) : 0;

        if (sure > 0 && sure == score)
            equal = f;
        if (sure > score) {
            score = sure;
            best = f;
            equal = NULL;
        }
    }
    hint = folder ? NULL : se_format_hint(path, head, (size_t)len);
    if (hint && best && strcmp(best->name, "edges") == 0)       /* whatever its name ends in */
        best = NULL;
    if (equal) {
        se_fail(err, SE_EINPUT, "%s: may be %s or %s; say which with -f", path, best->name,
                equal->name);
        return NULL;
    }
    if (!best && !folder && len == 0)
        se_fail(err, SE_EINPUT, "%s: is empty", path);
    else if (!best)
        unknown(path, folder, hint, err);
    return best;
}

int se_check_sparse(uint64_t n, uint64_t entries, uint64_t wanted, struct se_err *err)
{
    if (n > SE_MAX_VERTICES)
        return se_fail(err, SE_EINPUT, "%" PRIu64 " vertices are too many; the most is %"
                       PRIu64, n, SE_MAX_VERTICES);
    if (n > wanted && n > 1000000 + 64 * entries)
        return se_fail(err, SE_EINPUT, "%" PRIu64 " vertices for %" PRIu64 " entries; give "
                       "--vertices %" PRIu64 " if that is meant (of an edge list, --ids string "
                       "numbers only the ids that occur)", n, entries, n);
    return 0;
}
