// Threads that ask the device for nothing, beside others that do, in blocks of three dimensions.
#include <cstdio>

__device__ int index_in_block()
{
    return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
}

// None asks for anything.
__global__ void all_plain(int *out)
{
    int i = index_in_block();

    out[(blockIdx.y * gridDim.x + blockIdx.x) * blockDim.x * blockDim.y * blockDim.z + i] =
        threadIdx.x + 10 * threadIdx.y + 100 * threadIdx.z;
}

// Some end while the others wait at the barrier, before them and behind them.
__global__ void some_leave(int *out)
{
    __shared__ int sum;
    int i = index_in_block();

    if (i % 3 == 0) {
        out[i] = -1;
        return;
    }
    if (i == 1)
        sum = 0;
    __syncthreads();
    atomicAdd(&sum, i);
    __syncthreads();
    out[i] = sum;
}

// The last lanes of a warp end before the others exchange values, or after.
__global__ void lanes_leave(int *out)
{
    int i = index_in_block();

    out[i] = -2;
    if (i % 32 >= 20)
        return;
    out[i] = __shfl_xor_sync(0xfffff, i, 1);
}

// One of many asks.
__global__ void one_asks(int *out, int *count)
{
    int i = index_in_block();

    if (i % 37 == 5)
        out[i] = 1000 + atomicAdd(count, 1);
    else
        out[i] = i;
}

static int sum_of(const int *out, int n)
{
    int sum = 0;

    for (int i = 0; i < n; i++)
        sum += (i % 7 + 1) * out[i];
    return sum;
}

int main()
{
    const dim3 block(4, 3, 8);
    const int n = 4 * 3 * 8;
    int *out;

    cudaMallocManaged(&out, (6 * n + 1) * sizeof(int));
    all_plain<<<dim3(3, 2), block>>>(out);
    cudaDeviceSynchronize();
    printf("%d\n", sum_of(out, 6 * n));
    some_leave<<<1, block>>>(out);
    cudaDeviceSynchronize();
    printf("%d %d %d\n", sum_of(out, n), out[1], out[3]);
    lanes_leave<<<1, block>>>(out);
    cudaDeviceSynchronize();
    printf("%d\n", sum_of(out, n));
    out[n] = 0;
    one_asks<<<1, block>>>(out, out + n);
    cudaDeviceSynchronize();
    printf("%d %d\n", sum_of(out, n), out[n]);
    return cudaGetLastError() != cudaSuccess;
}
