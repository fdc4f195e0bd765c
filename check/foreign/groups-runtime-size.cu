// flags: --check
// thread_group: one function for a block, a tile whose size is an argument, and a grid.
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

/* A tree in shared memory, over any group. */
__device__ int sum_of(cg::thread_group g, int *x, int v)
{
    int rank = g.thread_rank();

    for (int by = g.size() / 2; by > 0; by /= 2) {
        x[rank] = v;
        g.sync();
        if (rank < by)
            v += x[rank + by];
        g.sync();
    }
    return v; /* of rank 0 */
}

__global__ void sums(int *out, int size)
{
    extern __shared__ int x[];
    cg::thread_block block = cg::this_thread_block();
    cg::thread_group tile = cg::tiled_partition(block, size);
    cg::thread_group half = cg::tiled_partition(tile, size / 2);
    int t = block.thread_rank(), s;

    s = sum_of(block, x, t);
    if (t == 0)
        out[0] = s;
    block.sync();
    s = sum_of(tile, x + t / size * size, t);
    if (tile.thread_rank() == 0)
        out[1 + t / size] = s;
    block.sync();
    s = sum_of(half, x + t / (size / 2) * (size / 2), 1);
    if (half.thread_rank() == 0)
        atomicAdd(&out[60], s);
    if (t == 37)
        out[61] = half.size() * 1000 + half.thread_rank() * 10 + tile.size() % 10;
}

int main()
{
    int *d, h[64];

    cudaMalloc(&d, sizeof(h));
    for (int size = 4; size <= 32; size *= 2) {
        int bad = 0;

        cudaMemset(d, 0, sizeof(h));
        sums<<<1, 64, 64 * sizeof(int)>>>(d, size);
        cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
        for (int i = 0; i < 64 / size; i++)
            bad += h[1 + i] != size * (i * size) + size * (size - 1) / 2;
        printf("tiles of %d: block %d, first %d, halves %d, thread 37 %d, %d wrong\n", size, h[0],
               h[1], h[60], h[61], bad);
    }
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    cudaFree(d);
    return 0;
}
