// The sum of each row of a matrix, in three ways: thread, warp or tree.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t status = (call);                                                               \
        if (status != cudaSuccess) {                                                               \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status));        \
            exit(2);                                                                               \
        }                                                                                          \
    } while (0)

__global__ void by_thread(const float *matrix, float *sums, int rows, int cols)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;

    if (row >= rows)
        return;
    for (int col = 0; col < cols; col++)
        sum += matrix[row * cols + col];
    sums[row] = sum;
}

__global__ void by_warp(const float *matrix, float *sums, int rows, int cols)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    float sum = 0;

    if (row >= rows)
        return;
    for (int col = lane; col < cols; col += 32)
        sum += matrix[row * cols + col];
    for (int half = 16; half > 0; half /= 2)
        sum += __shfl_down_sync(~0u, sum, half);
    if (lane == 0)
        sums[row] = sum;
}

__global__ void by_tree(const float *matrix, float *sums, int cols)
{
    __shared__ float part[256];
    int t = threadIdx.x;
    float sum = 0;

    for (int col = t; col < cols; col += blockDim.x)
        sum += matrix[blockIdx.x * cols + col];
    part[t] = sum;
    __syncthreads();
    for (int half = blockDim.x / 2; half > 0; half /= 2)
        if (t < half)
            part[t] += part[t + half];
    if (t == 0)
        sums[blockIdx.x] = part[0];
}

int main(int argc, char **argv)
{
    const int rows = 256, cols = 1024;
    const char *way = argc > 1 ? argv[1] : "thread";
    std::vector<float> matrix(rows * cols), sums(rows);
    float *device_matrix, *device_sums;
    int wrong = 0;

    for (int i = 0; i < rows * cols; i++)
        matrix[i] = (float)(i % 7);
    CHECK(cudaMalloc(&device_matrix, matrix.size() * sizeof(float)));
    CHECK(cudaMalloc(&device_sums, sums.size() * sizeof(float)));
    CHECK(cudaMemcpy(device_matrix, matrix.data(), matrix.size() * sizeof(float),
                     cudaMemcpyHostToDevice));
    if (strcmp(way, "tree") == 0)
        by_tree<<<rows, 256>>>(device_matrix, device_sums, cols);
    else if (strcmp(way, "warp") == 0)
        by_warp<<<rows / 8, 256>>>(device_matrix, device_sums, rows, cols);
    else
        by_thread<<<rows / 256, 256>>>(device_matrix, device_sums, rows, cols);
    CHECK(cudaGetLastError());
    CHECK(
        cudaMemcpy(sums.data(), device_sums, sums.size() * sizeof(float), cudaMemcpyDeviceToHost));
    for (int row = 0; row < rows; row++) {
        double sum = 0;

        for (int col = 0; col < cols; col++)
            sum += matrix[row * cols + col];
        wrong += fabs(sums[row] - sum) > 0.5;
    }
    printf("%s: %d of %d rows wrong\n", way, wrong, rows);
    CHECK(cudaFree(device_matrix));
    CHECK(cudaFree(device_sums));
    return wrong > 0;
}
