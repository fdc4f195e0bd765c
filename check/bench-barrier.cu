/* What a block barrier costs on the CPU device, in nanoseconds a thread: the time of a kernel with
 * many barriers less that of the same kernel with none, on one worker. Prints one number. */
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void barriers(int *out, int count)
{
    int sum = 0;

    for (int i = 0; i < count; i++) {
        sum += i;
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}

static float milliseconds(int *d, int count)
{
    float best = 1e30f, ms;
    cudaEvent_t begin, end;

    cudaEventCreate(&begin);
    cudaEventCreate(&end);
    for (int run = 0; run < 7; run++) {
        cudaEventRecord(begin);
        barriers<<<1, 256>>>(d, count);
        cudaEventRecord(end);
        cudaEventSynchronize(end);
        cudaEventElapsedTime(&ms, begin, end);
        if (ms < best)
            best = ms;
    }
    return best;
}

int main()
{
    enum { COUNT = 10000 };
    int *d = NULL;

    if (cudaMalloc(&d, 256 * sizeof(int)))
        return 3;
    printf("%.2f\n", (milliseconds(d, COUNT) - milliseconds(d, 0)) * 1e6 / COUNT / 256);
    return cudaGetLastError() != cudaSuccess;
}
