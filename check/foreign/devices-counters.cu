// Kernels of two devices: each is counted, and --check has nothing to find.
// devices: 2
// flags: --check --counters
// error: --check: nothing found
#include <cstdio>

__global__ void scale(float *x, float by)
{
    __shared__ float tile[256];
    int i = blockIdx.x * 256 + threadIdx.x;

    tile[threadIdx.x] = x[i];
    __syncthreads();
    x[i] = tile[255 - threadIdx.x] * by;
}

int main()
{
    const int BLOCKS = 8, BYTES = BLOCKS * 256 * sizeof(float);
    float *x[2], *sum, first = 0;

    for (int d = 0; d < 2; d++) {
        cudaSetDevice(d);
        cudaMalloc(&x[d], BYTES);
        cudaMemset(x[d], 0, BYTES);
        for (int i = 0; i <= d; i++)
            scale<<<BLOCKS, 256>>>(x[d], 2);
    }
    cudaDeviceEnablePeerAccess(0, 0);
    cudaMemcpyPeer(x[1], 1, x[0], 0, BYTES);
    scale<<<BLOCKS, 256>>>(x[0], 3);
    cudaMallocManaged(&sum, sizeof(float));
    cudaMemcpy(&first, x[0], sizeof(first), cudaMemcpyDeviceToHost);
    printf("%g\n", first);
    return 0;
}
