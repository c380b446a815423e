/* hdf5.h - the few functions of libhdf5 that are needed, loaded when a file is read
 *
 * The tools do not link to libhdf5.  Version 1.10 or later is looked for by its usual names. */
#ifndef SE_HDF5_H
#define SE_HDF5_H

#include "formats/npy.h"

struct se_hdf5 {
    int64_t file;               /* -1: none is open */
};

/* Open a file for reading; an error says if there is no libhdf5.  Close in any case. */
int se_hdf5_open(struct se_hdf5 *h, const char *path, struct se_err *err);
void se_hdf5_close(struct se_hdf5 *h);
/* Is there something under this name, such as "obs/_index"? */
bool se_hdf5_has(const struct se_hdf5 *h, const char *name);
bool se_hdf5_is_group(const struct se_hdf5 *h, const char *name);
/* A dataset of one or two dimensions: numbers as double or, if they are whole, int64. */
int se_hdf5_array(const struct se_hdf5 *h, const char *name, struct se_npy *a,
                  struct se_err *err);
/* A dataset of strings: each with a NUL behind it. */
int se_hdf5_texts(const struct se_hdf5 *h, const char *name, struct se_bytes *text,
                  uint64_t *count, struct se_err *err);
/* An attribute that is two whole numbers, such as a shape; false: there is none. */
bool se_hdf5_sizes(const struct se_hdf5 *h, const char *of, const char *name, uint64_t x[2]);
/* An attribute that is one string; "" if there is none. */
void se_hdf5_word(const struct se_hdf5 *h, const char *of, const char *name, char word[64]);

#endif
