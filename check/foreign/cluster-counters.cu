// flags: --counters
// Requests to the shared memory of another block of the cluster, their wavefronts, and barriers of the cluster.
#include <cooperative_groups.h>

namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2) visits(int *out)
{
    __shared__ int values[256];
    cg::cluster_group cluster = cg::this_cluster();
    const int *there = cluster.map_shared_rank(values, cluster.block_rank() ^ 1);
    int t = threadIdx.x, sum;

    values[t] = values[t + 64] = values[t + 128] = values[t + 192] = t;
    cluster.sync();
    sum = there[t];                                                    // 1 wavefront a request
    sum += there[4 * t];                                               // 4 lanes in a bank
    sum += there[0];                                                   // one word for all
    sum += values[t ^ 1];                                              // the block's own
    cluster.sync();
    cluster.map_shared_rank(values, cluster.block_rank() ^ 1)[t] = sum;
    atomicAdd(cluster.map_shared_rank(&values[t % 32 + 64], 0), 1); // of the first block its own
    cluster.sync();
    out[blockIdx.x * 64 + t] = values[t];
}

int main()
{
    int *out;

    cudaMalloc(&out, 4 * 64 * sizeof(int));
    visits<<<4, 64>>>(out);
    return cudaDeviceSynchronize();
}
