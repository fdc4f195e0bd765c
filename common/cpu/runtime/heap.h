/* malloc and new inside kernels. See heap.c. */
#ifndef CPU_RUNTIME_HEAP_H
#define CPU_RUNTIME_HEAP_H

#include <stddef.h>

#define HEAP_LIMIT ((size_t)8 << 20) /* bytes, as on a GPU; cudaLimitMallocHeapSize sets another */

void heap_set_limit(int device, size_t bytes);
void heap_launch_begin(int device); /* none of its kernels runs */

#endif
