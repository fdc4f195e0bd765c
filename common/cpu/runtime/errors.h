/* The error of a call. See errors.c. */
#ifndef CPU_RUNTIME_ERRORS_H
#define CPU_RUNTIME_ERRORS_H

#include <cuda_runtime_api.h>

cudaError_t error_keep(cudaError_t error); /* for cudaGetLastError; returns it */

#endif
