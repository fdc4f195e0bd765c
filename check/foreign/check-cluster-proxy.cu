// flags: --check
// status: 1
// error: cp.async.bulk reads s[0] of 64 elements in shared memory, which was stored with no fence.proxy.async behind
// error: --check: 1 finding
// The fence of the proxies in blocks of a cluster, whose shared memory others may reach. `fenced` has it, and `behind`
// on the other side of the barrier; `stored` lacks it.
#include "parts/tma.cuh"

enum { BYTES = 256 };

__device__ void store(float *x, const float *s)
{
    if (threadIdx.x == 0) {
        bulk_store(x + blockIdx.x * 64, s, BYTES);
        bulk_commit();
        bulk_wait<0>();
    }
}

__global__ void __cluster_dims__(2, 1, 1) fenced(float *x)
{
    __shared__ __align__(128) float s[64];

    s[threadIdx.x] = threadIdx.x;
    proxy_fence();
    __syncthreads();
    store(x, s);
}

__global__ void __cluster_dims__(2, 1, 1) behind(float *x)
{
    __shared__ __align__(128) float s[64];

    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0)
        proxy_fence();
    store(x, s);
}

__global__ void __cluster_dims__(2, 1, 1) stored(float *x)
{
    __shared__ __align__(128) float s[64];

    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    store(x, s);
}

int main()
{
    float *x;

    cudaMallocManaged(&x, 2 * BYTES);
    fenced<<<2, 64>>>(x);
    behind<<<2, 64>>>(x);
    stored<<<2, 64>>>(x);
    cudaDeviceSynchronize();
    printf("%g %g\n", x[1], x[127]);
    return 0;
}
