/*
 * The two texts of a translation: the input, whole, and the output, which only grows or is cut at
 * its end. Both are of the program's one translation; running out of memory ends it.
 */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cpu/translate/text.h"

const char *input_name;
char *source;
struct text out;

void fail(const char *where, const char *format, ...)
{
    va_list args;
    int line = 1;

    for (const char *p = source; p < where; p++)
        line += *p == '\n';
    fprintf(stderr, "%s:%d: error: ", input_name, line);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    exit(1);
}

void put(const char *s, size_t n)
{
    if (out.length + n + 1 > out.room) {
        out.room = 2 * (out.length + n + 1);
        out.at = realloc(out.at, out.room);
        if (!out.at) {
            fprintf(stderr, "translate: out of memory\n");
            exit(1);
        }
    }
    memcpy(out.at + out.length, s, n);
    out.length += n;
    out.at[out.length] = '\0';
}

void puts_out(const char *s)
{
    put(s, strlen(s));
}

/* Keep the line count where text is left out. */
void put_newlines(const char *from, const char *to)
{
    for (; from < to; from++)
        if (*from == '\n')
            puts_out("\n");
}
