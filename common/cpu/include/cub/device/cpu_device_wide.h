/*
 * CUB's device-wide calls for the CPU device: by Thrust's algorithms on the host, over the device's
 * memory. A call without storage says how much it wants, as CUB's do; a call waits for what was
 * launched before it, and has ended when it returns.
 */
#ifndef CUB_CPU_DEVICE_WIDE_H
#define CUB_CPU_DEVICE_WIDE_H

#include <cub/util_type.cuh>
#include <thrust/detail/execution_policy.h>
#include <thrust/iterator/iterator_traits.h>
#include <thrust/system/cpp/execution_policy.h>
#include "cuda_runtime.h"

CUB_NAMESPACE_BEGIN
namespace detail
{

struct cpu_call {
    bool runs;
    cpu_call(const char *name, void *storage, size_t &bytes) : runs(storage)
    {
        if (runs)
            cpu_library_begin("CUB", name);
        else
            bytes = 1;
    }
    cpu_call(const cpu_call &) = delete;
    ~cpu_call()
    {
        if (runs)
            cpu_library_end();
    }
    explicit operator bool() const
    {
        return runs;
    }
};

/* What an iterator gives, as a value. */
template <typename I> using cpu_value_of = typename ::cuda::std::iterator_traits<I>::value_type;

struct cpu_least {
    template <typename T> T operator()(const T &a, const T &b) const
    {
        return b < a ? b : a;
    }
};

struct cpu_most {
    template <typename T> T operator()(const T &a, const T &b) const
    {
        return a < b ? b : a;
    }
};

struct cpu_plus {
    template <typename A, typename B> auto operator()(const A &a, const B &b) const
    {
        return a + b;
    }
};

} // namespace detail
CUB_NAMESPACE_END

/* Of a call named after its function. */
#define CUB_CPU_CALL(STORAGE, BYTES)                                                               \
    CUB_NS_QUALIFIER::detail::cpu_call cpu_runs(__func__, STORAGE, BYTES);                         \
    if (!cpu_runs)                                                                                 \
    return cudaSuccess

#endif
