/* What reduce.h and scan.h share: the operators, a scan within a warp, and an update of an
 * atomic. */
#ifndef COOPERATIVE_GROUPS_GROUP_OPERATORS_H
#define COOPERATIVE_GROUPS_GROUP_OPERATORS_H

namespace cooperative_groups
{
template <typename T> struct plus {
    CPU_INLINE T operator()(T a, T b) const
    {
        return a + b;
    }
};
template <typename T> struct less {
    CPU_INLINE T operator()(T a, T b) const
    {
        return b < a ? b : a;
    }
};
template <typename T> struct greater {
    CPU_INLINE T operator()(T a, T b) const
    {
        return a < b ? b : a;
    }
};
template <typename T> struct bit_and {
    CPU_INLINE T operator()(T a, T b) const
    {
        return a & b;
    }
};
template <typename T> struct bit_or {
    CPU_INLINE T operator()(T a, T b) const
    {
        return a | b;
    }
};
template <typename T> struct bit_xor {
    CPU_INLINE T operator()(T a, T b) const
    {
        return a ^ b;
    }
};

namespace details
{
/* An inclusive scan by rank: with the rank 1 below, then 2, 4 and so on. */
template <typename G, typename T, typename F>
static CPU_INLINE T scan_in(const G &group, T value, F &op)
{
    for (unsigned by = 1; by < group.size(); by *= 2) {
        T other = group.shfl_up(value, by);

        if (by <= group.thread_rank())
            value = op(value, other);
    }
    return value;
}

/* The atomic takes in a value; its old one is returned. */
template <typename A, typename T, typename F> static CPU_INLINE T update(A &to, T value, F &op)
{
    if constexpr (std::is_same<plain<F>, plus<T>>::value && std::is_integral<T>::value) {
        return to.fetch_add(value, cuda::memory_order_relaxed);
    } else {
        T old = to.load(cuda::memory_order_relaxed);

        while (!to.compare_exchange_weak(old, op(old, value), cuda::memory_order_relaxed))
            ;
        return old;
    }
}
} // namespace details
} // namespace cooperative_groups

#endif
