/* Names of the driver API's streams and devices for a timeline: there is none here. */
#ifndef NVTOOLSEXTCUDA_H
#define NVTOOLSEXTCUDA_H

#include "nvtx3/nvToolsExt.h"
#include "cuda.h"

static inline void nvtxNameCuDeviceA(CUdevice device, const char *name)
{
    (void)device;
    (void)name;
}

static inline void nvtxNameCuStreamA(CUstream stream, const char *name)
{
    (void)stream;
    (void)name;
}

#endif
