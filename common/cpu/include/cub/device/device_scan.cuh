/* CUB's device-wide scans for the CPU device: see cpu_device_wide.h. */
#pragma once

#include "cub/device/cpu_device_wide.h"

CUB_NAMESPACE_BEGIN

struct DeviceScan {
    template <typename I, typename O, typename F, typename T, typename N>
    static cudaError_t ExclusiveScan(void *storage, size_t &bytes, I in, O out, F op, T init, N n,
                                     cudaStream_t = 0)
    {
        CUB_CPU_CALL(storage, bytes);
        for (N i = 0; i < n; i++) {
            T next = op(init, in[i]); /* which out may be */

            out[i] = init;
            init = next;
        }
        return cudaSuccess;
    }

    template <typename I, typename O, typename F, typename N>
    static cudaError_t InclusiveScan(void *storage, size_t &bytes, I in, O out, F op, N n,
                                     cudaStream_t = 0)
    {
        CUB_CPU_CALL(storage, bytes);
        for (N i = 0; i < n; i++) {
            if (i == 0)
                out[i] = in[i];
            else
                out[i] = op(out[i - 1], in[i]);
        }
        return cudaSuccess;
    }

    template <typename I, typename O, typename N>
    static cudaError_t ExclusiveSum(void *storage, size_t &bytes, I in, O out, N n,
                                    cudaStream_t s = 0)
    {
        return ExclusiveScan(storage, bytes, in, out, detail::cpu_plus(), detail::cpu_value_of<I>(),
                             n, s);
    }

    template <typename I, typename O, typename N>
    static cudaError_t InclusiveSum(void *storage, size_t &bytes, I in, O out, N n,
                                    cudaStream_t s = 0)
    {
        return InclusiveScan(storage, bytes, in, out, detail::cpu_plus(), n, s);
    }
};

CUB_NAMESPACE_END
