/* hints.c - files that are known and not read, and what to do with them */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "formats/internal.h"

static const struct magic {
    size_t at;                  /* where in the file */
    size_t len;
    const char *bytes;
    const char *what;
} magics[] = {
    { 0, 8, "\211HDF\r\n\032\n", "is an HDF5 file; of these h5ad is read" },
    { 0, 19, "MATLAB 7.3 MAT-file",
      "is a MATLAB 7.3 file, which is HDF5; save it in MATLAB with save(..., '-v7')" },
    { 0, 4, "PAR1", "is a Parquet file; save the table as CSV" },
    { 0, 13, "SQLite format", "is an SQLite database; save its tables as CSV" },
    { 0, 3, "BZh", "is packed by bzip2; unpack it with bunzip2" },
    { 0, 6, "\375" "7zXZ\0", "is packed by xz; unpack it with unxz" },
    { 0, 4, "\050\265\057\375", "is packed by zstd; unpack it with unzstd" },
    { 0, 6, "7z\274\257\047\034", "is a 7z archive; unpack it, and give the files or the folder" },
    { 0, 4, "Rar!", "is a RAR archive; unpack it, and give the files or the folder" },
    { 257, 5, "ustar", "is a tar archive; unpack it with tar -xf, and give the files or the folder" },
    { 0, 8, "\320\317\021\340\241\261\032\341",
      "is a workbook of Excel; save each table as CSV (--attributes, or the edges)" },
    { 0, 24, "version https://git-lfs.", "is a pointer of Git LFS and not the data; run git lfs pull" },
    { 0, 4, "%PDF", "is a PDF file and not the data" }
};

static bool has(const char *head, size_t len, size_t at, const char *bytes, size_t count)
{
    return len >= at + count && memcmp(head + at, bytes, count) == 0;
}

/* Is this in the first bytes? */
static bool holds(const char *head, size_t len, const char *word)
{
    return memmem(head, len, word, strlen(word)) != NULL;
}

static const char *hint_of_zip(const char *head, size_t len)
{
    if (holds(head, len, "data.pkl"))
        return "is a file of PyTorch, which may run any program when it is loaded; if you trust it: "
               "python3 -c \"import segsl; segsl.write(segsl.from_pt('FILE', trust=True), "
               "'g.seg')\"";
    if (holds(head, len, "[Content_Types].xml") || holds(head, len, "opendocument"))
        return "is a workbook of a spreadsheet; save each table as CSV";
    return "is a zip archive with no NumPy arrays; unpack it with unzip, and give the files or the "
           "folder";
}

/* The first word of a text, in any case, and what may stand before it */
static bool begins(const char *head, const char *word)
{
    while (isspace((unsigned char)*head))
        head++;
    return strncasecmp(head, word, strlen(word)) == 0;
}

static const char *hint_of_text(const char *path, const char *head, size_t len)
{
    if (begins(head, "<!doctype html") || begins(head, "<html"))
        return "is a web page and not the data; look at where it was downloaded from";
    if (begins(head, "graph") || begins(head, "digraph") || begins(head, "strict "))
        return memchr(head, '{', len) ? "is a graph of Graphviz; gv2gml FILE -o FILE.gml makes GML "
                                        "of it, which is read" : NULL;
    if (begins(head, ">>graph6<<") || begins(head, ">>sparse6<<") || se_path_is(path, ".g6") ||
        se_path_is(path, ".s6"))
        return "is graph6 or sparse6; write it as GraphML or as edges, with networkx for example";
    if (begins(head, "{") || begins(head, "["))
        return "is JSON, but not node-link, adjacency, Cytoscape or WikiCS; save the edges as a table";
    return NULL;
}

const char *se_format_hint(const char *path, const char *head, size_t len)
{
    if (len > 2 && (unsigned char)head[0] == 0x80 && head[1] >= 2 && head[1] <= 5)
        return "is a pickle, which may run any program when Python loads it; save the data as npz, "
               "GraphML or CSV instead";
    if (has(head, len, 0, "PK\3\4", 4))
        return hint_of_zip(head, len);
    for (size_t i = 0; i < sizeof magics / sizeof *magics; i++)
        if (has(head, len, magics[i].at, magics[i].bytes, magics[i].len))
            return magics[i].what;
    return hint_of_text(path, head, len);
}
