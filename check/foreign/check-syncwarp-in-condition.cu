// flags: --check
// status: 1
// error: the mask 0xffffffff of a warp operation names lanes that have ended
// error: check-syncwarp-in-condition.cu:19
// A tree in the last warp whose __syncwarp() stands inside the condition that shrinks.
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void tree(int *out)
{
    __shared__ int s[32];
    unsigned t = threadIdx.x;

    s[t] = 1;
    __syncthreads();
    for (unsigned k = 16; k > 0; k /= 2)
        if (t < k) {
            s[t] += s[t + k];
            __syncwarp();
        }
    if (t == 0)
        *out = s[0];
}

int main()
{
    int *out, h;

    cudaMalloc(&out, sizeof(int));
    tree<<<1, 32>>>(out);
    cudaMemcpy(&h, out, sizeof(h), cudaMemcpyDeviceToHost);
    printf("%d\n", h);
    return 0;
}
