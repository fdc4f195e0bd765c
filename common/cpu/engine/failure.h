/* What made a launch fail. See failure.c. */
#ifndef CPU_ENGINE_FAILURE_H
#define CPU_ENGINE_FAILURE_H

#include <cuda_runtime_api.h>

/* The launch of this worker fails: its threads stop at their next switch to the worker. */
void cpu_fail(cudaError_t error, const char *format, ...) __attribute__((format(printf, 2, 3)));

cudaError_t cpu_failure(void);                   /* the first, or cudaSuccess */
void cpu_failure_forget(void);                   /* it was of a run that only a tool saw */
const char *cpu_failure_text(cudaError_t error); /* what cpu_fail said of it; NULL: nothing */

/* What the last call of CUDA's that failed said, until somebody asked; NULL: none did. Set by the
 * runtime; itself NULL before. */
extern const char *(*cpu_last_error)(void);

#endif
