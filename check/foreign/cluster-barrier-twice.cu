// status: 1
// A thread arrives at the cluster's barrier a second time before it has waited for the first.
// nvcc: no
#include <cooperative_groups.h>
#include <cstdio>

__global__ void __cluster_dims__(2) twice()
{
    auto cluster = cooperative_groups::this_cluster();

    cluster.barrier_arrive();
    cluster.barrier_arrive();
    cluster.barrier_wait();
}

int main()
{
    twice<<<2, 32>>>();
    cudaError_t error = cudaDeviceSynchronize();

    printf("%s\n", cudaGetErrorString(error));
    return error != cudaSuccess;
}
