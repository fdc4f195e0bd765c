// flags: --check
// cuda::memcpy_async to a barrier: its phase ends when the threads and the copies have arrived.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <stdio.h>

namespace cg = cooperative_groups;

__global__ void tiles(double *out, const double *x, int count)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    extern __shared__ double tile[];
    cg::thread_block block = cg::this_thread_block();
    double sum = 0;

    if (threadIdx.x == 0)
        init(&bar, blockDim.x);
    block.sync();
    for (int i = 0; i < count; i++) {
        cuda::memcpy_async(block, tile, x + i * 64, sizeof(double) * 64, bar);
        bar.arrive_and_wait();
        sum += tile[63 - threadIdx.x] * (i + 1);
        bar.arrive_and_wait(); /* all have read */
    }
    out[threadIdx.x] = sum;
    if (threadIdx.x == 0)
        cuda::memcpy_async(tile, x, cuda::aligned_size_t<16>(64 * sizeof(double)), bar);
    bar.arrive_and_wait();
    out[64 + threadIdx.x] = tile[threadIdx.x] / 2;
}

int main()
{
    const int count = 6;
    double h[64 * count], r[128], *x, *out;
    int bad = 0;

    for (int i = 0; i < 64 * count; i++)
        h[i] = i * 11 % 64;
    cudaMalloc(&x, sizeof(h));
    cudaMalloc(&out, sizeof(r));
    cudaMemcpy(x, h, sizeof(h), cudaMemcpyHostToDevice);
    tiles<<<1, 64, 64 * sizeof(double)>>>(out, x, count);
    cudaMemcpy(r, out, sizeof(r), cudaMemcpyDeviceToHost);
    for (int t = 0; t < 64; t++) {
        double sum = 0;

        for (int i = 0; i < count; i++)
            sum += h[i * 64 + 63 - t] * (i + 1);
        bad += r[t] != sum || r[64 + t] != h[t] / 2;
    }
    printf("%g %g, %d wrong, %s\n", r[0], r[127], bad, cudaGetErrorString(cudaGetLastError()));
    return 0;
}
