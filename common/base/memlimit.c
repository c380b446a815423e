/* memlimit.c - how much memory this process may have
 *
 * A small file can ask for much: deflated data that inflate a thousandfold, a count of columns,
 * a list of a list of a list.  Without a limit the system decides who dies of that. */
#include <inttypes.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "common/base/text.h"

enum { OFTEN = 1 << 20 };       /* bytes asked for between two looks at what we have */

static uint64_t limit = UINT64_MAX;
static bool by_default;         /* limit is to be set when it is first needed */

/* The number behind `key` in a file such as /proc/meminfo, or `otherwise` */
static uint64_t number_in(const char *path, const char *key, uint64_t otherwise)
{
    FILE *file = fopen(path, "re");
    const size_t len = strlen(key);
    char line[256];
    uint64_t value = otherwise;

    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, key, len) == 0) {
            const char *p = line + len + strspn(line + len, " \t:");

            if (!se_parse_u64(&p, &value))
                value = otherwise;
            break;
        }
    if (file)
        fclose(file);
    return value;
}

/* What a container leaves us, where there is one: cgroup 2, else 1 */
static uint64_t free_in_group(void)
{
    static const char *const file[][2] = {
        { "/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current" },
        { "/sys/fs/cgroup/memory/memory.limit_in_bytes",
          "/sys/fs/cgroup/memory/memory.usage_in_bytes" }
    };
    uint64_t least = UINT64_MAX;

    for (int i = 0; i < 2; i++) {
        const uint64_t most = number_in(file[i][0], "", UINT64_MAX);
        const uint64_t used = number_in(file[i][1], "", 0);

        if (most != UINT64_MAX && most - (used < most ? used : most) < least)
            least = most - (used < most ? used : most);
    }
    return least;
}

/* Four fifths of what is free; at least 64 MiB, so that a full machine can still say so */
static void set_default(void)
{
    const uint64_t least = UINT64_C(64) << 20, group = free_in_group();
    uint64_t room = number_in("/proc/meminfo", "MemAvailable", UINT64_MAX >> 10);

    room = room > UINT64_MAX >> 10 ? UINT64_MAX : room << 10;
    room = (group < room ? group : room) / 5 * 4;
    limit = room < least ? least : room;
}

int se_memory_limit(const char *text, struct se_err *err)
{
    uint64_t value = UINT64_MAX;

    by_default = !text;
    limit = UINT64_MAX;
    if (text && strcmp(text, "none") != 0 && !se_whole_size(text, &value))
        return se_fail(err, SE_EUSAGE, "memory: '%s' is not a size such as 500M or 4G, nor none", text);
    limit = value;
    return 0;
}

static uint64_t at_start;               /* what the loader, or a sanitizer, reserved */

/* Memory of our own that can be written: what malloc has, touched or not, and stacks */
static uint64_t reserved(void)
{
    uint64_t pages = 0;
    FILE *file = fopen("/proc/self/statm", "re");

    if (!file || fscanf(file, "%*u %*u %*u %*u %*u %" SCNu64, &pages) != 1)
        pages = 0;
    if (file)
        fclose(file);
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

__attribute__((constructor)) static void note_start(void)
{
    at_start = reserved();
}

static uint64_t in_use(void)
{
    const uint64_t now = reserved();

    return now > at_start ? now - at_start : 0;
}

static int too_much(uint64_t bytes, struct se_err *err)
{
    const double mib = (double)limit / (1 << 20);

    return se_fail(err, SE_EMEM, "memory limit of %.4g %s reached (%" PRIu64 " more bytes "
                   "needed); allow more with --memory SIZE or SE_MEMORY",
                   mib < 10240 ? mib : mib / 1024, mib < 10240 ? "MiB" : "GiB", bytes);
}

static void have_limit(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    if (by_default)
        pthread_once(&once, set_default);
}

void se_memory_enforce(void)
{
    struct rlimit most;
    uint64_t bytes;

    have_limit();
    if (limit == UINT64_MAX || __builtin_add_overflow(limit, at_start, &bytes) ||
        getrlimit(RLIMIT_DATA, &most) < 0 || most.rlim_cur <= bytes)
        return;
    most.rlim_cur = bytes;
    setrlimit(RLIMIT_DATA, &most);
}

int se_memory_check(uint64_t bytes, struct se_err *err)
{
    static _Thread_local uint64_t asked;

    if (limit == UINT64_MAX && !by_default)
        return 0;
    if (__builtin_add_overflow(asked, bytes, &asked))
        asked = UINT64_MAX;
    if (asked < OFTEN)
        return 0;
    asked = 0;
    have_limit();
    return bytes > limit || in_use() > limit - bytes ? too_much(bytes, err) : 0;
}

bool se_memory_short(uint64_t bytes)
{
    if (limit == UINT64_MAX && !by_default)
        return false;
    have_limit();
    return bytes > limit / 4 * 3 || in_use() > limit / 4 * 3 - bytes;
}
