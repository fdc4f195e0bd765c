/*
 * Crashes inside a kernel: one line in place of the shell's, and exit status 3.
 *
 * The handler runs on a stack of its own, since the fiber's may be what overflowed, and calls only
 * what a signal handler may, but for snprintf. A crash outside of a kernel is left to the system.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "cpu/engine/schedule.h"
#include "cpu/runtime/faults.h"

/* An access that the system refuses ends the program: there is no way back into the kernel. */
static void on_fault(int number, siginfo_t *info, void *context)
{
    char line[256];
    struct thread *t = cpu_thread();
    int n;

    (void)context;
    if (!t) {
        signal(number, SIG_DFL);
        raise(number);
        return;
    }
    n = snprintf(line, sizeof(line),
                 "CPU device: %s: illegal address %p in thread %u of block %llu (--check says "
                 "which line)\n",
                 t->block->launch->name, info->si_addr, t->id,
                 (unsigned long long)t->block->number);
    if (write(STDERR_FILENO, line, (size_t)n) < 0)
        _exit(4);
    _exit(3);
}

void faults_catch(void)
{
    static _Thread_local bool caught;
    const size_t bytes = 64 * 1024;
    stack_t alternate = {.ss_sp = caught ? NULL : malloc(bytes), .ss_size = bytes};
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};

    if (caught)
        return;
    caught = true;
    if (alternate.ss_sp)
        sigaltstack(&alternate, NULL);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
}
