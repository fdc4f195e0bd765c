/* Where Thrust's vectors have their memory: the CPU device's. */
#pragma once

#include <thrust/detail/config.h>
#include <new>
#include <thrust/mr/fancy_pointer_resource.h>
#include <thrust/mr/memory_resource.h>
#include <thrust/system/cpp/pointer.h>
#include "cuda_runtime.h"

THRUST_NAMESPACE_BEGIN
namespace system
{
namespace cpp
{
namespace detail
{

template <bool MANAGED> struct cpu_device_resource final : thrust::mr::memory_resource<> {
    void *do_allocate(std::size_t bytes, std::size_t) override
    {
        void *p = nullptr;

        if (MANAGED ? cudaMallocManaged(&p, bytes ? bytes : 1) : cudaMalloc(&p, bytes))
            throw std::bad_alloc();
        return p;
    }
    void do_deallocate(void *p, std::size_t, std::size_t) override
    {
        cudaFree(p);
    }
};

using native_resource =
    thrust::mr::fancy_pointer_resource<cpu_device_resource<false>, thrust::cpp::pointer<void>>;
using universal_native_resource =
    thrust::mr::fancy_pointer_resource<cpu_device_resource<true>,
                                       thrust::cpp::universal_pointer<void>>;

} // namespace detail

using memory_resource = detail::native_resource;
using universal_memory_resource = detail::universal_native_resource;
using universal_host_pinned_memory_resource = universal_memory_resource;

} // namespace cpp
} // namespace system
THRUST_NAMESPACE_END
