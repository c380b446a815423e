/* npz.h - what reads and writes archives of numpy arrays */
#ifndef SE_NPZ_H
#define SE_NPZ_H

#include "formats/formats.h"
#include "formats/npy.h"

/* All sections that an archive can hold; npzwrite.c. */
int se_npz_export(const struct se_export *ex, struct se_stream *s, struct se_out *out,
                  struct se_err *err);

/* An array of classes, -1 for unknown, or NULL with `err` set; free(). */
int32_t *se_npz_classes(const struct se_npy *a, const char *name, struct se_err *err);
/* An array of parts (SE_PART_*), a row for each split; room for all. */
int se_npz_parts(const struct se_npy *a, const char *name, uint8_t *part, struct se_err *err);

#endif
