// flags: --check
// error: --check: nothing found
// A sum over a cluster of eight blocks: each has its part in shared memory, and the first reads the parts of all.
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

__global__ void __cluster_dims__(8, 1, 1) add_up(const float *x, float *sums, int n)
{
    __shared__ float warps[8], part;
    cg::cluster_group cluster = cg::this_cluster();
    int stride = cluster.num_threads();
    float sum = 0;

    for (int i = cluster.thread_rank(); i < n; i += stride)
        sum += x[blockIdx.x / 8 * n + i];
    for (int d = 16; d; d /= 2)
        sum += __shfl_down_sync(~0u, sum, d);
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        part = 0;
        for (int i = 0; i < 8; i++)
            part += warps[i];
    }
    cluster.sync();
    if (cluster.thread_rank() == 0) {
        float all = 0;

        for (int rank = 0; rank < 8; rank++)
            all += *cluster.map_shared_rank(&part, rank);
        sums[blockIdx.x / 8] = all;
    }
    cluster.sync(); // nobody leaves while the first one reads
}

int main()
{
    const int rows = 3, n = 10000;
    float *x, *sums;

    cudaMallocManaged(&x, rows * n * sizeof(float));
    cudaMallocManaged(&sums, rows * sizeof(float));
    for (int i = 0; i < rows * n; i++)
        x[i] = i % 7 + i / n;
    add_up<<<rows * 8, 256>>>(x, sums, n);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    for (int row = 0; row < rows; row++) {
        long right = 0;

        for (int i = 0; i < n; i++)
            right += (row * n + i) % 7 + row;
        printf("row %d: %.0f, and %ld is right\n", row, sums[row], right);
    }
    return 0;
}
