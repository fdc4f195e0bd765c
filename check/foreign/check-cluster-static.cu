// flags: --check
// error: --check: nothing found
// A block writes to another one of its cluster, into a variable whose declaration that one has not come to; of two such
// functions each block calls another one first.
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

static __device__ int *first()
{
    __shared__ int mail[8];
    return mail;
}

static __device__ int *second()
{
    __shared__ int mail[32];
    return mail;
}

__global__ void __cluster_dims__(2) sends(int *out)
{
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank(), other = rank ^ 1;

    cluster.sync();
    if (threadIdx.x == 0 && rank == 0) {
        *cluster.map_shared_rank(&first()[7], other) = 10;
        *cluster.map_shared_rank(&second()[31], other) = 20;
    }
    if (threadIdx.x == 0 && rank == 1) {
        *cluster.map_shared_rank(&second()[31], other) = 40;
        *cluster.map_shared_rank(&first()[7], other) = 30;
    }
    cluster.sync();
    if (threadIdx.x == 0)
        out[rank] = first()[7] + second()[31];
}

int main()
{
    int *out;

    cudaMallocManaged(&out, 2 * sizeof(int));
    sends<<<2, 32>>>(out);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    printf("%d %d\n", out[0], out[1]);
    return 0;
}
