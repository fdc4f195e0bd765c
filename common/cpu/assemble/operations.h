/* What the operations of single precision in a line of the compiler's assembly are. See
 * operations.c. */
#ifndef CPU_ASSEMBLE_OPERATIONS_H
#define CPU_ASSEMBLE_OPERATIONS_H

#include <stdbool.h>

/* As a GPU executes them, FFMA, FADD and FMUL; GUESSED: that of these the number is the usual one.
 * The CPU device's cpu_operations (engine/operation_counts.h) has one number for each, in this
 * order. */
enum { FMA, ADD, MUL, GUESSED, INSTRUCTIONS, OPERATIONS };

struct operations {
    unsigned n[OPERATIONS];
};

/* The instruction of the line: its operations; all 0 where it has none. */
struct operations operations_of(const char *line);

/* Does the line say that a thread leaves its kernel early (cpu_at_return)? The translator put that
 * in: it is none of the kernel's instructions. */
bool marks_return(const char *line);

/* The processor's flags: does the line need those that stand before it, or does it set all of them,
 * or leave them to nobody? FLAGS_KEPT: what follows tells. */
enum flags { FLAGS_KEPT, FLAGS_NEEDED, FLAGS_DEAD };
enum flags flags_of(const char *line);

/* Does the line end a run of instructions of which each is executed as often as the first? A label
 * does, which begins the next; a jump does, which is the last. */
enum end { END_NOT, END_BEFORE, END_BEHIND };
enum end ends_run(const char *line);

#endif
