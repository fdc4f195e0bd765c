/*
 * The hooks' calls in the compiler's assembly. Most accesses are of memory where a hook has nothing
 * to do (engine/near.h), and its call would cost more than the rest: so it is asked before the call
 * whether the access is one of these. What is put in changes a register and the flags, which the
 * call may change as well.
 *
 * In a program translated with PLAIN the compiler counts on it that a hook changes nothing else
 * (translate/plain.c), so what is called is one that keeps all (runtime/quiet_hooks.c); the empty
 * hooks, from which the compiler knows that, stay the file's own. Nor does such a program call to
 * know where a thread is: it reads that.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "cpu/assemble/hooks.h"

/* Where in engine/near.h, which asserts it; and in struct cpu_place, as engine/schedule.h does. */
enum { OPEN = 0, SHARED = 16, LOCAL_BYTES = 32, CONSTANTS = 40, SIZE_BEHIND = 8, DIM_BYTES = 12 };

struct hook {
    char what[8]; /* read or write */
    unsigned bytes;
};

/* Does the line call the hook of a plain access? */
static bool is_call(const char *line, struct hook *h)
{
    char behind;

    return sscanf(line, " call __tsan_%5[a-z]%u%c", h->what, &h->bytes, &behind) == 3 &&
           (!strcmp(h->what, "read") || !strcmp(h->what, "write")) &&
           (behind == '@' || behind == '\n');
}

static struct {
    char at[1024];
    size_t length;
} text;

static void put(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void put(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    text.length +=
        (size_t)vsnprintf(text.at + text.length, sizeof(text.at) - text.length, format, arguments);
    va_end(arguments);
}

/* Behind the hook if the address is in a range: where that begins, and which word of near memory
 * has its size. */
static void put_range(const char *from, int bytes)
{
    put("\tmovq\t%%rdi, %%rcx\n"
        "\tsubq\t%s, %%rcx\n"
        "\tcmpq\t%%fs:cpu_near@tpoff+%d, %%rcx\n"
        "\tjb\t77702f\n",
        from, bytes);
}

static void put_near(int at)
{
    char from[40];

    snprintf(from, sizeof(from), "%%fs:cpu_near@tpoff+%d", at);
    put_range(from, at + SIZE_BEHIND);
}

/* A call for a word of struct cpu_place, whose order is this: the word itself. */
static bool put_place(const char *line)
{
    static const char *const calls[] = {"cpu_thread_index", "cpu_block_index", "cpu_block_dim",
                                        "cpu_grid_dim"};
    char name[32];

    if (sscanf(line, " call %31[a-z_]", name) != 1)
        return false;
    for (int i = 0; i < 4; i++)
        if (!strcmp(name, calls[i])) {
            put("\tmovl\t%%edi, %%eax\n\tmovl\t%%fs:cpu_place@tpoff+%d(,%%rax,4), %%eax\n",
                DIM_BYTES * i);
            return true;
        }
    return false;
}

const char *hooks_text(const char *line, bool quiet)
{
    struct hook h;

    if (quiet && !strncmp(line, "\t.globl\t__tsan_", 15))
        return "";
    text.length = 0;
    if (quiet && put_place(line))
        return text.at;
    if (!is_call(line, &h))
        return line;
    if (h.bytes > 1)
        put("\ttestb\t$%u, %%dil\n\tjne\t77701f\n", h.bytes - 1);
    put_near(OPEN);
    put("\tcmpq\t$0, %%fs:cpu_near@tpoff+%d\n\tje\t77701f\n", LOCAL_BYTES); /* or a tool is on */
    put_near(SHARED);
    put_range("%rsp", LOCAL_BYTES);
    if (*h.what == 'r')
        put_near(CONSTANTS);
    put("77701:\n");
    if (quiet)
        put("\tcall\tcpu_quiet_%s%u@PLT\n", h.what, h.bytes);
    else
        put("%s", line);
    put("77702:\n");
    return text.at;
}
