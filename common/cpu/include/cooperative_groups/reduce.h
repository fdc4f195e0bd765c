/*
 * cooperative_groups::reduce, and its operators.
 *
 * The order in which values meet is the toolkit's, so sums of floats are equal to the bit: in a
 * tile of N, rank r combines with rank r ^ N/2, then with r ^ N/4 and so on, and every rank has the
 * same tree; in other groups it is the last rank's value of inclusive_scan. Integers of up to 4
 * bytes go through the warp's own reductions, as there.
 */
#ifndef COOPERATIVE_GROUPS_REDUCE_H
#define COOPERATIVE_GROUPS_REDUCE_H

#include <cooperative_groups.h>
#include <cuda/atomic>
#include "group_operators.h"

namespace cooperative_groups
{
namespace details
{
/* The warp's own reductions: of the toolkit's operators, for the integers that they take. */
template <typename F, typename T> struct own_reduction {
    static constexpr bool exists = false;
};
#define CPU_OWN_REDUCTION(F, NAME)                                                                 \
    template <typename T> struct own_reduction<F<T>, T> {                                          \
        static constexpr bool exists = std::is_integral<T>::value && sizeof(T) <= 4;               \
        static CPU_INLINE T of(unsigned mask, T value)                                             \
        {                                                                                          \
            if constexpr (std::is_unsigned<T>::value)                                              \
                return (T)NAME(mask, (unsigned)value);                                             \
            else                                                                                   \
                return (T)NAME(mask, (int)value);                                                  \
        }                                                                                          \
    };
CPU_OWN_REDUCTION(cooperative_groups::plus, __reduce_add_sync)
CPU_OWN_REDUCTION(cooperative_groups::less, __reduce_min_sync)
CPU_OWN_REDUCTION(cooperative_groups::greater, __reduce_max_sync)
static CPU_INLINE int signed_and(unsigned m, int v)
{
    return (int)__reduce_and_sync(m, (unsigned)v);
}
static CPU_INLINE int signed_or(unsigned m, int v)
{
    return (int)__reduce_or_sync(m, (unsigned)v);
}
static CPU_INLINE int signed_xor(unsigned m, int v)
{
    return (int)__reduce_xor_sync(m, (unsigned)v);
}
static CPU_INLINE unsigned signed_and(unsigned m, unsigned v)
{
    return __reduce_and_sync(m, v);
}
static CPU_INLINE unsigned signed_or(unsigned m, unsigned v)
{
    return __reduce_or_sync(m, v);
}
static CPU_INLINE unsigned signed_xor(unsigned m, unsigned v)
{
    return __reduce_xor_sync(m, v);
}
CPU_OWN_REDUCTION(cooperative_groups::bit_and, signed_and)
CPU_OWN_REDUCTION(cooperative_groups::bit_or, signed_or)
CPU_OWN_REDUCTION(cooperative_groups::bit_xor, signed_xor)

template <unsigned SIZE, typename T, typename F>
static CPU_INLINE T reduce_tile(const lanes_tile<SIZE> &tile, T value, F &op)
{
    if constexpr (SIZE >= 16 && own_reduction<plain<F>, T>::exists) {
        return own_reduction<plain<F>, T>::of(tile.lane_mask(), value);
    } else {
        for (unsigned lanes = SIZE / 2; lanes; lanes /= 2)
            value = op(value, tile.shfl_xor(value, lanes));
        return value;
    }
}
template <typename T, typename F>
static CPU_INLINE T reduce_in(const coalesced_group &group, T value, F &op)
{
    if constexpr (own_reduction<plain<F>, T>::exists)
        return own_reduction<plain<F>, T>::of(group.lane_mask(), value);
    else if (group.size() == 32)
        return reduce_tile(lanes_tile<32>(0, 1), value, op);
    else
        return group.shfl(scan_in(group, value, op), (int)group.size() - 1);
}
template <unsigned SIZE, typename P, typename T, typename F>
static CPU_INLINE T reduce_in(const thread_block_tile<SIZE, P> &tile, T value, F &op)
{
    if constexpr (SIZE <= 32) {
        return reduce_tile<SIZE>(tile, value, op);
    } else { /* each warp, then the warps' values: every warp does that for itself */
        constexpr unsigned warps = SIZE / 32;

        tile.publish(lane() == 0, reduce_tile(lanes_tile<32>(0, 1), value, op));
        value = tile.template read<T>(lane() % warps);
        value = reduce_tile(lanes_tile<warps>(0, 1), value, op);
        tile.done();
        return value;
    }
}
} // namespace details

template <typename G, typename T, typename F>
static CPU_INLINE auto reduce(const G &group, T &&value, F &&op) -> decltype(op(value, value))
{
    typedef details::plain<T> plain;

    static_assert(std::is_same<details::plain<decltype(op(value, value))>, plain>::value,
                  "the operator's type and the value's differ");
    return details::reduce_in(group, (plain)value, op);
}

template <typename G, typename D, typename T, typename F>
static CPU_INLINE void reduce_store_async(const G &group, D *to, T &&value, F &&op)
{
    details::plain<T> result = reduce(group, value, op);

    if (group.thread_rank() == 0)
        *to = result;
}
#define CPU_REDUCE_TO(ATOMIC)                                                                      \
    template <typename G, typename D, cuda::thread_scope S, typename T, typename F>                \
    static CPU_INLINE void reduce_store_async(const G &group, ATOMIC<D, S> &to, T &&value, F &&op) \
    {                                                                                              \
        D result = reduce(group, value, op);                                                       \
                                                                                                   \
        if (group.thread_rank() == 0)                                                              \
            to.store(result, cuda::memory_order_relaxed);                                          \
    }                                                                                              \
    template <typename G, typename D, cuda::thread_scope S, typename T, typename F>                \
    static CPU_INLINE void reduce_update_async(const G &group, ATOMIC<D, S> &to, T &&value,        \
                                               F &&op)                                             \
    {                                                                                              \
        D result = reduce(group, value, op);                                                       \
                                                                                                   \
        if (group.thread_rank() == 0)                                                              \
            details::update(to, result, op);                                                       \
    }
CPU_REDUCE_TO(cuda::atomic)
CPU_REDUCE_TO(const cuda::atomic_ref)
} // namespace cooperative_groups

#endif
