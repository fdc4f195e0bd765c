/*
 * A crash of the program's own code, outside of kernels: a line that says so and where, in place of
 * the shell's one word, and the exit status that the shell would have told. Those of kernels are
 * told by runtime/faults.c, which hands on what is not theirs.
 *
 * The handler is about to end the program, so it may call what a handler should not: where that
 * hangs, because the crash was in the middle of an allocation, an alarm ends it.
 */
#define _GNU_SOURCE
#include <execinfo.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>
#include "cpu/engine/failure.h"
#include "cpu/engine/memory.h"
#include "cpu/tools/lines/lines.h"
#include "cpu_device.h"

enum {
    FRAMES = 64,
    PATIENCE = 5,            /* seconds */
    HANDLER_BYTES = 1 << 20, /* of its stack: libdw wants much of it */
    NEAR_STACK = 64 << 20,   /* so far below the stack's end an access is one of a large array */
};

static int number; /* of the signal */

static void give_up(int alarm_signal)
{
    (void)alarm_signal;
    _exit(128 + number);
}

static bool is_stack(const void *address, const ucontext_t *context)
{
#ifdef __x86_64__
    uintptr_t top = (uintptr_t)context->uc_mcontext.gregs[REG_RSP];

    return (uintptr_t)address - (top - NEAR_STACK) < 2ul * NEAR_STACK;
#else
    (void)address;
    (void)context;
    return false;
#endif
}

static const char *what(const siginfo_t *info, const void *context)
{
    static char text[96];

    if (number == SIGFPE)
        return "a division by zero, or one whose result has no number";
    if (number == SIGABRT)
        return "abort, as by assert, an exception that nobody catches, or a heap that is broken";
    if (number == SIGILL)
        return "an instruction that the processor does not have";
    if (is_stack(info->si_addr, context))
        return "the stack is full: a large local array, or a recursion without an end";
    snprintf(text, sizeof(text), "no memory at the address %p%s", info->si_addr,
             info->si_addr ? "" : ", the null pointer");
    return text;
}

/* The instruction itself: the other frames are behind a call. */
static uintptr_t interrupted_at(const ucontext_t *context)
{
#if defined(__x86_64__)
    return (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
#elif defined(__aarch64__)
    return context->uc_mcontext.pc;
#else
    return 0;
#endif
}

/* The innermost place of the program's own sources. */
static void print_place(const ucontext_t *context)
{
    void *frame[FRAMES];
    int n = backtrace(frame, FRAMES);

    for (int i = 0; i < n; i++) {
        uintptr_t site = (uintptr_t)frame[i];
        struct source_line at;

        if (!memory_is_image(site))
            continue;
        at = lines_find(site + (site == interrupted_at(context)));
        if (!at.line || at.ours || lines_is_system(at.path))
            continue;
        fprintf(stderr, "    at        %s:%d\n", at.file, at.line);
        return;
    }
    fprintf(stderr, "    at        a place without debug information\n");
}

static void on_crash(int signal_number, siginfo_t *info, void *context)
{
    static atomic_flag begun = ATOMIC_FLAG_INIT;
    const char *error;

    if (atomic_flag_test_and_set(&begun))
        _exit(128 + signal_number);
    number = signal_number;
    signal(SIGALRM, give_up);
    alarm(PATIENCE);
    fflush(stdout);
    fprintf(stderr, "CPU device: the program's host code ended by a crash: %s\n",
            what(info, context));
    print_place(context);
    error = cpu_last_error ? cpu_last_error() : NULL;
    if (error)
        fprintf(stderr, "    before    the last call of CUDA's that failed: %s\n", error);
    _exit(128 + signal_number);
}

void cpu_device_catch_crashes(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    const struct sigaction action = {.sa_sigaction = on_crash, .sa_flags = SA_SIGINFO | SA_ONSTACK};
    const stack_t alternate = {.ss_sp = malloc(HANDLER_BYTES), .ss_size = HANDLER_BYTES};
    void *frame[1];

    if (alternate.ss_sp)
        sigaltstack(&alternate, NULL);
    backtrace(frame, 1); /* what it needs is loaded now, and not in the handler */
    for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
        sigaction(signals[i], &action, NULL);
}
