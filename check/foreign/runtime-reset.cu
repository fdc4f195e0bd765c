// cudaDeviceReset gives back what was allocated; a pointer of before is none any more.
#include <cstdio>

__global__ void set(int *p)
{
    *p = 7;
}

int main()
{
    int *before, *after, value = 0;

    cudaMalloc(&before, sizeof(int));
    set<<<1, 1>>>(before);
    printf("reset: %s\n", cudaGetErrorName(cudaDeviceReset()));
    printf("memset: %s\n", cudaMemset(before, 0, sizeof(int)) ? "refused" : "done");
    printf("free: %s\n", cudaFree(before) ? "refused" : "done");
    cudaGetLastError();
    cudaMalloc(&after, sizeof(int));
    set<<<1, 1>>>(after);
    cudaMemcpy(&value, after, sizeof(int), cudaMemcpyDeviceToHost);
    printf("a kernel after it: %d\n", value);
    return cudaFree(after);
}
