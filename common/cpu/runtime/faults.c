/*
 * Crashes inside a kernel: one line in place of the shell's, and exit status 3.
 *
 * The handler runs on a stack of its own, since the fiber's may be what overflowed, and calls only
 * what a signal handler may, but for snprintf. A crash outside of a kernel is left to who caught it
 * before, else to the system.
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "cpu/engine/schedule.h"
#include "cpu/runtime/faults.h"

enum { SIGNALS = 3 };
static const int signals[SIGNALS] = {SIGSEGV, SIGBUS, SIGFPE};
static struct sigaction before[SIGNALS];

static void hand_on(int number, siginfo_t *info, void *context)
{
    for (int i = 0; i < SIGNALS; i++)
        if (signals[i] == number && before[i].sa_flags & SA_SIGINFO) {
            before[i].sa_sigaction(number, info, context);
            return;
        }
    signal(number, SIG_DFL);
    raise(number);
}

/* An access that the system refuses ends the program: there is no way back into the kernel. */
static void on_fault(int number, siginfo_t *info, void *context)
{
    char line[256], what[64] = "an integer division by zero";
    struct thread *t = cpu_thread();
    int n;

    if (!t) {
        hand_on(number, info, context);
        return;
    }
    if (number != SIGFPE)
        snprintf(what, sizeof(what), "illegal address %p", info->si_addr);
    n = snprintf(line, sizeof(line),
                 "CPU device: %s: %s in thread %u of block %llu (--check says which line)\n",
                 t->block->launch->name, what, t->id, (unsigned long long)t->block->number);
    if (write(STDERR_FILENO, line, (size_t)n) < 0)
        _exit(4);
    _exit(3);
}

static void catch (void)
{
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK};

    for (int i = 0; i < SIGNALS; i++)
        sigaction(signals[i], &action, &before[i]);
}

void faults_catch(void)
{
    static _Thread_local bool has_stack;
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const size_t bytes =
        1 << 20; /* who is handed on to may want much; untouched it costs nothing */
    stack_t alternate = {.ss_sp = has_stack ? NULL : malloc(bytes), .ss_size = bytes};

    pthread_once(&once, catch);
    if (alternate.ss_sp)
        sigaltstack(&alternate, NULL);
    has_stack = true;
}
