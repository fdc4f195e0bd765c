// flags: --check
// status: 1
// error: the mask 0xffffffff of a warp operation names lanes that have ended
// Half of the warp shuffles with the full mask; the other half goes around to its end.
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void sum(int *out)
{
    __shared__ int s[32];
    int t = threadIdx.x, v;

    s[t] = t;
    __syncthreads();
    if (t < 16) {
        v = s[t] + s[t + 16];
        for (int k = 8; k > 0; k /= 2)
            v += __shfl_xor_sync(0xffffffffu, v, k);
        if (t == 0)
            *out = v;
    }
}

int main()
{
    int *out;

    cudaMalloc(&out, sizeof(int));
    sum<<<1, 32>>>(out);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
