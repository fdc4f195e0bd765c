/*
 * Of the driver API its version and types: the CPU device has the runtime API (cuda_runtime_api.h),
 * and a call such as cuLaunchKernel is reported by the compiler with its name.
 */
#ifndef CUDA_H
#define CUDA_H

#include "cuda_runtime.h"

#define CUDA_VERSION 12000

typedef struct CUstream_st *CUstream;
typedef struct CUevent_st *CUevent;
typedef int CUdevice;
typedef unsigned long long CUdeviceptr;
typedef enum cudaError_enum { CUDA_SUCCESS = 0 } CUresult;

#endif
