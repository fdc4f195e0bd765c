// flags: --check
// cuda::barrier: arrive, do something else, wait; and arrive_and_wait round after round.
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <stdio.h>

namespace cg = cooperative_groups;
using barrier = cuda::barrier<cuda::thread_scope_block>;

__global__ void rounds(int *out)
{
    __shared__ barrier all;
    __shared__ int x[2][96];
    auto block = cg::this_thread_block();
    int t = block.thread_rank(), v = t;

    if (block.thread_rank() == 0)
        init(&all, block.size());
    block.sync();
    for (int i = 0; i < 5; i++) {
        x[i % 2][t] = v;
        barrier::arrival_token token = all.arrive();
        int own = v * 2 % 1009; /* needs no other thread */
        all.wait(std::move(token));
        v = own + x[i % 2][(t + 1) % 96];
    }
    x[1][t] = v;
    all.arrive_and_wait();
    out[t] = x[1][95 - t];
}

int main()
{
    int *d, h[96], v[96], w[96], bad = 0;

    cudaMalloc(&d, sizeof(h));
    rounds<<<1, 96>>>(d);
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    for (int t = 0; t < 96; t++)
        v[t] = t;
    for (int i = 0; i < 5; i++) {
        for (int t = 0; t < 96; t++)
            w[t] = v[t] * 2 % 1009 + v[(t + 1) % 96];
        for (int t = 0; t < 96; t++)
            v[t] = w[t];
    }
    for (int t = 0; t < 96; t++)
        bad += h[t] != v[95 - t];
    printf("%d %d, barrier of %zu bytes, %d wrong, %s\n", h[0], h[50], sizeof(barrier), bad,
           cudaGetErrorString(cudaGetLastError()));
    return 0;
}
