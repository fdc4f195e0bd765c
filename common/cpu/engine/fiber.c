/*
 * Fibers: a stack each, and a switch that saves only what a call must keep. A few lines of
 * assembly on x86-64 and arm64; ucontext, some fifty times slower, elsewhere.
 *
 * A fiber is created, restarted and switched to by one OS thread only, the worker that mapped its
 * stack; it is never freed, but handed from one GPU thread to the next. `sp` means something only
 * while the fiber does not run. The function it begins with must not return.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "cpu/engine/fiber.h"

enum {
    STACK = 64 * 1024, /* untouched pages cost nothing */
    COLOUR = 5 * 64,   /* between stacks, so that their tops share no cache set */
    BATCH = 32,        /* stacks mapped at once */
};

#ifndef FIBER_UCONTEXT
#ifdef __x86_64__
__asm__(".text\n"
        ".globl cpu_fiber_swap\n"
        ".type cpu_fiber_swap, @function\n"
        "cpu_fiber_swap:\n"
        "    pushq %rbp\n    pushq %rbx\n    pushq %r12\n"
        "    pushq %r13\n    pushq %r14\n    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq (%rsi), %rsp\n"
        "    popq %r15\n    popq %r14\n    popq %r13\n"
        "    popq %r12\n    popq %rbx\n    popq %rbp\n"
        "    ret\n"
        ".size cpu_fiber_swap, .-cpu_fiber_swap\n");

static void *first_frame(uintptr_t high, void (*entry)(void))
{
    uint64_t *sp = (uint64_t *)high; /* 16-byte aligned */

    *--sp = 0; /* entry never returns; a call leaves sp at 8 mod 16 */
    *--sp = (uint64_t)(uintptr_t)entry;
    for (int i = 0; i < 6; i++)
        *--sp = 0;
    return sp;
}
#else
__asm__(".text\n"
        ".globl cpu_fiber_swap\n"
        ".type cpu_fiber_swap, %function\n"
        "cpu_fiber_swap:\n"
        "    sub sp, sp, #160\n"
        "    stp x19, x20, [sp, #0]\n    stp x21, x22, [sp, #16]\n"
        "    stp x23, x24, [sp, #32]\n    stp x25, x26, [sp, #48]\n"
        "    stp x27, x28, [sp, #64]\n    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n    stp d10, d11, [sp, #112]\n"
        "    stp d12, d13, [sp, #128]\n    stp d14, d15, [sp, #144]\n"
        "    mov x9, sp\n    str x9, [x0]\n"
        "    ldr x9, [x1]\n    mov sp, x9\n"
        "    ldp x19, x20, [sp, #0]\n    ldp x21, x22, [sp, #16]\n"
        "    ldp x23, x24, [sp, #32]\n    ldp x25, x26, [sp, #48]\n"
        "    ldp x27, x28, [sp, #64]\n    ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n    ldp d10, d11, [sp, #112]\n"
        "    ldp d12, d13, [sp, #128]\n    ldp d14, d15, [sp, #144]\n"
        "    add sp, sp, #160\n"
        "    ret\n"
        ".size cpu_fiber_swap, .-cpu_fiber_swap\n");

static void *first_frame(uintptr_t high, void (*entry)(void))
{
    uint64_t *sp = (uint64_t *)high - 20;

    for (int i = 0; i < 20; i++)
        sp[i] = 0;
    sp[11] = (uint64_t)(uintptr_t)entry; /* x30, where ret goes */
    return sp;
}
#endif

void fiber_restart(struct fiber *f, void (*entry)(void))
{
    f->sp = first_frame(f->high, entry);
}

#else

void fiber_restart(struct fiber *f, void (*entry)(void))
{
    getcontext(&f->context);
    f->context.uc_stack.ss_sp = (void *)(f->low + 64);
    f->context.uc_stack.ss_size = f->high - f->low - 64;
    f->context.uc_link = NULL;
    makecontext(&f->context, entry, 0);
}

#endif

static __thread struct fiber *free_fibers; /* stacks stay with the worker that mapped them */

/* Map BATCH stacks. Without guard pages, which would exceed the kernel's limit on mappings with
 * thousands of threads: a word at the low end tells an overflow. */
static bool map_batch(void)
{
    size_t stride = STACK + COLOUR, bytes = stride * BATCH;
    struct fiber *f = calloc(BATCH, sizeof(*f));
    char *base = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (!f || base == MAP_FAILED) {
        free(f);
        return false;
    }
#ifdef MADV_NOHUGEPAGE
    madvise(base, bytes, MADV_NOHUGEPAGE); /* a huge page would fill with untouched stacks */
#endif
    for (int i = 0; i < BATCH; i++) {
        f[i].low = (uintptr_t)base + i * stride;
        f[i].high = (f[i].low + STACK) & ~(uintptr_t)63;
        f[i].next_free = free_fibers;
        free_fibers = &f[i];
    }
    return true;
}

struct fiber *fiber_create(void (*entry)(void))
{
    struct fiber *f;

    if (!free_fibers && !map_batch())
        return NULL;
    f = free_fibers;
    free_fibers = f->next_free;
    fiber_restart(f, entry);
    return f;
}

struct fiber *fiber_of_caller(void)
{
    return calloc(1, sizeof(struct fiber));
}

/* The canary's page is touched only when the stack has come so far down, so a fresh stack reads
 * as zero there: intact is zero, since nothing below may have been written. */
bool fiber_intact(const struct fiber *f)
{
    return *(const volatile uint64_t *)f->low == 0;
}

void fiber_clear(struct fiber *f)
{
#ifndef FIBER_UCONTEXT
    enum { DEPTH = 16384 };
    uintptr_t low = (uintptr_t)f->sp - f->low > DEPTH ? (uintptr_t)f->sp - DEPTH : f->low;

    memset((void *)low, 0, (uintptr_t)f->sp - low);
#else
    (void)f;
#endif
}

/* The registers that a call must keep lie on the stack, all others mean nothing. */
uint64_t fiber_state(const struct fiber *f)
{
    uint64_t hash = 1;

#ifndef FIBER_UCONTEXT
    for (const uint64_t *p = f->sp; p < (const uint64_t *)f->high; p++) {
        hash = (hash ^ *p) * 0x9e3779b97f4a7c15;
        hash ^= hash >> 29;
    }
    return hash | 1;
#else
    (void)f;
    return hash & 0;
#endif
}
