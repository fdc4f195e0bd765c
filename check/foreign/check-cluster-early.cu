// flags: --check
// status: 1
// error: write of 4 bytes in another block of the cluster, of rank 1, at mail in shared memory, which may not have
// error: --check: 1 finding
// error: writes    check-cluster-early.cu:19
// A block writes to another one of its cluster before it knows that this one has begun.
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

__global__ void __cluster_dims__(2) sends(int *out)
{
    __shared__ int mail;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned other = cluster.block_rank() ^ 1;

    if (threadIdx.x == 0)
        *cluster.map_shared_rank(&mail, other) = other;
    cluster.sync();
    if (threadIdx.x == 0)
        out[other ^ 1] = mail;
}

int main()
{
    int *out;

    cudaMallocManaged(&out, 2 * sizeof(int));
    sends<<<2, 32>>>(out);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
