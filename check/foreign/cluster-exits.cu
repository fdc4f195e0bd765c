// flags: --check
// error: --check: nothing found
// Threads that have ended count as arrived at the cluster's barrier; and a barrier in two parts, with work between.
#include <cooperative_groups.h>
#include <cstdio>
#include <utility>

namespace cg = cooperative_groups;

__global__ void __cluster_dims__(4) parts(int *out)
{
    __shared__ int mine;
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank();
    int sum = 0;

    if (threadIdx.x == 0)
        mine = 10 * rank;
    auto token = cluster.barrier_arrive();
    for (int i = 0; i <= (int)threadIdx.x; i++)
        sum += i;
    cluster.barrier_wait(std::move(token));
    sum += *cluster.map_shared_rank(&mine, (rank + 1) % 4);
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    cluster.sync();
    if (threadIdx.x % 2)
        return;
    cluster.sync();
    out[blockIdx.x * blockDim.x + threadIdx.x] += 1000;
}

int main()
{
    int *out, wrong = 0;

    cudaMallocManaged(&out, 512 * sizeof(int));
    parts<<<8, 64>>>(out);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    for (int i = 0; i < 512; i++) {
        int t = i % 64;

        wrong += out[i] != t * (t + 1) / 2 + (i / 64 + 1) % 4 * 10 + (t % 2 ? 0 : 1000);
    }
    printf("%d wrong\n", wrong);
    return 0;
}
