// Rows with a pitch: allocated, set, copied in 2-D and 3-D, and the errors of it.
#include <cstdio>

__global__ void number(float *rows, size_t pitch, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x < width && y < height) {
        float *row = (float *)((char *)rows + y * pitch);

        row[x] += (float)(y * width + x);
    }
}

__global__ void layers(cudaPitchedPtr box, cudaExtent extent)
{
    char *base = (char *)box.ptr;

    for (size_t z = 0; z < extent.depth; z++)
        for (size_t y = 0; y < extent.height; y++) {
            float *row = (float *)(base + (z * extent.height + y) * box.pitch);

            row[threadIdx.x] = (float)(100 * z + 10 * y + threadIdx.x);
        }
}

int main()
{
    const int width = 37, height = 11;
    static float host[height][width], part[2][3][4];
    float *device;
    size_t pitch = 0;
    int right = 0;

    cudaMallocPitch(&device, &pitch, width * sizeof(float), height);
    printf("the pitch holds a row: %d, whole words: %d\n", pitch >= width * sizeof(float),
           pitch % sizeof(float) == 0);
    cudaMemset2D(device, pitch, 0, width * sizeof(float), height);
    number<<<dim3(3, 2), dim3(16, 8)>>>(device, pitch, width, height);
    cudaMemcpy2D(host, width * sizeof(float), device, pitch, width * sizeof(float), height,
                 cudaMemcpyDeviceToHost);
    for (int i = 0; i < width * height; i++)
        right += host[i / width][i % width] == (float)i;
    printf("%d of %d are right\n", right, width * height);
    cudaMemcpy2DAsync(device, pitch, host, width * sizeof(float), 4, height,
                      cudaMemcpyHostToDevice, 0);
    printf("narrow pitch: %s\n",
           cudaGetErrorName(cudaMemcpy2D(host, 4, device, pitch, 8, height,
                                         cudaMemcpyDeviceToHost)));
    cudaGetLastError();

    cudaExtent extent = make_cudaExtent(4 * sizeof(float), 3, 2);
    cudaPitchedPtr box;
    cudaMemcpy3DParms p = {};

    cudaMalloc3D(&box, extent);
    cudaMemset3D(box, 0, extent);
    layers<<<1, 4>>>(box, extent);
    p.srcPtr = box;
    p.dstPtr = make_cudaPitchedPtr(part, 4 * sizeof(float), 4, 3);
    p.extent = extent;
    p.kind = cudaMemcpyDeviceToHost;
    printf("3-D copy: %s\n", cudaGetErrorName(cudaMemcpy3D(&p)));
    printf("%g %g %g\n", part[0][0][3], part[0][2][1], part[1][2][3]);
    cudaFree(device);
    cudaFree(box.ptr);
    return 0;
}
