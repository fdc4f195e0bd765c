/*
 * Launches: kernel<<<grid, block, shared, stream>>> becomes a call of cpu_launcher. The kernel's name
 * stands before, so it is taken back from the end of the output.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "cpu/translate/launches.h"
#include "cpu/translate/scan.h"
#include "cpu/translate/text.h"

/* The start, in the output, of the bracket that closes before i. */
static size_t bracket_start(size_t i, const char *where)
{
    char close = out.at[i - 1], open = close == '>' ? '<' : close == ']' ? '[' : '(';

    for (i--; i && out.at[i - 1] != open; i--) {
        char c = out.at[i - 1];

        if (c == ')' || c == ']' || (c == '>' && close == '>'))
            i = bracket_start(i, where) + 1;
    }
    if (!i)
        fail(where, "<<< without a kernel's name before it");
    return i - 1;
}

static size_t space_start(size_t i)
{
    while (i && isspace((unsigned char)out.at[i - 1]))
        i--;
    return i;
}

/* The start, in the output, of the kernel's name that stands before a <<<: a name, perhaps with
 * template arguments, an element of a table, a member of a structure, or (*pointer). */
static size_t kernel_start(const char *where)
{
    size_t i = space_start(out.length), named;

    while (true) {
        bool whole = false; /* a bracket that needs no name before it */

        while (i && strchr(")]>", out.at[i - 1])) {
            whole = out.at[i - 1] == ')';
            i = bracket_start(i, where);
            if (!whole)
                i = space_start(i);
        }
        named = i;
        while (i && (is_word((unsigned char)out.at[i - 1]) || out.at[i - 1] == ':'))
            i--;
        if (i == named && !whole)
            fail(where, "<<< without a kernel's name before it");
        if (i > 1 && out.at[i - 1] == '.')
            i--;
        else if (i > 2 && out.at[i - 2] == '-' && out.at[i - 1] == '>')
            i -= 2;
        else
            return i;
    }
}

/* A kernel's name as a string: on one line, whatever it holds. */
static void put_name(const char *name, size_t length)
{
    puts_out("\"");
    for (size_t i = 0; i < length; i++) {
        if (isspace((unsigned char)name[i])) {
            if (!isspace((unsigned char)name[i + 1]))
                puts_out(" ");
            continue;
        }
        if (name[i] == '"' || name[i] == '\\')
            puts_out("\\");
        put(name + i, 1);
    }
    puts_out("\"");
}

/* p stands at <<<. Returns the place behind >>>. */
const char *translate_launch(const char *p)
{
    size_t start = kernel_start(p), whole = out.length - start, length = whole;
    char *name = malloc(whole + 1);
    const char *end = find_outside(p + 3, NULL);

    if (!name)
        fail(p, "out of memory");
    memcpy(name, out.at + start, whole);
    name[whole] = '\0';
    while (length && isspace((unsigned char)name[length - 1]))
        length--;
    if (*skip_space(end + 3) != '(')
        fail(p, "a launch without arguments: kernel<<<...>>> must be followed by (");
    out.length = start;
    puts_out("cpu_launcher(");
    put_name(name, length);
    puts_out(", ");
    put(name, length);
    put_newlines(name + length, name + whole);
    puts_out(", ");
    put(p + 3, (size_t)(end - p - 3));
    puts_out(")");
    free(name);
    return end + 3;
}
