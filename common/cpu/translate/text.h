/* The input and the output of a translation. See text.c. */
#ifndef CPU_TRANSLATE_TEXT_H
#define CPU_TRANSLATE_TEXT_H

#include <stddef.h>

struct text {
    char *at;
    size_t length, room;
};

extern const char *input_name;
extern char *source; /* all of the input, with a zero behind it */
extern struct text out;

/* One line that names the file and the line of the input where it stands; exit status 1. */
void fail(const char *where, const char *format, ...) __attribute__((noreturn));

void put(const char *s, size_t n);
void puts_out(const char *s);
void put_newlines(const char *from, const char *to); /* those in [from, to) alone: keeps the count
                                                        of lines where text is left out */

#endif
