/* The cluster of blocks: cluster_group, which blocks.h includes. */
#ifndef COOPERATIVE_GROUPS_CLUSTERS_H
#define COOPERATIVE_GROUPS_CLUSTERS_H

namespace cooperative_groups
{
class cluster_group;
static CPU_INLINE cluster_group this_cluster();

class cluster_group : public thread_group
{
    CPU_INLINE cluster_group() : thread_group(details::of_cluster)
    {
    }
    friend CPU_INLINE cluster_group this_cluster();

  public:
    struct arrival_token {
    };

    static CPU_INLINE void sync(unsigned line = __builtin_LINE())
    {
        __cluster_barrier_arrive(line);
        __cluster_barrier_wait(line);
    }
    static CPU_INLINE arrival_token barrier_arrive(unsigned line = __builtin_LINE())
    {
        __cluster_barrier_arrive(line);
        return arrival_token();
    }
    static CPU_INLINE void barrier_wait(unsigned line = __builtin_LINE())
    {
        __cluster_barrier_wait(line);
    }
    static CPU_INLINE void barrier_wait(arrival_token &&, unsigned line = __builtin_LINE())
    {
        __cluster_barrier_wait(line);
    }

    static CPU_INLINE unsigned query_shared_rank(const void *p)
    {
        return __cluster_query_shared_rank(p);
    }
    template <typename T> static CPU_INLINE T *map_shared_rank(T *p, int rank)
    {
        return (T *)cpu_cluster_map((const void *)p, (unsigned)rank);
    }

    static CPU_INLINE dim3 block_index()
    {
        return __clusterRelativeBlockIdx();
    }
    static CPU_INLINE unsigned block_rank()
    {
        return cpu_cluster_rank();
    }
    static CPU_INLINE dim3 thread_index()
    {
        const dim3 i = block_index(), b = cpu_blockDim();
        const uint3 t = cpu_threadIdx();

        return dim3(i.x * b.x + t.x, i.y * b.y + t.y, i.z * b.z + t.z);
    }
    static CPU_INLINE unsigned thread_rank()
    {
        return block_rank() * details::block_threads() + details::rank_in_block();
    }
    static CPU_INLINE dim3 dim_blocks()
    {
        return __clusterDim();
    }
    static CPU_INLINE unsigned num_blocks()
    {
        return __clusterSizeInBlocks();
    }
    static CPU_INLINE dim3 dim_threads()
    {
        const dim3 c = dim_blocks(), b = cpu_blockDim();

        return dim3(c.x * b.x, c.y * b.y, c.z * b.z);
    }
    static CPU_INLINE unsigned num_threads()
    {
        return num_blocks() * details::block_threads();
    }
    static CPU_INLINE unsigned size()
    {
        return num_threads();
    }
};

static CPU_INLINE cluster_group this_cluster()
{
    return cluster_group();
}
static CPU_INLINE void sync(const cluster_group &, unsigned line = __builtin_LINE())
{
    cluster_group::sync(line);
}
} // namespace cooperative_groups

#endif
