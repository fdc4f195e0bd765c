/*
 * cooperative_groups::inclusive_scan and exclusive_scan, and those that add to an atomic. The order
 * in which values meet is the toolkit's. Rank 0 of an exclusive scan gets T().
 */
#ifndef COOPERATIVE_GROUPS_SCAN_H
#define COOPERATIVE_GROUPS_SCAN_H

#include <cooperative_groups.h>
#include <cuda/atomic>
#include "group_operators.h"

namespace cooperative_groups
{
namespace details
{
/* From the inclusive result: by subtraction where that is exact, else from the rank below. */
template <typename G, typename T, typename F>
static CPU_INLINE T exclusive_of(const G &group, T scanned, T value, F &)
{
    if constexpr (std::is_same<plain<F>, plus<T>>::value && std::is_integral<T>::value) {
        return (T)(scanned - value);
    } else {
        T below = group.shfl_up(scanned, 1);

        return group.thread_rank() ? below : T();
    }
}

/* In a tile of several warps: adds to a warp's part what the warps before it have together. */
template <bool EXCLUSIVE, unsigned SIZE, typename P, typename T, typename F>
static CPU_INLINE T scan_warps(const thread_block_tile<SIZE, P> &tile, T value, F &op)
{
    constexpr unsigned warps = SIZE / 32;
    lanes_tile<32> warp(0, 1);
    lanes_tile<warps> across(0, 1);
    T mine = scan_in(warp, value, op), sum, before;

    tile.publish(lane() == 31, mine);
    sum = tile.template read<T>(lane() % warps);
    before = across.shfl(exclusive_of(across, scan_in(across, sum, op), sum, op),
                         (int)(tile.warp_rank()));
    tile.done();
    if (EXCLUSIVE) {
        mine = warp.shfl_up(mine, 1);
        if (lane() == 0)
            return before;
    }
    return tile.warp_rank() ? op(mine, before) : mine;
}

template <bool EXCLUSIVE, typename G, typename T, typename F>
static CPU_INLINE T scan(const G &group, T value, F &op)
{
    T scanned = scan_in(group, value, op);

    return EXCLUSIVE ? exclusive_of(group, scanned, value, op) : scanned;
}
template <bool EXCLUSIVE, unsigned SIZE, typename P, typename T, typename F>
static CPU_INLINE T scan(const thread_block_tile<SIZE, P> &tile, T value, F &op)
{
    if constexpr (SIZE > 32) {
        return scan_warps<EXCLUSIVE>(tile, value, op);
    } else {
        T scanned = scan_in(tile, value, op);

        return EXCLUSIVE ? exclusive_of(tile, scanned, value, op) : scanned;
    }
}

template <bool EXCLUSIVE, typename G, typename A, typename T, typename F>
static CPU_INLINE T scan_update(const G &group, A &to, T value, F &op)
{
    T scanned = scan<false>(group, value, op), old = T();

    if (group.thread_rank() + 1 == group.size())
        old = update(to, scanned, op);
    old = group.shfl(old, group.size() - 1);
    if (!EXCLUSIVE)
        return op(old, scanned);
    scanned = scan<true>(group, value, op);
    return group.thread_rank() ? op(old, scanned) : old;
}
} // namespace details

#define CPU_SCAN(NAME, EXCLUSIVE)                                                                  \
    template <typename G, typename T, typename F>                                                  \
    static CPU_INLINE auto NAME(const G &group, T &&value, F &&op)->decltype(op(value, value))     \
    {                                                                                              \
        return details::scan<EXCLUSIVE>(group, (details::plain<T>)value, op);                      \
    }                                                                                              \
    template <typename G, typename T>                                                              \
    static CPU_INLINE details::plain<T> NAME(const G &group, T &&value)                            \
    {                                                                                              \
        return NAME(group, value, plus<details::plain<T>>());                                      \
    }                                                                                              \
    CPU_SCAN_UPDATE(NAME##_update, EXCLUSIVE, cuda::atomic)                                        \
    CPU_SCAN_UPDATE(NAME##_update, EXCLUSIVE, const cuda::atomic_ref)
#define CPU_SCAN_UPDATE(NAME, EXCLUSIVE, ATOMIC)                                                   \
    template <typename G, typename D, typename T, cuda::thread_scope S, typename F>                \
    static CPU_INLINE D NAME(const G &group, ATOMIC<D, S> &to, T &&value, F &&op)                  \
    {                                                                                              \
        return details::scan_update<EXCLUSIVE>(group, to, (D)value, op);                           \
    }                                                                                              \
    template <typename G, typename D, typename T, cuda::thread_scope S>                            \
    static CPU_INLINE D NAME(const G &group, ATOMIC<D, S> &to, T &&value)                          \
    {                                                                                              \
        return NAME(group, to, value, plus<D>());                                                  \
    }
CPU_SCAN(inclusive_scan, false)
CPU_SCAN(exclusive_scan, true)
} // namespace cooperative_groups

#endif
