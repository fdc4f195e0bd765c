// flags: --check
// cooperative_groups::memcpy_async: by a block, by tiles, of structures, and two stages with
// wait_prior.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <stdio.h>

namespace cg = cooperative_groups;

struct pixel {
    float r, g, b;
};

__global__ void block_copies(float *out, const float *x, const pixel *p, int n)
{
    extern __shared__ float4 room[];
    __shared__ pixel pixels[40];
    float *stage[2] = {(float *)room, (float *)room + n};
    cg::thread_block block = cg::this_thread_block();
    auto tile = cg::tiled_partition<16>(block);
    float sum = 0;

    cg::memcpy_async(block, stage[0], x, sizeof(float) * n);
    for (int i = 0; i < 4; i++) {
        if (i < 3) {
            cg::memcpy_async(block, stage[(i + 1) % 2], n, x + (i + 1) * n, n);
            cg::wait_prior<1>(block);
        } else {
            cg::wait(block);
        }
        for (int k = 0; k < n; k++)
            sum += stage[i % 2][k] * (k + block.thread_rank());
        block.sync();
    }
    cg::memcpy_async(tile, pixels + 10 * tile.meta_group_rank(), p, sizeof(pixel) * 10);
    cg::wait(tile);
    pixel mine = pixels[10 * tile.meta_group_rank() + tile.thread_rank() % 10];
    out[block.thread_rank()] = sum + mine.r + mine.g + mine.b;
}

int main()
{
    const int n = 50, threads = 64;
    float h[4 * n], r[threads], *x, *out;
    pixel ph[10], *p;
    int bad = 0;

    for (int i = 0; i < 4 * n; i++)
        h[i] = i % 17;
    for (int i = 0; i < 10; i++)
        ph[i] = {i * 1.0f, i * 2.0f, i * 4.0f};
    cudaMalloc(&x, sizeof(h));
    cudaMalloc(&p, sizeof(ph));
    cudaMalloc(&out, sizeof(r));
    cudaMemcpy(x, h, sizeof(h), cudaMemcpyHostToDevice);
    cudaMemcpy(p, ph, sizeof(ph), cudaMemcpyHostToDevice);
    block_copies<<<1, threads, 2 * n * sizeof(float)>>>(out, x, p, n);
    cudaMemcpy(r, out, sizeof(r), cudaMemcpyDeviceToHost);
    for (int t = 0; t < threads; t++) {
        float sum = 0;

        for (int i = 0; i < 4 * n; i++)
            sum += h[i] * (i % n + t);
        bad += r[t] != sum + t % 16 % 10 * 7.0f;
    }
    printf("%g %g: %d wrong\n", r[0], r[63], bad);
    return 0;
}
