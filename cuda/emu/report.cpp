/* report.cpp - faults: one message, then the end
 *
 * Accesses that memory protection stops (device memory from the host, guard pages) arrive as
 * signals and are told in the same way. */
#include "fiber.h"

#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <ucontext.h>
#include <unistd.h>

static void finish(const char *message)
{
    char where[512] = "";

    if (emu_running)
        emu_where(where, sizeof where);
    fprintf(stderr, "emu: %s%s%s\n", where, *where ? ": " : "", message);
    fflush(stderr);
    _exit(EMU_EXIT);
}

void emu_fatal(const char *format, ...)
{
    char message[1024];
    va_list list;

    va_start(list, format);
    vsnprintf(message, sizeof message, format, list);
    va_end(list);
    finish(message);
    __builtin_unreachable();
}

/* file:line by addr2line, object+offset without it.  pc is where the code would return to. */
const char *emu_place(const void *pc)
{
    static char text[1024];
    Dl_info info;
    struct link_map *map = NULL;
    char command[1200];

    if (!dladdr1(pc, &info, (void **)&map, RTLD_DL_LINKMAP) || !info.dli_fname) {
        snprintf(text, sizeof text, "%p", pc);
        return text;
    }
    unsigned long offset = (unsigned long)((const char *)pc - 1 - (const char *)map->l_addr);
    snprintf(command, sizeof command, "addr2line -e '%s' 0x%lx 2>/dev/null", info.dli_fname,
             offset);
    FILE *in = popen(command, "r");
    if (in && fgets(text, sizeof text, in) && strchr(text, ':') && strncmp(text, "??", 2) != 0) {
        text[strcspn(text, " \n")] = '\0';
        pclose(in);
        size_t n = strlen(EMU_ROOT);        /* as the compiler was told it, not absolute */
        return strncmp(text, EMU_ROOT, n) == 0 ? text + n : text;
    }
    if (in)
        pclose(in);
    snprintf(text, sizeof text, "%.900s+0x%lx", info.dli_fname, offset);
    return text;
}

static struct sigaction before_segv, before_bus;

static const void *fault_pc(void *context)
{
#if defined(__x86_64__)
    return (const void *)(((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] + 1);
#elif defined(__aarch64__)
    return (const void *)(((ucontext_t *)context)->uc_mcontext.pc + 1);
#else
    (void)context;
    return NULL;
#endif
}

static void on_fault(int number, siginfo_t *info, void *context)
{
    const char *p = (const char *)info->si_addr;
    char what[256];

    if (emu_arena && p >= emu_arena && p < emu_arena + emu_arena_size) {
        emu_describe(p, what, sizeof what);
        if (emu_running)
            emu_fatal("%s: out of bounds: %s", emu_place(fault_pc(context)), what);
        emu_fatal("%s: the host touches device memory: %s", emu_place(fault_pc(context)), what);
    }
    if (emu_running && emu_fiber_guard(p))
        emu_fatal("%s: the thread needs more than %d bytes of stack",
                  emu_place(fault_pc(context)), EMU_STACK);
    if (emu_running && p < (const char *)4096)
        emu_fatal("%s: a null pointer is used", emu_place(fault_pc(context)));
    sigaction(number, number == SIGSEGV ? &before_segv : &before_bus, NULL);
}

/* An alternate stack, so that a full one can be told; each host thread that runs kernels */
static void alternate_stack()
{
    static thread_local char *stack;
    stack_t now;

    if (stack || (sigaltstack(NULL, &now) == 0 && !(now.ss_flags & SS_DISABLE)))
        return;
    static char room[64 << 10];             /* faults end the program: one is enough */
    stack = room;
    now = stack_t();
    now.ss_sp = room;
    now.ss_size = sizeof room;
    sigaltstack(&now, NULL);
}

void emu_fault_handler()
{
    static bool done;
    struct sigaction action = {};

    alternate_stack();
    if (done)
        return;
    done = true;
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER;
    sigaction(SIGSEGV, &action, &before_segv);
    sigaction(SIGBUS, &action, &before_bus);
}

/* The library may be unloaded: its handler must not stay behind */
static struct restore {
    ~restore()
    {
        struct sigaction now;

        if (sigaction(SIGSEGV, NULL, &now) == 0 && now.sa_sigaction == on_fault) {
            sigaction(SIGSEGV, &before_segv, NULL);
            sigaction(SIGBUS, &before_bus, NULL);
        }
    }
} at_end;
