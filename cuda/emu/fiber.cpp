/* fiber.cpp - stacks that can be left and taken up again
 *
 * On x86-64 a switch saves the callee-saved registers, nothing else; elsewhere, or with
 * -DEMU_UCONTEXT, ucontext does it (with system calls, ten times slower). */
#include "fiber.h"

#include <sys/mman.h>
#include <unistd.h>

enum { GUARD = 16 << 10 };
static emu_fiber *fibers[EMU_MAX_THREADS];
static int n_fibers;
static void (*fiber_body)(emu_fiber *);
#ifdef EMU_ASAN
static const void *left_bottom;     /* of the stack that was just left */
static size_t left_size;
static emu_fiber *left_from;
#endif

#ifndef EMU_UCONTEXT
extern "C" __attribute__((visibility("hidden"))) void emu_fiber_swap(void **save, void *load);
asm(".text\n"
    ".globl emu_fiber_swap\n"
    ".hidden emu_fiber_swap\n"
    ".type emu_fiber_swap, @function\n"
    "emu_fiber_swap:\n"
    "    pushq %rbp\n"
    "    pushq %rbx\n"
    "    pushq %r12\n"
    "    pushq %r13\n"
    "    pushq %r14\n"
    "    pushq %r15\n"
    "    movq %rsp, (%rdi)\n"
    "    movq %rsi, %rsp\n"
    "    popq %r15\n"
    "    popq %r14\n"
    "    popq %r13\n"
    "    popq %r12\n"
    "    popq %rbx\n"
    "    popq %rbp\n"
    "    ret\n"
    ".size emu_fiber_swap, . - emu_fiber_swap\n");
#endif

static emu_fiber *starting;

static void entry()
{
    emu_fiber *f = starting;

    emu_fiber_begin(f);
    fiber_body(f);
    emu_fatal("a fiber ended");
}

emu_fiber *emu_fiber_new(void (*body)(emu_fiber *))
{
    char *p = (char *)mmap(NULL, EMU_STACK + GUARD, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (p == MAP_FAILED || mprotect(p, GUARD, PROT_NONE) < 0)
        emu_fatal("no memory for the stack of a thread");
    emu_fiber *f = new emu_fiber();
    f->stack = p + GUARD;
    f->size = EMU_STACK - (size_t)(n_fibers * 5 % 64) * 64;     /* spread over the cache */
    f->top = f->stack + f->size;
    f->task = -1;
    fibers[n_fibers++] = f;
    fiber_body = body;
#ifdef EMU_UCONTEXT
    getcontext(&f->context);
    f->context.uc_stack.ss_sp = f->stack;
    f->context.uc_stack.ss_size = f->size;
    f->context.uc_link = NULL;
    makecontext(&f->context, entry, 0);
#else
    void **sp = (void **)(f->stack + f->size);
    *--sp = NULL;                           /* a return address: aligned as after a call */
    *--sp = (void *)entry;
    for (int i = 0; i < 6; i++)
        *--sp = NULL;
    f->sp = sp;
#endif
    return f;
}

/* The sanitizer learns the bounds of the host thread's stack when it is first left */
void emu_fiber_begin(emu_fiber *f)
{
#ifdef EMU_ASAN
    __sanitizer_finish_switch_fiber(f->fake, &left_bottom, &left_size);
    if (!left_from->stack) {
        left_from->stack = (char *)const_cast<void *>(left_bottom);
        left_from->size = left_size;
    }
#else
    (void)f;
#endif
}

void emu_fiber_switch(emu_fiber *from, emu_fiber *to)
{
    starting = to;
#ifdef EMU_ASAN
    left_from = from;
    __sanitizer_start_switch_fiber(&from->fake, to->stack, to->size);
#endif
#ifdef EMU_UCONTEXT
    swapcontext(&from->context, &to->context);
#else
    emu_fiber_swap(&from->sp, to->sp);
#endif
    emu_fiber_begin(from);
}

const emu_fiber *emu_fiber_guard(const void *p)
{
    const char *c = (const char *)p;

    for (int i = 0; i < n_fibers; i++)
        if (c >= fibers[i]->stack - GUARD && c < fibers[i]->stack)
            return fibers[i];
    return NULL;
}
