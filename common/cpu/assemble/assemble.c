/*
 * Stands in for the assembler when a kernel is compiled, and makes the kernel count the operations
 * of single precision that it executes: before each run of instructions it adds up what the run
 * has, in the worker's own cpu_operations (engine/operation_counts.h). The compiler finds this
 * program by the name that it has for the assembler, as, in the directory of its option -B; the
 * assembler itself then gets the longer text.
 *
 *   as OPTION... FILE     FILE: as the compiler wrote it, x86-64. For a module the options hold
 *                         --defsym cpu_module=1; for a program translated with PLAIN
 *                         (translate/plain.h) --defsym cpu_plain=1, and nothing is counted
 *
 * It also puts a gap before each of the device's variables, and lists them: see variables.c. And
 * before the hook of an access it asks whether that is needed: see hooks.c.
 *
 * What counts changes no registers, and flags only where what follows sets them anew before
 * anything needs them; so it may stand anywhere. It uses the stack below the stack pointer, so
 * kernels are compiled without a red zone there.
 *
 * Whatever it cannot read, it leaves to the assembler as it is.
 */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "cpu/assemble/hooks.h"
#include "cpu/assemble/operations.h"
#include "cpu/assemble/variables.h"

static bool in_module; /* the option --defsym cpu_module=1 */
static bool plain;     /* --defsym cpu_plain=1 */

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "as: %s: %s\n", what, strerror(errno));
    exit(1);
}

/* Lines that wait: from the first with an operation to the end of its run. */
struct run {
    char *text;
    size_t length, room;
    struct operations sum;
    enum flags flags; /* of what is kept: the first that says */
};

static void keep(struct run *r, const char *line, size_t length)
{
    if (r->length + length > r->room) {
        r->room = 2 * (r->length + length);
        r->text = realloc(r->text, r->room);
        if (!r->text)
            fail("out of memory");
    }
    memcpy(r->text + r->length, line, length);
    r->length += length;
}

static void add(struct run *r, const char *line)
{
    const char *text = in_module ? line : hooks_text(line, plain);

    keep(r, text, strlen(text));
    if (r->flags == FLAGS_KEPT)
        r->flags = flags_of(line);
}

/* In a module, which is loaded when the worker's variables are there already, the system is asked
 * where they lie. */
static void count_in_module(FILE *out, const struct operations *sum)
{
    fputs("\tpushq\t%rax\n\tpushq\t%rcx\n\tmovq\tcpu_operations@gottpoff(%rip), %rcx\n", out);
    for (int i = 0; i < OPERATIONS; i++)
        if (sum->n[i])
            fprintf(out,
                    "\tmovq\t%%fs:%d(%%rcx), %%rax\n"
                    "\tleaq\t%u(%%rax), %%rax\n"
                    "\tmovq\t%%rax, %%fs:%d(%%rcx)\n",
                    8 * i, sum->n[i], 8 * i);
    fputs("\tpopq\t%rcx\n\tpopq\t%rax\n", out);
}

static void count(FILE *out, const struct operations *sum, enum flags flags)
{
    if (plain)
        return;
    if (in_module) {
        count_in_module(out, sum);
        return;
    }
    if (flags == FLAGS_DEAD) {
        for (int i = 0; i < OPERATIONS; i++)
            if (sum->n[i])
                fprintf(out, "\taddq\t$%u, %%fs:cpu_operations@tpoff+%d\n", sum->n[i], 8 * i);
        return;
    }
    fputs("\tpushq\t%rax\n", out);
    for (int i = 0; i < OPERATIONS; i++)
        if (sum->n[i])
            fprintf(out,
                    "\tmovq\t%%fs:cpu_operations@tpoff+%d, %%rax\n"
                    "\tleaq\t%u(%%rax), %%rax\n"
                    "\tmovq\t%%rax, %%fs:cpu_operations@tpoff+%d\n",
                    8 * i, sum->n[i], 8 * i);
    fputs("\tpopq\t%rax\n", out);
}

static void end(struct run *r, FILE *out)
{
    if (!r->length)
        return;
    count(out, &r->sum, r->flags);
    fwrite(r->text, 1, r->length, out);
    *r = (struct run){.text = r->text, .room = r->room};
}

/* The line's operations. Where a run has only the mark of a return, the jump behind that is none of
 * the kernel's, either: without the mark the jump to here went on to there. *marked: such a mark
 * was the run's last instruction. */
static struct operations operations_behind(const struct run *r, const char *line, bool *marked)
{
    struct operations here = operations_of(line);

    if (marks_return(line))
        *marked = r->sum.n[INSTRUCTIONS] == 0;
    else if (here.n[INSTRUCTIONS] || ends_run(line) != END_NOT) {
        if (*marked && ends_run(line) == END_BEHIND)
            here.n[INSTRUCTIONS] = 0;
        *marked = false;
    }
    return here;
}

static void copy(FILE *in, FILE *out)
{
    struct run r = {0};
    char *line = NULL;
    bool marked = false;
    size_t room = 0;

    while (getline(&line, &room, in) > 0) {
        struct operations here = operations_behind(&r, line, &marked);
        enum end ends = ends_run(line);
        unsigned any = 0;

        if (ends == END_BEFORE)
            end(&r, out);
        if (variables_line(line)) {
            end(&r, out);
            variables_gap(out);
        }
        for (int i = 0; i < OPERATIONS; i++) {
            r.sum.n[i] += here.n[i];
            any |= here.n[i];
        }
        if (r.length || any)
            add(&r, line);
        else
            fputs(in_module ? line : hooks_text(line, plain), out);
        if (ends == END_BEHIND)
            end(&r, out);
    }
    end(&r, out);
    variables_list(out);
    free(r.text);
    free(line);
}

/* Starts the assembler, which reads what is written to the file that is returned. */
static FILE *start(char **arguments, pid_t *child)
{
    int ends[2];

    if (pipe(ends))
        fail("pipe");
    *child = fork();
    if (*child < 0)
        fail("fork");
    if (*child == 0) {
        dup2(ends[0], 0);
        close(ends[0]);
        close(ends[1]);
        execvp("as", arguments);
        fail("the assembler");
    }
    close(ends[0]);
    return fdopen(ends[1], "w");
}

int main(int count_of, char **argument)
{
    const char *last = count_of > 1 ? argument[count_of - 1] : "";
    FILE *in = *last == '-' ? NULL : fopen(last, "r"), *out;
    pid_t child;
    int status;

    if (!in) {
        execvp("as", argument);
        fail("the assembler");
    }
    for (int i = 1; i < count_of; i++) {
        in_module |= !strcmp(argument[i], "cpu_module=1");
        plain |= !strcmp(argument[i], "cpu_plain=1");
    }
    argument[count_of - 1] = (char *)"--"; /* from its standard input */
    out = start(argument, &child);
    if (!out)
        fail("pipe");
    copy(in, out);
    fclose(in);
    if (fclose(out) || waitpid(child, &status, 0) < 0)
        fail(last);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}
