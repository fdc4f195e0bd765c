/* Arrays that grow, for counters and traces. Memory that is exhausted ends the program. */
#include <stdio.h>
#include <stdlib.h>
#include "cpu/tools/grow.h"

void tools_out_of_memory(void)
{
    fprintf(stderr, "CPU device: out of memory for the counters\n");
    exit(3);
}

void *tools_grow(void *array, size_t count, size_t *room, size_t size)
{
    if (count < *room)
        return array;
    *room = *room ? 2 * *room : 16;
    array = realloc(array, *room * size);
    if (!array)
        tools_out_of_memory();
    return array;
}
