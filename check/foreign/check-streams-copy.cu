// A copy to pinned memory that the host reads before it has waited, and a copy in one stream of what
// a kernel in another one writes.
// flags: --check
// status: 1
// error: the host reads what cudaMemcpyAsync wrote
// error: one operation reads what another writes
// error: --check: 2 findings
#include <cstdio>

__global__ void fill(int *x, int value)
{
    x[threadIdx.x] = value;
}

int main()
{
    const size_t BYTES = 256 * sizeof(int);
    cudaStream_t a, b;
    int *x, *host;

    cudaMalloc(&x, BYTES);
    cudaMallocHost(&host, BYTES);
    cudaStreamCreate(&a);
    cudaStreamCreate(&b);
    fill<<<1, 256, 0, a>>>(x, 3);
    cudaMemcpyAsync(host, x, BYTES, cudaMemcpyDeviceToHost, a);
    cudaStreamSynchronize(a);
    printf("%d\n", host[5]); /* right */
    cudaMemcpyAsync(host, x, BYTES, cudaMemcpyDeviceToHost, a);
    printf("%d\n", host[5]); /* too early */
    cudaStreamSynchronize(a);

    fill<<<1, 256, 0, a>>>(x, 4);
    cudaMemcpyAsync(host, x, BYTES, cudaMemcpyDeviceToHost, b);
    cudaDeviceSynchronize();
}
