/* pickle.h - the few words of Python's pickle language that arrays and matrices need
 *
 * Nothing is executed: the only classes and functions that may be named are those of numpy
 * arrays, scipy's sparse matrices and dictionaries, and each becomes a plain value here.
 * Values refer to one another by number, so shared and even circular ones cost nothing. */
#ifndef SE_PICKLE_H
#define SE_PICKLE_H

#include "formats/rows.h"
#include "formats/sparse.h"

enum se_pickle_type {
    SE_PICKLE_NONE, SE_PICKLE_BOOL, SE_PICKLE_INT, SE_PICKLE_STRING, SE_PICKLE_TUPLE,
    SE_PICKLE_LIST, SE_PICKLE_DICT, SE_PICKLE_GLOBAL, SE_PICKLE_OBJECT
};

/* The classes and functions that may be named: `count` of a global, and of an object. */
enum se_pickle_global {
    SE_PICKLE_DEFAULTDICT, SE_PICKLE_LIST_CLASS, SE_PICKLE_RECONSTRUCT, SE_PICKLE_NDARRAY,
    SE_PICKLE_DTYPE, SE_PICKLE_CSR, SE_PICKLE_CSC, SE_PICKLE_COO, SE_PICKLE_ENCODE,
    SE_PICKLE_FROMBUFFER
};

struct se_pickle_value {
    uint32_t type;
    uint32_t count;             /* items, bytes of a string, or which global */
    union {
        int64_t number;
        const char *text;
        uint32_t *item;         /* a dictionary has key, value, key, value, ... */
        struct {
            uint32_t args, state;       /* SE_NONE: not built */
        };
    };
};

struct se_pickle {
    struct se_pickle_value *value;
    size_t count, cap;
    uint32_t root;
    char **made;                /* bytes that are not in the file as they are */
    size_t mades, made_cap;
};
#define SE_PICKLE_INIT { NULL, 0, 0, SE_NONE, NULL, 0, 0 }

/* Read the pickle in `len` bytes, which must outlive it.  Errors name opcode and offset. */
int se_pickle_load(struct se_pickle *p, const void *data, size_t len, struct se_err *err);
void se_pickle_release(struct se_pickle *p);

static inline const struct se_pickle_value *se_pickle_at(const struct se_pickle *p, uint32_t i)
{
    return &p->value[i];
}

/* A value as an array or a matrix; views into the bytes of the pickle.  The matrix is
 * checked. */
int se_pickle_array(const struct se_pickle *p, uint32_t i, struct se_npy *a,
                    struct se_err *err);
int se_pickle_csr(const struct se_pickle *p, uint32_t i, struct se_csr *m,
                  struct se_err *err);
/* A sparse matrix in any of scipy's three layouts, as a copy. */
bool se_pickle_is_sparse(const struct se_pickle *p, uint32_t i);
int se_pickle_sparse(const struct se_pickle *p, uint32_t i, struct se_sparse *m,
                     struct se_err *err);
/* The list of the elements of an array of objects, or NULL if it is not one. */
const struct se_pickle_value *se_pickle_objects(const struct se_pickle *p, uint32_t i);

#endif
