/* The device's variables in the compiler's assembly. See variables.c. */
#ifndef CPU_ASSEMBLE_VARIABLES_H
#define CPU_ASSEMBLE_VARIABLES_H

#include <stdbool.h>
#include <stdio.h>

/* Is the line the label of a variable in one of the sections for those? It is told of all lines in
 * their order. */
bool variables_line(const char *line);

/* Behind a line that is: the gap that comes before the label. */
void variables_gap(FILE *out);

/* Behind the last line: the list of the variables, for engine/variables.c. */
void variables_list(FILE *out);

#endif
