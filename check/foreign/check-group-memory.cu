// flags: --check
// status: 1
// error: which a product of a warpgroup may still read: no wait for its group comes before (overwritten)
// error: which was stored with no fence.proxy.async behind (stored)
// error: which was stored with no fence.proxy.async behind (copied)
// error: where an asynchronous copy may still arrive: no wait for its group comes before (flying)
// error: with no barrier between (unordered)
// What the operands of a warpgroup's products in shared memory need: a wait before they are overwritten, a fence of the
// proxies behind stores and copies, the wait for the copies, a barrier. `behind`, where the fence stands on the other
// side of the barrier, is right.
#include <cstdio>
#include <cuda_bf16.h>

__device__ unsigned long long descriptor(const void *start) // 8 x 8 elements follow each other, then along k
{
    unsigned long long address = (unsigned)__cvta_generic_to_shared(start);

    return address >> 4 | 8ull << 16 | 16ull << 32; // 128 bytes further along k, 256 along rows and columns
}

__device__ void multiply(float (&d)[4], const void *a, const void *b)
{
#if __CUDA_ARCH_FEAT_SM90_ALL
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "l"(descriptor(a)), "l"(descriptor(b)));
#endif
}

#if __CUDA_ARCH_FEAT_SM90_ALL
#define FENCE() asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
#define COMMIT() asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory")
#define WAIT(N) asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory")
#define PROXY() asm volatile("fence.proxy.async;" ::: "memory")
#else
#define FENCE()
#define COMMIT()
#define WAIT(N)
#define PROXY()
#endif

struct tiles {
    __nv_bfloat16 a[64 * 16], b[16 * 8];
};

__device__ void fill(tiles &t)
{
    for (int i = threadIdx.x; i < 64 * 16; i += 128)
        t.a[i] = __float2bfloat16(1.0f);
    t.b[threadIdx.x] = __float2bfloat16(0.5f);
}

__global__ void overwritten(float *out)
{
    __shared__ __align__(128) tiles t;
    float d[4] = {0, 0, 0, 0};

    fill(t);
    PROXY();
    __syncthreads();
    FENCE();
    multiply(d, t.a, t.b);
    COMMIT();
    __syncthreads();
    t.b[threadIdx.x] = __float2bfloat16(2.0f);
    WAIT(0);
    out[threadIdx.x] = d[0];
}

__global__ void stored(float *out)
{
    __shared__ __align__(128) tiles t;
    float d[4] = {0, 0, 0, 0};

    PROXY();
    fill(t);
    __syncthreads();
    FENCE();
    multiply(d, t.a, t.b);
    COMMIT();
    WAIT(0);
    out[threadIdx.x] = d[0];
}

__global__ void behind(float *out)
{
    __shared__ __align__(128) tiles t;
    float d[4] = {0, 0, 0, 0};

    fill(t);
    __syncthreads();
    PROXY();
    FENCE();
    multiply(d, t.a, t.b);
    COMMIT();
    WAIT(0);
    out[threadIdx.x] = d[0];
}

__device__ tiles zeros;

__device__ void copy(tiles &t)
{
    for (int i = threadIdx.x; i < (int)sizeof(tiles) / 16; i += 128)
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                         (unsigned)__cvta_generic_to_shared((char *)&t + i * 16)),
                     "l"((char *)&zeros + i * 16)
                     : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
}

__global__ void copied(float *out)
{
    __shared__ __align__(128) tiles t;
    float d[4] = {0, 0, 0, 0};

    copy(t);
    PROXY();
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    FENCE();
    multiply(d, t.a, t.b);
    COMMIT();
    WAIT(0);
    out[threadIdx.x] = d[0];
}

__global__ void flying(float *out)
{
    __shared__ __align__(128) tiles t;
    float d[4] = {0, 0, 0, 0};

    copy(t);
    PROXY();
    __syncthreads();
    FENCE();
    multiply(d, t.a, t.b);
    COMMIT();
    WAIT(0);
    asm volatile("cp.async.wait_group 0;" ::: "memory");
    out[threadIdx.x] = d[0];
}

__global__ void unordered(float *out)
{
    __shared__ __align__(128) tiles t;
    float d[4] = {0, 0, 0, 0};

    fill(t);
    PROXY();
    __syncthreads();
    FENCE();
    multiply(d, t.a, t.b);
    COMMIT();
    WAIT(0);
    t.b[127 - threadIdx.x] = __float2bfloat16(2.0f);
    out[threadIdx.x] = d[0];
}

int main()
{
    float *out;

    cudaMallocManaged(&out, 128 * sizeof(*out));
    overwritten<<<1, 128>>>(out);
    cudaDeviceSynchronize();
    printf("%g\n", out[0]);
    stored<<<1, 128>>>(out);
    cudaDeviceSynchronize();
    printf("%g\n", out[0]);
    behind<<<1, 128>>>(out);
    cudaDeviceSynchronize();
    printf("%g\n", out[0]);
    copied<<<1, 128>>>(out);
    cudaDeviceSynchronize();
    printf("%g\n", out[0]);
    flying<<<1, 128>>>(out);
    cudaDeviceSynchronize();
    printf("%g\n", out[0]);
    unordered<<<1, 128>>>(out);
    cudaDeviceSynchronize();
    printf("%g\n", out[0]);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
