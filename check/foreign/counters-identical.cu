// Two kernels with the same code are two kernels: each is counted at its own lines.
// flags: --counters=lines
// error: scale_left           counters-identical.cu:12
// error: scale_right          counters-identical.cu:20
#include <cstdio>

__global__ void scale_left(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        x[i] = 2.0f * x[i];
}

__global__ void scale_right(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        x[i] = 2.0f * x[i];
}

int main()
{
    float host[100], *device;

    for (int i = 0; i < 100; i++)
        host[i] = (float)i;
    cudaMalloc(&device, sizeof(host));
    cudaMemcpy(device, host, sizeof(host), cudaMemcpyHostToDevice);
    scale_left<<<1, 128>>>(device, 100);
    scale_right<<<1, 128>>>(device, 100);
    cudaMemcpy(host, device, sizeof(host), cudaMemcpyDeviceToHost);
    printf("%g %g\n", host[1], host[99]);
    cudaFree(device);
    return 0;
}
