// A host pointer given to a kernel: an illegal address, as on a GPU, and the device is lost.
// error: illegal memory access
#include <cstdio>
#include <cstdlib>

__global__ void fill(int *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        x[i] = i;
}

int main()
{
    int *x = (int *)calloc(100, sizeof(int)), *device;

    cudaMalloc(&device, 400);
    fill<<<1, 128>>>(x, 100);
    printf("launch: %s\n", cudaGetErrorName(cudaGetLastError() ? cudaPeekAtLastError()
                                                               : cudaDeviceSynchronize()));
    printf("next: %s\n", cudaGetErrorName(cudaMemset(device, 0, 400)));
    printf("nothing was written: %d\n", x[1]);
    free(x);
    return 0;
}
