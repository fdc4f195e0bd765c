/* Two elements of device memory, exchanged by the host through references of Thrust's. */
#pragma once

#include_next <thrust/system/cpp/detail/iter_swap.h>
#include <thrust/detail/raw_pointer_cast.h>
#include <thrust/iterator/iterator_traits.h>
#include <thrust/system/cpp/detail/execution_policy.h>

THRUST_NAMESPACE_BEGIN
namespace system
{
namespace cpp
{
namespace detail
{

template <typename P, typename A, typename B> void iter_swap(execution_policy<P> &, A a, B b)
{
    thrust::detail::cpu_library_section section("element");
    auto kept = *thrust::raw_pointer_cast(a);

    *thrust::raw_pointer_cast(a) = *thrust::raw_pointer_cast(b);
    *thrust::raw_pointer_cast(b) = kept;
}

} // namespace detail
} // namespace cpp
} // namespace system
THRUST_NAMESPACE_END
