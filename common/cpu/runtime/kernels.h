/* What is known of a kernel. See kernels.c. */
#ifndef CPU_RUNTIME_KERNELS_H
#define CPU_RUNTIME_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cuda_runtime_api.h>
#include "cpu/abi.h"

/* It has at least so much static shared memory. By any worker, inside a kernel. */
void kernel_note_static(const void *kernel, size_t bytes);

/* The blocks that its clusters have in each dimension, and may have in all, where a launch on the
 * device asks for these; 0, 0, 0: it asks for none, or there are none. false: the kernel must have
 * others. */
bool kernel_clusters(const void *kernel, int device, struct cpu_dim *cluster, unsigned *limit);

/* Blocks of the kernel with so much shared memory that a multiprocessor holds. */
uint64_t kernel_resident(const void *kernel, int threads, size_t dynamic_shared);

/* How its parameters lie one behind the other; their number, -1: nothing is known of the kernel. */
int kernel_layout(const void *kernel, const struct cpu_layout **layout);

/* A launch by pointers to the arguments; an error if nothing is known of the kernel. */
cudaError_t kernel_launch(const void *kernel, struct cpu_dim grid, struct cpu_dim dim,
                          size_t shared, struct cpu_how how, void **arguments, cudaStream_t stream);

#endif
