/*
 * The declarations of a source, in their order and flat: a namespace or a class is a unit that
 * opens and one that closes, with those in it between. See units.c.
 */
#ifndef CPU_TRANSLATE_UNITS_H
#define CPU_TRANSLATE_UNITS_H

#include <stdbool.h>
#include "cpu/translate/tokens.h"

enum unit_kind { SCOPE_OPENS, SCOPE_CLOSES, FUNCTION, OTHER };

struct unit {
    enum unit_kind kind;
    int from, to;        /* its tokens; to: behind the last */
    int name, arguments; /* of a function: the name, and the ( of its parameters; -1 where none */
    int open;            /* of a function with a body: its {; else -1 */
    bool global, device, host; /* its qualifiers */
    bool in_class;
    const char *scope; /* the namespaces around it: "a::b::" */
};

struct units {
    struct unit *at;
    int count;
};

/* Marks the tokens of device functions and lambdas as well. */
struct units units_of(struct source *s);

/* The end of the template's list that opens with the < at i: its >. */
int angle_end(const struct source *s, int i);

/* The unit with a body around the token i; NULL if there is none. */
const struct unit *function_around(const struct units *u, int i);

#endif
