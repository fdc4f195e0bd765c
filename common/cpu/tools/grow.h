/* Arrays that grow. */
#ifndef CPU_TOOLS_GROW_H
#define CPU_TOOLS_GROW_H

#include <stddef.h>

void tools_out_of_memory(void) __attribute__((noreturn)); /* ends the program with a line */

/* Room for one more behind `count` elements of `size` bytes: the array, perhaps moved. */
void *tools_grow(void *array, size_t count, size_t *room, size_t size);

#endif
