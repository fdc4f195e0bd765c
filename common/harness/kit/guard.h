/*
 * The guard behind an array of device memory: bytes that no kernel may touch.
 */
#ifndef GUARD_H
#define GUARD_H

#include <stddef.h>

/* The last bytes of the device memory that begins at base are a guard. On the CPU device --check
 * takes the array to end before it; on a GPU nothing knows. */
void guard_set(void *base, size_t bytes);

#endif
