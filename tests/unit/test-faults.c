/* test-faults.c - streams cut at every byte and with every byte changed */
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>

#include "common/base/crc.h"
#include "tests/unit/anystream.h"

extern char **environ;

struct bytes {
    unsigned char *data;
    size_t len;
};

static struct bytes golden(const char *path)
{
    struct bytes b = { calloc(1, 1 << 16), 0 };
    FILE *file = fopen(path, "rb");

    if (!file) {
        printf("# %s is missing (run this from the top of the project)\n", path);
        exit(1);
    }
    b.len = fread(b.data, 1, 1 << 16, file);
    fclose(file);
    return b;
}

/* All sections, `n` vertices */
static struct bytes generated(uint64_t seed, uint64_t n, int level)
{
    struct se_stream s = SE_STREAM_INIT;
    struct se_err err = SE_ERR_INIT;
    struct bytes b;
    struct any a;

    any_make(&a, seed, n, 1);
    if (any_put(&a, &s, &err) < 0)
        abort();
    b.data = any_written(&s, level, &b.len);
    se_stream_release(&s);
    any_release(&a);
    return b;
}

static bool one_line(const struct se_err *err)
{
    return err->code == SE_EINPUT && err->text[0] && !strchr(err->text, '\n');
}

/* From memory with nothing behind it, so that reading on is seen; then from a pipe */
static bool refused(const unsigned char *data, size_t len, bool by_pipe)
{
    unsigned char *exact = malloc(len ? len : 1);
    struct se_stream s = SE_STREAM_INIT;
    struct se_err err = SE_ERR_INIT;
    bool ok;
    int fd[2];

    memcpy(exact, data, len);
    ok = se_stream_read_memory(&s, exact, len, &err) < 0 && one_line(&err);
    se_stream_release(&s);
    free(exact);
    if (!ok || !by_pipe)
        return ok;
    if (pipe(fd) < 0 || write(fd[1], data, len) != (ssize_t)len)
        abort();
    close(fd[1]);
    ok = se_stream_read(&s, fd[0], &err) < 0 && one_line(&err);
    close(fd[0]);
    se_stream_release(&s);
    return ok;
}

/* Every byte up to 4 KiB, then 1000 places */
static void test_cuts(const char *name, struct bytes b)
{
    struct se_rng r;

    CHECK(b.len < 65536);                       /* what a pipe takes without a reader */
    for (size_t at = 0; at < b.len && at < 4096; at++)
        if (!refused(b.data, at, at % 4 == 0)) {
            printf("# cut at %zu of %zu is not refused\n", at, b.len);
            CHECK(false);
        }
    se_rng_init(&r, 1, SE_RNG_TEST, b.len);
    for (int i = 0; i < 1000 && b.len > 4096; i++) {
        const size_t at = 4096 + se_rng_below(&r, b.len - 4096);

        if (!refused(b.data, at, i % 4 == 0)) {
            printf("# cut at %zu of %zu is not refused\n", at, b.len);
            CHECK(false);
        }
    }
    unit_ok(name);
}

static void test_flips(const char *name, struct bytes b)
{
    struct se_rng r;

    se_rng_init(&r, 2, SE_RNG_TEST, b.len);
    for (size_t at = 0; at < b.len; at++) {
        const unsigned char mask = (unsigned char)(1 + se_rng_below(&r, 255));

        b.data[at] ^= mask;
        if (!refused(b.data, b.len, at % 4 == 0)) {
            printf("# byte %zu changed by %d is not refused\n", at, mask);
            CHECK(false);
        }
        b.data[at] ^= mask;
    }
    unit_ok(name);
}

/* Make all checksums right again: what is wrong now is what the sections say. */
static void repair(struct bytes b)
{
    uint32_t crc = se_crc32(0, b.data, 12);

    memcpy(b.data + 12, &crc, 4);
    for (size_t at = 16; at + 80 <= b.len;) {
        unsigned char *h = b.data + at;
        uint64_t len;

        memcpy(&len, h + 8, 8);
        if (len > b.len - at - 80)
            break;
        crc = se_crc32(0, h + 80, len);
        memcpy(h + 72, &crc, 4);
        crc = se_crc32(0, h, 76);
        memcpy(h + 76, &crc, 4);
        at += 80 + ((len + 15) & ~(uint64_t)15);
    }
}

/* Read, checked, and written again if it passes: whatever it is, nothing breaks. */
static int try(struct bytes b)
{
    unsigned char *exact = malloc(b.len), *again;
    struct se_stream s = SE_STREAM_INIT;
    struct se_err err = SE_ERR_INIT;
    size_t len;
    int passed = 0;

    memcpy(exact, b.data, b.len);
    if (se_stream_read_memory(&s, exact, b.len, &err) == 0 && se_stream_check(&s, &err) == 0) {
        again = any_written(&s, -1, &len);
        CHECK(len == b.len && memcmp(again, exact, 4) == 0);
        free(again);
        passed = 1;
    } else {
        CHECK(one_line(&err));
    }
    se_stream_release(&s);
    free(exact);
    return passed;
}

static void test_repaired(const char *name, struct bytes b)
{
    static const unsigned char masks[] = { 0x01, 0x80, 0xff, 0x40 };
    unsigned char *whole = malloc(b.len);
    size_t passed = 0;

    memcpy(whole, b.data, b.len);
    for (size_t at = 0; at < b.len; at++) {
        b.data[at] ^= masks[at * 7 / 3 % 4];
        repair(b);
        passed += (size_t)try(b);
        memcpy(b.data, whole, b.len);
    }
    CHECK(passed > 0 && passed < b.len / 2);
    free(whole);
    unit_ok(name);
}

/* se-check on a file: exit status 1, nothing on stdout, one line on stderr */
static bool tool_refuses(const char *tool, const char *file, bool as_input)
{
    char *argv[] = { (char *)(uintptr_t)tool, as_input ? NULL : (char *)(uintptr_t)file, NULL };
    posix_spawn_file_actions_t actions;
    char text[4096];
    ssize_t len = 0, got;
    int fd[2], status = -1;
    pid_t child;

    if (pipe(fd) < 0)
        abort();
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, as_input ? file : "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, fd[1], 1);
    posix_spawn_file_actions_adddup2(&actions, fd[1], 2);
    posix_spawn_file_actions_addclose(&actions, fd[0]);
    if (posix_spawn(&child, tool, &actions, NULL, argv, environ) != 0)
        abort();
    posix_spawn_file_actions_destroy(&actions);
    close(fd[1]);
    while ((got = read(fd[0], text + len, sizeof text - 1 - (size_t)len)) > 0)
        len += got;
    text[len] = '\0';
    close(fd[0]);
    waitpid(child, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 1 && strncmp(text, "se-check: ", 10) == 0 &&
        strchr(text, '\n') == text + len - 1)
        return true;
    printf("# status %d, says: %s\n", status, text);
    return false;
}

static void write_file(const char *path, const unsigned char *data, size_t len)
{
    FILE *file = fopen(path, "wb");

    if (!file || fwrite(data, 1, len, file) != len || fclose(file) != 0)
        abort();
}

static void test_tool(struct bytes b)
{
    const char *bin = getenv("SE_BIN");
    char tool[4096], file[] = "/tmp/se-faults-XXXXXX";
    struct se_rng r;

    snprintf(tool, sizeof tool, "%s/se-check", bin ? bin : "build/bin");
    if (access(tool, X_OK) != 0) {
        printf("ok %d - se-check on cuts and changes # skip no %s\n", ++unit_tests, tool);
        return;
    }
    close(mkstemp(file));
    se_rng_init(&r, 3, SE_RNG_TEST, 0);
    for (int i = 0; i < 200; i++) {
        const size_t at = se_rng_below(&r, b.len);

        b.data[at] ^= 0x10;
        write_file(file, b.data, i % 2 ? at : b.len);
        CHECK(tool_refuses(tool, file, i % 4 > 1));
        b.data[at] ^= 0x10;
    }
    unlink(file);
    unit_ok("se-check on 200 cuts and changes: status 1 and one line");
}

int main(void)
{
    struct bytes b[] = { golden("tests/golden/v1.seg"), golden("tests/golden/v1-deflated.seg"),
                         generated(1, 90, 0), generated(2, 200, 6), generated(3, 3, 0),
                         generated(4, 9, 9) };

    CHECK(b[2].len > 8192 && b[3].len > 8192);
    test_cuts("cuts of v1.seg", b[0]);
    test_cuts("cuts of v1-deflated.seg", b[1]);
    test_cuts("cuts of a larger stream", b[2]);
    test_cuts("cuts of a larger stream, deflated", b[3]);
    test_flips("changes of v1.seg", b[0]);
    test_flips("changes of v1-deflated.seg", b[1]);
    test_flips("changes of a small stream", b[4]);
    test_repaired("changes of v1.seg, checksums right", b[0]);
    test_repaired("changes of a small stream, checksums right", b[4]);
    test_repaired("changes of a deflated stream, checksums right", b[5]);
    test_tool(b[0]);
    for (size_t i = 0; i < sizeof b / sizeof b[0]; i++)
        free(b[i].data);
    return unit_done();
}
