// flags: --check
// status: 1
// error: async: the first product of a warpgroup, with no wgmma.fence before it (unfenced)
// error: async: a product of a warpgroup adds to what the thread has written, with no wgmma.fence between (scaled)
// error: read of a sum that a product of a warpgroup may still change: no wait for its group comes before (early)
// error: write of a sum that a product of a warpgroup may still change: no wait for its group comes before (early)
// error: async: read of a sum that a product of a warpgroup may still change: no wait for its group comes before (weak)
// What the registers of a warpgroup's products need: a fence before the first one, and behind other writes; a wait
// before they are read or written, for all groups that add to them.
#include <cstdio>
#include "parts/group.cuh"

__global__ void unfenced(float *out)
{
    __shared__ __align__(128) tiles t;
    float d[4] = {0, 0, 0, 0};

    fill(t);
    PROXY();
    __syncthreads();
    multiply(d, t.a, t.b);
    COMMIT();
    WAIT(0);
    out[threadIdx.x] = d[0];
}

__global__ void scaled(float *out)
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
    d[0] *= 2;
    multiply(d, t.a, t.b);
    COMMIT();
    WAIT(0);
    out[threadIdx.x] = d[0];
}

__global__ void early(float *out)
{
    __shared__ __align__(128) tiles t;
    float d[4] = {0, 0, 0, 0};

    fill(t);
    PROXY();
    __syncthreads();
    FENCE();
    multiply(d, t.a, t.b);
    COMMIT();
    out[threadIdx.x] = d[0];
    d[1] = 1;
    WAIT(0);
    out[threadIdx.x] += d[1];
}

__global__ void weak(float *out)
{
    __shared__ __align__(128) tiles t;
    float d[4] = {0, 0, 0, 0};

    fill(t);
    PROXY();
    __syncthreads();
    FENCE();
    for (int i = 0; i < 2; i++) {
        multiply(d, t.a, t.b);
        COMMIT();
    }
    WAIT(1);
    out[threadIdx.x] = d[0];
    WAIT(0);
}

int main()
{
    float *out;

    cudaMallocManaged(&out, 128 * sizeof(*out));
    unfenced<<<1, 128>>>(out);
    cudaDeviceSynchronize();
    printf("%g\n", out[0]);
    scaled<<<1, 128>>>(out);
    cudaDeviceSynchronize();
    printf("%g\n", out[0]);
    early<<<1, 128>>>(out);
    cudaDeviceSynchronize();
    printf("%g\n", out[0]);
    weak<<<1, 128>>>(out);
    cudaDeviceSynchronize();
    printf("%g\n", out[0]);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
