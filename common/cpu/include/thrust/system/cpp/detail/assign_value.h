/* An element of device memory, written by the host through a reference of Thrust's. */
#pragma once

#include_next <thrust/system/cpp/detail/assign_value.h>
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

template <typename P, typename To, typename From>
void assign_value(execution_policy<P> &, To to, From from)
{
    thrust::detail::cpu_library_section section("element");

    *thrust::raw_pointer_cast(to) = *thrust::raw_pointer_cast(from);
}

} // namespace detail
} // namespace cpp
} // namespace system
THRUST_NAMESPACE_END
