// flags: --check
// status: 1
// nvcc: no
// error: a warp operation without _sync
// error: check-shuffle-without-sync.cu:16
// error: --check: 2 findings
// The shuffles and votes of before CUDA 9 name no mask. They are taken with the full one.
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void sum(int *out)
{
    int v = threadIdx.x + 1;

    for (int k = 16; k > 0; k /= 2)
        v += __shfl_xor(v, k);
    if (__all(v == 528))
        out[threadIdx.x] = v;
}

int main()
{
    int *d, h[32];

    cudaMalloc(&d, sizeof(h));
    sum<<<1, 32>>>(d);
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    printf("%d %d\n", h[0], h[31]);
    return 0;
}
