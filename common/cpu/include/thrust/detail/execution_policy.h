/*
 * Thrust's own header, with one more thing: each call of an algorithm says so to the CPU device.
 * All of Thrust's entry points ask strip_const for their policy, in the expression that is the call
 * itself, so what strip_const returns lives as long as the call. While it does, the host's code may
 * touch device memory, which the work queued before has left.
 */
#pragma once

#define strip_const cpu_thrust_strip_const
#include_next <thrust/detail/execution_policy.h>
#undef strip_const
#include "cpu/abi.h"

THRUST_NAMESPACE_BEGIN
namespace detail
{

struct cpu_library_section {
    explicit cpu_library_section(const char *name)
    {
        cpu_library_begin("Thrust", name);
    }
    cpu_library_section(const cpu_library_section &) = delete;
    ~cpu_library_section()
    {
        cpu_library_end();
    }
};

template <typename P> struct cpu_called_policy : cpu_library_section {
    P &policy;
    cpu_called_policy(P &p, const char *name) : cpu_library_section(name), policy(p)
    {
    }
};

template <typename P>
cpu_called_policy<P> strip_const(const execution_policy_base<P> &p,
                                 const char *algorithm = __builtin_FUNCTION())
{
    return {const_cast<P &>(static_cast<const P &>(p)), algorithm};
}

template <typename P> P &derived_cast(const cpu_called_policy<P> &called)
{
    return called.policy;
}

} // namespace detail
THRUST_NAMESPACE_END

#include <thrust/system_error.h> /* which a program finds there with nvcc */
