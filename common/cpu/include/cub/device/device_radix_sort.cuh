/* CUB's device-wide radix sorts for the CPU device: see cpu_device_wide.h. */
#pragma once

#include <algorithm>
#include <numeric>
#include <vector>
#include "cub/device/cpu_device_wide.h"

CUB_NAMESPACE_BEGIN
namespace detail
{

/* A key's bits [begin, end), in the order of its type: as CUB turns them, and negative zero is
 * zero. */
template <typename K> uint64_t cpu_digits(K key, int begin, int end)
{
    static_assert(std::is_arithmetic<K>::value, "the CPU device sorts arithmetic keys alone");
    const int bits = 8 * sizeof(K);
    const uint64_t sign = (uint64_t)1 << (bits - 1);
    uint64_t word = 0;

    if (std::is_floating_point<K>::value && key == K())
        key = K();
    __builtin_memcpy(&word, &key, sizeof(K));
    if (std::is_floating_point<K>::value)
        word = word & sign ? ~word & (sign | (sign - 1)) : word | sign;
    else if (std::is_signed<K>::value)
        word ^= sign;
    end = end < bits ? end : bits;
    word >>= begin;
    return end - begin >= 64 ? word : word & (((uint64_t)1 << (end - begin)) - 1);
}

/* values: nullptr where there are none. */
template <typename K, typename V, typename N>
void cpu_sort(const K *in, K *out, const V *values_in, V *values_out, N n, int begin, int end,
              bool falling)
{
    std::vector<K> keys(in, in + n);
    std::vector<N> order(n);

    std::iota(order.begin(), order.end(), N());
    std::stable_sort(order.begin(), order.end(), [&](N a, N b) {
        uint64_t x = cpu_digits(keys[a], begin, end), y = cpu_digits(keys[b], begin, end);

        return falling ? y < x : x < y;
    });
    for (N i = 0; i < n; i++)
        out[i] = keys[order[i]];
    if (values_in) {
        std::vector<V> values(values_in, values_in + n);

        for (N i = 0; i < n; i++)
            values_out[i] = values[order[i]];
    }
}

} // namespace detail

struct DeviceRadixSort {
#define CUB_CPU_SORT(KEYS, PAIRS, FALLING)                                                         \
    template <typename K, typename N>                                                              \
    static cudaError_t KEYS(void *storage, size_t &bytes, const K *in, K *out, N n, int begin = 0, \
                            int end = 8 * sizeof(K), cudaStream_t = 0)                             \
    {                                                                                              \
        CUB_CPU_CALL(storage, bytes);                                                              \
        detail::cpu_sort(in, out, (const char *)nullptr, (char *)nullptr, n, begin, end, FALLING); \
        return cudaSuccess;                                                                        \
    }                                                                                              \
    template <typename K, typename N>                                                              \
    static cudaError_t KEYS(void *storage, size_t &bytes, DoubleBuffer<K> &keys, N n,              \
                            int begin = 0, int end = 8 * sizeof(K), cudaStream_t s = 0)            \
    {                                                                                              \
        cudaError_t error =                                                                        \
            KEYS(storage, bytes, keys.Current(), keys.Alternate(), n, begin, end, s);              \
                                                                                                   \
        keys.selector ^= storage != nullptr;                                                       \
        return error;                                                                              \
    }                                                                                              \
    template <typename K, typename V, typename N>                                                  \
    static cudaError_t PAIRS(void *storage, size_t &bytes, const K *in, K *out, const V *from,     \
                             V *to, N n, int begin = 0, int end = 8 * sizeof(K), cudaStream_t = 0) \
    {                                                                                              \
        CUB_CPU_CALL(storage, bytes);                                                              \
        detail::cpu_sort(in, out, from, to, n, begin, end, FALLING);                               \
        return cudaSuccess;                                                                        \
    }                                                                                              \
    template <typename K, typename V, typename N>                                                  \
    static cudaError_t PAIRS(void *storage, size_t &bytes, DoubleBuffer<K> &keys,                  \
                             DoubleBuffer<V> &values, N n, int begin = 0, int end = 8 * sizeof(K), \
                             cudaStream_t s = 0)                                                   \
    {                                                                                              \
        cudaError_t error = PAIRS(storage, bytes, keys.Current(), keys.Alternate(),                \
                                  values.Current(), values.Alternate(), n, begin, end, s);         \
                                                                                                   \
        keys.selector ^= storage != nullptr;                                                       \
        values.selector ^= storage != nullptr;                                                     \
        return error;                                                                              \
    }
    CUB_CPU_SORT(SortKeys, SortPairs, false)
    CUB_CPU_SORT(SortKeysDescending, SortPairsDescending, true)
#undef CUB_CPU_SORT
};

CUB_NAMESPACE_END
