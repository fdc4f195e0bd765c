// Another order of threads and blocks: what a correct kernel computes does not change.
// flags: --schedule random:11 --check
// error: --check: nothing found
#include <cstdio>

__global__ void histogram(const unsigned char *text, int n, unsigned *bins)
{
    __shared__ unsigned local[16];

    if (threadIdx.x < 16)
        local[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&local[text[i] & 15], 1u);
    __syncthreads();
    if (threadIdx.x < 16)
        atomicAdd(&bins[threadIdx.x], local[threadIdx.x]);
}

int main()
{
    const int n = 3000;
    unsigned char host[n], *text;
    unsigned bins[16], expected[16] = {}, *device, wrong = 0;

    for (int i = 0; i < n; i++) {
        host[i] = (unsigned char)(i * i / 7);
        expected[host[i] & 15]++;
    }
    cudaMalloc(&text, n);
    cudaMalloc(&device, sizeof(bins));
    cudaMemcpy(text, host, n, cudaMemcpyHostToDevice);
    cudaMemset(device, 0, sizeof(bins));
    histogram<<<5, 96>>>(text, n, device);
    cudaMemcpy(bins, device, sizeof(bins), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 16; i++)
        wrong += bins[i] != expected[i];
    printf("%u of 16 bins wrong\n", wrong);
    return 0;
}
