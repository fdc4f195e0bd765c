/*
 * What a program's code prints, in kernels as on the host; linked with --wrap, so that these stand
 * in place of the C library's (the compiler makes puts or putchar of some calls of printf, and
 * __printf_chk of all where a system has it check formats). The lanes of a warp print one call
 * after the other, as on a GPU, not one lane after the other.
 */
#include <stdarg.h>
#include <stdio.h>
#include "cpu/engine/in_step.h"
#include "cpu/engine/schedule.h"
#include "cpu/runtime/access.h"

int __wrap_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
int __wrap___printf_chk(int level, const char *format, ...) __attribute__((format(printf, 2, 3)));
int __wrap_puts(const char *line);
int __wrap_putchar(int c);

static void turn(uintptr_t site, const void *text)
{
    struct thread *t = cpu_thread();

    if (t)
        in_step(t, (struct meeting){.site = site, .prints = text});
}

int __wrap_printf(const char *format, ...)
{
    va_list arguments;
    int n;

    turn(HERE, format);
    va_start(arguments, format);
    n = vprintf(format, arguments);
    va_end(arguments);
    return n;
}

int __wrap___printf_chk(int level, const char *format, ...)
{
    va_list arguments;
    int n;

    (void)level;
    turn(HERE, format);
    va_start(arguments, format);
    n = vprintf(format, arguments);
    va_end(arguments);
    return n;
}

int __wrap_puts(const char *line)
{
    int done;

    turn(HERE, line);
    flockfile(stdout); /* nobody's output comes between */
    done = fputs(line, stdout) < 0 ? EOF : putc_unlocked('\n', stdout);
    funlockfile(stdout);
    return done;
}

int __wrap_putchar(int c)
{
    turn(HERE, "");
    return putc(c, stdout);
}
