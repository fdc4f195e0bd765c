/* For programs that include it: cudaProfilerStart and cudaProfilerStop are in
 * cuda_runtime_api.h. */
#ifndef CUDA_PROFILER_API_H
#define CUDA_PROFILER_API_H

#include "cuda_runtime_api.h"

#endif
