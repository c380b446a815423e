/* test-pickle.c - the unpickler and the planetoid files made of it */
#include "common/base/rng.h"
#include "formats/internal.h"
#include "formats/pickle.h"
#include "tests/unit/damage.h"
#include "tests/unit/unit.h"

extern const struct se_format se_format_planetoid;

static struct se_err err;

/* A pickle in the making, written as Python 2 does it. */
struct writer {
    unsigned char byte[1 << 16];
    size_t len;
    uint32_t memo;
};

static void put(struct writer *w, const void *data, size_t len)
{
    memcpy(w->byte + w->len, data, len);
    w->len += len;
}

static void op(struct writer *w, int c)
{
    w->byte[w->len++] = (unsigned char)c;
}

static void le(struct writer *w, uint64_t v, int bytes)
{
    for (int i = 0; i < bytes; i++)
        op(w, (int)(v >> 8 * i & 255));
}

static void remember(struct writer *w)
{
    w->memo++;
    op(w, w->memo < 256 ? 'q' : 'r');
    le(w, w->memo, w->memo < 256 ? 1 : 4);
}

static void string(struct writer *w, const void *s, size_t len)
{
    op(w, len < 256 ? 'U' : 'T');
    le(w, len, len < 256 ? 1 : 4);
    put(w, s, len);
    remember(w);
}

static void word(struct writer *w, const char *s)
{
    string(w, s, strlen(s));
}

static void global(struct writer *w, const char *module, const char *name)
{
    op(w, 'c');
    put(w, module, strlen(module));
    op(w, '\n');
    put(w, name, strlen(name));
    op(w, '\n');
    remember(w);
}

static void number(struct writer *w, int64_t v)
{
    const int bytes = v >= 0 && v < 256 ? 1 : v >= 0 && v < 65536 ? 2 : 4;

    op(w, bytes == 1 ? 'K' : bytes == 2 ? 'M' : 'J');
    le(w, (uint64_t)v, bytes);
}

static void dtype(struct writer *w, const char *type)
{
    global(w, "numpy", "dtype");
    word(w, type);
    number(w, 0);
    number(w, 1);
    op(w, 0x87);
    remember(w);
    op(w, 'R');
    remember(w);
    op(w, '(');
    number(w, 3);
    word(w, "<");
    put(w, "NNN", 3);
    number(w, -1);
    number(w, -1);
    number(w, 0);
    op(w, 't');
    remember(w);
    op(w, 'b');
}

/* An array of `dims` 1 or 2; type "i4" or "f4". */
static void array(struct writer *w, const char *type, int dims, uint64_t rows, uint64_t columns,
                  const void *data)
{
    global(w, "numpy.core.multiarray", "_reconstruct");
    global(w, "numpy", "ndarray");
    number(w, 0);
    op(w, 0x85);
    remember(w);
    word(w, "b");
    op(w, 0x87);
    remember(w);
    op(w, 'R');
    remember(w);
    op(w, '(');
    number(w, 1);
    number(w, (int64_t)rows);
    if (dims == 2)
        number(w, (int64_t)columns);
    op(w, dims == 2 ? 0x86 : 0x85);
    remember(w);
    dtype(w, type);
    op(w, 0x89);
    string(w, data, (dims == 2 ? rows * columns : rows) * 4);
    op(w, 't');
    remember(w);
    op(w, 'b');
}

static void start(struct writer *w)
{
    w->len = 0;
    w->memo = 0;
    op(w, 0x80);
    op(w, 2);
}

/* A matrix of small whole numbers as compressed rows. */
static void csr(struct writer *w, uint64_t rows, uint64_t columns, const float *dense)
{
    int32_t indptr[64] = { 0 }, indices[1024];
    float data[1024];
    uint64_t count = 0;

    for (uint64_t i = 0; i < rows; i++) {
        for (uint64_t j = 0; j < columns; j++)
            if (dense[i * columns + j] != 0) {
                indices[count] = (int32_t)j;
                data[count++] = dense[i * columns + j];
            }
        indptr[i + 1] = (int32_t)count;
    }
    start(w);
    global(w, "scipy.sparse.csr", "csr_matrix");
    op(w, ')');
    op(w, 0x81);
    remember(w);
    op(w, '}');
    remember(w);
    op(w, '(');
    word(w, "format");
    word(w, "csr");
    word(w, "_shape");
    number(w, (int64_t)rows);
    number(w, (int64_t)columns);
    op(w, 0x86);
    remember(w);
    word(w, "indptr");
    array(w, "i4", 1, rows + 1, 0, indptr);
    word(w, "_cs_matrix__has_sorted_indices");
    op(w, 0x88);
    word(w, "indices");
    array(w, "i4", 1, count, 0, indices);
    word(w, "maxprint");
    number(w, 50);
    word(w, "data");
    array(w, "f4", 1, count, 0, data);
    put(w, "ub.", 3);
}

static void test_values(void)
{
    static const int32_t cells[6] = { 1, 0, -5, 7, 70000, 2 };
    static struct writer w;
    struct se_pickle p;
    struct se_npy a;
    int64_t v;

    start(&w);
    array(&w, "i4", 2, 2, 3, cells);
    op(&w, '.');
    CHECK(se_pickle_load(&p, w.byte, w.len, &err) == 0);
    CHECK(se_pickle_array(&p, p.root, &a, &err) == 0);
    CHECK(a.dims == 2 && a.shape[0] == 2 && a.shape[1] == 3 && a.kind == 'i' && a.size == 4);
    for (uint64_t i = 0; i < 6; i++)
        CHECK(se_npy_whole(&a, i, &v) && v == cells[i]);
    se_pickle_release(&p);

    start(&w);
    put(&w, "]", 1);
    remember(&w);
    put(&w, "(K\1M\1\1J\xff\xff\xff\xff", 11);
    put(&w, "h\1e.", 4);                        /* the list holds itself */
    CHECK(se_pickle_load(&p, w.byte, w.len, &err) == 0);
    const struct se_pickle_value *list = se_pickle_at(&p, p.root);
    CHECK(list->type == SE_PICKLE_LIST && list->count == 4 && list->item[3] == p.root);
    CHECK(se_pickle_at(&p, list->item[0])->number == 1);
    CHECK(se_pickle_at(&p, list->item[1])->number == 257);
    CHECK(se_pickle_at(&p, list->item[2])->number == -1);
    se_pickle_release(&p);
    unit_ok("arrays, numbers and lists are read");
}

/* Opcodes that are read at all; the rest is refused whatever is on the stack. */
static void test_opcodes(void)
{
    static const char known[] = "\x80"
                                "cqrhj()\x85\x86\x87t}]KMJUTN\x88\x89" "aseu\x81Rb."
                                "\x8a" "C\x8c" "BX\x8d\x8e\x93\x94\x95\x96";

    for (int c = 0; c < 256; c++) {
        unsigned char bytes[] = { 0x80, 2, ']', '(', 'N', (unsigned char)c, '.', '.', '.', '.' };
        struct se_pickle p;
        char want[64];

        snprintf(want, sizeof want, "byte 5: opcode 0x%02x: not one that", c);
        if (se_pickle_load(&p, bytes, sizeof bytes, &err) == 0) {
            CHECK(false);
            se_pickle_release(&p);
        } else {
            CHECK((strncmp(err.text, want, strlen(want)) == 0) ==
                  !memchr(known, c, sizeof known - 1));
        }
    }
    unit_ok("opcodes that planetoid does not use are refused by place");
}

static void refuse(const void *bytes, size_t len, const char *why)
{
    struct se_pickle p = SE_PICKLE_INIT;

    if (se_pickle_load(&p, bytes, len, &err) == 0) {
        CHECK(false);
        se_pickle_release(&p);
    } else if (!strstr(err.text, why)) {
        printf("# \"%s\" instead of \"%s\"\n", err.text, why);
        CHECK(false);
    }
}
#define REFUSE(text, why) refuse(text, sizeof text - 1, why)

static void test_hostile(void)
{
    const long before = peak_memory();
    const size_t many = 1000000;
    unsigned char *deep = malloc(3 * many + 8);
    struct se_pickle p;

    REFUSE("", "cut short");
    REFUSE("\x80", "cut short");
    REFUSE("\x80\6.", "protocol 6");
    REFUSE("N.", "protocol=4");
    REFUSE("\x80\2c_codecs\nencode\nX\1\0\0\0aX\4\0\0\0utf8\x86R.", "latin1");
    REFUSE("\x80\2c_codecs\nencode\nX\2\0\0\0\xc4\x80X\6\0\0\0latin1\x86R.", "not latin1");
    REFUSE("\x80\2c_codecs\nencode\nX\1\0\0\0\xc2X\6\0\0\0latin1\x86R.", "not latin1");
    REFUSE("\x80\2.", "not one value");
    REFUSE("\x80\2NN.", "not one value");
    REFUSE("\x80\2(.", "not one value");
    REFUSE("\x80\2N..", "bytes follow");
    REFUSE("\x80\2Nr\0\0\0\x80.", "out of range");
    REFUSE("\x80\2Nr\xff\xff\xff\xff.", "out of range");
    REFUSE("\x80\2h\1.", "nothing was remembered");
    REFUSE("\x80\2(q\1.", "nothing to remember");
    REFUSE("\x80\2q\1.", "nothing to remember");
    REFUSE("\x80\2T\xff\xff\xff\x7f" "abc.", "cut short");
    REFUSE("\x80\2T\xff\xff\xff\xff" "abc.", "cut short");
    REFUSE("\x80\2U\xff" "abc.", "cut short");
    REFUSE("\x80\2NNa.", "no list");
    REFUSE("\x80\2]a.", "no list");
    REFUSE("\x80\2](a.", "a mark is in the way");
    REFUSE("\x80\2N(Ne.", "no list");
    REFUSE("\x80\2e.", "no mark");
    REFUSE("\x80\2t.", "no mark");
    REFUSE("\x80\2}(Nu.", "no value");
    REFUSE("\x80\2N\x86.", "the stack is empty");
    REFUSE("\x80\2N(N\x86.", "a mark is in the way");
    REFUSE("\x80\2NNb.", "no new object");
    REFUSE("\x80\2NNR.", "no class");
    REFUSE("\x80\2cos\nsystem\n.", "names os system");
    REFUSE("\x80\2c__builtin__\neval\n.", "names __builtin__ eval");
    REFUSE("\x80\2c__builtin__\nlist\n)R.", "not made so");
    REFUSE("\x80\2c__builtin__\nlist", "cut short");

    memcpy(deep, "\x80\2N", 3);                 /* ((((None,),),),) */
    memset(deep + 3, 0x85, many);
    deep[3 + many] = '.';
    CHECK(se_pickle_load(&p, deep, many + 4, &err) == 0);
    se_pickle_release(&p);
    memset(deep + 2, '(', many);
    refuse(deep, many + 2, "cut short");
    memset(deep + 2, ']', many);
    memset(deep + 2 + many, 'a', many - 1);
    deep[1 + 2 * many] = '.';
    CHECK(se_pickle_load(&p, deep, 2 * many + 2, &err) == 0);
    se_pickle_release(&p);
    free(deep);
    CHECK(memory_within(before, 400 * 1024));         /* some hundred bytes a byte at most */
    unit_ok("hostile pickles are refused, deep ones cost no stack");
}

/* A planetoid folder of n vertices, some of the test ids missing. */
struct fixture {
    char stem[300];
    uint64_t n, m, d, c, tests;
    float x[64 * 16];
    int32_t label[64];
    uint32_t id[64];            /* test.index */
};

static void write_part(const struct fixture *f, const char *tail, const struct writer *w)
{
    char path[320];

    snprintf(path, sizeof path, "%s.%s", f->stem, tail);
    write_file(path, w->byte, w->len);
}

static void write_labels(const struct fixture *f, const char *tail, const uint32_t *id,
                         uint64_t rows)
{
    static struct writer w;
    int32_t hot[64 * 8] = { 0 };

    for (uint64_t k = 0; k < rows; k++)
        hot[k * f->c + (uint64_t)f->label[id ? id[k] : k]] = 1;
    start(&w);
    array(&w, "i4", 2, rows, f->c, hot);
    op(&w, '.');
    write_part(f, tail, &w);
}

static void write_graph(const struct fixture *f)
{
    static struct writer w;

    start(&w);                                  /* a ring, a loop at 0, one pair twice */
    global(&w, "collections", "defaultdict");
    global(&w, "__builtin__", "list");
    op(&w, 0x85);
    remember(&w);
    op(&w, 'R');
    remember(&w);
    op(&w, '(');
    for (uint64_t v = 0; v < f->n; v++) {
        number(&w, (int64_t)v);
        op(&w, ']');
        remember(&w);
        op(&w, '(');
        number(&w, (int64_t)((v + 1) % f->n));
        number(&w, (int64_t)((v + f->n - 1) % f->n));
        if (v == 0) {
            number(&w, 0);
            number(&w, 1);
        }
        op(&w, 'e');
    }
    put(&w, "u.", 2);
    write_part(f, "graph", &w);
}

static void make_fixture(struct fixture *f, const char *folder, uint64_t seed)
{
    static struct writer w;
    float tx[64 * 16];
    struct se_rng r;

    se_rng_init(&r, seed, SE_RNG_TEST, 7);
    snprintf(f->stem, sizeof f->stem, "%s/ind.tiny", folder);
    f->m = 3 + se_rng_below(&r, 10);
    f->n = f->m + 4 + se_rng_below(&r, 10);
    f->d = 1 + se_rng_below(&r, 10);
    f->c = 2 + se_rng_below(&r, 4);
    f->tests = 0;
    for (uint64_t v = 0; v < f->n; v++) {
        /* the first and the last of the test vertices are always there */
        const bool there = v < f->m || v == f->m || v + 1 == f->n || se_rng_below(&r, 4) > 0;

        f->label[v] = there ? (int32_t)se_rng_below(&r, f->c) : -1;
        for (uint64_t j = 0; j < f->d; j++)
            f->x[v * f->d + j] = there ? (float)se_rng_below(&r, 3) / 2 : 0;
        if (v >= f->m && there)
            f->id[f->tests++] = (uint32_t)v;
    }
    for (uint64_t k = f->tests - 1; k > 0; k--) {       /* not sorted, as in life */
        const uint64_t o = se_rng_below(&r, k + 1);
        const uint32_t swap = f->id[k];

        f->id[k] = f->id[o];
        f->id[o] = swap;
    }
    for (uint64_t k = 0; k < f->tests; k++)
        memcpy(tx + k * f->d, f->x + f->id[k] * f->d, f->d * sizeof *tx);
    csr(&w, f->m, f->d, f->x);
    write_part(f, "allx", &w);
    csr(&w, f->tests, f->d, tx);
    write_part(f, "tx", &w);
    write_labels(f, "ally", NULL, f->m);
    write_labels(f, "ty", f->id, f->tests);
    write_graph(f);
    w.len = 0;
    for (uint64_t k = 0; k < f->tests; k++)
        w.len += (size_t)sprintf((char *)w.byte + w.len, "%u\n", f->id[k]);
    write_part(f, "test.index", &w);
}

static int import(const char *path, struct se_stream *s)
{
    struct se_import in = { .path = path };

    return se_format_planetoid.import(&in, s, &err);
}

static void check_fixture(const struct fixture *f, struct se_stream *s)
{
    struct se_features x;
    struct se_labels l;
    struct se_graph g;

    CHECK(se_stream_check(s, &err) == 0);
    CHECK(se_graph_get(&g, s, SE_GRAPH, &err) == 0 && g.n == f->n && g.m == f->n);
    CHECK(se_labels_get(&l, s, &err) == 0 && l.n == f->n && l.classes == f->c);
    CHECK(memcmp(l.label, f->label, f->n * sizeof *f->label) == 0);
    CHECK(se_features_get(&x, s, &err) == 0 && x.n == f->n && x.d == f->d);
    for (uint64_t v = 0; v < f->n; v++)
        for (uint64_t j = 0; j < f->d; j++) {
            float value = x.dense ? x.dense[v * f->d + j] : 0;

            for (uint64_t i = x.dense ? 0 : x.off[v]; !x.dense && i < x.off[v + 1]; i++)
                if (x.col[i] == j)
                    value = x.value ? x.value[i] : 1;
            CHECK(value == f->x[v * f->d + j]);
        }
}

static void test_planetoid(const char *folder)
{
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct se_stream s = SE_STREAM_INIT, t = SE_STREAM_INIT;
        struct fixture f;

        make_fixture(&f, folder, seed);
        CHECK(import(folder, &s) == 0);
        check_fixture(&f, &s);
        CHECK(import(f.stem, &t) == 0);         /* by prefix */
        check_fixture(&f, &t);
        se_stream_release(&s);
        se_stream_release(&t);
        if (unit_bad) {
            printf("# seed %d: %s\n", (int)seed, err.text);
            break;
        }
    }
    unit_ok("planetoid files are put together by test.index");
}

struct damaged {
    const struct fixture *f;
    const char *path;
    int good, bad, tried;
};

static void import_damaged(void *arg, const unsigned char *data, size_t len)
{
    struct se_stream s = SE_STREAM_INIT;
    struct se_pickle p;
    struct damaged *x = arg;

    if (data[0] == 0x80 && ++x->tried % 16 && se_pickle_load(&p, data, len, &err) < 0) {
        x->bad++;                               /* an import would end there, too */
        return;
    }
    if (data[0] == 0x80 && x->tried % 16)
        se_pickle_release(&p);
    write_file(x->path, data, len);
    err.text[0] = '\0';
    if (import(x->f->stem, &s) == 0) {
        CHECK(se_stream_check(&s, &err) == 0);
        x->good++;
    } else {
        CHECK(err.text[0] != '\0');
        x->bad++;
    }
    se_stream_release(&s);
}

static void test_damage(const char *folder)
{
    static const char *const tails[] = { "allx", "ty", "graph", "test.index" };
    const long before = peak_memory();
    struct fixture f;

    make_fixture(&f, folder, 3);
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
        struct se_bytes b = SE_BYTES_INIT;
        char path[320];
        struct damaged x = { &f, path, 0, 0, 0 };

        snprintf(path, sizeof path, "%s.%s", f.stem, tails[i]);
        CHECK(se_slurp(&b, path, 0, &err) == 0);
        damage_all((unsigned char *)b.data, b.len, import_damaged, &x);
        CHECK(x.bad > (int)b.len);              /* every cut, and most changes */
        write_file(path, b.data, b.len);
        se_bytes_release(&b);
    }
    CHECK(memory_within(before, 65536));
    unit_ok("damaged planetoid files are refused or harmless");
}

static void test_far_index(const char *folder)
{
    struct se_stream s = SE_STREAM_INIT;
    struct fixture f;
    char path[320], lines[512];
    size_t len = 0;

    make_fixture(&f, folder, 4);
    snprintf(path, sizeof path, "%s.test.index", f.stem);
    for (uint64_t k = 0; k + 1 < f.tests; k++)
        len += (size_t)sprintf(lines + len, "%u\n", f.id[k]);
    len += (size_t)sprintf(lines + len, "4294967290\n");
    write_file(path, lines, len);
    CHECK(import(folder, &s) < 0 && strstr(err.text, "far beyond"));
    se_stream_release(&s);
    unit_ok("an index out of all proportion is refused");
}

int main(void)
{
    static const char *const tails[] = { "allx", "ally", "tx", "ty", "graph", "test.index" };
    const char *folder = temp_folder();

    test_values();
    test_opcodes();
    test_hostile();
    test_planetoid(folder);
    test_damage(folder);
    test_far_index(folder);
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
        char path[320];

        snprintf(path, sizeof path, "%s/ind.tiny.%s", folder, tails[i]);
        unlink(path);
    }
    rmdir(folder);
    return unit_done();
}
