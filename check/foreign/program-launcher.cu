// A kernel and the function that launches it have one name, as libraries of kernels like to have it.
#include <cstdio>

__global__ void add_bias(float *x, const float *bias, int rows, int cols)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < rows * cols)
        x[i] += bias[i % cols];
}

void add_bias(float *x, const float *bias, int rows, int cols, int threads)
{
    add_bias<<<(rows * cols + threads - 1) / threads, threads>>>(x, bias, rows, cols);
}

int main()
{
    const int rows = 50, cols = 7;
    float x[rows * cols], bias[cols], *device_x, *device_bias;
    int wrong = 0;

    for (int i = 0; i < rows * cols; i++)
        x[i] = (float)i;
    for (int col = 0; col < cols; col++)
        bias[col] = 0.5f * (float)col;
    cudaMalloc(&device_x, sizeof(x));
    cudaMalloc(&device_bias, sizeof(bias));
    cudaMemcpy(device_x, x, sizeof(x), cudaMemcpyHostToDevice);
    cudaMemcpy(device_bias, bias, sizeof(bias), cudaMemcpyHostToDevice);
    for (int threads = 32; threads <= 128; threads *= 2)
        add_bias(device_x, device_bias, rows, cols, threads);
    cudaMemcpy(x, device_x, sizeof(x), cudaMemcpyDeviceToHost);
    for (int i = 0; i < rows * cols; i++)
        wrong += x[i] != (float)i + 1.5f * (float)(i % cols);
    printf("%d of %d wrong\n", wrong, rows * cols);
    return 0;
}
