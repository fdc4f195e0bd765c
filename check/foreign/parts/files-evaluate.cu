// Of program-files.cu: the kernel and its launch.
#include "files.cuh"

static __global__ void kernel(Polynomial p, const float *x, float *y, int n)
{
    int i = global_index();

    if (i < n)
        y[i] = p.at(x[i]);
}

void evaluate(const Polynomial &p, const float *x, float *y, int n)
{
    float *device_x, *device_y;

    cudaMalloc(&device_x, n * sizeof(float));
    cudaMalloc(&device_y, n * sizeof(float));
    cudaMemcpy(device_x, x, n * sizeof(float), cudaMemcpyHostToDevice);
    kernel<<<(n + 127) / 128, 128>>>(p, device_x, device_y, n);
    cudaMemcpy(y, device_y, n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(device_x);
    cudaFree(device_y);
}
