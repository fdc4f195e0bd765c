/* What the operations of single precision in a line of the compiler's assembly are. See operations.c. */
#ifndef CPU_ASSEMBLE_OPERATIONS_H
#define CPU_ASSEMBLE_OPERATIONS_H

#include <stdbool.h>

/* As a GPU executes them, FFMA, FADD and FMUL; GUESSED: that of these the number is the usual one. The
 * CPU device's cpu_operations (engine/operations.h) has one number for each, in this order. */
enum { FMA, ADD, MUL, GUESSED, OPERATIONS };

struct operations {
    unsigned n[OPERATIONS];
};

/* The instruction of the line: its operations; all 0 where it has none. */
struct operations operations_of(const char *line);

/* Does the line end a run of instructions of which each is executed as often as the first? So do
 * labels and jumps. */
bool ends_run(const char *line);

#endif
