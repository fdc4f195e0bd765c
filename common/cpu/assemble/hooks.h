/* The hooks' calls in the compiler's assembly. See hooks.c. */
#ifndef CPU_ASSEMBLE_HOOKS_H
#define CPU_ASSEMBLE_HOOKS_H

#include <stdbool.h>

/* For a line that calls the hook of a plain access: what takes its place, until the next call of
 * this function. Other lines: the line. quiet: the program was translated with PLAIN
 * (translate/plain.h). */
const char *hooks_text(const char *line, bool quiet);

#endif
