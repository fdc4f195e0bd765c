// A header with device code, for language-headers.cu and language-largest.cu.
#ifndef LANGUAGE_SUMS_CUH
#define LANGUAGE_SUMS_CUH

#include <cstdio>
#include <cstdlib>

#define CHECK(call) check((call), __FILE__, __LINE__)

inline void check(cudaError_t error, const char *file, int line)
{
    if (error == cudaSuccess)
        return;
    fprintf(stderr, "%s:%d: %s\n", file, line, cudaGetErrorString(error));
    exit(1);
}

__device__ __forceinline__ float scaled(int i)
{
    return 0.5f * (float)i;
}

template <int THREADS> __global__ void sum_kernel(float *out, const float *in, int n)
{
    __shared__ float part[THREADS];
    int t = threadIdx.x;

    part[t] = 0;
    for (int i = t; i < n; i += THREADS)
        part[t] += in[i];
    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (t < half)
            part[t] += part[t + half];
    }
    if (t == 0)
        *out = part[0];
}

template <int THREADS> float sum(float *scratch, const float *in, int n)
{
    float result;

    sum_kernel<THREADS><<<1, THREADS>>>(scratch, in, n);
    CHECK(cudaMemcpy(&result, scratch, sizeof(float), cudaMemcpyDeviceToHost));
    return result;
}

float largest(const float *in, int n);

#endif
