/* CUB's device-wide histograms for the CPU device: see cpu_device_wide.h. */
#pragma once

#include "cub/device/cpu_device_wide.h"

CUB_NAMESPACE_BEGIN

struct DeviceHistogram {
    /* Of levels - 1 bins of one width, from lower to upper, which is outside. */
    template <typename I, typename C, typename L, typename N>
    static cudaError_t HistogramEven(void *storage, size_t &bytes, I samples, C *counts, int levels,
                                     L lower, L upper, N n, cudaStream_t = 0)
    {
        CUB_CPU_CALL(storage, bytes);
        for (int k = 0; k < levels - 1; k++)
            counts[k] = 0;
        for (N i = 0; i < n; i++) {
            L x = samples[i];

            if (x >= lower && x < upper)
                counts[bin(x - lower, levels - 1, upper - lower)]++;
        }
        return cudaSuccess;
    }

    /* Of bins between levels that rise. */
    template <typename I, typename C, typename L, typename N>
    static cudaError_t HistogramRange(void *storage, size_t &bytes, I samples, C *counts,
                                      int levels, const L *level, N n, cudaStream_t = 0)
    {
        CUB_CPU_CALL(storage, bytes);
        for (int k = 0; k < levels - 1; k++)
            counts[k] = 0;
        for (N i = 0; i < n; i++)
            for (int k = 0; k < levels - 1; k++)
                counts[k] += samples[i] >= level[k] && samples[i] < level[k + 1];
        return cudaSuccess;
    }

  private:
    template <typename L> static int bin(L offset, int bins, L width)
    {
        if (std::is_integral<L>::value)
            return (int)((uint64_t)offset * (uint64_t)bins / (uint64_t)width);
        return (int)(offset * ((L)bins / width));
    }
};

CUB_NAMESPACE_END
