// flags: --check
// A counter that is reset by a plain store: by the thread that drew the last ticket, and by another one behind a
// barrier. No atomic comes after, so nothing is wrong.
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void same(unsigned *counter, int *sums)
{
    if (threadIdx.x == 0) {
        __threadfence();
        if (atomicAdd(counter, 1u) == gridDim.x - 1) {
            *counter = 0;
            sums[0]++;
        }
    }
}

__global__ void other(unsigned *counter, int *sums)
{
    __shared__ bool last;

    if (threadIdx.x == 0)
        last = atomicAdd(counter, 1u) == gridDim.x - 1;
    __syncthreads();
    if (last && threadIdx.x == 40) {
        *counter = 0;
        sums[1]++;
    }
}

int main()
{
    int h[3], *d;

    cudaMalloc(&d, sizeof(h));
    cudaMemset(d, 0, sizeof(h));
    for (int run = 0; run < 3; run++) {
        same<<<64, 64>>>((unsigned *)d + 2, d);
        other<<<64, 64>>>((unsigned *)d + 2, d);
    }
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    printf("%d %d %d\n", h[0], h[1], h[2]);
    return 0;
}
