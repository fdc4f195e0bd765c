// flags: --check
// A sum in one cooperative launch: tiles, blocks, and the grid's barrier between the two rounds.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>

namespace cg = cooperative_groups;

__device__ double block_sum(cg::thread_block block, double v)
{
    __shared__ double parts[32];
    auto warp = cg::tiled_partition<32>(block);

    v = cg::reduce(warp, v, cg::plus<double>());
    if (warp.thread_rank() == 0)
        parts[warp.meta_group_rank()] = v;
    cg::sync(block);
    v = block.thread_rank() < warp.meta_group_size() ? parts[block.thread_rank()] : 0;
    if (warp.meta_group_rank() == 0)
        v = cg::reduce(warp, v, cg::plus<double>());
    cg::sync(block);
    return v; /* of thread 0 */
}

__global__ void sum(double *out, double *partial, const float *x, int n)
{
    cg::grid_group grid = cg::this_grid();
    cg::thread_block block = cg::this_thread_block();
    double v = 0;

    for (unsigned i = grid.thread_rank(); i < n; i += grid.size())
        v += x[i];
    v = block_sum(block, v);
    if (block.thread_rank() == 0)
        partial[grid.block_rank()] = v;
    grid.sync();
    if (grid.block_rank() == 0) {
        v = 0;
        for (unsigned i = block.thread_rank(); i < grid.num_blocks(); i += block.size())
            v += partial[i];
        v = block_sum(block, v);
        if (block.thread_rank() == 0)
            *out = v;
    }
}

int main()
{
    int n = 10007, blocks = 0, threads = 96, sms = 0;
    float *x;
    double *out, *partial, expected = 0;

    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, sum, threads, 0);
    blocks = blocks * sms < 20 ? blocks * sms : 20;
    cudaMallocManaged(&x, n * sizeof(float));
    cudaMallocManaged(&out, sizeof(double));
    cudaMalloc(&partial, blocks * sizeof(double));
    for (int i = 0; i < n; i++)
        expected += x[i] = i * 0.5f;
    void *arguments[] = {&out, &partial, &x, &n};
    cudaLaunchCooperativeKernel((void *)sum, blocks, threads, arguments);
    cudaDeviceSynchronize();
    printf("%.1f of %.1f, %s\n", *out, expected, cudaGetErrorString(cudaGetLastError()));
    return 0;
}
