/* env.cpp - the settings, read once from the environment, and the random order they ask for */
#include "emu.h"

#include <cstdlib>
#include <cstring>

static uint64_t random_state;

static long number(const char *name, long otherwise)
{
    const char *text = getenv(name);
    char *end;

    if (!text || !*text)
        return otherwise;
    long v = strtol(text, &end, 10);
    if (*end || v < 0)
        emu_fatal("%s=%s is no number", name, text);
    return v;
}

static emu_settings read_settings()
{
    emu_settings s = {};
    const char *order = getenv("SE_EMU_SCHEDULE");

    if (!order || !*order || strcmp(order, "forward") == 0)
        s.order = EMU_FORWARD;
    else if (strcmp(order, "reverse") == 0)
        s.order = EMU_REVERSE;
    else if (strcmp(order, "random") == 0)
        s.order = EMU_RANDOM;
    else if (strncmp(order, "random:", 7) == 0) {
        s.order = EMU_RANDOM;
        s.seed = strtoull(order + 7, NULL, 10);
    } else
        emu_fatal("SE_EMU_SCHEDULE=%s: give forward, reverse, random or random:SEED", order);
#ifdef SE_EMU_CHECK
    s.memory = (size_t)number("SE_EMU_MEMORY", 64L << 20);
#else
    s.memory = (size_t)number("SE_EMU_MEMORY", 512L << 20);
#endif
    s.fail = number("SE_EMU_FAIL", 0);
    s.count = getenv("SE_EMU_COUNT");
    s.devices = (int)number("SE_EMU_DEVICES", 1);
    s.driver = (int)number("SE_EMU_DRIVER", CUDART_VERSION);
    random_state = s.seed;
    return s;
}

const struct emu_settings *emu_env()
{
    static const emu_settings settings = read_settings();

    return &settings;
}

uint64_t emu_random()               /* splitmix64 */
{
    uint64_t z = random_state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}
