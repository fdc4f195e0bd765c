/* thrust::malloc and thrust::free of the device's system: the CPU device's memory. */
#pragma once

#include_next <thrust/system/cpp/detail/malloc_and_free.h>
#include <thrust/system/cpp/detail/execution_policy.h>
#include "cuda_runtime.h"

THRUST_NAMESPACE_BEGIN
namespace system
{
namespace cpp
{
namespace detail
{

template <typename P> void *malloc(execution_policy<P> &, std::size_t bytes)
{
    void *p = nullptr;

    return cudaMalloc(&p, bytes) ? nullptr : p;
}

template <typename P, typename Pointer> void free(execution_policy<P> &, Pointer p)
{
    cudaFree(thrust::raw_pointer_cast(p));
}

} // namespace detail
} // namespace cpp
} // namespace system
THRUST_NAMESPACE_END
