/* CUB's device-wide selections for the CPU device: see cpu_device_wide.h. */
#pragma once

#include "cub/device/cpu_device_wide.h"

CUB_NAMESPACE_BEGIN

struct DeviceSelect {
    template <typename I, typename W, typename O, typename C, typename N>
    static cudaError_t Flagged(void *storage, size_t &bytes, I in, W flags, O out, C selected, N n,
                               cudaStream_t = 0)
    {
        CUB_CPU_CALL(storage, bytes);
        N count = 0;

        for (N i = 0; i < n; i++)
            if (flags[i])
                out[count++] = in[i];
        *selected = count;
        return cudaSuccess;
    }

    template <typename I, typename O, typename C, typename N, typename F>
    static cudaError_t If(void *storage, size_t &bytes, I in, O out, C selected, N n, F is,
                          cudaStream_t = 0)
    {
        CUB_CPU_CALL(storage, bytes);
        N count = 0;

        for (N i = 0; i < n; i++)
            if (is(in[i]))
                out[count++] = in[i];
        *selected = count;
        return cudaSuccess;
    }

    template <typename I, typename O, typename C, typename N>
    static cudaError_t Unique(void *storage, size_t &bytes, I in, O out, C selected, N n,
                              cudaStream_t = 0)
    {
        CUB_CPU_CALL(storage, bytes);
        N count = 0;

        for (N i = 0; i < n; i++)
            if (i == 0 || !(in[i] == in[i - 1]))
                out[count++] = in[i];
        *selected = count;
        return cudaSuccess;
    }
};

struct DeviceRunLengthEncode {
    template <typename I, typename U, typename L, typename C, typename N>
    static cudaError_t Encode(void *storage, size_t &bytes, I in, U unique, L lengths, C runs, N n,
                              cudaStream_t = 0)
    {
        CUB_CPU_CALL(storage, bytes);
        N count = 0;

        for (N i = 0, begin; i < n; count++) {
            for (begin = i++; i < n && in[i] == in[begin]; i++)
                ;
            unique[count] = in[begin];
            lengths[count] = i - begin;
        }
        *runs = count;
        return cudaSuccess;
    }
};

CUB_NAMESPACE_END
