// A file that includes nothing of CUDA, and whose host code has variables with the names of the
// built-in ones.
#include <cstdio>

struct launch {
    dim3 gridDim, blockDim;
};

__global__ void number(int *out, int width)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

    out[y * width + x] = 1000 * threadIdx.y + threadIdx.x + gridDim.x * gridDim.y;
}

int main()
{
    const int width = 64, height = 32;
    dim3 blockDim(16, 16), gridDim((width + blockDim.x - 1) / blockDim.x, height / blockDim.y);
    launch l = {gridDim, blockDim};
    static int host[width * height];
    int *device, wrong = 0;

    cudaMalloc((void **)&device, sizeof(host));
    number<<<gridDim, blockDim>>>(device, width);
    number<<<l.gridDim, l.blockDim>>>(device, width);
    cudaMemcpy(host, device, sizeof(host), cudaMemcpyDeviceToHost);
    cudaFree(device);
    for (int i = 0; i < width * height; i++)
        wrong += host[i] != 1000 * (i / width % 16) + i % width % 16 + 8;
    printf("%d x %d blocks, %d wrong\n", gridDim.x, gridDim.y, wrong);
    return wrong != 0;
}
