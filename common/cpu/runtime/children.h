/* Launches that kernels make. See children.c. */
#ifndef CPU_RUNTIME_CHILDREN_H
#define CPU_RUNTIME_CHILDREN_H

#include <stdbool.h>
#include <cuda_runtime_api.h>
#include "cpu/abi.h"
#include "cpu/engine/state.h"

/* Does any kernel of the program launch one? Known from its translation. */
bool children_possible(void);

/* The thread launches that, whose shape is good; it is copied. */
cudaError_t children_add(struct thread *t, const struct launch *l,
                         const struct cpu_kernel_call *call, cudaStream_t stream);

/* cudaDeviceSynchronize in a kernel: what the thread's block has launched has ended. */
cudaError_t children_wait(struct thread *t);

/* By the host: the launch runs to its end, with all that it launches; in the stream by its
 * number. */
cudaError_t children_run(struct launch *l);

/* Set by kernels.c: what a child needs to know of the stream, before it begins. */
extern void (*children_number)(struct launch *l);

#endif
