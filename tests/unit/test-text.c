/* test-text.c - lines, numbers and the writer, against what the C library says */
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "common/base/rng.h"
#include "common/base/text.h"
#include "tests/unit/unit.h"

/* A file with these bytes, open for good: its path, valid until the next call */
static const char *file_of(const void *data, size_t len, bool zip)
{
    static char path[64];
    static int fd = -1;
    gzFile out;

    if (fd >= 0)
        close(fd);
    fd = memfd_create("text", 0);
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (!zip) {
        if (write(fd, data, len) != (ssize_t)len)
            abort();
        return path;
    }
    out = gzdopen(dup(fd), "wb1");
    for (size_t at = 0; at < len;) {
        const unsigned piece = len - at < 1 << 20 ? (unsigned)(len - at) : 1 << 20;

        if (gzwrite(out, (const char *)data + at, piece) != (int)piece)
            abort();
        at += piece;
    }
    gzclose(out);
    return path;
}

/* Cut the text into lines the slow way and compare. */
static void compare_lines(const char *text, size_t len, bool zip)
{
    struct se_text t;
    struct se_err err = SE_ERR_INIT;
    uint64_t number = 0;
    size_t got, at = 0;
    char *line;
    int rc;

    CHECK(se_text_open(&t, file_of(text, len, zip), &err) == 0);
    while ((rc = se_text_line(&t, &line, &got, &err)) > 0) {
        size_t end = at;

        while (end < len && text[end] != '\n')
            end++;
        const size_t want = end - at - (end > at && text[end - 1] == '\r');
        CHECK(at < len && got == want && memcmp(line, text + at, want) == 0);
        CHECK(line[got] == '\0' && t.line == ++number);
        memset(line, 'x', got);                 /* a caller may change the line */
        at = end + 1;
    }
    CHECK(rc == 0 && at >= len);
    CHECK(se_text_line(&t, &line, &got, &err) == 0);    /* the end stays the end */
    se_text_close(&t);
}

static void test_lines(void)
{
    static const char *const some[] = {
        "", "\n", "a", "a\n", "a\nb", "\n\n", "a\r\nb\r\n", "\r", "\r\n", "a\rb\n", "a\r\r\n",
        "one two\n\nthree"
    };

    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++) {
        compare_lines(some[i], strlen(some[i]), false);
        compare_lines(some[i], strlen(some[i]), true);
    }
    for (uint64_t seed = 0; seed < 30; seed++) {
        const size_t len = 1 << (seed % 21);
        char *text = malloc(len);
        struct se_rng r;

        se_rng_init(&r, seed, SE_RNG_TEST, 0);
        const uint64_t rare = 1 + se_rng_below(&r, 1 << (seed % 20));
        for (size_t i = 0; i < len; i++)
            text[i] = se_rng_below(&r, rare) == 0 ? "\n\r"[se_rng_below(&r, 2)]
                                                  : (char)(1 + se_rng_below(&r, 255));
        compare_lines(text, len, seed % 2);
        free(text);
    }
    unit_ok("text: lines of any length, plain and gzip'd, LF and CR LF");
}

static void test_bad_files(void)
{
    struct se_err err = SE_ERR_INIT;
    struct se_bytes b = SE_BYTES_INIT;
    struct se_text t;
    char *line, zip[4096], text[10000];
    size_t len;
    int fd, rc;

    CHECK(se_text_open(&t, "/no/such/file", &err) < 0 && err.code == SE_EIO);
    CHECK(strstr(err.text, "/no/such/file: cannot open"));
    CHECK(se_text_open(&t, "/", &err) < 0 && strstr(err.text, "folder"));
    CHECK(se_text_open(&t, file_of("a\nb\0c\n", 6, false), &err) == 0);
    CHECK(se_text_line(&t, &line, &len, &err) == 1);
    CHECK(se_text_line(&t, &line, &len, &err) < 0 && strstr(err.text, "line 2"));
    se_text_close(&t);
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (char)(i * i / 77 % 26 + 'a');
    fd = open(file_of(text, sizeof text, true), O_RDONLY);
    len = (size_t)read(fd, zip, sizeof zip);
    close(fd);
    CHECK(len > 100 && len < sizeof zip);
    for (size_t cut = 20; cut < len; cut += 7) {
        CHECK(se_text_open(&t, file_of(zip, cut, false), &err) == 0);
        while ((rc = se_text_line(&t, &line, &len, &err)) > 0)
            ;
        CHECK(rc < 0 && err.code == SE_EINPUT && strstr(err.text, "gzip"));
        se_text_close(&t);
        CHECK(se_slurp(&b, file_of(zip, cut, false), 0, &err) < 0 && !b.data);
    }
    unit_ok("text: absent, a folder, NUL bytes, gzip cut short");
}

static void test_slurp(void)
{
    struct se_err err = SE_ERR_INIT;

    for (int i = 0; i < 2; i++)
        for (size_t len = 0; len < 3000000; len = len * 5 + 1) {
            struct se_bytes b = SE_BYTES_INIT;
            char *text = malloc(len + 1);

            memset(text, 'q', len);
            CHECK(se_slurp(&b, file_of(text, len, i), 0, &err) == 0 && b.len == len);
            CHECK(memcmp(b.data, text, len) == 0 && b.data[len] == '\0');
            se_bytes_release(&b);
            CHECK(se_slurp(&b, file_of(text, len, i), len ? len : 1, &err) == 0);
            se_bytes_release(&b);
            CHECK(len < 2 || (se_slurp(&b, file_of(text, len, i), len - 1, &err) < 0 &&
                              err.code == SE_EINPUT && !b.data));
            free(text);
        }
    unit_ok("text: whole files, with a limit");
}

/* Every number that strtod takes and we promise to take, and where it ends */
static void check_number(const char *text)
{
    const char *p = text;
    char *end;
    double got = 0;
    const double want = strtod(text, &end);

    if (!se_parse_number(&p, &got)) {
        printf("# '%s' is not read\n", text);
        CHECK(false);
    } else if (got != want || p != end || signbit(got) != signbit(want)) {
        printf("# '%s' is %.17g, not %.17g, rest '%s'\n", text, got, want, p);
        CHECK(false);
    }
}

static void test_numbers(void)
{
    static const char *const good[] = {
        "0", "-0", "1", "+1", "-1.5", ".5", "5.", "-.5", "1e5", "1E5", "1e+5", "1e-5", "1e22",
        "1e23", "123456789012345", "1234567890123456", "12345678901234567890", "0.1",
        "0.30000000000000004", "1e-300", "4.9e-324", "1e-400", "1.7976931348623157e308",
        "1e", "1e+", "1.5x", "7 8", "7\t8", "00012", "0.000000000000000000001",
        "1e0000000000000000000000005", "9007199254740993", "123456789.0123456789e-3", "2,5"
    };
    static const char *const bad[] = {
        "", " 1", "nan", "NaN", "-nan", "inf", "-inf", "infinity", "x", "-", "+", ".", "-.",
        "e5", "+-1", "--1", "1e999", "-1e999", "\t1", ".e5"
    };
    double v;
    uint64_t u;

    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++)
        check_number(good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        const char *p = bad[i];

        CHECK(!se_parse_number(&p, &v) && p == bad[i]);
    }
    CHECK(!se_whole_number("0x10", &v) && !se_whole_number("1 ", &v));
    CHECK(se_whole_number("1e3", &v) && v == 1000);
    CHECK(se_whole_u64("18446744073709551615", &u) && u == UINT64_MAX);
    CHECK(!se_whole_u64("18446744073709551616", &u) && !se_whole_u64("99999999999999999999", &u));
    CHECK(!se_whole_u64("", &u) && !se_whole_u64("-1", &u) && !se_whole_u64("+1", &u));
    CHECK(!se_whole_u64(" 1", &u) && !se_whole_u64("1.0", &u) && !se_whole_u64("1x", &u));
    CHECK(se_whole_u64("000", &u) && u == 0);
    unit_ok("numbers: what is one and what is not");
}

static void test_random_numbers(void)
{
    struct se_rng r;
    char text[64];

    se_rng_init(&r, 9, SE_RNG_TEST, 0);
    for (int i = 0; i < 200000; i++) {
        const int digits = 1 + (int)se_rng_below(&r, 20);
        double v;
        uint64_t bits;

        if (i % 2) {                            /* any double, more or less rounded */
            bits = se_rng_u64(&r);
            memcpy(&v, &bits, sizeof v);
            if (!isfinite(v))
                continue;
            snprintf(text, sizeof text, "%.*g", digits, v);
            if (!isfinite(strtod(text, NULL)))
                continue;                       /* rounded up, out of range */
        } else {                                /* everyday numbers */
            snprintf(text, sizeof text, "%.*f", digits % 10,
                     se_rng_normal(&r) * pow(10, (double)se_rng_below(&r, 15)));
        }
        check_number(text);
    }
    unit_ok("numbers: 200000 random ones as strtod has them");
}

/* What was written through a se_out into a file */
static char *written(void (*write)(struct se_out *, void *), void *arg, size_t *len)
{
    const int fd = memfd_create("out", 0);
    struct se_err err = SE_ERR_INIT;
    struct se_out o;
    char *text;

    CHECK(se_out_init(&o, fd, &err) == 0);
    write(&o, arg);
    CHECK(se_out_flush(&o, &err) == 0);
    se_out_release(&o);
    *len = (size_t)lseek(fd, 0, SEEK_END);
    text = calloc(*len + 1, 1);
    if (pread(fd, text, *len, 0) != (ssize_t)*len)
        abort();
    close(fd);
    return text;
}

static void some_numbers(struct se_out *o, void *arg)
{
    struct se_rng *r = arg;

    for (int i = 0; i < 20000; i++) {
        const uint64_t bits = se_rng_u64(r) >> se_rng_below(r, 64);
        const uint32_t half = se_rng_u32(r);
        float f;
        double d;

        memcpy(&f, &half, sizeof f);
        memcpy(&d, &bits, sizeof d);
        se_out_u64(o, bits);
        se_out_char(o, '\n');
        se_out_i64(o, (int64_t)se_rng_u64(r));
        se_out_char(o, '\n');
        se_out_float(o, isfinite(f) ? f : (float)i);
        se_out_char(o, '\n');
        se_out_double(o, isfinite(d) ? d : -i);
        se_out_char(o, '\n');
    }
}

static void test_out_numbers(void)
{
    struct se_rng r, again;
    size_t len;
    char *text, *line;

    se_rng_init(&r, 4, SE_RNG_TEST, 0);
    again = r;
    text = written(some_numbers, &r, &len);
    line = text;
    for (int i = 0; i < 20000; i++) {
        const uint64_t bits = se_rng_u64(&again) >> se_rng_below(&again, 64);
        const uint32_t half = se_rng_u32(&again);
        const int64_t whole = (int64_t)se_rng_u64(&again);
        char want[64];
        float f;
        double d;

        memcpy(&f, &half, sizeof f);
        memcpy(&d, &bits, sizeof d);
        f = isfinite(f) ? f : (float)i;
        d = isfinite(d) ? d : -i;
        CHECK(strtoull(line, &line, 10) == bits && *line++ == '\n');
        CHECK(strtoll(line, &line, 10) == whole && *line++ == '\n');
        snprintf(want, sizeof want, "%.9g\n", (double)f);
        CHECK(strncmp(line, want, strlen(want)) == 0);          /* %.9g to the letter */
        line = strchr(line, '\n') + 1;
        CHECK(strtod(line, &line) == d && *line++ == '\n');
    }
    CHECK(line == text + len);
    free(text);
    unit_ok("out: numbers, to be read again exactly");
}

static void floats(struct se_out *o, void *arg)
{
    static const float some[] = { 0, 1, -1, 0.1f, 1e9f, 999999936, 16777216, 1e-45f, -0.0f,
                                  3.4028235e38f, 0.5f, 1e10f };
    (void)arg;
    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++) {
        char want[32];

        snprintf(want, sizeof want, "%.9g ", (double)some[i]);
        se_out_float(o, some[i]);
        se_out_char(o, ' ');
        se_out_str(o, want);
    }
    se_out_i64(o, INT64_MIN);
    se_out_double(o, 0.1);
}

static void test_out_floats(void)
{
    size_t len;
    char *text = written(floats, NULL, &len), *at = text;

    for (int i = 0; i < 12; i++) {
        const size_t n = strcspn(at, " ") + 1;

        CHECK(strncmp(at, at + n, n) == 0);
        at += 2 * n;
    }
    CHECK(strcmp(at, "-92233720368547758080.1") == 0);
    free(text);
    unit_ok("out: floats as %.9g has them");
}

static void json(struct se_out *o, void *arg)
{
    (void)arg;
    se_out_json(o, "a\"b\\c\n\x01\x7f/", 9);
    se_out_json(o, "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 9);          /* good UTF-8 */
    se_out_json(o, "\xff", 1);
    se_out_json(o, "\xc3", 1);                                          /* cut */
    se_out_json(o, "\xc0\xaf", 2);                                      /* overlong */
    se_out_json(o, "\xed\xa0\x80", 3);                                  /* a surrogate */
    se_out_json(o, "\xf4\x90\x80\x80", 4);                              /* beyond U+10FFFF */
    se_out_json(o, "", 0);
    se_out_json(o, "a\0b", 3);
}

static void test_json(void)
{
    static const char want[] =
        "\"a\\\"b\\\\c\\u000a\\u0001\\u007f/\"\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"\"\\ufffd\""
        "\"\\ufffd\"\"\\ufffd\\ufffd\"\"\\ufffd\\ufffd\\ufffd\"\"\\ufffd\\ufffd\\ufffd\\ufffd\""
        "\"\"\"a\\u0000b\"";
    size_t len;
    char *text = written(json, NULL, &len);

    if (strcmp(text, want) != 0)
        printf("# %s\n# %s\n", text, want);
    CHECK(len == sizeof want - 1 && strcmp(text, want) == 0);
    free(text);
    unit_ok("out: JSON strings");
}

static void test_out_errors(void)
{
    static const char block[100000];
    const int full = open("/dev/full", O_WRONLY);
    struct se_err err = SE_ERR_INIT;
    struct se_out o;
    int fd[2];

    CHECK(se_out_init(&o, full, &err) == 0);
    for (int i = 0; i < 100; i++)
        se_out_bytes(&o, block, sizeof block);
    CHECK(se_out_flush(&o, &err) < 0 && err.code == SE_EIO && strstr(err.text, "space"));
    CHECK(se_out_flush(&o, &err) < 0);                  /* errors stick */
    se_out_release(&o);
    close(full);
    if (pipe(fd) < 0)
        abort();
    close(fd[0]);
    CHECK(se_write_all(fd[1], "x", 1, &err) < 0 && err.code == SE_EPIPE);
    CHECK(se_out_init(&o, fd[1], &err) == 0);
    se_out_char(&o, 'x');
    CHECK(se_out_flush(&o, &err) < 0 && err.code == SE_EPIPE);
    se_out_release(&o);
    close(fd[1]);
    unit_ok("out: a full disk and a closed pipe are told");
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);
    test_lines();
    test_bad_files();
    test_slurp();
    test_numbers();
    test_random_numbers();
    test_out_numbers();
    test_out_floats();
    test_json();
    test_out_errors();
    return unit_done();
}
