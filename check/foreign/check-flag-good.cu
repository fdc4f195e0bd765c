// flags: --check
// error: --check: nothing found
// A value and a flag between two blocks, with a fence on either side.
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void hand(volatile int *value, volatile int *flag, int *out)
{
    if (blockIdx.x == 0) {
        *value = 42;
        __threadfence();
        *flag = 1;
    } else {
        while (*flag == 0)
            ;
        __threadfence();
        *out = *value;
    }
}

int main()
{
    int *d, h;

    cudaMalloc(&d, 12);
    cudaMemset(d, 0, 12);
    hand<<<2, 1>>>(d, d + 1, d + 2);
    cudaMemcpy(&h, d + 2, sizeof(h), cudaMemcpyDeviceToHost);
    printf("%d\n", h);
    return 0;
}
