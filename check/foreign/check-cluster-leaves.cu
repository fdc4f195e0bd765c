// flags: --check
// status: 1
// error: which may have ended: nothing makes it wait, as a barrier of the cluster would (late)
// error: which may have ended: nothing makes it wait, as a barrier of the cluster would (sums)
// A block leaves while another one of its cluster may still read its shared memory; in the second kernel it has left.
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2) sums(int *out)
{
    __shared__ int part;
    cg::cluster_group cluster = cg::this_cluster();

    if (threadIdx.x == 0)
        part = 10 * cluster.block_rank();
    cluster.sync();
    if (cluster.thread_rank() == 0)
        out[0] = part + *cluster.map_shared_rank(&part, 1);
}

__global__ void __cluster_dims__(2) late(int *out)
{
    __shared__ int part;
    cg::cluster_group cluster = cg::this_cluster();

    if (threadIdx.x == 0)
        part = 10 * cluster.block_rank() + 1;
    cluster.sync();
    if (cluster.thread_rank() == 32)
        out[0] = part + *cluster.map_shared_rank(&part, 0);
}

int main()
{
    int *out;

    cudaMallocManaged(&out, sizeof(int));
    sums<<<2, 32>>>(out);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    late<<<2, 32>>>(out);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
