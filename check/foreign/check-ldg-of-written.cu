// flags: --check
// status: 1
// error: a read through the read-only path (__ldg) of what the same launch writes
// __ldg() is for what nobody writes in the launch, be there a barrier between or not.
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void turn(int *x)
{
    int t = threadIdx.x;

    x[t] += 1;
    __syncthreads();
    x[t + 64] = __ldg(&x[63 - t]);
}

int main()
{
    int h[128] = {0}, *d;

    cudaMalloc(&d, sizeof(h));
    cudaMemcpy(d, h, sizeof(h), cudaMemcpyHostToDevice);
    turn<<<1, 64>>>(d);
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    printf("%d %d\n", h[0], h[127]);
    return 0;
}
