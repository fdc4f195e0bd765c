/* Fibers: stacks, and switching between them. See fiber.c. */
#ifndef CPU_ENGINE_FIBER_H
#define CPU_ENGINE_FIBER_H

#include <stdbool.h>
#include <stdint.h>

#if !defined(__x86_64__) && !defined(__aarch64__)
#define FIBER_UCONTEXT 1
#include <ucontext.h>
#endif

/* Of fiber.c, but for what a switch to it needs. */
struct fiber {
    void *sp; /* first: the assembly stores it here */
#ifdef FIBER_UCONTEXT
    ucontext_t context;
#endif
    uintptr_t low, high;
    struct fiber *next_free;
};

struct fiber *fiber_of_caller(void);                      /* wraps the stack that calls it */
struct fiber *fiber_create(void (*entry)(void));          /* NULL when memory is exhausted */
void fiber_restart(struct fiber *f, void (*entry)(void)); /* forget what it was doing */
bool fiber_intact(const struct fiber *f);                 /* false: the stack overflowed */

static inline bool fiber_holds(const struct fiber *f, uintptr_t address) /* on its stack? */
{
    return address >= f->low && address < f->high + 64;
}

#ifdef FIBER_UCONTEXT
static inline void fiber_switch(struct fiber *from, struct fiber *to)
{
    swapcontext(&from->context, &to->context);
}

static inline void fiber_expect(const struct fiber *f)
{
    (void)f;
}
#else
void cpu_fiber_swap(struct fiber *from, struct fiber *to); /* in assembly, in fiber.c */

static inline void fiber_switch(struct fiber *from, struct fiber *to)
{
    cpu_fiber_swap(from, to);
}

/* It will soon be switched to: its stack's lines, from its top on, that its thread needs first.
 * Always inline, because gcc takes a function that only prefetches for one that does nothing, and
 * drops its calls. */
static inline __attribute__((always_inline)) void fiber_expect(const struct fiber *f)
{
    enum { LINE = 64, EXPECTED = 5 };

    if (f)
        for (int line = 0; line < EXPECTED; line++)
            __builtin_prefetch((const char *)f->sp + LINE * line, 1);
}
#endif

/* One that was restarted: its stack has zeros where what ran on it before has left something, but
 * for what lay deeper than most threads come. */
void fiber_clear(struct fiber *f);

/* A number for what a fiber that does not run holds, its registers and its stack; 0: not known. */
uint64_t fiber_state(const struct fiber *f);

#endif
