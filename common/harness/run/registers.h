/*
 * How many registers a thread of each kernel of the steps has, as nvcc compiles it for a GPU:
 * registers.csv beside its machine file, which plots/record registers makes.
 */
#ifndef REGISTERS_H
#define REGISTERS_H

#include "harness/run/estimate.h"

/* Into what was counted of a step, compiled for the element type `type`. A kernel that the file
 * does not have, and all of them where there is no file, stay as they are: not known. */
void registers_take(struct counted *c, const char *machine_file, const char *step,
                    const char *type);

#endif
