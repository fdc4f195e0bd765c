/* Where a statement of the source begins and ends. See statements.c. */
#ifndef CPU_TRANSLATE_STATEMENTS_H
#define CPU_TRANSLATE_STATEMENTS_H

#include "cpu/translate/units.h"

/* The next ; in [i, end) that stands in no brackets; end: there is none. */
int semicolon(const struct source *s, int i, int end);

/* The last token of the statement that begins at i. */
int statement_end(const struct source *s, int i);

/* The `while` at i: does it end a loop that began with `do`? */
bool ends_do(const struct source *s, int i);

/* Is the function around the token i constexpr or consteval? */
bool is_constexpr(const struct source *s, const struct units *u, int i);

/* From its opening bracket to the closing one: is it one that declares and assigns nothing? */
bool is_condition(const struct source *s, int open, int close);

#endif
