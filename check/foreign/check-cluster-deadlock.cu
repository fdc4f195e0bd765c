// flags: --check
// status: 1
// error: sync: deadlock: all threads that have not ended wait (waits)
// error: cluster   check-cluster-deadlock.cu:17
// error: barrier   check-cluster-deadlock.cu:16
// A barrier of the block stands where half of its threads wait for the cluster, whose barrier the others never reach.
#include <cooperative_groups.h>
#include <cstdio>

__global__ void __cluster_dims__(2) waits(int *out)
{
    cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();

    cluster.sync();
    if (cluster.block_rank() == 1 && threadIdx.x < 32)
        __syncthreads();
    cluster.sync();
    out[cluster.thread_rank()] = 1;
}

int main()
{
    int *out;

    cudaMallocManaged(&out, 128 * sizeof(int));
    waits<<<2, 64>>>(out);
    cudaError_t error = cudaDeviceSynchronize();

    printf("%s\n", cudaGetErrorName(error));
    return error != cudaSuccess;
}
