// flags: --check
// status: 1
// error: threads of one block wait at different barriers
// Some threads leave the loop early and wait at the barrier behind it: it works by luck.
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void rounds(int *out)
{
    __shared__ int s[64];
    int t = threadIdx.x;

    s[t] = 0;
    for (int round = 0; round < 2; round++) {
        s[t] += 1;
        if (t >= 32 && round == 1)
            break;
        __syncthreads();
    }
    if (t >= 32)
        __syncthreads();
    out[t] = s[t];
}

int main()
{
    int h[64], *d;

    cudaMalloc(&d, sizeof(h));
    rounds<<<1, 64>>>(d);
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    printf("%d %d\n", h[0], h[63]);
    return 0;
}
