/* Parts of groups: by size, by a value, by a yes or no; and one thread for all. */
#ifndef COOPERATIVE_GROUPS_PARTITIONS_H
#define COOPERATIVE_GROUPS_PARTITIONS_H

#include <utility>

namespace cooperative_groups
{
template <unsigned SIZE, typename PARENT>
static CPU_INLINE thread_block_tile<SIZE, PARENT> tiled_partition(const PARENT &parent)
{
    static_assert(!std::is_same<PARENT, thread_group>::value &&
                      !std::is_same<PARENT, coalesced_group>::value,
                  "tiled_partition<SIZE>() takes a block or a tile; of other groups it is "
                  "tiled_partition(group, size)");
    if (SIZE > 32)
        parent.sync(); /* as the toolkit's does, which clears its barrier's memory first */
    return thread_block_tile<SIZE, PARENT>(parent);
}

/* --- a size that is known only as it runs: 1, 2, 4, 8, 16 or 32 ------------------------------- */

namespace details
{
static CPU_INLINE unsigned checked_tile_size(unsigned size)
{
    if (!size || size > 32 || size & (size - 1))
        cpu_stop("tiled_partition(group, size) with a size that is not 1, 2, 4, 8, 16 or 32");
    return size;
}

static CPU_INLINE unsigned tile_mask(unsigned rank, unsigned threads, unsigned size)
{
    unsigned first = rank & ~(size - 1);
    unsigned count = threads - first < size ? threads - first : size;

    return ~0u >> (32 - count) << (lane() & ~(size - 1));
}
} // namespace details

static CPU_INLINE coalesced_group tiled_partition(const coalesced_group &parent, unsigned size)
{
    unsigned rank = parent.thread_rank(), threads = parent.size(), lanes = 0;

    details::checked_tile_size(size);
    if (threads <= size)
        return parent;
    if (parent.is_tile_of_lanes())
        return coalesced_group(details::tile_mask(rank, threads, size), rank / size, threads / size,
                               true);
    for (unsigned i = rank / size * size; i < (rank / size + 1) * size && i < threads; i++)
        lanes |= 1u << details::nth_lane(parent.lane_mask(), i);
    return coalesced_group(lanes, rank / size, (threads + size - 1) / size);
}
static CPU_INLINE thread_group tiled_partition(const thread_block &, unsigned size)
{
    unsigned rank = thread_block::thread_rank(), threads = thread_block::size();

    details::checked_tile_size(size);
    return coalesced_group(details::tile_mask(rank, threads, size), rank / size,
                           (threads + size - 1) / size, true);
}
CPU_INLINE thread_group tiled_partition(const thread_group &parent, unsigned size)
{
    if (parent.kind == details::of_lanes)
        return tiled_partition(
            coalesced_group(parent.mask, parent.meta_rank, parent.meta_size, parent.is_tile), size);
    return tiled_partition(thread_block(), size);
}

/* --- by a value ------------------------------------------------------------------------------- */

namespace details
{
static CPU_INLINE coalesced_group in_two(unsigned lanes, bool mine)
{
    unsigned yes = __ballot_sync(lanes, mine);

    if (yes == lanes || !yes)
        return coalesced_group(lanes);
    return coalesced_group(mine ? yes : lanes & ~yes, mine, 2);
}

template <typename T> static CPU_INLINE coalesced_group by_label(unsigned lanes, T label)
{
    unsigned same = __match_any_sync(lanes, label), first = (unsigned)__builtin_ctz(same);
    unsigned firsts = __ballot_sync(lanes, lane() == first);

    return coalesced_group(same, (unsigned)__builtin_popcount(firsts & ((1u << first) - 1)),
                           (unsigned)__builtin_popcount(firsts));
}

template <typename T> static CPU_INLINE coalesced_group partition(unsigned lanes, T label)
{
    static_assert(std::is_integral<T>::value || std::is_pointer<T>::value,
                  "a label is an integer or a pointer");
    if constexpr (std::is_same<T, bool>::value)
        return in_two(lanes, label);
    else if constexpr (std::is_pointer<T>::value)
        return by_label(lanes, (unsigned long long)(uintptr_t)label);
    else if constexpr (sizeof(T) < 4)
        return by_label(lanes, (int)label);
    else
        return by_label(lanes, label);
}
} // namespace details

static CPU_INLINE coalesced_group binary_partition(const coalesced_group &g, bool mine)
{
    return details::in_two(g.lane_mask(), mine);
}
template <unsigned SIZE, typename PARENT>
static CPU_INLINE coalesced_group binary_partition(const thread_block_tile<SIZE, PARENT> &g,
                                                   bool mine)
{
    static_assert(SIZE <= 32, "binary_partition takes tiles of up to 32 threads");
    return details::in_two(g.lane_mask(), mine);
}
template <typename T>
static CPU_INLINE coalesced_group labeled_partition(const coalesced_group &g, T label)
{
    return details::partition(g.lane_mask(), label);
}
template <unsigned SIZE, typename PARENT, typename T>
static CPU_INLINE coalesced_group labeled_partition(const thread_block_tile<SIZE, PARENT> &g,
                                                    T label)
{
    static_assert(SIZE <= 32, "labeled_partition takes tiles of up to 32 threads");
    return details::partition(g.lane_mask(), label);
}

/* --- one thread for all: rank 0, which is one of those that CUDA may choose
 * --------------------- */

template <typename G, typename F, typename... A>
static CPU_INLINE void invoke_one(const G &group, F &&f, A &&...arguments)
{
    if (group.thread_rank() == 0)
        std::forward<F>(f)(std::forward<A>(arguments)...);
}
template <typename G, typename F, typename... A>
static CPU_INLINE auto invoke_one_broadcast(const G &group, F &&f, A &&...arguments)
    -> details::plain<decltype(std::forward<F>(f)(std::forward<A>(arguments)...))>
{
    details::plain<decltype(std::forward<F>(f)(std::forward<A>(arguments)...))> result{};

    if (group.thread_rank() == 0)
        result = std::forward<F>(f)(std::forward<A>(arguments)...);
    return group.shfl(result, 0);
}
} // namespace cooperative_groups

#endif
