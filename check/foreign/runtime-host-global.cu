// A kernel gets an array of the host's global variables: an illegal address, as a GPU says.
// status: 1
// error: of the host's memory
#include <cstdio>

static float numbers[256];
__device__ float sum;
__device__ int counts[4] = {1, 2, 3, 4};
__managed__ int both = 5;

__global__ void good(float *p)
{
    atomicAdd(&sum, 1.0f);
    atomicAdd(&both, counts[threadIdx.x % 4]);
    p[threadIdx.x] = 1;
}

int main()
{
    float *p;

    cudaMalloc(&p, sizeof(numbers));
    good<<<1, 256>>>(p);
    printf("its own: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    printf("%d\n", both);
    good<<<1, 256>>>(numbers);
    printf("the host's: %s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    return cudaGetLastError() != cudaSuccess;
}
