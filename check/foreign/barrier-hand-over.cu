// flags: --check
// Two barriers for each buffer, full and empty: one warp fills, the others use.
#include <cuda/barrier>
#include <stdio.h>

using barrier = cuda::barrier<cuda::thread_scope_block>;
#define BUFFERS 2
#define SIZE 64

__device__ void fill(int *buffer, int round, int lane)
{
    for (int i = lane; i < SIZE; i += 32)
        buffer[i] = round * 100 + i;
}

__global__ void hand_over(int *out, int rounds)
{
    __shared__ barrier full[BUFFERS], empty[BUFFERS];
    __shared__ int buffer[BUFFERS][SIZE];
    int t = threadIdx.x, sum = 0;

    if (t < BUFFERS) {
        init(&full[t], blockDim.x);
        init(&empty[t], blockDim.x);
    }
    __syncthreads();
    if (t < 32) {
        for (int i = 0; i < rounds; i++) {
            empty[i % BUFFERS].arrive_and_wait();
            fill(buffer[i % BUFFERS], i, t);
            (void)full[i % BUFFERS].arrive();
        }
    } else {
        for (int b = 0; b < BUFFERS; b++)
            (void)empty[b].arrive();
        for (int i = 0; i < rounds; i++) {
            full[i % BUFFERS].arrive_and_wait();
            sum += buffer[i % BUFFERS][(t * 3) % SIZE];
            (void)empty[i % BUFFERS].arrive();
        }
        out[t - 32] = sum;
    }
}

int main()
{
    const int rounds = 12;
    int *d, h[96], bad = 0;

    cudaMalloc(&d, sizeof(h));
    hand_over<<<1, 128>>>(d, rounds);
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    for (int t = 0; t < 96; t++)
        bad += h[t] != 100 * rounds * (rounds - 1) / 2 + rounds * ((t + 32) * 3 % SIZE);
    printf("%d %d, %d wrong, %s\n", h[0], h[95], bad, cudaGetErrorString(cudaGetLastError()));
    return 0;
}
