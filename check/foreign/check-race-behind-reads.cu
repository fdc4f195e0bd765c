// flags: --check
// status: 1
// error: one thread reads what another writes, x[0] of 1 element, with no barrier or __syncwarp between (add)
// error: ... and 62 more like it
// A word is read that another thread has written, behind reads of words that nobody writes.
#include <cstdio>

__global__ void add(int *x, const int *terms, int *sums)
{
    int sum = 0;

    for (int i = 0; i < 4; i++)
        sum += terms[i];
    if (threadIdx.x == 0)
        x[0] = sum; // and no __syncthreads()
    sums[threadIdx.x] = sum + x[0];
}

int main()
{
    int host[64] = {1, 2, 3, 4}, *x, *terms, *sums;

    cudaMalloc(&x, sizeof(*x));
    cudaMalloc(&terms, sizeof(host));
    cudaMalloc(&sums, sizeof(host));
    cudaMemset(x, 0, sizeof(*x));
    cudaMemcpy(terms, host, sizeof(host), cudaMemcpyHostToDevice);
    add<<<1, 64>>>(x, terms, sums);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
