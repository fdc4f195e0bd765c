// --check of a program that knows nothing of it: the result is right by luck, the race is found.
// flags: --check
// status: 1
// error: program-finding.cu:14
// error: --check: 1 finding
#include <cstdio>

__global__ void find(const int *x, int n, int value, int *where)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n && x[i] == value)
        // several threads may come here
        *where = i;
}

int main()
{
    const int n = 256;
    int host[n], *x, *where, found = -1;

    for (int i = 0; i < n; i++)
        host[i] = i % 100;
    cudaMalloc(&x, sizeof(host));
    cudaMalloc(&where, sizeof(int));
    cudaMemcpy(x, host, sizeof(host), cudaMemcpyHostToDevice);
    cudaMemcpy(where, &found, sizeof(int), cudaMemcpyHostToDevice);
    find<<<2, 128>>>(x, n, 42, where);
    cudaMemcpy(&found, where, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%s\n", found >= 0 && host[found] == 42 ? "found" : "not found");
    cudaFree(x);
    cudaFree(where);
    return 0;
}
