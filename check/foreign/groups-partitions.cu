// flags: --check
// labeled_partition and binary_partition: a histogram with one atomic for each value in a warp.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>

namespace cg = cooperative_groups;

__global__ void histogram(int *bins, const int *x, int n, int *odd, int *ranks)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    cg::coalesced_group active = cg::coalesced_threads();
    cg::coalesced_group same = cg::labeled_partition(active, x[i]);
    cg::coalesced_group half = cg::binary_partition(active, x[i] % 2 == 1);

    if (same.thread_rank() == 0)
        atomicAdd(&bins[x[i]], same.size());
    ranks[i] = same.meta_group_rank() * 100 + same.meta_group_size();
    int sum = cg::reduce(half, x[i], cg::plus<int>());
    if (half.thread_rank() == 0 && x[i] % 2)
        atomicAdd(odd, sum);
}

__global__ void by_tile(int *sizes)
{
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    auto left = cg::binary_partition(warp, threadIdx.x < 12);
    auto all = cg::binary_partition(warp, true);

    sizes[threadIdx.x] = left.size() * 10000 + left.meta_group_rank() * 1000 +
                         left.meta_group_size() * 100 + all.meta_group_size();
}

int main()
{
    const int n = 1000, bins = 7;
    int *x, *b, *odd, *ranks, *sizes, bad = 0, sum = 0;

    cudaMallocManaged(&x, n * sizeof(int));
    cudaMallocManaged(&b, bins * sizeof(int));
    cudaMallocManaged(&odd, sizeof(int));
    cudaMallocManaged(&ranks, n * sizeof(int));
    cudaMallocManaged(&sizes, 32 * sizeof(int));
    for (int i = 0; i < n; i++)
        x[i] = i * i % bins;
    cudaMemset(b, 0, bins * sizeof(int));
    cudaMemset(odd, 0, sizeof(int));
    histogram<<<4, 256>>>(b, x, n, odd, ranks);
    by_tile<<<1, 32>>>(sizes);
    cudaDeviceSynchronize();
    for (int v = 0; v < bins; v++) {
        int count = 0;

        for (int i = 0; i < n; i++)
            count += x[i] == v;
        bad += b[v] != count;
        sum += v % 2 ? v * count : 0;
        printf("%d of %d\n", b[v], v);
    }
    printf("%d wrong, odd sum %d of %d, ranks %d %d, sizes %d %d\n", bad, *odd, sum, ranks[0],
           ranks[3], sizes[0], sizes[31]);
    return 0;
}
