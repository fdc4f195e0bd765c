// Message passing: a flag says that the datum is there. FENCE=1: with fences; else without.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void pass(volatile int *datum, volatile int *flag, int *seen)
{
    if (blockIdx.x == 0) {
        *datum = 42;
#if FENCE
        __threadfence();
#endif
        *flag = 1;
    } else {
        while (*flag == 0)
            ;
#if FENCE
        __threadfence();
#endif
        *seen = *datum;
    }
}

int main()
{
    int *x, seen = 0;

    cudaMalloc((void **)&x, 3 * 256);
    cudaMemset(x, 0, 3 * 256);
    pass<<<2, 1>>>(x, x + 64, x + 128);
    cudaMemcpy(&seen, x + 128, sizeof(seen), cudaMemcpyDeviceToHost);
    printf("seen %d\n", seen);
    return seen != 42;
}
