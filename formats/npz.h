/* npz.h - what reads and writes archives of numpy arrays */
#ifndef SE_NPZ_H
#define SE_NPZ_H

#include "formats/named.h"
#include "formats/formats.h"
#include "common/graph/builder.h"
#include "formats/npy.h"
#include "formats/rows.h"

/* All sections that an archive can hold; npzwrite.c. */
int se_npz_export(const struct se_export *ex, struct se_stream *s, struct se_out *out,
                  struct se_err *err);

/* A graph as a matrix in compressed rows. */
int se_npz_write_graph(struct se_zip_out *w, const char *prefix, uint32_t tag,
                       struct se_stream *s, struct se_err *err);
int se_npz_write_arcs(struct se_zip_out *w, const char *prefix, struct se_stream *s,
                      struct se_err *err);
/* `count` strings, each ended by NUL. */
int se_npz_add_strings(struct se_zip_out *w, const char *name, const char *strings,
                       uint64_t count, struct se_err *err);
/* All other sections, and the order of all; npzmore.c. */
int se_npz_write_more(struct se_zip_out *w, struct se_stream *s, struct se_err *err);
int se_npz_read_more(const struct se_zip *z, struct se_stream *s, struct se_err *err);

/* Archives of scipy.sparse.save_npz, and of arrays that named.h knows, pickled ones too;
 * npznamed.c.  *n: vertices. */
int se_npz_collect(const struct se_zip *z, const struct se_import *in, struct se_named_set *x,
                   struct se_err *err);         /* only what is there, into a set; in: or NULL */
int se_npz_read_named(const struct se_zip *z, struct se_import *in, struct se_stream *s,
                      uint64_t *n, struct se_err *err);

/* An archive that holds this was a stream, and comes back as that. */
#define SE_NPZ_OURS "seg_sections.npy"
/* Add the entries of a matrix as edges; "PREFIXweighted" in the archive says that weights of 1
 * are weights.  Those of 0 are edges of a stream, and nothing in any other matrix. */
int se_npz_add_entries(const struct se_csr *m, const char *prefix, const struct se_zip *z,
                       struct se_builder *b, struct se_err *err);
/* Ids, and -1, which becomes SE_NONE; free(). */
uint32_t *se_npz_ids(const struct se_npy *a, const char *name, struct se_err *err);
/* An array of classes, -1 for unknown, or NULL with `err` set; free(). */
int32_t *se_npz_classes(const struct se_npy *a, const char *name, struct se_err *err);
/* An array of parts (SE_PART_*), a row for each split; room for all. */
int se_npz_parts(const struct se_npy *a, const char *name, uint8_t *part, struct se_err *err);

#endif
