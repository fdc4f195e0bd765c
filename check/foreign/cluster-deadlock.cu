// status: 1
// error: deadlock in block 0 of waits
// error: 64 at a barrier of the cluster
// The first block comes to the cluster's barrier, and the other one waits for what the first would do behind it.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda/barrier>

__global__ void __cluster_dims__(2) waits(int *out)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> full;
    auto cluster = cooperative_groups::this_cluster();

    if (threadIdx.x == 0)
        init(&full, 65);
    __syncthreads();
    if (cluster.block_rank())
        full.arrive_and_wait(); // one arrival short
    cluster.sync();
    out[threadIdx.x] = 1;
}

int main()
{
    int *out;

    cudaMallocManaged(&out, 64 * sizeof(int));
    waits<<<2, 64>>>(out);
    cudaError_t error = cudaDeviceSynchronize();

    printf("%s\n", cudaGetErrorName(error));
    return error != cudaSuccess;
}
