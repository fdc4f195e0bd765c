/*
 * assert(), __trap() and what the CPU device has not in a kernel: the launch fails, with CUDA's
 * error and a line that tells where. __assert_fail is what the C library's assert() calls; outside
 * of a kernel it does what that does.
 */
#undef NDEBUG
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include "cpu/abi.h"
#include "cpu/engine/failure.h"
#include "cpu/engine/schedule.h"
#include "cpu/engine/thread.h"

void __assert_fail(const char *expression, const char *file, unsigned line, const char *function)
{
    struct thread *t = cpu_thread();

    if (!t) {
        fflush(stdout);
        fprintf(stderr, "%s:%u: %s: Assertion `%s' failed.\n", file, line, function, expression);
        abort();
    }
    cpu_fail(cudaErrorAssert,
             "device-side assert triggered: %s:%u: block: [%u,%u,%u], thread: [%u,%u,%u] Assertion "
             "`%s` failed.",
             file, line, t->block->index.x, t->block->index.y, t->block->index.z, t->index.x,
             t->index.y, t->index.z, expression);
    cpu_kill(t);
    abort();
}

void cpu_refuse_kernel(const char *why)
{
    struct thread *t = cpu_thread();

    if (!t) {
        fprintf(stderr, "%s\n", why);
        exit(2);
    }
    cpu_fail(cudaErrorNotSupported, "%s: %s", t->block->launch->name, why);
    cpu_kill(t);
}

void cpu_trap(void)
{
    struct thread *t = cpu_thread();

    cpu_fail(cudaErrorLaunchFailure, "%s: __trap() in thread %u of block %llu",
             t->block->launch->name, t->id, (unsigned long long)t->block->number);
    cpu_kill(t);
}
