// A part of language-headers.cu: its header once more, in another file.
#include "language-sums.cuh"

static __global__ void start(unsigned *out) /* not the other file's */
{
    *out = 0;
}

static __global__ void raise(unsigned *out, const float *in, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        atomicMax(out, (unsigned)(2 * in[i]));
}

float largest(const float *in, int n)
{
    unsigned *device, host;

    CHECK(cudaMalloc(&device, sizeof(host)));
    start<<<1, 1>>>(device);
    raise<<<1, 32>>>(device, in, n);
    CHECK(cudaMemcpy(&host, device, sizeof(host), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(device));
    return host / 2.0f;
}
