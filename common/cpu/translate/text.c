/*
 * Text that grows. A translation is one short run, so nothing is freed before its end; running out
 * of memory ends it.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "cpu/translate/text.h"

void *grow(void *array, size_t bytes)
{
    array = realloc(array, bytes);
    if (!array) {
        fprintf(stderr, "translate: out of memory\n");
        exit(1);
    }
    return array;
}

static void make_room(struct text *t, size_t n)
{
    if (t->length + n + 1 > t->room) {
        t->room = 2 * (t->length + n + 1);
        t->at = grow(t->at, t->room);
    }
}

void put(struct text *t, const char *s, size_t n)
{
    make_room(t, n);
    memcpy(t->at + t->length, s, n);
    t->length += n;
    t->at[t->length] = '\0';
}

static void put_arguments(struct text *t, const char *format, va_list args)
{
    va_list again;
    int n;

    va_copy(again, args);
    n = vsnprintf(NULL, 0, format, again);
    va_end(again);
    make_room(t, (size_t)n);
    vsnprintf(t->at + t->length, (size_t)n + 1, format, args);
    t->length += (size_t)n;
}

void put_format(struct text *t, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    put_arguments(t, format, args);
    va_end(args);
}

char *format_text(const char *format, ...)
{
    struct text t = {0};
    va_list args;

    va_start(args, format);
    put_arguments(&t, format, args);
    va_end(args);
    return t.at;
}
