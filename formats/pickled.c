/* pickled.c - arrays and sparse matrices among the values of a pickle */
#include "formats/pickle.h"

#include <string.h>

static int not_an(struct se_err *err, const char *what)
{
    return se_fail(err, SE_EINPUT, "the pickle does not hold %s where one belongs", what);
}

/* The state of an object of this class, if it is a tuple or dictionary of `type`. */
static const struct se_pickle_value *state_of(const struct se_pickle *p, uint32_t i,
                                              enum se_pickle_global is, enum se_pickle_type type)
{
    const struct se_pickle_value *v = &p->value[i];

    if (v->type != SE_PICKLE_OBJECT || v->count != (uint32_t)is || v->state == SE_NONE)
        return NULL;
    return p->value[v->state].type == (uint32_t)type ? &p->value[v->state] : NULL;
}

/* Item i of a tuple, if it is there and has this type. */
static const struct se_pickle_value *item_of(const struct se_pickle *p,
                                             const struct se_pickle_value *tuple, uint32_t i,
                                             enum se_pickle_type type)
{
    if (!tuple || i >= tuple->count)
        return NULL;
    return p->value[tuple->item[i]].type == (uint32_t)type ? &p->value[tuple->item[i]] : NULL;
}

static bool shape_of(const struct se_pickle *p, const struct se_pickle_value *tuple, int *dims,
                     uint64_t shape[SE_NPY_DIMS])
{
    if (!tuple || tuple->count > SE_NPY_DIMS)
        return false;
    *dims = (int)tuple->count;
    for (uint32_t i = 0; i < tuple->count; i++) {
        const struct se_pickle_value *size = item_of(p, tuple, i, SE_PICKLE_INT);

        if (!size || size->number < 0)
            return false;
        shape[i] = (uint64_t)size->number;
    }
    return true;
}

/* A dtype is made from ("f4", 0, 1) and has the state (3, "<", ...). */
static int set_array(const struct se_pickle *p, uint32_t dtype,
                     const struct se_pickle_value *size, const struct se_pickle_value *bytes,
                     int fortran, struct se_npy *a, struct se_err *err)
{
    const struct se_pickle_value *type = NULL, *order = NULL, *made;
    uint64_t shape[SE_NPY_DIMS];
    int dims;

    if (dtype != SE_NONE && p->value[dtype].type == SE_PICKLE_OBJECT) {
        made = &p->value[p->value[dtype].args];
        type = made->type == SE_PICKLE_TUPLE ? item_of(p, made, 0, SE_PICKLE_STRING) : NULL;
        order = item_of(p, state_of(p, dtype, SE_PICKLE_DTYPE, SE_PICKLE_TUPLE), 1,
                        SE_PICKLE_STRING);
    }
    if (fortran < 0 || !bytes || !type || !order || order->count != 1 ||
        !shape_of(p, size, &dims, shape))
        return not_an(err, "an array");
    if (se_npy_set(a, type->text, type->count, order->text[0], dims, shape, bytes->text,
                   bytes->count, err) < 0)
        return -1;
    a->fortran = fortran && dims > 1;
    return a->fortran && dims > 2 ? not_an(err, "an array of two dimensions") : 0;
}

/* State: (1, shape, dtype, columns first, bytes) */
static int plain_array(const struct se_pickle *p, uint32_t i, struct se_npy *a,
                       struct se_err *err)
{
    const struct se_pickle_value *state = state_of(p, i, SE_PICKLE_RECONSTRUCT, SE_PICKLE_TUPLE);
    const struct se_pickle_value *fortran = item_of(p, state, 3, SE_PICKLE_BOOL);
    const struct se_pickle_value *bytes = item_of(p, state, 4, SE_PICKLE_STRING);
    const bool whole = state && state->count > 4;

    return set_array(p, whole ? state->item[2] : SE_NONE, item_of(p, state, 1, SE_PICKLE_TUPLE),
                     bytes, fortran ? (int)fortran->number : -1, a, err);
}

/* Protocol 5: _frombuffer(bytes, dtype, shape, "C" or "F") */
int se_pickle_array(const struct se_pickle *p, uint32_t i, struct se_npy *a,
                    struct se_err *err)
{
    const struct se_pickle_value *v = &p->value[i], *args, *order;

    if (v->type != SE_PICKLE_OBJECT || v->count != SE_PICKLE_FROMBUFFER)
        return plain_array(p, i, a, err);
    args = &p->value[v->args];
    order = item_of(p, args, 3, SE_PICKLE_STRING);
    return set_array(p, order ? args->item[1] : SE_NONE, item_of(p, args, 2, SE_PICKLE_TUPLE),
                     item_of(p, args, 0, SE_PICKLE_STRING),
                     order && order->count == 1 ? order->text[0] == 'F' : -1, a, err);
}

/* The value under a key of a dictionary, or SE_NONE. */
static uint32_t value_of(const struct se_pickle *p, const struct se_pickle_value *dict,
                         const char *key)
{
    for (uint32_t i = 0; dict && i + 1 < dict->count; i += 2) {
        const struct se_pickle_value *k = &p->value[dict->item[i]];

        if (k->type == SE_PICKLE_STRING && strlen(key) == k->count && memcmp(k->text, key, k->count) == 0)
            return dict->item[i + 1];
    }
    return SE_NONE;
}

static bool size_of(const struct se_pickle *p, const struct se_pickle_value *state,
                    uint64_t size[SE_NPY_DIMS])
{
    const uint32_t shape = value_of(p, state, "_shape");
    int dims;

    return shape != SE_NONE && p->value[shape].type == SE_PICKLE_TUPLE &&
           shape_of(p, &p->value[shape], &dims, size) && dims == 2;
}

/* The compressed rows (or columns) of an object of class `is`, checked. */
static int compressed(const struct se_pickle *p, uint32_t i, enum se_pickle_global is,
                      struct se_csr *m, struct se_err *err)
{
    const struct se_pickle_value *state = state_of(p, i, is, SE_PICKLE_DICT);
    const uint32_t data = value_of(p, state, "data"), indptr = value_of(p, state, "indptr"),
        indices = value_of(p, state, "indices");
    uint64_t size[SE_NPY_DIMS];

    *m = (struct se_csr)SE_CSR_INIT;
    if (data == SE_NONE || indptr == SE_NONE || indices == SE_NONE || !size_of(p, state, size))
        return not_an(err, "a sparse matrix");
    m->rows = size[is == SE_PICKLE_CSC];
    m->columns = size[is != SE_PICKLE_CSC];
    if (se_pickle_array(p, indptr, &m->indptr, err) < 0 ||
        se_pickle_array(p, indices, &m->indices, err) < 0 ||
        se_pickle_array(p, data, &m->data, err) < 0)
        return -1;
    return se_csr_check(m, err);
}

int se_pickle_csr(const struct se_pickle *p, uint32_t i, struct se_csr *m, struct se_err *err)
{
    return compressed(p, i, SE_PICKLE_CSR, m, err);
}

/* Rows and columns are arrays of their own, in scipy 1.13 and later a tuple of two. */
static int coordinates(const struct se_pickle *p, uint32_t i, struct se_sparse *m,
                       struct se_err *err)
{
    const struct se_pickle_value *state = state_of(p, i, SE_PICKLE_COO, SE_PICKLE_DICT);
    const uint32_t data = value_of(p, state, "data"), coords = value_of(p, state, "coords");
    uint32_t row = value_of(p, state, "row"), column = value_of(p, state, "col");
    struct se_npy at[3];
    uint64_t size[SE_NPY_DIMS];

    if (coords != SE_NONE && p->value[coords].type == SE_PICKLE_TUPLE &&
        p->value[coords].count == 2) {
        row = p->value[coords].item[0];
        column = p->value[coords].item[1];
    }
    if (data == SE_NONE || row == SE_NONE || column == SE_NONE || !size_of(p, state, size))
        return not_an(err, "a sparse matrix");
    return se_pickle_array(p, row, &at[0], err) < 0 ||
           se_pickle_array(p, column, &at[1], err) < 0 ||
           se_pickle_array(p, data, &at[2], err) < 0 ||
           se_sparse_from_coo(m, size[0], size[1], &at[0], &at[1], &at[2], err) < 0 ? -1 : 0;
}

bool se_pickle_is_sparse(const struct se_pickle *p, uint32_t i)
{
    const struct se_pickle_value *v = &p->value[i];

    return v->type == SE_PICKLE_OBJECT && (v->count == SE_PICKLE_CSR ||
                                           v->count == SE_PICKLE_CSC ||
                                           v->count == SE_PICKLE_COO);
}

int se_pickle_sparse(const struct se_pickle *p, uint32_t i, struct se_sparse *m,
                     struct se_err *err)
{
    const enum se_pickle_global is = (enum se_pickle_global)p->value[i].count;
    struct se_csr csr;

    if (!se_pickle_is_sparse(p, i))
        return not_an(err, "a sparse matrix");
    if (is == SE_PICKLE_COO)
        return coordinates(p, i, m, err);
    return compressed(p, i, is, &csr, err) < 0 ||
           se_sparse_from_csr(m, &csr, is == SE_PICKLE_CSC, err) < 0 ? -1 : 0;
}

const struct se_pickle_value *se_pickle_objects(const struct se_pickle *p, uint32_t i)
{
    return item_of(p, state_of(p, i, SE_PICKLE_RECONSTRUCT, SE_PICKLE_TUPLE), 4,
                   SE_PICKLE_LIST);
}
