/* Device memory as the runtime calls see it. */
#ifndef MEMORY_H
#define MEMORY_H

#include "cpu.h"

cudaError_t cpu_malloc(void **pointer, size_t bytes); /* cudaMalloc */
size_t memory_total(void);                            /* bytes the device has */

#endif
