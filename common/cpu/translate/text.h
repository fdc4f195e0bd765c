/* Text that grows, and the one way to end a translation. See text.c. */
#ifndef CPU_TRANSLATE_TEXT_H
#define CPU_TRANSLATE_TEXT_H

#include <stddef.h>

struct text {
    char *at; /* ends with a zero, once something was put into it */
    size_t length, room;
};

void put(struct text *t, const char *s, size_t n);
void put_format(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
char *format_text(const char *format, ...) __attribute__((format(printf, 1, 2)));

void *grow(void *array, size_t bytes); /* realloc that does not fail */

#endif
