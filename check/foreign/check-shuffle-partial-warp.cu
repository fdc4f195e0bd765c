// flags: --check
// status: 1
// error: a shuffle of lane 0 reads lane 16, which the block does not have; the mask is 0xffffffff
// A block of 5 threads sums by shuffles with the full mask: most lanes that they read are not there.
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void sum(int *out)
{
    int v = threadIdx.x + 1;

    for (int k = 16; k > 0; k /= 2)
        v += __shfl_down_sync(0xffffffffu, v, k);
    if (threadIdx.x == 0)
        *out = v;
}

int main()
{
    int *d, h;

    cudaMalloc(&d, sizeof(h));
    for (int run = 0; run < 3; run++) {
        sum<<<1, 5>>>(d);
        cudaMemcpy(&h, d, sizeof(h), cudaMemcpyDeviceToHost);
        printf("%d\n", h); /* not defined, but always the same here */
    }
    return 0;
}
