/* What is known of a kernel. See kernels.c. */
#ifndef CPU_RUNTIME_KERNELS_H
#define CPU_RUNTIME_KERNELS_H

#include <stddef.h>

/* It has at least so much static shared memory. By any worker, inside a kernel. */
void kernel_note_static(const void *kernel, size_t bytes);

#endif
