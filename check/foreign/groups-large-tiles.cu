// flags: --check
// Tiles of 64 to 512 threads: they reduce, scan, vote and shuffle over several warps.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdio>

namespace cg = cooperative_groups;

template <int SIZE> __global__ void tiles(int *out, const int *x)
{
    __shared__ cg::block_tile_memory<512> memory;
    __shared__ int flags[512];
    auto block = cg::this_thread_block(memory);
    auto tile = cg::tiled_partition<SIZE>(block);
    int t = block.thread_rank(), v = x[t], *o = out + 8 * t;

    o[0] = cg::reduce(tile, v, cg::plus<int>());
    o[1] = cg::reduce(tile, v, cg::greater<int>());
    o[2] = cg::inclusive_scan(tile, v);
    o[3] = cg::exclusive_scan(tile, v, cg::plus<int>());
    o[4] = tile.shfl(v, SIZE - 3);
    o[5] = 2 * (tile.any(v == x[SIZE + 1]) != 0) + (tile.all(v > 0) != 0);
    o[6] = tile.meta_group_rank() * 100 + tile.meta_group_size();
    flags[t] = v;
    tile.sync();
    o[7] = flags[t ^ (SIZE - 1)]; /* another warp's, in order by the tile's barrier alone */
}

template <int SIZE> static void run(int *d, const int *x)
{
    static int h[512 * 8];
    int bad = 0;

    tiles<SIZE><<<1, 512>>>(d, x);
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    for (int t = 0; t < 512; t++) {
        int first = t / SIZE * SIZE, sum = 0, most = 0, before = 0, any = 0, *o = h + 8 * t;

        for (int i = first; i < first + SIZE; i++) {
            before += i < t ? x[i] : 0;
            sum += x[i];
            most = x[i] > most ? x[i] : most;
            any |= x[i] == x[SIZE + 1];
        }
        bad += o[0] != sum || o[1] != most || o[2] != before + x[t] || o[3] != before;
        bad += o[4] != x[first + SIZE - 3] || o[5] != 2 * any + 1;
        bad += o[6] != t / SIZE * 100 + 512 / SIZE || o[7] != x[t ^ (SIZE - 1)];
    }
    printf("tiles of %d: sum %d, last scan %d, %d wrong\n", SIZE, h[0], h[8 * 511 + 2], bad);
}

int main()
{
    int *d, *x;

    cudaMalloc(&d, 512 * 8 * sizeof(int));
    cudaMallocManaged(&x, (512 + 64) * sizeof(int));
    for (int i = 0; i < 512 + 64; i++)
        x[i] = 1 + i * 31 % 97;
    run<64>(d, x);
    run<128>(d, x);
    run<256>(d, x);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
