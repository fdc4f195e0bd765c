// flags: --check
// status: 1
// error: sync: a barrier of the cluster that threads of it go around, to the kernel's end (around)
// error: 1 finding
// A block goes around a barrier of its cluster, to the kernel's end.
#include <cooperative_groups.h>
#include <cstdio>

__global__ void __cluster_dims__(2) around(int *out)
{
    cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();

    cluster.sync();
    if (cluster.block_rank() == 0)
        cluster.sync();
    out[cluster.thread_rank()] = 1;
}

int main()
{
    int *out;

    cudaMallocManaged(&out, 64 * sizeof(int));
    around<<<2, 32>>>(out);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
