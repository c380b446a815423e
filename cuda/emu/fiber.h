/* fiber.h - stacks that can be left and taken up again */
#ifndef EMU_FIBER_H
#define EMU_FIBER_H

#include "emu.h"

#if !defined(__x86_64__) && !defined(EMU_UCONTEXT)
#define EMU_UCONTEXT 1
#endif
#ifdef EMU_UCONTEXT
#include <ucontext.h>
#endif

#pragma GCC visibility push(hidden)

struct emu_fiber {
#ifdef EMU_UCONTEXT
    ucontext_t context;
#else
    void *sp;
#endif
    char *stack;                    /* lowest byte; NULL for the stack of the host thread */
    size_t size;
    char *top;                      /* end of what kernels may use */
    void *fake;                     /* the sanitizer's own stack */
    int task;                       /* thread to run next, -1 for none */
    emu_fiber *next;                /* in the list of idle ones */
};

enum { EMU_STACK = 256 << 10 };

/* A fiber that runs body(fiber) for ever */
emu_fiber *emu_fiber_new(void (*body)(emu_fiber *));
/* Called once per fiber when it gets control for the first time */
void emu_fiber_begin(emu_fiber *f);
void emu_fiber_switch(emu_fiber *from, emu_fiber *to);
/* The stack whose guard p hits, or NULL */
const emu_fiber *emu_fiber_guard(const void *p);

#pragma GCC visibility pop

#endif
