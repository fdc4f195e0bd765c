// flags: --check
// status: 1
// error: reads what another writes, mine in shared memory, and nothing orders the two blocks (of_block)
// error: race: two threads write count in shared memory, and nothing orders the two blocks (no_atomic)
// error: reads what another writes, mine in shared memory, and nothing orders the two blocks (relaxed)
// error: --check: 4 findings
// Blocks of a cluster share memory: a barrier of the block orders nothing between them, nor does an arrival that
// releases nothing. The last kernel, where each waits for the other one's flag, is right.
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2) of_block(int *out)
{
    __shared__ int mine;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank();

    if (threadIdx.x == 0)
        mine = -1;
    cluster.sync();
    if (threadIdx.x == 0)
        mine = rank;
    __syncthreads(); // must be cluster.sync()
    if (threadIdx.x == 32)
        out[rank] = *cluster.map_shared_rank(&mine, rank ^ 1);
    cluster.sync();
}

__global__ void __cluster_dims__(2) no_atomic(int *out)
{
    __shared__ int count;
    cg::cluster_group cluster = cg::this_cluster();

    if (threadIdx.x == 0)
        count = 0;
    cluster.sync();
    if (threadIdx.x == 0)
        *cluster.map_shared_rank(&count, 0) = cluster.block_rank();
    cluster.sync();
    if (cluster.thread_rank() == 0)
        out[0] = count;
}

__global__ void __cluster_dims__(2) relaxed(int *out)
{
    __shared__ int mine;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank();

    if (threadIdx.x == 0)
        mine = -1;
    cluster.sync();
    if (threadIdx.x == 0)
        mine = rank;
    asm volatile("barrier.cluster.arrive.relaxed;" ::: "memory");
    asm volatile("barrier.cluster.wait;" ::: "memory");
    if (threadIdx.x == 32)
        out[rank] = *cluster.map_shared_rank(&mine, rank ^ 1);
    cluster.sync();
}

__global__ void __cluster_dims__(2) flags(int *out)
{
    __shared__ int mine, flag;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank();

    if (threadIdx.x == 0)
        flag = 0;
    cluster.sync();
    if (threadIdx.x == 0) {
        mine = rank;
        __threadfence();
        atomicExch(cluster.map_shared_rank(&flag, rank ^ 1), 1);
        while (!atomicAdd(&flag, 0))
            ;
        __threadfence();
        out[rank] = *cluster.map_shared_rank(&mine, rank ^ 1);
    }
    cluster.sync();
}

int main()
{
    int *out;

    cudaMallocManaged(&out, 2 * sizeof(int));
    of_block<<<2, 64>>>(out);
    no_atomic<<<2, 64>>>(out);
    relaxed<<<2, 64>>>(out);
    flags<<<2, 64>>>(out);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    printf("%d %d\n", out[0], out[1]);
    return 0;
}
