// flags: --check
// status: 1
// error: which a product of a warpgroup may still read: no wait for its group comes before (overwritten)
// error: which was stored with no fence.proxy.async behind (stored)
// error: which was stored with no fence.proxy.async behind (copied)
// error: where an asynchronous copy may still arrive: no wait for its group comes before (flying)
// error: with no barrier between (unordered)
// error: --check: 7 findings
// What the operands of a warpgroup's products in shared memory need: a wait before they are overwritten, a fence of the
// proxies behind stores and copies, the wait for the copies, a barrier. `behind`, where the fence stands on the other
// side of the barrier, is right.
#include <cstdio>
#include "parts/group.cuh"

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

    if (threadIdx.x < 128)
        fill(t);
    PROXY();
    __syncthreads();
    if (threadIdx.x >= 128) {
        __nanosleep(1000);
        t.b[threadIdx.x - 128] = __float2bfloat16(2.0f);
        return;
    }
    FENCE();
    multiply(d, t.a, t.b);
    COMMIT();
    WAIT(0);
    out[threadIdx.x] = d[0];
}

// The product is one of four warps: when one has waited, all have read.
__global__ void waited(float *out)
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
    if (threadIdx.x < 32)
        for (int i = threadIdx.x; i < 128; i += 32)
            t.b[i] = __float2bfloat16(2.0f);
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
    unordered<<<1, 160>>>(out);
    cudaDeviceSynchronize();
    printf("%g\n", out[0]);
    waited<<<1, 128>>>(out);
    cudaDeviceSynchronize();
    printf("%g %g\n", out[0], out[127]);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
