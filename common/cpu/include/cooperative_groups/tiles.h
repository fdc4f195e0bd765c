/*
 * Tiles: parts of a block with a size that is known when it is compiled, a power of two. Up to 32
 * threads they are lanes of one warp; from 64 on they are teams of warps (engine/object.h).
 */
#ifndef COOPERATIVE_GROUPS_TILES_H
#define COOPERATIVE_GROUPS_TILES_H

namespace cooperative_groups
{
template <unsigned SIZE, typename PARENT = void> class thread_block_tile;

namespace details
{
template <unsigned SIZE> struct tile_base {
    static constexpr cuda::thread_scope thread_scope = cuda::thread_scope_block;

    static CPU_INLINE unsigned thread_rank()
    {
        return rank_in_block() % SIZE;
    }
    static constexpr CPU_INLINE unsigned num_threads()
    {
        return SIZE;
    }
    static constexpr CPU_INLINE unsigned size()
    {
        return SIZE;
    }
};

template <unsigned SIZE> class lanes_tile : public thread_group, public tile_base<SIZE>
{
  public:
    using tile_base<SIZE>::thread_scope;
    using tile_base<SIZE>::thread_rank;
    using tile_base<SIZE>::num_threads;
    using tile_base<SIZE>::size;

    CPU_INLINE lanes_tile(unsigned part, unsigned parts) : thread_group(of_lanes)
    {
        mask = lane_mask();
        meta_rank = part;
        meta_size = parts;
        is_tile = true;
    }
    static CPU_INLINE unsigned first_lane()
    {
        return lane() & ~(SIZE - 1);
    }
    static CPU_INLINE unsigned lane_mask() /* ours, for those of this directory */
    {
        return SIZE == 32 ? ~0u : ((1u << SIZE % 32) - 1) << first_lane();
    }
    CPU_INLINE unsigned meta_group_rank() const
    {
        return meta_rank;
    }
    CPU_INLINE unsigned meta_group_size() const
    {
        return meta_size;
    }
    static CPU_INLINE void sync()
    {
        cpu_syncwarp(lane_mask());
    }

    template <typename T> CPU_INLINE plain<T> shfl(T &&value, int rank) const
    {
        return shuffle<plain<T>>(CPU_WARP_SHFL, lane_mask(), value, (unsigned)rank, SIZE);
    }
    template <typename T> CPU_INLINE plain<T> shfl_down(T &&value, unsigned delta) const
    {
        return shuffle<plain<T>>(CPU_WARP_SHFL_DOWN, lane_mask(), value, delta, SIZE);
    }
    template <typename T> CPU_INLINE plain<T> shfl_up(T &&value, unsigned delta) const
    {
        return shuffle<plain<T>>(CPU_WARP_SHFL_UP, lane_mask(), value, delta, SIZE);
    }
    template <typename T> CPU_INLINE plain<T> shfl_xor(T &&value, unsigned lanes) const
    {
        return shuffle<plain<T>>(CPU_WARP_SHFL_XOR, lane_mask(), value, lanes, SIZE);
    }
    CPU_INLINE int any(int p) const
    {
        return __ballot_sync(lane_mask(), p) != 0;
    }
    CPU_INLINE int all(int p) const
    {
        return __ballot_sync(lane_mask(), p) == lane_mask();
    }
    CPU_INLINE unsigned ballot(int p) const
    {
        return __ballot_sync(lane_mask(), p) >> first_lane();
    }
    template <typename T> CPU_INLINE unsigned match_any(T value) const
    {
        return __match_any_sync(lane_mask(), value) >> first_lane();
    }
    template <typename T> CPU_INLINE unsigned match_all(T value, int &equal) const
    {
        return __match_all_sync(lane_mask(), value, &equal) >> first_lane();
    }
};

template <unsigned SIZE> class warps_tile : public tile_base<SIZE>
{
    unsigned meta_rank, meta_size;

  public:
    static constexpr unsigned warps = SIZE / 32;

    CPU_INLINE warps_tile(unsigned part, unsigned parts) : meta_rank(part), meta_size(parts)
    {
    }
    CPU_INLINE unsigned meta_group_rank() const
    {
        return meta_rank;
    }
    CPU_INLINE unsigned meta_group_size() const
    {
        return meta_size;
    }
    static CPU_INLINE void sync()
    {
        cpu_team_barrier(warps);
    }
    static CPU_INLINE unsigned warp_rank()
    {
        return rank_in_block() % SIZE / 32;
    }

    /* One value of each warp, written by those threads that say so; then a thread may read any of
     * them until it is done. */
    template <typename T> CPU_INLINE void publish(bool mine, T value) const
    {
        uint64_t bits = 0;

        static_assert(sizeof(T) <= 8, "tiles of more than 32 threads pass on at most 8 bytes");
        __builtin_memcpy(&bits, &value, sizeof(T));
        if (mine)
            cpu_team_publish(bits);
        sync();
    }
    template <typename T> CPU_INLINE T read(unsigned warp_of_tile) const
    {
        uint64_t bits = cpu_team_read(rank_in_block() / SIZE * warps + warp_of_tile);
        T value;

        __builtin_memcpy((void *)&value, &bits, sizeof(T));
        return value;
    }
    CPU_INLINE void done() const
    {
        sync();
    }

    template <typename T> CPU_INLINE T shfl(T value, unsigned rank) const
    {
        publish(this->thread_rank() == rank, value);
        T result = read<T>(rank / 32);
        done();
        return result;
    }
    CPU_INLINE int any(int p) const
    {
        int result = 0;

        publish(lane() == 0, __any_sync(~0u, p));
        for (unsigned i = 0; i < warps; i++)
            result |= read<int>(i);
        done();
        return result;
    }
    CPU_INLINE int all(int p) const
    {
        int result = 1;

        publish(lane() == 0, __all_sync(~0u, p));
        for (unsigned i = 0; i < warps; i++)
            result &= read<int>(i);
        done();
        return result;
    }
};

template <unsigned SIZE>
using any_tile = typename std::conditional<SIZE <= 32, lanes_tile<SIZE>, warps_tile<SIZE>>::type;
} // namespace details

template <unsigned SIZE, typename PARENT> class thread_block_tile : public details::any_tile<SIZE>
{
    static_assert(SIZE && SIZE <= 1024 && !(SIZE & (SIZE - 1)),
                  "the size of a tile is a power of two from 1 to 1024");

  public:
    explicit CPU_INLINE thread_block_tile(const PARENT &)
        : details::any_tile<SIZE>(PARENT::thread_rank() / SIZE, (PARENT::size() + SIZE - 1) / SIZE)
    {
    }
    static CPU_INLINE unsigned meta_group_rank()
    {
        return PARENT::thread_rank() / SIZE;
    }
    static CPU_INLINE unsigned meta_group_size()
    {
        return (PARENT::size() + SIZE - 1) / SIZE;
    }
};

template <unsigned SIZE> class thread_block_tile<SIZE, void> : public details::any_tile<SIZE>
{
  public:
    template <typename PARENT>
    CPU_INLINE thread_block_tile(const thread_block_tile<SIZE, PARENT> &t)
        : details::any_tile<SIZE>(t.meta_group_rank(), t.meta_group_size())
    {
    }
};

static CPU_INLINE thread_block_tile<1> this_thread()
{
    typedef thread_block_tile<1, thread_block> one;

    return thread_block_tile<1, one>(one(thread_block()));
}
} // namespace cooperative_groups

#endif
