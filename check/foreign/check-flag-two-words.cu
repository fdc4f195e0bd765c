// flags: --check
// status: 1
// error: behind a flag, and no fence orders the two words
// error: missing   check-flag-two-words.cu:19
// error: missing   check-flag-two-words.cu:14
// A value and a flag, both volatile, and nothing that keeps their order for the other block. Many threads
// wait: to the one whose read meets the write of the flag, the finding may be lost.
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void hand(volatile int *value, volatile int *flag, int *out)
{
    if (blockIdx.x > 0) {
        while (*flag == 0)
            ;
        out[threadIdx.x] = *value;
    } else if (threadIdx.x == 0) {
        *value = 42;
        *flag = 1;
    }
}

int main()
{
    int *d, h;

    cudaMalloc(&d, 34 * sizeof(int));
    cudaMemset(d, 0, 34 * sizeof(int));
    hand<<<2, 32>>>(d, d + 1, d + 2);
    cudaMemcpy(&h, d + 2, sizeof(h), cudaMemcpyDeviceToHost);
    printf("%d\n", h);
    return 0;
}
