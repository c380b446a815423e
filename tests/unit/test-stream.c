/* test-stream.c - streams through memory, pipes and files: codecs, origins, hostile lengths */
#include <pthread.h>
#include <signal.h>
#include <zlib.h>

#include "common/base/crc.h"
#include "tests/unit/anystream.h"

/* Allocations are counted: by our own malloc, or by the sanitizer's hook. */
static volatile uint64_t largest;          /* volatile: gcc thinks it knows malloc */

#if defined(__SANITIZE_ADDRESS__)
void __sanitizer_malloc_hook(const volatile void *p, size_t size);
void __sanitizer_malloc_hook(const volatile void *p, size_t size)
{
    (void)p;
    largest = size > largest ? size : largest;
}
#else
void *__libc_malloc(size_t size);
void *__libc_realloc(void *p, size_t size);
void *__libc_calloc(size_t count, size_t size);
void *malloc(size_t size)
{
    largest = size > largest ? size : largest;
    return __libc_malloc(size);
}
void *realloc(void *p, size_t size)
{
    largest = size > largest ? size : largest;
    return __libc_realloc(p, size);
}
void *calloc(size_t count, size_t size)
{
    largest = count * size > largest ? count * size : largest;
    return __libc_calloc(count, size);
}
#endif

enum way { MEMORY, PIPE, MAPPED, MIDDLE, WAYS };

struct bytes {
    unsigned char *data;
    size_t len;
    int fd;
};

static void *feed(void *arg)
{
    const struct bytes *b = arg;

    for (size_t at = 0; at < b->len;) {
        const size_t piece = b->len - at < 777 ? b->len - at : 777;

        if (write(b->fd, b->data + at, piece) != (ssize_t)piece)
            break;                              /* the reader has seen enough */
        at += piece;
    }
    close(b->fd);
    return NULL;
}

/* Through a pipe, in small pieces */
static int read_pipe(struct se_stream *s, unsigned char *data, size_t len, struct se_err *err)
{
    struct bytes b = { data, len, -1 };
    pthread_t writer;
    int fd[2], rc;

    if (pipe(fd) < 0)
        abort();
    b.fd = fd[1];
    if (pthread_create(&writer, NULL, feed, &b) != 0)
        abort();
    rc = se_stream_read(s, fd[0], err);
    close(fd[0]);
    pthread_join(writer, NULL);
    return rc;
}

/* From a file: mapped when read from its start, else not */
static int read_file(struct se_stream *s, const unsigned char *data, size_t len, size_t before,
                     struct se_err *err)
{
    const int fd = memfd_create("stream", 0);
    int rc;

    if (fd < 0 || pwrite(fd, data, len, (off_t)before) != (ssize_t)len)
        abort();
    lseek(fd, (off_t)before, SEEK_SET);
    rc = se_stream_read(s, fd, err);
    close(fd);
    return rc;
}

static int read_by(enum way way, struct se_stream *s, unsigned char *data, size_t len,
                   struct se_err *err)
{
    switch (way) {
    case PIPE: return read_pipe(s, data, len, err);
    case MAPPED: return read_file(s, data, len, 0, err);
    case MIDDLE: return read_file(s, data, len, 3, err);
    default: return se_stream_read_memory(s, data, len, err);
    }
}

static bool same_bytes(struct se_stream *s, int level, const unsigned char *want, size_t len)
{
    size_t got;
    unsigned char *bytes = any_written(s, level, &got);
    const bool same = got == len && memcmp(bytes, want, len) == 0;

    free(bytes);
    return same;
}

/* Written at a level, read in every way, written again */
static void round_trip(const struct any *a, struct se_stream *s, int level)
{
    struct se_digest want, got;
    struct se_err err = SE_ERR_INIT;
    size_t len, plain_len;
    unsigned char *plain = any_written(s, 0, &plain_len);
    unsigned char *bytes = any_written(s, level, &len);

    CHECK(se_stream_digest(s, &want, &err) == 0);
    for (enum way way = MEMORY; way < WAYS; way++) {
        struct se_stream t = SE_STREAM_INIT;

        CHECK(read_by(way, &t, bytes, len, &err) == 0);
        CHECK((t.map != NULL) == (way == MAPPED));
        CHECK(t.count == s->count && any_same(a, &t));
        CHECK(se_stream_check(&t, &err) == 0);
        CHECK(se_stream_digest(&t, &got, &err) == 0 && se_digest_equal(&want, &got));
        CHECK(same_bytes(&t, -1, bytes, len));          /* as it came */
        CHECK(same_bytes(&t, 0, plain, plain_len));
        for (size_t i = 0; i < t.count; i++) {
            CHECK(t.section[i].tag == s->section[i].tag);
            CHECK(t.section[i].codec == (level > 0 ? SE_DEFLATED : SE_PLAIN));
            CHECK(memcmp(t.section[i].origin, s->section[i].origin,
                         sizeof s->section[i].origin) == 0);
        }
        se_stream_release(&t);
    }
    free(plain);
    free(bytes);
}

static void test_round_trips(void)
{
    static const int levels[] = { -1, 0, 1, 6, 9 };

    for (uint64_t seed = 0; seed < 60; seed++) {
        struct se_stream s = SE_STREAM_INIT;
        struct se_err err = SE_ERR_INIT;
        struct any a;

        any_make(&a, seed, seed % 3 * 20, seed < 30 ? 1 : 0.5);
        CHECK(any_put(&a, &s, &err) == 0);
        round_trip(&a, &s, levels[seed % 5]);
        se_stream_release(&s);
        any_release(&a);
    }
    unit_ok("stream: memory, pipe, mapped file and the middle of a file, all levels");
}

/* Larger than a pipe and than the first piece that is read */
static void test_large(void)
{
    enum { BYTES = 5000011 };
    static const uint32_t tag = SE_TAG('d', 'a', 't', 'a');
    unsigned char *data = malloc(BYTES);
    struct se_stream s = SE_STREAM_INIT;
    struct se_err err = SE_ERR_INIT;
    struct se_piece part = { data, BYTES };
    struct se_rng r;

    se_rng_init(&r, 1, SE_RNG_TEST, 0);
    for (size_t i = 0; i < BYTES; i++)
        data[i] = (unsigned char)(se_rng_u32(&r) & 15);
    CHECK(se_stream_put(&s, tag, &part, 1, NULL, &err) == 0);
    for (int level = 0; level < 2; level++) {
        size_t len;
        unsigned char *bytes = any_written(&s, level, &len);

        CHECK(level == 0 ? len > BYTES : len < BYTES);
        for (enum way way = MEMORY; way < WAYS; way++) {
            struct se_stream t = SE_STREAM_INIT;

            CHECK(read_by(way, &t, bytes, len, &err) == 0 && t.count == 1);
            CHECK(se_section_plain(&t.section[0], &err) != NULL);
            CHECK(t.section[0].plain_len == (BYTES + 7) / 8 * 8);
            CHECK(memcmp(t.section[0].plain, data, BYTES) == 0);
            se_stream_release(&t);
        }
        free(bytes);
    }
    se_stream_release(&s);
    free(data);
    unit_ok("stream: sections of megabytes");
}

/* A stream by hand: one section header with these lengths, `bytes` of payload, no end */
static size_t craft(unsigned char *to, uint32_t tag, uint32_t codec, uint64_t stored,
                    uint64_t plain, size_t bytes)
{
    uint32_t crc;

    memset(to, 0, 96 + bytes);
    memcpy(to, "SEG\1", 4);
    crc = se_crc32(0, to, 12);
    memcpy(to + 12, &crc, 4);
    memcpy(to + 16, &tag, 4);
    memcpy(to + 20, &codec, 4);
    memcpy(to + 24, &stored, 8);
    memcpy(to + 32, &plain, 8);
    crc = se_crc32(0, to + 96, bytes);
    memcpy(to + 88, &crc, 4);
    crc = se_crc32(0, to + 16, 76);
    memcpy(to + 92, &crc, 4);
    return 96 + bytes;
}

/* Promised: 64 KiB to 2^63; there: up to 3 MB.  Memory: what is there, and a constant. */
static void test_promises(void)
{
    static const size_t there[] = { 0, 1, 1000, 3000000 };

    largest = 0;
    unsigned char *data = malloc(96 + 3000000);

    CHECK(largest >= 3000096);                  /* the counter counts */
    for (size_t i = 0; i < 4; i++)
        for (int power = 16; power < 64; power += there[i] > 1000 ? 15 : 3) {
            const uint64_t promise = (uint64_t)1 << power;
            const size_t len = craft(data, SE_FEATURES, SE_PLAIN, promise, promise, there[i]);

            if (promise <= there[i])
                continue;
            for (enum way way = MEMORY; way < WAYS; way++) {
                struct se_stream s = SE_STREAM_INIT;
                struct se_err err = SE_ERR_INIT;

                largest = 0;
                CHECK(read_by(way, &s, data, len, &err) < 0 && err.code == SE_EINPUT);
                CHECK(strstr(err.text, "features: stream ends inside a section"));
                CHECK(largest <= there[i] + (1 << 22) + 4096);
                se_stream_release(&s);
            }
        }
    free(data);
    unit_ok("stream: a length that lies costs no memory");
}

/* Deflated zeros: the promise is a bound, and what is inflated grows with what comes out. */
static void test_inflate_promises(void)
{
    enum { ZEROS = 1 << 20 };
    unsigned char *zeros = calloc(ZEROS, 1), *data = malloc(96 + 65536);
    uLongf len = 65536;

    compress2(data + 96, &len, zeros, ZEROS, 9);
    for (int power = 3; power < 63; power++) {
        const uint64_t promise = (uint64_t)1 << power;
        struct se_section x = { .tag = SE_GRAPH, .codec = SE_DEFLATED, .stored = data + 96,
                                .stored_len = len, .plain_len = promise };
        struct se_err err = SE_ERR_INIT;
        const bool ok = promise == ZEROS;

        largest = 0;
        CHECK((se_section_plain(&x, &err) != NULL) == ok);
        CHECK(ok || err.code == SE_EINPUT);
        CHECK(largest <= (promise < ZEROS ? promise : 2 * ZEROS) + (1 << 17));
        free(x.memory[1]);
    }
    free(zeros);
    free(data);
    unit_ok("stream: an inflated length that lies costs no memory");
}

/* Counts inside a payload that no bytes stand behind */
static void test_counts(void)
{
    static const uint64_t lies[] = { 5, 1000, (uint64_t)1 << 31, (uint64_t)1 << 32,
                                     ((uint64_t)1 << 32) - 1, (uint64_t)1 << 40,
                                     (uint64_t)1 << 61, (uint64_t)1 << 62, (uint64_t)1 << 63,
                                     UINT64_MAX, UINT64_MAX / 4 + 1, UINT64_MAX / 8 };
    enum { LIES = sizeof lies / sizeof lies[0] };

    for (int t = 0; se_section_kind(t); t++)
        for (int number = 0; number < LIES * LIES * 4; number++) {
            uint64_t h[4] = { lies[number % LIES], lies[number / LIES % LIES],
                              lies[(number + t) % LIES], (uint64_t)(number / LIES / LIES) };
            const struct se_piece part = { h, sizeof h };
            struct se_stream s = SE_STREAM_INIT;
            struct se_err err = SE_ERR_INIT;

            CHECK(se_stream_put(&s, se_section_kind(t)->tag, &part, 1, NULL, &err) == 0);
            largest = 0;
            CHECK(se_stream_check(&s, &err) < 0 && err.code == SE_EINPUT);
            CHECK(largest <= 1 << 16);
            se_stream_release(&s);
        }
    unit_ok("sections: counts that lie cost no memory");
}

static struct se_section *put(struct se_stream *s, uint32_t tag, const char *text,
                              uint32_t from, uint32_t from2)
{
    const uint32_t origins[SE_ORIGINS] = { from, from2 };
    const struct se_piece part = { text, strlen(text) };
    struct se_err err;

    CHECK(se_stream_put(s, tag, &part, 1, origins, &err) == 0);
    return se_stream_find(s, tag);
}

static const uint32_t extra = SE_TAG('e', 'x', 't', 'r');

/* graph, embedding -> knn; graph, knn -> fused -> tree; graph -> predictions, extr */
static void chain(struct se_stream *s)
{
    put(s, SE_GRAPH, "graph", 0, 0);
    put(s, SE_EMBEDDING, "embedding", 0, 0);
    put(s, SE_KNN, "knn", SE_EMBEDDING, 0);
    put(s, SE_FUSED, "fused", SE_GRAPH, SE_KNN);
    put(s, SE_TREE, "tree", SE_FUSED, 0);
    put(s, SE_PREDICTIONS, "predictions", SE_GRAPH, 0);
    put(s, extra, "extra", SE_GRAPH, 0);
    put(s, SE_LABELS, "labels", 0, 0);
}

/* What is left, as letters */
static bool holds(const struct se_stream *s, const char *want)
{
    char got[16] = "";

    for (size_t i = 0; i < s->count; i++)
        got[i] = se_section_name(s->section[i].tag)[0];
    if (strcmp(got, want) != 0)
        printf("# sections %s, not %s\n", got, want);
    return strcmp(got, want) == 0;
}

static void test_origins(void)
{
    static const struct {
        uint32_t tag;
        const char *left;
    } replaced[] = {
        { SE_GRAPH, "gekl" }, { SE_EMBEDDING, "gepel" }, { SE_KNN, "gekpel" },
        { SE_FUSED, "gekfpel" }, { SE_TREE, "gekftpel" }, { SE_LABELS, "gekftpel" }
    };
    struct se_err err;

    for (int i = 0; i < 6; i++)
        for (int keep = 0; keep < 2; keep++) {
            struct se_stream s = SE_STREAM_INIT;

            s.keep = keep;
            chain(&s);
            CHECK(holds(&s, "gekftpel"));
            put(&s, replaced[i].tag, "new content", 0, 0);
            CHECK(holds(&s, keep ? "gekftpel" : replaced[i].left));
            for (size_t j = 0; j < s.count && !keep; j++)
                CHECK(se_stream_check_origin(&s, s.section[j].tag, &err) == 0);
            se_stream_release(&s);
        }
    unit_ok("origins: what was derived from a replaced section goes, or stays with keep");
}

static void test_stale(void)
{
    struct se_stream s = SE_STREAM_INIT, t = SE_STREAM_INIT;
    struct se_err err = SE_ERR_INIT;

    chain(&s);
    put(&s, SE_GRAPH, "graph", 0, 0);                   /* the same content: nothing goes */
    CHECK(holds(&s, "gekftpel"));
    s.keep = true;
    put(&s, SE_GRAPH, "other", 0, 0);
    CHECK(se_stream_check_origin(&s, SE_FUSED, &err) < 0 && err.code == SE_EINPUT);
    CHECK(strstr(err.text, "fused") && strstr(err.text, "graph") && strstr(err.text, "--drop"));
    CHECK(se_stream_check_origin(&s, SE_PREDICTIONS, &err) < 0);
    CHECK(se_stream_check_origin(&s, extra, &err) < 0);
    CHECK(se_stream_check_origin(&s, SE_TREE, &err) == 0);
    CHECK(se_stream_check_origin(&s, SE_KNN, &err) == 0);
    put(&s, SE_KNN, "newer", 0, 0);
    put(&s, SE_GRAPH, "graph", 0, 0);                   /* the second origin counts too */
    CHECK(se_stream_check_origin(&s, SE_PREDICTIONS, &err) == 0);
    CHECK(se_stream_check_origin(&s, SE_FUSED, &err) < 0 && strstr(err.text, "knn"));
    se_stream_drop(&s, SE_KNN);                         /* nothing there to compare with */
    CHECK(se_stream_check_origin(&s, SE_FUSED, &err) == 0);
    for (size_t i = 0; i < s.count; i++)
        CHECK(se_stream_copy(&t, &s.section[i], &err) == 0);
    put(&t, SE_GRAPH, "third", 0, 0);                   /* copies have kept their origins */
    CHECK(holds(&t, "gel"));
    se_stream_release(&s);
    se_stream_release(&t);
    unit_ok("origins: a section derived from something else is told");
}

/* A section that this version does not know goes through byte for byte. */
static void test_unknown(void)
{
    struct se_stream s = SE_STREAM_INIT, t = SE_STREAM_INIT;
    struct se_err err = SE_ERR_INIT;
    unsigned char *bytes, *again;
    size_t len, again_len;

    put(&s, SE_GRAPH, "graph", 0, 0);
    put(&s, SE_LABELS, "labels", 0, 0);
    put(&s, extra, "a long text, a long text, a long text", SE_GRAPH, SE_LABELS);
    for (int level = 0; level < 10; level += 9) {
        bytes = any_written(&s, level, &len);
        CHECK(se_stream_read_memory(&t, bytes, len, &err) == 0 && t.count == 3);
        const struct se_section *x = se_stream_find(&t, extra);
        const unsigned char *from = x->stored - 80;
        const size_t size = 80 + ((x->stored_len + 15) & ~(size_t)15);
        put(&t, SE_SPLITS, "new", 0, 0);
        put(&t, SE_LABELS, "labels", 0, 0);
        again = any_written(&t, -1, &again_len);
        CHECK(memmem(again, again_len, from, size) != NULL);
        free(again);
        se_stream_release(&t);
        free(bytes);
    }
    se_stream_release(&s);
    put(&s, SE_TAG('E', 'x', 't', 'r'), "mandatory", 0, 0);
    bytes = any_written(&s, 0, &len);
    CHECK(se_stream_read_memory(&t, bytes, len, &err) < 0);
    CHECK(strcmp(err.text, "Extr: unknown mandatory section; a newer se-gsl wrote this") == 0);
    free(bytes);
    se_stream_release(&t);
    se_stream_release(&s);
    unit_ok("stream: unknown sections pass, mandatory ones do not");
}

/* History is no content: it and the way of packing leave the digest as it is. */
static void test_digest(void)
{
    struct se_stream s = SE_STREAM_INIT;
    struct se_err err = SE_ERR_INIT;
    struct se_digest a, b;

    chain(&s);
    CHECK(se_stream_digest(&s, &a, &err) == 0);
    CHECK(se_history_add(&s, "a line", &err) == 0);
    CHECK(se_stream_digest(&s, &b, &err) == 0 && se_digest_equal(&a, &b));
    put(&s, SE_LABELS, "Labels", 0, 0);
    CHECK(se_stream_digest(&s, &b, &err) == 0 && !se_digest_equal(&a, &b));
    put(&s, SE_LABELS, "labels", 0, 0);
    CHECK(se_stream_digest(&s, &b, &err) == 0 && se_digest_equal(&a, &b));
    put(&s, SE_PREDICTIONS, "predictions", 0, 0);       /* the origin is content */
    CHECK(se_stream_digest(&s, &b, &err) == 0 && !se_digest_equal(&a, &b));
    se_stream_release(&s);
    unit_ok("stream: the digest is of the content");
}

/* Sections that hang from one another, each from the one before */
static void test_many(void)
{
    enum { MANY = 2000 };
    struct se_stream s = SE_STREAM_INIT;
    struct se_err err = SE_ERR_INIT;

    put(&s, SE_GRAPH, "graph", 0, 0);
    for (uint32_t i = 0; i < MANY; i++) {
        struct se_section x = *se_stream_find(&s, SE_GRAPH);

        x.tag = SE_TAG('a' + i % 26, 'a' + i / 26 % 26, 'a' + i / 676 % 26, 'a' + i / 17576);
        x.origin[0].tag = i ? s.section[s.count - 1].tag : SE_GRAPH;
        CHECK(se_stream_copy(&s, &x, &err) == 0);
    }
    put(&s, SE_GRAPH, "other", 0, 0);
    CHECK(s.count == 1);
    se_stream_release(&s);
    unit_ok("stream: a long chain of origins");
}

int main(void)
{
    signal(SIGPIPE, SIG_IGN);                   /* a reader may give up early */
    test_round_trips();
    test_large();
    test_promises();
    test_inflate_promises();
    test_counts();
    test_origins();
    test_stale();
    test_unknown();
    test_digest();
    test_many();
    return unit_done();
}
