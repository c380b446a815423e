/* fuzz-import.c - any bytes as a file, or as a folder of files, for every importer
 *
 * An input that starts with "=== " is a folder: it is cut at lines "=== NAME", and what follows
 * goes into the file NAME, or FOLDER/NAME.  All else is a file, which is read as each format of se_formats[], and
 * as features, labels, embedding, splits and attributes beside a graph. */
#include <ftw.h>
#include <sys/stat.h>

#include "formats/formats.h"
#include "tests/fuzz/fuzz.h"

static const char sides[] = "flesa";    /* features, labels, embedding, splits, attributes */
static char place[64], file[96];

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st;
    (void)kind;
    return at->level > 0 ? remove(path) : 0;
}

static void clear(void)
{
    nftw(place, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static void leave(void)
{
    clear();
    rmdir(place);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    snprintf(place, sizeof place, "%s/se-fuzz-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp(place)) {
        perror(place);
        exit(2);
    }
    snprintf(file, sizeof file, "%s/input", place);
    atexit(leave);
    return 0;
}

static void write_file(const char *path, const uint8_t *data, size_t len)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    if (fd < 0)                                 /* a folder of this name */
        return;
    if (write(fd, data, len) != (ssize_t)len) {
        perror(path);
        exit(2);
    }
    close(fd);
}

static uint32_t get(const uint8_t *p, int bytes)
{
    uint32_t v = 0;

    for (int i = 0; i < bytes; i++)
        v |= (uint32_t)p[i] << 8 * i;
    return v;
}

/* Make the checksums of stored zip members right: what they hold is to be read. */
static void repair_zip(uint8_t *data, size_t len)
{
    for (size_t at = 0; len >= 46 && at <= len - 46; at++) {
        uint8_t *c = data + at, *local;
        uint64_t from, size;
        uint32_t crc;

        if (memcmp(c, "PK\1\2", 4) != 0 || get(c + 10, 2) != 0)
            continue;
        from = get(c + 42, 4);
        size = get(c + 20, 4);
        if (from + 30 > len)
            continue;
        local = data + from;
        from += 30 + get(local + 26, 2) + get(local + 28, 2);
        if (from > len || size > len - from)
            continue;
        crc = se_crc32(0, data + from, size);
        memcpy(c + 16, &crc, 4);
        memcpy(local + 14, &crc, 4);
    }
}

/* A name, or FOLDER/NAME, where neither begins with a dot */
static bool is_name(const char *s)
{
    const char *slash = strchr(s, '/');

    return *s && *s != '.' && *s != '/' && !strstr(s, "/.") &&
           !(slash && (strchr(slash + 1, '/') || !slash[1])) &&
           s[strspn(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                       "0123456789_.-/")] == '\0';
}

static void write_named(const char *name, const uint8_t *data, size_t len)
{
    const char *slash = strchr(name, '/');
    char path[160];

    if (slash) {
        snprintf(path, sizeof path, "%s/%.*s", place, (int)(slash - name), name);
        mkdir(path, 0700);
    }
    snprintf(path, sizeof path, "%s/%s", place, name);
    write_file(path, data, len);
}

/* Each "=== NAME\n" at the start of a line starts a file. */
static void write_folder(const uint8_t *data, size_t len)
{
    const uint8_t *end = data + len;

    clear();
    while (end - data > 4 && memcmp(data, "=== ", 4) == 0) {
        const uint8_t *text = memchr(data, '\n', (size_t)(end - data)), *next;
        char name[64] = "";

        if (!text)
            return;
        if (text - data - 4 < (ptrdiff_t)sizeof name)
            memcpy(name, data + 4, (size_t)(text - data - 4));
        next = memmem(text, (size_t)(end - text), "\n=== ", 5);
        text++;
        data = next ? next + 1 : end;
        if (data < text)                        /* an empty file */
            text = data;
        if (is_name(name))
            write_named(name, text, (size_t)((next ? next : end) - text));
    }
}

/* The path 0 - 1 - 2 - 3, for files beside it */
static int put_base(struct se_stream *s, struct se_err *err)
{
    static const uint64_t off[5] = { 0, 1, 2, 3, 3 };
    static const uint32_t to[3] = { 1, 2, 3 };
    const struct se_graph g = { .n = 4, .m = 3, .off = off, .to = to, .loop = to };

    return se_graph_put(&g, s, SE_GRAPH, NULL, err);
}

static int import_side(char side, struct se_stream *s, struct se_err *err)
{
    char *paths[] = { file, NULL };

    if (put_base(s, err) < 0)
        fuzz_fail("no graph", err);
    switch (side) {
    case 'f':
        return se_side_features(file, s, err);
    case 'a':
        return se_side_attributes(&(struct se_attributes){ .path = file, .class = "c" }, s, err);
    case 'l':
        return se_side_labels(file, s, NULL, err);
    case 'e':
        return se_side_embedding(file, s, err);
    default:
        return se_side_splits(paths, 1, s, err);
    }
}

/* Read the file or folder in one way: by `format`, or as a side file if that is NULL.  The options
 * follow from `choice`. */
static void import(const struct se_format *format, char side, const char *path, uint32_t choice)
{
    const bool columns = choice >> 5 & 1, class = choice >> 6 & 1;
    struct se_import in = {
        .path = path, .keep_loops = choice & 1, .ids = (enum se_ids)(choice >> 1 & 3) % 3,
        .header = (enum se_header)(choice >> 3 & 3) % 3, .source = columns ? "source" : NULL,
        .target = columns ? "target" : NULL, .class = class ? "class" : NULL,
        .bins = class && choice >> 7 & 1 ? 3 : 0, .in_order = choice >> 8 & 1,
        .by_id = choice >> 9 & 1, .decimal = (enum se_decimal)(choice >> 10 & 3) % 3,
        .n = choice >> 12 & 7 ? 0 : 7
    };
    struct se_stream s = SE_STREAM_INIT;
    struct se_err err = SE_ERR_INIT;

    if ((format ? format->import(&in, &s, &err) : import_side(side, &s, &err)) < 0)
        fuzz_error(&err);
    else if (se_stream_check(&s, &err) < 0)     /* what is imported is sound */
        fuzz_fail("the imported stream is not sound", &err);
    else
        fuzz_again(&s, 0);
    se_stream_release(&s);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
    const bool folder = len >= 4 && memcmp(data, "=== ", 4) == 0;
    const char *path = folder ? place : file;
    const uint32_t choice = se_crc32(0, data, len);
    struct se_err err = SE_ERR_INIT;

    if (folder) {
        write_folder(data, len);
    } else {
        uint8_t *copy = malloc(len + 1);

        memcpy(copy, data, len);
        repair_zip(copy, len);
        write_file(file, copy, len);
        free(copy);
    }
    if (!se_format_detect(path, &err))
        fuzz_error(&err);
    for (int i = 0; se_formats[i]; i++)
        if (se_formats[i]->import)
            import(se_formats[i], 0, path, choice);
    for (const char *side = sides; !folder && *side; side++)
        import(NULL, *side, path, 0);
    return 0;
}
