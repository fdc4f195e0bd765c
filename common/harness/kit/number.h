/*
 * Numbers as the command line takes them: 1000003, 2^24, 16Mi (also Ki and Gi), 1e6.
 */
#ifndef NUMBER_H
#define NUMBER_H

#include <stdbool.h>
#include <assert.h>
#include <stddef.h>
#include <stdint.h>

/* The most elements of a problem. Byte counts of its arrays then stay far below 2^64. */
#define MAX_ELEMENTS ((size_t)1 << 40)

static_assert(sizeof(size_t) == 8, "sizes need 64 bits");

/* True if all of text is a number from 0 to UINT64_MAX, stored in *value. */
bool number_parse(const char *text, uint64_t *value);

/* True if all of text is SIDE or ROWSxCOLS with at most MAX_ELEMENTS elements. */
bool number_parse_matrix(const char *text, size_t *rows, size_t *cols);

/* a * b, or SIZE_MAX where that overflows. */
size_t multiply_or_max(size_t a, size_t b);

/* a / b, rounded up: b above 0. */
double ceil_divide(double a, double b);

/* ceil(lg count): the levels of a tree over so many; 0 for none and for one. */
double levels(double count);

/* "2^24" for a power of two from 2^10 up, else the digits. Returns text. */
char *number_print(char *text, size_t room, uint64_t value);

#endif
