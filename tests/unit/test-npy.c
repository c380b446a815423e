/* test-npy.c - zip archives and numpy arrays: written, read back, damaged */
#include <sys/stat.h>

#include "common/base/rng.h"
#include "tests/unit/archive.h"

static double touched;

/* Bytes that deflate well (few values) or not at all. */
static void random_bytes(struct se_rng *r, unsigned char *p, size_t len, unsigned values)
{
    for (size_t i = 0; i < len; i++)
        p[i] = (unsigned char)se_rng_below(r, values);
}

/* Members of many sizes, with 32-bit fields and with zip64 everywhere. */
static void test_zip(void)
{
    for (uint64_t seed = 0; seed < 24; seed++) {
        enum { MEMBERS = 5 };
        unsigned char *content[MEMBERS], *archive;
        size_t len[MEMBERS], total;
        struct se_zip_out w;
        struct se_zip z;
        struct se_out out;
        struct se_rng r;
        char name[16];

        se_rng_init(&r, seed, SE_RNG_TEST, 0);
        CHECK(begin_file(path_of("a.zip"), &out) == 0);
        se_zip_begin(&w, &out);
        if (seed % 2)
            w.small = 3;                        /* zip64 for nearly all */
        for (int i = 0; i < MEMBERS; i++) {
            len[i] = (size_t)se_rng_below(&r, i == 0 ? 3 : 100000);
            content[i] = malloc(len[i] + 1);
            random_bytes(&r, content[i], len[i], i % 2 ? 256 : 3);
            const uint64_t cut = se_rng_below(&r, len[i] + 1);
            const struct se_piece part[] = { { content[i], cut },
                                            { content[i] + cut, len[i] - cut } };
            snprintf(name, sizeof name, "m%d", i);
            CHECK(se_zip_add(&w, name, part, 2, &err) == 0);
        }
        CHECK(se_zip_end(&w, &err) == 0);
        end_file(&out);
        total = slurp(path_of("a.zip"), &archive);
        CHECK(se_zip_open(&z, archive, total, &err) == 0);
        CHECK(z.count == MEMBERS);
        for (int i = 0; i < MEMBERS; i++) {
            const struct se_zip_member *m;
            struct se_blob b;

            snprintf(name, sizeof name, "m%d", i);
            m = se_zip_find(&z, name);
            CHECK(m && se_zip_read(&z, m, &b, &err) == 0);
            CHECK(b.len == len[i] && memcmp(b.data, content[i], len[i]) == 0);
            CHECK(len[i] < 1000 || (m->method == 0) == (i % 2 == 1));
            se_blob_release(&b);
            free(content[i]);
        }
        CHECK(!se_zip_find(&z, "m"));
        se_zip_release(&z);
        free(archive);
    }
    unit_ok("zip archives come back as they were, zip64 too");
}

/* Write one array into memory the way numpy does. */
static size_t make_npy(unsigned char *to, int version, const char *head, const void *data,
                       size_t len)
{
    const size_t size = strlen(head), front = version == 1 ? 10 : 12;

    memcpy(to, "\x93NUMPY", 6);
    to[6] = (unsigned char)version;
    to[7] = 0;
    for (size_t i = 0; i < front - 8; i++)
        to[8 + i] = (unsigned char)(size >> 8 * i);
    memcpy(to + front, head, size);
    memcpy(to + front + size, data, len);
    return front + size + len;
}

static int parse(struct se_npy *a, int version, const char *head, const void *data, size_t len)
{
    static unsigned char buffer[4096];

    return se_npy_parse(a, buffer, make_npy(buffer, version, head, data, len), &err);
}

static void test_types(void)
{
    static const struct {
        const char *type;
        unsigned char bytes[8];
        size_t len;
        double value;
    } cases[] = {
        { "|b1", { 1 }, 1, 1 }, { "|u1", { 200 }, 1, 200 }, { "|i1", { 200 }, 1, -56 },
        { "<i2", { 0xfe, 0xff }, 2, -2 }, { ">i2", { 0xff, 0xfe }, 2, -2 },
        { "<u2", { 0xfe, 0xff }, 2, 65534 }, { "<i4", { 1, 0, 0, 0x80 }, 4, -2147483647 },
        { ">u4", { 0x80, 0, 0, 1 }, 4, 2147483649 },
        { "<i8", { 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff }, 8, -1 },
        { "<u8", { 0, 0, 0, 0, 1, 0, 0, 0 }, 8, 4294967296 },
        { "<f4", { 0, 0, 0x20, 0xc0 }, 4, -2.5 }, { ">f4", { 0xc0, 0x20, 0, 0 }, 4, -2.5 },
        { "<f8", { 0, 0, 0, 0, 0, 0, 0x04, 0x40 }, 8, 2.5 },
        { "<f2", { 0x00, 0x3c }, 2, 1 }, { "<f2", { 0x00, 0xc0 }, 2, -2 },
        { "<f2", { 0xff, 0x7b }, 2, 65504 }, { "<f2", { 0x01, 0x00 }, 2, 0x1p-24 },
        { "<f2", { 0x00, 0x04 }, 2, 0x1p-14 }, { ">f2", { 0x35, 0x55 }, 2, 0.333251953125 }
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (int version = 1; version <= 3; version++) {
            struct se_npy a;
            char head[128];
            int64_t whole;
            const double v = cases[i].value;

            snprintf(head, sizeof head,
                     "{'descr': '%s', 'fortran_order': False, 'shape': (1,), }\n",
                     cases[i].type);
            CHECK(parse(&a, version, head, cases[i].bytes, cases[i].len) == 0);
            CHECK(a.count == 1 && a.dims == 1 && se_npy_number(&a, 0) == v);
            CHECK(se_npy_whole(&a, 0, &whole) == (v == trunc(v)));
            CHECK(v != trunc(v) || (double)whole == v);
        }
    unit_ok("every element type is read, in both orders of bytes");
}

static void test_shapes(void)
{
    static const unsigned char six[] = { 1, 2, 3, 4, 5, 6 };
    struct se_npy a;
    float *x;

    CHECK(parse(&a, 1, "{'descr': '|u1', 'fortran_order': False, 'shape': (2, 3)}", six, 6) == 0);
    CHECK(se_npy_number(&a, se_npy_place(&a, 1, 0)) == 4);
    x = se_npy_floats(&a, &err);
    CHECK(x && x[1] == 2 && x[3] == 4);
    free(x);
    CHECK(parse(&a, 1, "{'shape':(2L, 3L),'fortran_order':True,'descr':\"|u1\"}", six, 6) == 0);
    CHECK(se_npy_number(&a, se_npy_place(&a, 1, 0)) == 2);
    x = se_npy_floats(&a, &err);
    CHECK(x && x[0] == 1 && x[1] == 3 && x[2] == 5 && x[3] == 2);
    free(x);
    CHECK(parse(&a, 1, "{'descr': '|u1', 'fortran_order': False, 'shape': ()}", six, 1) == 0);
    CHECK(a.dims == 0 && a.count == 1);
    CHECK(parse(&a, 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 5)}", six, 0) == 0);
    CHECK(a.count == 0 && a.shape[1] == 5);
    unit_ok("shapes, both orders of axes");
}

static void test_texts(void)
{
    static const uint32_t text[] = { 'a', 0xe9, 0, 0x20ac, 0x1f600, 'z' };
    static const char head[] = "{'descr': '<U3', 'fortran_order': False, 'shape': (2,)}";
    static const uint32_t bad[3] = { 0xd800, 0, 0 }, hole[3] = { 'a', 0, 'b' };
    struct se_bytes b = SE_BYTES_INIT;
    struct se_npy a;

    CHECK(parse(&a, 1, head, text, sizeof text) == 0);
    CHECK(se_npy_text(&a, 0, &b, &err) == 0 && se_npy_text(&a, 1, &b, &err) == 0);
    CHECK(b.len == 11 && memcmp(b.data, "a\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80z", 11) == 0);
    CHECK(parse(&a, 1, "{'descr': '<U3', 'fortran_order': False, 'shape': (1,)}", bad, 12) == 0);
    CHECK(se_npy_text(&a, 0, &b, &err) < 0);
    CHECK(parse(&a, 1, "{'descr': '<U3', 'fortran_order': False, 'shape': (1,)}", hole, 12) == 0);
    CHECK(se_npy_text(&a, 0, &b, &err) < 0);
    b.len = 0;
    CHECK(parse(&a, 1, "{'descr': '|S4', 'fortran_order': False, 'shape': (1,)}", "ab\0\0", 4)
          == 0);
    CHECK(se_npy_text(&a, 0, &b, &err) == 0 && b.len == 2 && memcmp(b.data, "ab", 2) == 0);
    se_bytes_release(&b);
    unit_ok("texts become UTF-8");
}

static void test_hostile_headers(void)
{
    static const char *const heads[] = {
        "", "{", "{}", "nonsense", "{'descr': '<f4'}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,2)}",
        "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (2,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'shape': (2,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), 'other': 1}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} x",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (3,)}",
        "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}",
        "{'descr': '|O', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<M8[ns]', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<f99999999999', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<U99999999999', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '<U0', 'fortran_order': False, 'shape': (4611686018427387904,)}",
        "{'descr': 'f4', 'fortran_order': False, 'shape': (2,)}",
        "{'descr': '', 'fortran_order': False, 'shape': (2,)}"
    };
    static const unsigned char eight[8] = { 0 };
    const long before = peak_memory();

    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        struct se_npy a;

        err.text[0] = '\0';
        CHECK(parse(&a, 1, heads[i], eight, 8) < 0);
        CHECK(err.text[0] != '\0');
    }
    CHECK(memory_within(before, 65536));
    unit_ok("headers that lie are refused");
}

/* Read everything that a damaged archive still seems to hold. */
static void read_all(void *arg, const unsigned char *data, size_t len)
{
    static const char *const names[] = { "numbers", "texts" };
    struct se_zip z;

    (void)arg;
    if (se_zip_open(&z, data, len, &err) < 0)
        return;
    for (int i = 0; i < 2; i++) {
        struct se_bytes text = SE_BYTES_INIT;
        struct se_npy a;

        if (se_npz_get(&z, names[i], &a, &err) == 1) {
            for (uint64_t k = 0; k < a.count; k++) {    /* all of it can be touched */
                touched += se_npy_number(&a, k);
                se_npy_text(&a, k, &text, &err);
            }
            free(se_npy_floats(&a, &err));
            se_npy_release(&a);
        }
        se_bytes_release(&text);
    }
    se_zip_release(&z);
}

static size_t small_archive(unsigned char **data, bool wide)
{
    static const uint64_t six = 6, two = 2;
    static const uint32_t text[] = { 'a', 'b', 'c', 0 };
    static const int32_t number[] = { 1, 2, 3, 4, 5, 6 };
    struct se_zip_out w;
    struct se_out out;

    CHECK(begin_file(path_of("small.npz"), &out) == 0);
    se_zip_begin(&w, &out);
    if (wide)
        w.small = 1;
    CHECK(se_npz_add(&w, "numbers", "<i4", 1, &six, number, sizeof number, &err) == 0);
    CHECK(se_npz_add(&w, "texts", "<U2", 1, &two, text, sizeof text, &err) == 0);
    CHECK(se_zip_end(&w, &err) == 0);
    end_file(&out);
    return slurp(path_of("small.npz"), data);
}

static void test_damage(void)
{
    const long before = peak_memory();

    for (int wide = 0; wide < 2; wide++) {
        unsigned char *data;
        const size_t len = small_archive(&data, wide);

        damage_all(data, len, read_all, NULL);
        free(data);
    }
    CHECK(touched != 0);
    CHECK(memory_within(before, 65536));
    unit_ok("damaged archives never hurt");
}

/* One deflated member that promises far more than it holds, or holds more than promised. */
static void test_bombs(void)
{
    static const uint64_t claims[] = { 0, 10, 1 << 20, UINT64_C(1) << 40, UINT64_C(1) << 62,
                                       UINT64_MAX };
    static unsigned char zeros[1 << 20];
    const struct se_piece part = { zeros, sizeof zeros };
    const long before = peak_memory();
    unsigned char *data;
    struct se_zip_out w;
    struct se_out out;
    size_t len;

    CHECK(begin_file(path_of("bomb.zip"), &out) == 0);
    se_zip_begin(&w, &out);
    w.small = 1;
    CHECK(se_zip_add(&w, "bomb", &part, 1, &err) == 0 && se_zip_end(&w, &err) == 0);
    end_file(&out);
    len = slurp(path_of("bomb.zip"), &data);
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        const uint64_t at = len - 22 - 20 - 56 - 24;    /* size in the zip64 field of the entry */
        struct se_blob b;
        struct se_zip z;

        memcpy(data + at, &claims[i], 8);
        CHECK(se_zip_open(&z, data, len, &err) == 0 && z.member[0].size == claims[i]);
        CHECK((se_zip_read(&z, &z.member[0], &b, &err) == 0) == (claims[i] == 1 << 20));
        se_blob_release(&b);
        se_zip_release(&z);
    }
    CHECK(memory_within(before, 65536));
    free(data);
    unit_ok("a promised size costs no memory");
}

int main(void)
{
    static const char *const files[] = { "a.zip", "small.npz", "bomb.zip" };

    folder = temp_folder();
    test_zip();
    test_types();
    test_shapes();
    test_texts();
    test_hostile_headers();
    test_damage();
    test_bombs();
    remove_files(files, sizeof files / sizeof *files);
    return unit_done();
}
