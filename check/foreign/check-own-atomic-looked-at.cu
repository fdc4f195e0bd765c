// A plain read beside another thread's atomics that no compare-and-swap checks: it may be old.
// flags: --check
// status: 1
// error: reads
#include <cstdio>

__global__ void largest(int *result, int *seen, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        atomicMax(result, i * 37 % 101);
        seen[i] = *result < 0;
    }
}

int main()
{
    int *result, *seen, host;

    cudaMalloc(&result, sizeof(int));
    cudaMalloc(&seen, 1000 * sizeof(int));
    cudaMemset(result, 0, sizeof(int));
    largest<<<8, 128>>>(result, seen, 1000);
    cudaMemcpy(&host, result, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", host);
    return cudaFree(result) || cudaFree(seen);
}
