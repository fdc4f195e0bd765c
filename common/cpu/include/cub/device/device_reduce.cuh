/* CUB's device-wide reductions for the CPU device: see cpu_device_wide.h. */
#pragma once

#include <limits>
#include "cub/device/cpu_device_wide.h"

CUB_NAMESPACE_BEGIN

struct DeviceReduce {
    template <typename I, typename O, typename F, typename T, typename N>
    static cudaError_t Reduce(void *storage, size_t &bytes, I in, O out, N n, F op, T init,
                              cudaStream_t = 0)
    {
        CUB_CPU_CALL(storage, bytes);
        for (N i = 0; i < n; i++)
            init = op(init, in[i]);
        *out = init;
        return cudaSuccess;
    }

    template <typename I, typename O, typename N>
    static cudaError_t Sum(void *storage, size_t &bytes, I in, O out, N n, cudaStream_t s = 0)
    {
        return Reduce(storage, bytes, in, out, n, detail::cpu_plus(), detail::cpu_value_of<I>(), s);
    }

    template <typename I, typename O, typename N>
    static cudaError_t Min(void *storage, size_t &bytes, I in, O out, N n, cudaStream_t s = 0)
    {
        return Reduce(storage, bytes, in, out, n, detail::cpu_least(),
                      std::numeric_limits<detail::cpu_value_of<I>>::max(), s);
    }

    template <typename I, typename O, typename N>
    static cudaError_t Max(void *storage, size_t &bytes, I in, O out, N n, cudaStream_t s = 0)
    {
        return Reduce(storage, bytes, in, out, n, detail::cpu_most(),
                      std::numeric_limits<detail::cpu_value_of<I>>::lowest(), s);
    }

    /* The first of the smallest, and the first of the largest, with its index. */
    template <typename I, typename O, typename N>
    static cudaError_t ArgMin(void *storage, size_t &bytes, I in, O out, N n, cudaStream_t = 0)
    {
        CUB_CPU_CALL(storage, bytes);
        N at = 0;

        for (N i = 1; i < n; i++)
            at = in[i] < in[at] ? i : at;
        *out = {(int)at, in[at]};
        return cudaSuccess;
    }

    template <typename I, typename O, typename N>
    static cudaError_t ArgMax(void *storage, size_t &bytes, I in, O out, N n, cudaStream_t = 0)
    {
        CUB_CPU_CALL(storage, bytes);
        N at = 0;

        for (N i = 1; i < n; i++)
            at = in[at] < in[i] ? i : at;
        *out = {(int)at, in[at]};
        return cudaSuccess;
    }

    template <typename K, typename U, typename V, typename A, typename C, typename F, typename N>
    static cudaError_t ReduceByKey(void *storage, size_t &bytes, K keys, U unique, V values,
                                   A aggregates, C runs, F op, N n, cudaStream_t = 0)
    {
        CUB_CPU_CALL(storage, bytes);
        N count = 0;

        for (N i = 0; i < n; count++) {
            auto sum = values[i];
            N begin = i++;

            for (; i < n && keys[i] == keys[begin]; i++)
                sum = op(sum, values[i]);
            unique[count] = keys[begin];
            aggregates[count] = sum;
        }
        *runs = count;
        return cudaSuccess;
    }
};

struct DeviceSegmentedReduce {
    template <typename I, typename O, typename B, typename E, typename F, typename T>
    static cudaError_t Reduce(void *storage, size_t &bytes, I in, O out, int segments, B begin,
                              E end, F op, T init, cudaStream_t = 0)
    {
        CUB_CPU_CALL(storage, bytes);
        for (int k = 0; k < segments; k++) {
            T sum = init;

            for (auto i = begin[k]; i < end[k]; i++)
                sum = op(sum, in[i]);
            out[k] = sum;
        }
        return cudaSuccess;
    }

    template <typename I, typename O, typename B, typename E>
    static cudaError_t Sum(void *storage, size_t &bytes, I in, O out, int segments, B begin, E end,
                           cudaStream_t s = 0)
    {
        return Reduce(storage, bytes, in, out, segments, begin, end, detail::cpu_plus(),
                      detail::cpu_value_of<I>(), s);
    }
};

CUB_NAMESPACE_END
