// flags: --check
// status: 1
// error: behind a flag, and no fence orders the two words
// error: missing   check-flag-two-words.cu:13
// A value and a flag, both volatile, and nothing that keeps their order for the other block.
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void hand(volatile int *value, volatile int *flag, int *out)
{
    if (blockIdx.x == 0) {
        *value = 42;
        *flag = 1;
    } else {
        while (*flag == 0)
            ;
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
