// status: 1
// error: late reads 4 bytes of shared memory of block 0, which has ended, in thread 0 of block 1
// A block reads the shared memory of another one of its cluster that has ended long before.
#include <cooperative_groups.h>
#include <cstdio>

__global__ void __cluster_dims__(2) late(int *out)
{
    __shared__ int part;
    auto cluster = cooperative_groups::this_cluster();

    part = 5;
    cluster.sync();
    if (cluster.block_rank() == 0)
        return;
    for (int i = 0; i < 10; i++)
        __nanosleep(1000000);
    *out = *cluster.map_shared_rank(&part, 0);
}

int main()
{
    int *out;

    cudaMallocManaged(&out, sizeof(int));
    late<<<2, 32>>>(out);
    cudaError_t error = cudaDeviceSynchronize();

    printf("%s\n", cudaGetErrorName(error));
    return error != cudaSuccess;
}
