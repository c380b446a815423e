/* hdf5.c - the few functions of libhdf5 that are needed, loaded when a file is read */
#include "formats/hdf5.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* As in the headers of libhdf5 1.10 and later, where ids have 64 bits */
typedef int64_t id;
typedef unsigned long long size;
enum { INTEGER = 0, FLOAT = 1, STRING = 3, ENUM = 8 };  /* H5T_class_t */
#define NO_ROOM "; it is damaged, or needs more than the memory limit (--memory)"
enum { UTF8 = 1, DATASET = 1, DEFAULT = 0, ALL = 0, VIRTUAL = 3, EXTERNAL_LINK = 64 };

static struct {
    void *library;
    int (*open)(void);
    int (*version)(unsigned *, unsigned *, unsigned *);
    int (*quiet)(id, void *, void *);
    id (*file_open)(const char *, unsigned, id);
    int (*file_close)(id);
    int (*exists)(id, const char *, id);
    id (*object)(id, const char *, id);
    int (*object_close)(id);
    int (*kind)(id);
    id (*dataset)(id, const char *, id);
    id (*space_of)(id);
    id (*type_of)(id);
    id (*made_by)(id);
    int (*other_files)(id);
    int (*layout)(id);
    int (*forget_link)(int);
    int (*read)(id, id, id, id, id, void *);
    int (*reclaim)(id, id, id, void *);
    int (*dims)(id);
    int (*extent)(id, size *, size *);
    int (*class_of)(id);
    int (*is_variable)(id);
    size_t (*type_size)(id);
    id (*copy)(id);
    int (*set_size)(id, size_t);
    int (*set_letters)(id, int);
    id (*attribute)(id, const char *, const char *, id, id);
    id (*attribute_type)(id);
    id (*attribute_space)(id);
    int (*attribute_read)(id, id, void *);
    const id *native_double, *native_int64, *string;
} lib;

static const struct {
    const char *name;
    void *to;
} symbols[] = {
    { "H5open", &lib.open }, { "H5get_libversion", &lib.version },
    { "H5Eset_auto2", &lib.quiet }, { "H5Fopen", &lib.file_open },
    { "H5Fclose", &lib.file_close }, { "H5Lexists", &lib.exists }, { "H5Oopen", &lib.object },
    { "H5Idec_ref", &lib.object_close }, { "H5Iget_type", &lib.kind },
    { "H5Dopen2", &lib.dataset }, { "H5Dget_space", &lib.space_of },
    { "H5Dget_type", &lib.type_of }, { "H5Dget_create_plist", &lib.made_by },
    { "H5Pget_external_count", &lib.other_files }, { "H5Pget_layout", &lib.layout },
    { "H5Lunregister", &lib.forget_link }, { "H5Dread", &lib.read },
    { "H5Dvlen_reclaim", &lib.reclaim }, { "H5Sget_simple_extent_ndims", &lib.dims },
    { "H5Sget_simple_extent_dims", &lib.extent }, { "H5Tget_class", &lib.class_of },
    { "H5Tis_variable_str", &lib.is_variable }, { "H5Tget_size", &lib.type_size },
    { "H5Tcopy", &lib.copy }, { "H5Tset_size", &lib.set_size },
    { "H5Tset_cset", &lib.set_letters }, { "H5Aopen_by_name", &lib.attribute },
    { "H5Aget_type", &lib.attribute_type }, { "H5Aget_space", &lib.attribute_space },
    { "H5Aread", &lib.attribute_read }, { "H5T_NATIVE_DOUBLE_g", &lib.native_double },
    { "H5T_NATIVE_INT64_g", &lib.native_int64 }, { "H5T_C_S1_g", &lib.string }
};

static int load(struct se_err *err)
{
    static const char *const names[] = {
        "libhdf5.so.310", "libhdf5_serial.so.310", "libhdf5.so.200", "libhdf5_serial.so.200",
        "libhdf5.so.103", "libhdf5_serial.so.103", "libhdf5.so.101", "libhdf5_serial.so.100",
        "libhdf5.so", "libhdf5_serial.so"
    };
    unsigned major = 0, minor = 0, release;

    if (lib.library)
        return 0;
    for (size_t i = 0; i < sizeof names / sizeof *names && !lib.library; i++)
        lib.library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    if (!lib.library)
        return se_fail(err, SE_EINPUT, "is an HDF5 file, and libhdf5 is not installed; install it "
                       "(Debian: libhdf5-103-1), or save as npz with Python");
    for (size_t i = 0; i < sizeof symbols / sizeof *symbols; i++) {
        void *symbol = dlsym(lib.library, symbols[i].name);

        if (!symbol)
            goto old;
        memcpy(symbols[i].to, &symbol, sizeof symbol);
    }
    if (lib.open() >= 0 && lib.version(&major, &minor, &release) >= 0 &&
        (major > 1 || minor >= 10)) {
        lib.quiet(0, NULL, NULL);
        lib.forget_link(EXTERNAL_LINK);         /* a file is read, and not what it points to */
        return 0;
    }
old:
    dlclose(lib.library);
    lib.library = NULL;
    return se_fail(err, SE_EINPUT, "is an HDF5 file, and libhdf5 is older than 1.10");
}

int se_hdf5_open(struct se_hdf5 *h, const char *path, struct se_err *err)
{
    h->file = -1;
    if (load(err) < 0)
        return se_err_in(err, path);
    se_memory_enforce();                        /* a small file may have large chunks or many long texts */
    h->file = lib.file_open(path, 0, DEFAULT);
    return h->file >= 0 ? 0 : se_fail(err, SE_EINPUT, "%s: is not an HDF5 file that libhdf5 can "
                                      "read", path);
}

void se_hdf5_close(struct se_hdf5 *h)
{
    if (h->file >= 0)
        lib.file_close(h->file);
    h->file = -1;
}

/* H5Lexists wants every part of the path to be there. */
bool se_hdf5_has(const struct se_hdf5 *h, const char *name)
{
    char path[256];

    if (strlen(name) >= sizeof path)
        return false;
    for (const char *p = strchr(name, '/');; p = strchr(p + 1, '/')) {
        const size_t len = p ? (size_t)(p - name) : strlen(name);

        memcpy(path, name, len);
        path[len] = '\0';
        if (lib.exists(h->file, path, DEFAULT) <= 0 || !p)
            return !p && lib.exists(h->file, path, DEFAULT) > 0;
    }
}

bool se_hdf5_is_group(const struct se_hdf5 *h, const char *name)
{
    const id object = lib.object(h->file, name, DEFAULT);
    const bool group = object >= 0 && lib.kind(object) == 2;    /* H5I_GROUP */

    if (object >= 0)
        lib.object_close(object);
    return group;
}

static void give_back(const id *x, int count)
{
    for (int i = 0; i < count; i++)
        if (x[i] >= 0)
            lib.object_close(x[i]);
}

/* May its numbers lie in another file?  Whoever sends an HDF5 file must not choose what is read. */
static bool lies_elsewhere(id dataset)
{
    const id made = lib.made_by(dataset);
    const bool other = made < 0 || lib.other_files(made) != 0 || lib.layout(made) == VIRTUAL;

    if (made >= 0)
        lib.object_close(made);
    return other;
}

/* Dataset, space and type; the size of the space.  Give all three back in any case. */
static int open_dataset(const struct se_hdf5 *h, const char *name, id x[3], int *dims,
                        uint64_t shape[2], struct se_err *err)
{
    size extent[2] = { 1, 1 };

    x[1] = x[2] = -1;
    x[0] = lib.dataset(h->file, name, DEFAULT);
    if (x[0] >= 0) {
        x[1] = lib.space_of(x[0]);
        x[2] = lib.type_of(x[0]);
    }
    if (x[0] < 0 || x[1] < 0 || x[2] < 0)
        return se_fail(err, SE_EINPUT, "%s: cannot be read", name);
    if (lies_elsewhere(x[0]))
        return se_fail(err, SE_EINPUT, "%s: lies in another file, which is not read", name);
    *dims = lib.dims(x[1]);
    if (*dims < 1 || *dims > 2 || lib.extent(x[1], extent, NULL) < 0)
        return se_fail(err, SE_EINPUT, "%s: an array of one or two dimensions was expected", name);
    shape[0] = extent[0];
    shape[1] = *dims == 2 ? extent[1] : 1;
    return 0;
}

int se_hdf5_array(const struct se_hdf5 *h, const char *name, struct se_npy *a,
                  struct se_err *err)
{
    uint64_t shape[2] = { 0, 0 }, count = 0;
    void *data = NULL;
    bool whole;
    id x[3];
    int dims = 0, rc = open_dataset(h, name, x, &dims, shape, err), class;

    if (rc == 0) {
        class = lib.class_of(x[2]);
        whole = class == INTEGER || class == ENUM;
        if (!whole && class != FLOAT)
            rc = se_fail(err, SE_EINPUT, "%s: numbers were expected", name);
        else if (class == ENUM && lib.type_size(x[2]) != 1)     /* truths are of a byte each */
            rc = se_fail(err, SE_EINPUT, "%s: an enumeration", name);
        else if (__builtin_mul_overflow(shape[0], shape[1], &count) ||
                 !(data = se_alloc(count, 8, err)))
            rc = data ? -1 : se_fail(err, SE_EMEM, "%s: %" PRIu64 " by %" PRIu64 " numbers do not "
                                     "fit into the memory", name, shape[0], shape[1]);
        else if (class == ENUM ? lib.read(x[0], x[2], ALL, ALL, DEFAULT, data) < 0
                 : lib.read(x[0], whole ? *lib.native_int64 : *lib.native_double, ALL, ALL,
                            DEFAULT, data) < 0)
            rc = se_fail(err, SE_EINPUT, "%s: cannot be read" NO_ROOM, name);
        else if (class == ENUM)
            rc = se_npy_set(a, "u1", 2, '|', dims, shape, data, count, err);
        else
            rc = se_npy_set(a, whole ? "i8" : "f8", 2, '<', dims, shape, data, count * 8, err);
    }
    give_back(x, 3);
    if (rc < 0)
        free(data);
    else
        a->blob = (struct se_blob){ data, count * 8, data };
    return rc;
}

/* The type of strings in memory: as in the file, variable or of that size */
static id text_type(id type, bool variable, size_t each)
{
    const id t = lib.copy(*lib.string);

    (void)type;
    if (t >= 0) {
        lib.set_size(t, variable ? SIZE_MAX : each);            /* H5T_VARIABLE */
        lib.set_letters(t, UTF8);
    }
    return t;
}

static int add_texts(const void *data, uint64_t count, bool variable, size_t each,
                     struct se_bytes *text, struct se_err *err)
{
    for (uint64_t i = 0; i < count; i++) {
        const char *p = variable ? ((char *const *)data)[i] : (const char *)data + i * each;
        const size_t len = !p ? 0 : variable ? strlen(p) : strnlen(p, each);

        if ((len > 0 && se_bytes_add(text, p, len, err) < 0) || se_bytes_add(text, "", 1, err) < 0)
            return -1;
    }
    return 0;
}

int se_hdf5_texts(const struct se_hdf5 *h, const char *name, struct se_bytes *text,
                  uint64_t *count, struct se_err *err)
{
    uint64_t shape[2] = { 0, 0 };
    void *data = NULL;
    bool variable;
    size_t each;
    id x[4] = { -1, -1, -1, -1 };
    int dims = 0, rc = open_dataset(h, name, x, &dims, shape, err);

    if (rc == 0 && (lib.class_of(x[2]) != STRING || dims != 1))
        rc = se_fail(err, SE_EINPUT, "%s: texts were expected", name);
    if (rc == 0) {
        variable = lib.is_variable(x[2]) > 0;
        each = variable ? sizeof(char *) : lib.type_size(x[2]);
        x[3] = text_type(x[2], variable, each);
        *count = shape[0];
        data = se_zalloc(shape[0], each, err);
        if (!data)
            rc = -1;
        else if (lib.read(x[0], x[3], ALL, ALL, DEFAULT, data) < 0)
            rc = se_fail(err, SE_EINPUT, "%s: cannot be read" NO_ROOM, name);
        else
            rc = add_texts(data, shape[0], variable, each, text, err);
        if (data && variable)
            lib.reclaim(x[3], x[1], DEFAULT, data);
        free(data);
    }
    give_back(x, 4);
    return rc;
}

bool se_hdf5_sizes(const struct se_hdf5 *h, const char *of, const char *name, uint64_t x[2])
{
    const id attribute = lib.attribute(h->file, of, name, DEFAULT, DEFAULT);
    const id space = attribute >= 0 ? lib.attribute_space(attribute) : -1;
    int64_t value[2] = { -1, -1 };
    size extent[1] = { 0 };
    bool ok = space >= 0 && lib.dims(space) == 1 && lib.extent(space, extent, NULL) >= 0 &&
              extent[0] == 2 && lib.attribute_read(attribute, *lib.native_int64, value) >= 0;

    give_back((const id[]){ attribute, space }, 2);
    ok = ok && value[0] >= 0 && value[1] >= 0;
    x[0] = ok ? (uint64_t)value[0] : 0;
    x[1] = ok ? (uint64_t)value[1] : 0;
    return ok;
}

void se_hdf5_word(const struct se_hdf5 *h, const char *of, const char *name, char word[64])
{
    const id attribute = lib.attribute(h->file, of, name, DEFAULT, DEFAULT);
    const id type = attribute >= 0 ? lib.attribute_type(attribute) : -1;
    const id space = attribute >= 0 ? lib.attribute_space(attribute) : -1;
    const bool variable = type >= 0 && lib.is_variable(type) > 0;
    const size_t each = type >= 0 ? lib.type_size(type) : 0;

    word[0] = '\0';
    if (type >= 0 && space >= 0 && lib.class_of(type) == STRING && lib.dims(space) == 0 &&
        (variable || each < 64)) {
        const id memory = text_type(type, variable, each);
        char *text = NULL;

        if (lib.attribute_read(attribute, memory, variable ? (void *)&text : word) < 0)
            text = NULL;
        if (variable && text) {
            strncpy(word, text, 63);
            word[63] = '\0';
            lib.reclaim(memory, space, DEFAULT, &text);
        } else if (!variable) {
            word[each] = '\0';
        }
        if (memory >= 0)
            lib.object_close(memory);
    }
    give_back((const id[]){ attribute, type, space }, 3);
}
