/* An element of device memory, read by the host through a reference of Thrust's. */
#pragma once

#include_next <thrust/system/cpp/detail/get_value.h>
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

template <typename P, typename Pointer>
typename thrust::iterator_value<Pointer>::type get_value(execution_policy<P> &, Pointer p)
{
    thrust::detail::cpu_library_section section("element");

    return *thrust::raw_pointer_cast(p);
}

} // namespace detail
} // namespace cpp
} // namespace system
THRUST_NAMESPACE_END
