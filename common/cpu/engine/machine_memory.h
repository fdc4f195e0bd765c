/*
 * The memory of the machine that the devices' memory is part of. Test programs whose arrays are
 * larger, but nearly all untouched, have functions of their own in place of these two.
 */
#ifndef CPU_MACHINE_MEMORY_H
#define CPU_MACHINE_MEMORY_H

#include <stddef.h>

size_t machine_memory(void);           /* bytes of the machine, or what a container has of it */
size_t machine_memory_available(void); /* that nobody on it uses now; SIZE_MAX: unknown */

#endif
