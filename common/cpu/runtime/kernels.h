/* What is known of a kernel. See kernels.c. */
#ifndef CPU_RUNTIME_KERNELS_H
#define CPU_RUNTIME_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <cuda_runtime_api.h>
#include "cpu/abi.h"

/* It has at least so much static shared memory. By any worker, inside a kernel. */
void kernel_note_static(const void *kernel, size_t bytes);

/* How its parameters lie one behind the other; their number, -1: nothing is known of the kernel. */
int kernel_layout(const void *kernel, const struct cpu_layout **layout);

/* A launch by pointers to the arguments; an error if nothing is known of the kernel. */
cudaError_t kernel_launch(const void *kernel, struct cpu_dim grid, struct cpu_dim dim,
                          size_t shared, bool cooperative, void **arguments, cudaStream_t stream);

#endif
