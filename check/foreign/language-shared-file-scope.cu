// Dynamic shared memory that is declared once, outside of all functions.
#include <cstdio>

extern __shared__ int scratch[];

namespace halves
{
extern __shared__ __align__(16) float2 pairs[];

__device__ float sum_of(int i)
{
    return pairs[i].x + pairs[i].y;
}

__global__ void add(float *out)
{
    pairs[threadIdx.x] = make_float2(threadIdx.x, 0.5f);
    __syncthreads();
    out[threadIdx.x] = sum_of(blockDim.x - 1 - threadIdx.x);
}
}

__device__ int neighbour()
{
    return scratch[(threadIdx.x + 1) % blockDim.x];
}

__device__ int first(const int *scratch) /* not that one */
{
    return scratch[0];
}

template <typename T> __global__ void rotate(T *out)
{
    scratch[threadIdx.x] = 10 * threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = (T)(neighbour() + first(&scratch[2]));
}

__global__ void own(int *out)
{
    extern __shared__ int scratch[];

    scratch[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = scratch[blockDim.x - 1 - threadIdx.x];
}

int main()
{
    float *f, a[16];
    int *i, b[16];

    cudaMalloc(&f, sizeof(a));
    cudaMalloc(&i, sizeof(b));
    halves::add<<<1, 16, 16 * sizeof(float2)>>>(f);
    cudaMemcpy(a, f, sizeof(a), cudaMemcpyDeviceToHost);
    printf("%g %g\n", a[0], a[15]);
    rotate<<<1, 16, 16 * sizeof(int)>>>(f);
    cudaMemcpy(a, f, sizeof(a), cudaMemcpyDeviceToHost);
    printf("%g %g\n", a[0], a[15]);
    own<<<1, 16, 16 * sizeof(int)>>>(i);
    cudaMemcpy(b, i, sizeof(b), cudaMemcpyDeviceToHost);
    printf("%d %d\n", b[0], b[15]);
    return 0;
}
