/* The threads of a warp that are together, and what partitions leave of them. */
#ifndef COOPERATIVE_GROUPS_COALESCED_H
#define COOPERATIVE_GROUPS_COALESCED_H

namespace cooperative_groups
{
class coalesced_group : public thread_group
{
    CPU_INLINE bool is_full() const
    {
        return mask == ~0u;
    }

    /* From this lane of the warp; from the own one when it is none (32). */
    template <typename T> CPU_INLINE T from_lane(T value, unsigned source) const
    {
        return details::shuffle(CPU_WARP_SHFL, mask, value, source >= 32 ? details::lane() : source,
                                32);
    }

  public:
    static constexpr cuda::thread_scope thread_scope = cuda::thread_scope_block;

    /* For the functions that make groups: these lanes, which are part `part` of `parts`. */
    explicit CPU_INLINE coalesced_group(unsigned lanes, unsigned part = 0, unsigned parts = 1,
                                        bool tile = false)
        : thread_group(details::of_lanes)
    {
        mask = lanes;
        meta_rank = part;
        meta_size = parts;
        is_tile = tile;
    }
    CPU_INLINE unsigned lane_mask() const
    {
        return mask;
    } /* ours, for those of this directory */
    CPU_INLINE bool is_tile_of_lanes() const
    {
        return is_tile;
    }

    CPU_INLINE unsigned num_threads() const
    {
        return (unsigned)__builtin_popcount(mask);
    }
    CPU_INLINE unsigned size() const
    {
        return num_threads();
    }
    CPU_INLINE unsigned thread_rank() const
    {
        return (unsigned)__builtin_popcount(mask & details::lanes_below());
    }
    CPU_INLINE unsigned meta_group_rank() const
    {
        return meta_rank;
    }
    CPU_INLINE unsigned meta_group_size() const
    {
        return meta_size;
    }
    CPU_INLINE void sync() const
    {
        cpu_syncwarp(mask);
    }

    template <typename T> CPU_INLINE details::plain<T> shfl(T &&value, int rank) const
    {
        return details::shuffle<details::plain<T>>(
            CPU_WARP_SHFL, mask, value,
            is_full() ? (unsigned)rank : details::nth_lane(mask, (unsigned)rank) & 31, 32);
    }
    template <typename T> CPU_INLINE details::plain<T> shfl_down(T &&value, unsigned delta) const
    {
        if (is_full())
            return details::shuffle<details::plain<T>>(CPU_WARP_SHFL_DOWN, mask, value, delta, 32);
        return from_lane<details::plain<T>>(
            value, details::nth_lane(mask & ~details::lanes_below(), delta));
    }
    template <typename T> CPU_INLINE details::plain<T> shfl_up(T &&value, int delta) const
    {
        unsigned rank = thread_rank();

        if (is_full())
            return details::shuffle<details::plain<T>>(CPU_WARP_SHFL_UP, mask, value,
                                                       (unsigned)delta, 32);
        return from_lane<details::plain<T>>(
            value, rank < (unsigned)delta ? 32 : details::nth_lane(mask, rank - (unsigned)delta));
    }
    CPU_INLINE int any(int p) const
    {
        return __ballot_sync(mask, p) != 0;
    }
    CPU_INLINE int all(int p) const
    {
        return __ballot_sync(mask, p) == mask;
    }
    CPU_INLINE unsigned ballot(int p) const
    {
        return details::pack(__ballot_sync(mask, p), mask);
    }
    template <typename T> CPU_INLINE unsigned match_any(T value) const
    {
        return details::pack(__match_any_sync(mask, value), mask);
    }
    template <typename T> CPU_INLINE unsigned match_all(T value, int &equal) const
    {
        return details::pack(__match_all_sync(mask, value, &equal), mask);
    }
};

static CPU_INLINE coalesced_group coalesced_threads(unsigned line = __builtin_LINE())
{
    return coalesced_group(cpu_activemask(line));
}
} // namespace cooperative_groups

#endif
