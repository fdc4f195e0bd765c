/*
 * A small launch, beside which no other runs, in further orders: each in a copy of the process,
 * before the launch itself, so that memory, the program's variables and what it prints are those of
 * the natural order. What is found in such an order alone is a finding as any other, and says which
 * order it was.
 *
 * The budget: a launch of at most SMALL threads is run in ORDERS further orders, of which each is
 * ended after a while, until they have taken the program BUDGET seconds. Those are of the
 * processor: what is found is the same on a machine that has other work, too. A copy that waits for
 * nothing to come takes none: the clock ends it, and it is the last one.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cpu/engine/grid_launch.h"
#include "cpu/engine/memory.h"
#include "cpu/engine/device_set.h"
#include "cpu/engine/schedule.h"
#include "cpu/tools/check/check.h"
#include "cpu_device.h"

enum { SMALL = 1 << 14, ORDERS = 3, MOST_MEMORY = 64 << 20 };
static const double BUDGET = 2, LONGEST = 0.5; /* seconds of the processor: of all, and of one */
enum { LONGEST_WAIT = 10 };                    /* seconds of the clock, of one */

static bool wanted;
static double spent;
static unsigned long launches, tried; /* so many, and of these so many in all orders */

void cpu_device_set_orders(int more)
{
    wanted = more;
}

unsigned long cpu_device_orders(unsigned long *all, int *orders)
{
    *all = launches;
    *orders = 1 + ORDERS;
    return tried;
}

/* What the copies have taken so far. */
static double taken(void)
{
    struct rusage u;

    getrusage(RUSAGE_CHILDREN, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) * 1e-6;
}

/* In the copy: it prints nothing, runs the launch alone, and tells what it has found. */
static _Noreturn void run_copy(struct launch *l, unsigned order, int to)
{
    struct itimerval limit = {.it_value = {.tv_usec = (suseconds_t)(LONGEST * 1e6)}};
    int nowhere = open("/dev/null", O_WRONLY);

    dup2(nowhere, 1);
    dup2(nowhere, 2);
    signal(SIGPROF, SIG_DFL); /* either ends it */
    signal(SIGALRM, SIG_DFL);
    setitimer(ITIMER_PROF, &limit, NULL);
    alarm(LONGEST_WAIT);
    cpu_random_seed = order;
    cpu_random_order = true;
    launch_run_alone(l);
    findings_send(to, order);
    _exit(0);
}

/* Whether it ran to its end. */
static bool run_order(struct launch *l, unsigned order)
{
    int ends[2], status = 0;
    pid_t copy;

    if (pipe2(ends, O_CLOEXEC))
        return false;
    copy = fork();
    if (copy == 0) {
        close(ends[0]);
        run_copy(l, order, ends[1]);
    }
    close(ends[1]);
    if (copy > 0) {
        findings_receive(ends[0]);
        while (waitpid(copy, &status, 0) < 0 && errno == EINTR)
            ;
    }
    close(ends[0]);
    if (copy > 0 && WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
        spent = BUDGET; /* the next ones would wait as long */
    return copy > 0 && WIFEXITED(status);
}

void orders_run(struct launch *l)
{
    double begin = taken();
    bool all = true;
    size_t used = 0;

    launches++;
    for (int device = 0; device < cpu_devices; device++)
        used += memory_used(device);
    if (l->beside || !wanted || spent >= BUDGET || used > MOST_MEMORY ||
        l->blocks * l->threads > SMALL)
        return;
    for (unsigned order = 1; order <= ORDERS; order++)
        all &= run_order(l, order);
    tried += all;
    spent += taken() - begin;
}
