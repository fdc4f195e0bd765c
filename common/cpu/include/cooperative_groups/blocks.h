/* The grid, the block, and thread_group, which can hold any group but a tile of several warps. */
#ifndef COOPERATIVE_GROUPS_BLOCKS_H
#define COOPERATIVE_GROUPS_BLOCKS_H

namespace cooperative_groups
{
namespace details
{
enum group_kind { of_grid, of_block, of_lanes, of_cluster };
}

class thread_group
{
  protected:
    enum details::group_kind kind;
    unsigned mask = 0;                     /* of_lanes */
    unsigned meta_rank = 0, meta_size = 1; /* of_lanes: which of how many parts of its parent */
    bool is_tile = false; /* of_lanes: lanes side by side, from a multiple of size */

    explicit CPU_INLINE thread_group(enum details::group_kind k) : kind(k)
    {
    }

  public:
    static constexpr cuda::thread_scope thread_scope = cuda::thread_scope_device;

    CPU_INLINE unsigned long long size() const;
    CPU_INLINE unsigned long long num_threads() const
    {
        return size();
    }
    CPU_INLINE unsigned long long thread_rank() const;
    CPU_INLINE void sync() const;
    CPU_INLINE unsigned get_type() const
    {
        return (unsigned)kind;
    }

    friend CPU_INLINE thread_group tiled_partition(const thread_group &, unsigned);
};

class grid_group : public thread_group
{
  public:
    using arrival_token = unsigned;

    CPU_INLINE grid_group() : thread_group(details::of_grid)
    {
    }
    CPU_INLINE bool is_valid() const
    {
        return cpu_grid_valid();
    }
    CPU_INLINE void sync() const
    {
        cpu_grid_barrier();
    }
    /* All waiting is done in barrier_wait: who arrives may go on, so that is one of the orders. */
    CPU_INLINE arrival_token barrier_arrive() const
    {
        return 0;
    }
    CPU_INLINE void barrier_wait(arrival_token &&) const
    {
        cpu_grid_barrier();
    }

    static CPU_INLINE dim3 dim_blocks()
    {
        return cpu_gridDim();
    }
    static CPU_INLINE dim3 group_dim()
    {
        return cpu_gridDim();
    }
    static CPU_INLINE unsigned long long num_blocks()
    {
        const dim3 g = cpu_gridDim();

        return (unsigned long long)g.x * g.y * g.z;
    }
    static CPU_INLINE dim3 block_index()
    {
        return dim3(cpu_blockIdx());
    }
    static CPU_INLINE unsigned long long block_rank()
    {
        const uint3 i = cpu_blockIdx();
        const dim3 g = cpu_gridDim();

        return ((unsigned long long)i.z * g.y + i.y) * g.x + i.x;
    }
    static CPU_INLINE dim3 dim_clusters()
    {
        return __clusterGridDimInClusters();
    }
    static CPU_INLINE unsigned long long num_clusters()
    {
        const dim3 c = dim_clusters();

        return (unsigned long long)c.x * c.y * c.z;
    }
    static CPU_INLINE dim3 cluster_index()
    {
        return __clusterIdx();
    }
    static CPU_INLINE unsigned long long cluster_rank()
    {
        const dim3 i = cluster_index(), c = dim_clusters();

        return ((unsigned long long)i.z * c.y + i.y) * c.x + i.x;
    }
    static CPU_INLINE dim3 dim_threads()
    {
        const dim3 g = cpu_gridDim(), b = cpu_blockDim();

        return dim3(g.x * b.x, g.y * b.y, g.z * b.z);
    }
    static CPU_INLINE dim3 thread_index()
    {
        const uint3 t = cpu_threadIdx(), i = cpu_blockIdx();
        const dim3 b = cpu_blockDim();

        return dim3(i.x * b.x + t.x, i.y * b.y + t.y, i.z * b.z + t.z);
    }
    static CPU_INLINE unsigned long long num_threads()
    {
        return num_blocks() * details::block_threads();
    }
    static CPU_INLINE unsigned long long size()
    {
        return num_threads();
    }
    static CPU_INLINE unsigned long long thread_rank()
    {
        return block_rank() * details::block_threads() + details::rank_in_block();
    }
};

class thread_block : public thread_group
{
  public:
    static constexpr cuda::thread_scope thread_scope = cuda::thread_scope_block;
    struct arrival_token {
    };

    CPU_INLINE thread_block() : thread_group(details::of_block)
    {
    }
    static CPU_INLINE void sync(unsigned line = __builtin_LINE())
    {
        cpu_at_line(line);
        cpu_barrier();
    }
    /* As in the toolkit, which has the whole barrier in barrier_wait. */
    CPU_INLINE arrival_token barrier_arrive() const
    {
        return arrival_token();
    }
    CPU_INLINE void barrier_wait(arrival_token &&, unsigned line = __builtin_LINE()) const
    {
        sync(line);
    }

    static CPU_INLINE unsigned num_threads()
    {
        return details::block_threads();
    }
    static CPU_INLINE unsigned size()
    {
        return details::block_threads();
    }
    static CPU_INLINE unsigned thread_rank()
    {
        return details::rank_in_block();
    }
    static CPU_INLINE dim3 group_index()
    {
        return dim3(cpu_blockIdx());
    }
    static CPU_INLINE dim3 thread_index()
    {
        return dim3(cpu_threadIdx());
    }
    static CPU_INLINE dim3 group_dim()
    {
        return cpu_blockDim();
    }
    static CPU_INLINE dim3 dim_threads()
    {
        return cpu_blockDim();
    }
};

/* For tiles of several warps CUDA wanted memory before compute capability 8.0. Here it is unused,
 * too. */
template <unsigned MAX_BLOCK_SIZE = 1024> struct alignas(8) block_tile_memory {
  private:
    char unused;
};

static CPU_INLINE grid_group this_grid()
{
    return grid_group();
}
static CPU_INLINE thread_block this_thread_block()
{
    return thread_block();
}
template <unsigned MAX_BLOCK_SIZE>
static CPU_INLINE thread_block this_thread_block(block_tile_memory<MAX_BLOCK_SIZE> &)
{
    return thread_block();
}

__attribute__((error("the CPU device has no cooperative groups of several devices"))) //
grid_group
this_multi_grid();

template <typename G> static CPU_INLINE void sync(const G &group)
{
    group.sync();
}
static CPU_INLINE void sync(const thread_block &, unsigned line = __builtin_LINE())
{
    thread_block::sync(line);
}
template <typename G>
static CPU_INLINE auto thread_rank(const G &group) -> decltype(group.thread_rank())
{
    return group.thread_rank();
}
template <typename G>
static CPU_INLINE auto group_size(const G &group) -> decltype(group.num_threads())
{
    return group.num_threads();
}

} // namespace cooperative_groups

#include "cooperative_groups/clusters.h"

namespace cooperative_groups
{
/* --- thread_group: as what it holds ----------------------------------------------------------- */

CPU_INLINE unsigned long long thread_group::size() const
{
    return kind == details::of_grid      ? grid_group::size()
           : kind == details::of_block   ? thread_block::size()
           : kind == details::of_cluster ? cluster_group::size()
                                         : (unsigned long long)__builtin_popcount(mask);
}
CPU_INLINE unsigned long long thread_group::thread_rank() const
{
    return kind == details::of_grid    ? grid_group::thread_rank()
           : kind == details::of_block ? thread_block::thread_rank()
           : kind == details::of_cluster
               ? cluster_group::thread_rank()
               : (unsigned long long)__builtin_popcount(mask & details::lanes_below());
}
CPU_INLINE void thread_group::sync() const
{
    if (kind == details::of_grid)
        cpu_grid_barrier();
    else if (kind == details::of_block)
        cpu_barrier();
    else if (kind == details::of_cluster)
        cluster_group::sync(0);
    else
        cpu_syncwarp(mask);
}
} // namespace cooperative_groups

#endif
