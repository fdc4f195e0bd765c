/* A toolkit's headers beside ours, and lambdas for the device. */
#include <cuda_runtime.h>
#include "expect.h"
#include <toolkit_complex.h>
#include <vector_types.h>

template <typename F> __global__ void apply(int *out, F f)
{
    out[threadIdx.x] = f((int)threadIdx.x);
}

__global__ void parts(int *out, toolkit_complex c)
{
    *out = (int)real(c);
}

struct host_only {
    int blockDim, threadIdx;
};

static int host_code(int blockIdx)
{
    host_only gridDim = {blockIdx, 2};

    asm volatile("" ::: "memory"); /* of the host: may stay */
    return gridDim.blockDim + gridDim.threadIdx;
}

int main()
{
    int *d = device_array<int>(4), h[4], more = 10;

    apply<<<1, 4>>>(d, [=] __device__ (int i) { return more * i + (int)blockDim.x; });
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    expect_equal(h[3], 34, "a lambda for the device");
    apply<<<1, 4>>>(
        d, [more] __host__ __device__ (int i) -> int {
            __shared__ int sum[4];

            sum[threadIdx.x] = i + more;
            __syncthreads();
            return sum[3 - threadIdx.x];
        });
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    expect_equal(h[0], 13, "one with shared memory, over several lines");
    struct local {
        int by;
        __device__ int operator()(int i) const { return by * i + threadIdx.x; }
    };
    apply<<<1, 4>>>(d, local{5});
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    expect_equal(h[3], 18, "a class in a function");
    parts<<<1, 1>>>(d, make_float2(7, 8));
    cudaMemcpy(h, d, sizeof(int), cudaMemcpyDeviceToHost);
    expect_equal(h[0], 7, "device code in a system header");
    expect_equal(host_code(3), 5, "the host's own names");
    expect_equal(__LINE__, 57, "the line count is that of the source");
    return expect_status();
}
