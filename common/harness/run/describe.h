/*
 * --describe: all that scripts need to know of a step, so that none of them knows a family or a
 * step by name. docs/structure.md lists the keys.
 */
#ifndef DESCRIBE_H
#define DESCRIBE_H

#include <stdio.h>

#include "harness/run/options.h"

/* Print the program's description as one JSON object. Needs no device. */
void describe_print(FILE *out, const struct program *program);

#endif
