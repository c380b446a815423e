/* formats.c - the table of formats, and which of them a file is in */
#include "formats/formats.h"

#include <inttypes.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <zlib.h>

#include "formats/internal.h"

enum { HEAD = 4096 };           /* how much of a file is looked at */

const struct se_format *const se_formats[] = {
    &se_format_edges, &se_format_mtx, &se_format_metis, &se_format_npz,
    &se_format_planetoid, &se_format_geomgcn, &se_format_musae, &se_format_npy,
    &se_format_clu, &se_format_mcl, &se_format_tree, &se_format_parents, &se_format_newick,
    &se_format_dot, &se_format_graphml, &se_format_json, &se_format_knn,
    &se_format_embedding, &se_format_predictions, &se_format_nodes, &se_format_classes,
    &se_format_stats, NULL
};

const struct se_format *se_format_find(const char *name)
{
    for (int i = 0; se_formats[i]; i++)
        if (strcmp(se_formats[i]->name, name) == 0)
            return se_formats[i];
    return NULL;
}

bool se_path_is(const char *path, const char *ext)
{
    size_t len = strlen(path);
    const size_t tail = strlen(ext);

    if (len > 3 && strcasecmp(path + len - 3, ".gz") == 0)
        len -= 3;
    return len >= tail && strncasecmp(path + len - tail, ext, tail) == 0;
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
    head[got] = '\0';
    return got;
}

const struct se_format *se_format_detect(const char *path, struct se_err *err)
{
    const struct se_format *best = NULL;
    char head[HEAD + 1];
    struct stat st;
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

        if (sure > score) {
            score = sure;
            best = f;
        }
    }
    if (!best && !folder && len == 0)
        se_fail(err, SE_EINPUT, "%s: is empty", path);
    else if (!best)
        se_fail(err, SE_EINPUT, "%s: is in none of the formats that can be told apart; say which "
                "it is with -f, see se-import --help", path);
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
