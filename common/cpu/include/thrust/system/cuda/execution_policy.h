/*
 * thrust::cuda::par and par_nosync: as thrust::device. An algorithm waits for all streams of the
 * device before it begins, and has ended when it returns.
 */
#pragma once

#include <thrust/detail/allocator_aware_execution_policy.h>
#include <thrust/system/cpp/detail/execution_policy.h>
#include "cuda_runtime.h"

THRUST_NAMESPACE_BEGIN
namespace system
{
namespace cuda
{
namespace detail
{

template <typename P> struct cpu_on_stream : thrust::system::cpp::detail::execution_policy<P> {
    P on(cudaStream_t) const
    {
        return static_cast<const P &>(*this);
    }
};

struct par_t : cpu_on_stream<par_t>,
               thrust::detail::allocator_aware_execution_policy<cpu_on_stream> {
    constexpr par_t()
    {
    }
};

} // namespace detail

using thrust::system::cpp::execution_policy;
using thrust::system::cpp::tag;
inline constexpr detail::par_t par, par_nosync;

} // namespace cuda
} // namespace system

namespace cuda
{
using thrust::system::cuda::execution_policy;
using thrust::system::cuda::par;
using thrust::system::cuda::par_nosync;
using thrust::system::cuda::tag;
} // namespace cuda
THRUST_NAMESPACE_END
