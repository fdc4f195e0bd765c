/*
 * The hooks' calls in the compiler's assembly. Most accesses are of memory where a hook has nothing
 * to do (engine/near.h), and its call would cost more than the rest: so it is asked before the call
 * whether the access is one of these. What is put in changes a register and the flags, which the
 * call may change as well.
 *
 * In a program translated with PLAIN the compiler counts on it that a hook changes nothing else
 * (translate/plain.c), so what is called is one that keeps all (runtime/quiet_hooks.c); the empty
 * hooks, from which the compiler knows that, stay the file's own.
 */
#include <stdio.h>
#include <string.h>
#include "cpu/assemble/hooks.h"

/* engine/near.h */
enum { OPEN = 0, SHARED = 16, LOCAL_BYTES = 32, CONSTANTS = 40, SIZE_BEHIND = 8 };

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

struct text {
    char text[1024];
    size_t length;
};

/* Behind the hook if the address is in a range of that size: its start is near memory's word at
 * `from`, or a register. */
static void put_range(struct text *t, const char *from, int bytes)
{
    t->length += (size_t)snprintf(t->text + t->length, sizeof(t->text) - t->length,
                                  "\tmovq\t%%rdi, %%rcx\n"
                                  "\tsubq\t%s, %%rcx\n"
                                  "\tcmpq\t%%fs:cpu_near@tpoff+%d, %%rcx\n"
                                  "\tjb\t77702f\n",
                                  from, bytes);
}

static void put_near(struct text *t, int at)
{
    char from[40];

    snprintf(from, sizeof(from), "%%fs:cpu_near@tpoff+%d", at);
    put_range(t, from, at + SIZE_BEHIND);
}

const char *hooks_text(const char *line, bool quiet)
{
    static struct text t;
    struct hook h;

    if (quiet && !strncmp(line, "\t.globl\t__tsan_", 15))
        return "";
    if (!is_call(line, &h))
        return line;
    t.length = 0;
    if (h.bytes > 1)
        t.length += (size_t)snprintf(t.text, sizeof(t.text), "\ttestb\t$%u, %%dil\n\tjne\t77701f\n",
                                     h.bytes - 1);
    put_near(&t, OPEN);
    put_near(&t, SHARED);
    put_range(&t, "%rsp", LOCAL_BYTES);
    if (*h.what == 'r')
        put_near(&t, CONSTANTS);
    t.length += (size_t)snprintf(t.text + t.length, sizeof(t.text) - t.length, "77701:\n");
    if (quiet)
        t.length += (size_t)snprintf(t.text + t.length, sizeof(t.text) - t.length,
                                     "\tcall\tcpu_quiet_%s%u@PLT\n", h.what, h.bytes);
    else
        t.length += (size_t)snprintf(t.text + t.length, sizeof(t.text) - t.length, "%s", line);
    snprintf(t.text + t.length, sizeof(t.text) - t.length, "77702:\n");
    return t.text;
}
