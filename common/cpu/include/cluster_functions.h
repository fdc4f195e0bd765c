/* Clusters: nvcc's own names for what a kernel asks of its cluster, without cooperative groups. */
#ifndef CLUSTER_FUNCTIONS_H
#define CLUSTER_FUNCTIONS_H

#include "cpu/abi.h"
#include "vector_types.h"

static CPU_INLINE dim3 cpu_dim3(cpu_dim d)
{
    return dim3(d.x, d.y, d.z);
}

static CPU_INLINE unsigned __clusterDimIsSpecified()
{
    return cpu_cluster_explicit();
}
static CPU_INLINE dim3 __clusterDim()
{
    return cpu_dim3(cpu_cluster_dim());
}
static CPU_INLINE dim3 __clusterRelativeBlockIdx()
{
    return cpu_dim3(cpu_cluster_index());
}
static CPU_INLINE dim3 __clusterIdx()
{
    return cpu_dim3(cpu_cluster_in_grid());
}
static CPU_INLINE dim3 __clusterGridDimInClusters()
{
    const dim3 g = cpu_gridDim();
    const cpu_dim c = cpu_cluster_dim();

    return dim3(g.x / c.x, g.y / c.y, g.z / c.z);
}
static CPU_INLINE unsigned __clusterRelativeBlockRank()
{
    return cpu_cluster_rank();
}
static CPU_INLINE unsigned __clusterSizeInBlocks()
{
    const cpu_dim c = cpu_cluster_dim();

    return c.x * c.y * c.z;
}
static CPU_INLINE void __cluster_barrier_arrive(unsigned line = __builtin_LINE())
{
    cpu_at_line(line);
    cpu_cluster_arrive(true);
}
static CPU_INLINE void __cluster_barrier_arrive_relaxed(unsigned line = __builtin_LINE())
{
    cpu_at_line(line);
    cpu_cluster_arrive(false);
}
static CPU_INLINE void __cluster_barrier_wait(unsigned line = __builtin_LINE())
{
    cpu_at_line(line);
    cpu_cluster_wait();
}
static CPU_INLINE void __threadfence_cluster()
{
    cpu_fence(CPU_SCOPE_DEVICE);
}
static CPU_INLINE void *__cluster_map_shared_rank(const void *p, unsigned rank)
{
    return cpu_cluster_map(p, rank);
}
static CPU_INLINE unsigned __cluster_query_shared_rank(const void *p)
{
    return (unsigned)cpu_cluster_owner(p);
}
static CPU_INLINE unsigned __isClusterShared(const void *p)
{
    return cpu_cluster_owner(p) >= 0;
}

#endif
