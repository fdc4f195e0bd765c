// flags: --check
// Tiles, tiles of tiles, and functions that take a tile of any size or of one.
#include <cooperative_groups.h>
#include <stdio.h>

namespace cg = cooperative_groups;

template <typename TILE> __device__ int sum_down(TILE tile, int v)
{
    for (int by = tile.size() / 2; by > 0; by /= 2)
        v += tile.shfl_down(v, by);
    return tile.shfl(v, 0);
}

__device__ int sum_of_eight(const cg::thread_block_tile<8> &tile, int v)
{
    for (int lanes = 4; lanes; lanes >>= 1)
        v += tile.shfl_xor(v, lanes);
    return v * 100 + tile.meta_group_rank() * 10 + tile.meta_group_size();
}

__global__ void tiles(int *out)
{
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    cg::thread_block_tile<8, cg::thread_block_tile<32, cg::thread_block>> eight =
        cg::tiled_partition<8>(warp);
    auto two = cg::tiled_partition<2>(eight);
    cg::thread_block_tile<16> sixteen = cg::tiled_partition<16>(block);
    int t = block.thread_rank(), *o = out + 8 * t;

    o[0] = warp.meta_group_size() * 100 + warp.meta_group_rank();
    o[1] = eight.meta_group_size() * 100 + eight.meta_group_rank();
    o[2] = two.meta_group_size() * 100 + two.meta_group_rank();
    o[3] = sixteen.meta_group_size() * 100 + sixteen.meta_group_rank();
    o[4] = warp.thread_rank() * 10000 + eight.thread_rank() * 100 + two.thread_rank();
    o[5] = sum_down(sixteen, t);
    o[6] = sum_of_eight(eight, t);
    o[7] = sum_down(cg::this_thread(), t);
    two.sync();
    cg::sync(warp);
}

int main()
{
    const int n = 96;
    int *d, h[n * 8], bad = 0;

    cudaMalloc(&d, sizeof(h));
    tiles<<<1, dim3(24, 4)>>>(d);
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    for (int t = 0; t < n; t++) {
        const int *o = h + 8 * t;
        int in_warp = t % 32, sum8 = 8 * (t / 8 * 8) + 28;

        bad += o[0] != 300 + t / 32;
        bad += o[1] != 400 + in_warp / 8;
        bad += o[2] != 400 + in_warp % 8 / 2;
        bad += o[3] != 600 + t / 16;
        bad += o[4] != in_warp * 10000 + t % 8 * 100 + t % 2;
        bad += o[5] != 16 * (t / 16 * 16) + 120;
        bad += o[6] != sum8 * 100 + in_warp / 8 * 10 + 4;
        bad += o[7] != t;
    }
    for (int t = 40; t < 44; t++)
        printf("thread %d: %d %d %d %d %d %d %d %d\n", t, h[8 * t], h[8 * t + 1], h[8 * t + 2],
               h[8 * t + 3], h[8 * t + 4], h[8 * t + 5], h[8 * t + 6], h[8 * t + 7]);
    printf("%d wrong, %s\n", bad, cudaGetErrorString(cudaGetLastError()));
    cudaFree(d);
    return 0;
}
