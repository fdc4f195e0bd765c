// Variables of the device: copied to and from, by address and size, set, and filled by a kernel.
#include <cstdio>

__constant__ float weights[5];
__constant__ struct {
    int rows, cols;
} shape;
__device__ int histogram[8];
__device__ float *pointer;
namespace inner
{
__device__ double sum = 1.5;
}

__global__ void work(int n)
{
    int i = threadIdx.x;

    atomicAdd(&histogram[i % 8], 1);
    pointer[i] = weights[i % 5] * (float)(shape.rows * shape.cols);
    if (i == 0)
        inner::sum += n;
}

int main()
{
    const float w[5] = {0.1f, 0.2f, 0.4f, 0.2f, 0.1f};
    const int dims[2] = {3, 4};
    int bins[8], three = 3;
    float *device, out[16];
    double sum;
    void *address;
    size_t bytes = 0;

    cudaMemcpyToSymbol(weights, w, sizeof(w));
    cudaMemcpyToSymbol(shape, dims, sizeof(dims), 0, cudaMemcpyHostToDevice);
    cudaMalloc(&device, sizeof(out));
    cudaMemcpyToSymbol(pointer, &device, sizeof(device));
    cudaGetSymbolAddress(&address, histogram);
    cudaGetSymbolSize(&bytes, histogram);
    printf("%zu bytes: %s\n", bytes, cudaGetErrorName(cudaMemset(address, 0, bytes)));
    cudaMemcpyToSymbolAsync(histogram, &three, sizeof(int), 2 * sizeof(int), cudaMemcpyHostToDevice,
                            0);
    work<<<1, 16>>>(7);
    cudaMemcpyFromSymbol(bins, histogram, sizeof(bins));
    cudaMemcpyFromSymbol(&sum, inner::sum, sizeof(sum), 0, cudaMemcpyDeviceToHost);
    cudaMemcpy(out, device, sizeof(out), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 8; i++)
        printf("%d ", bins[i]);
    printf("sum %g, last %.2f\n", sum, out[15]);
    printf("too many: %s\n", cudaGetErrorName(cudaMemcpyToSymbol(weights, w, sizeof(w), 4)));
    printf("a name in quotes: %s\n", cudaGetErrorName(cudaMemcpyToSymbol("weights", w, 8)));
    cudaGetLastError();
    cudaFree(device);
    return 0;
}
