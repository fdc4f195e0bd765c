/* The program's __device__ and __constant__ variables, one by one, and those of its modules.
 * See variables.c. */
#ifndef CPU_ENGINE_VARIABLES_H
#define CPU_ENGINE_VARIABLES_H

#include <stddef.h>
#include <stdint.h>

struct variable {
    uintptr_t at;
    size_t bytes;
    const char *name;
};

/* The variable that the address is in, or else the one that is nearest; NULL where the address is
 * none of the sections', or where nothing lists what they hold. */
const struct variable *variable_near(uintptr_t address);

#endif
