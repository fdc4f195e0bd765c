// flags: --check --counters
// error: --check: nothing found
// error: good*                           12
// Products of a warpgroup with all that must stand around them: --check finds nothing. Two stages, of which one is
// filled while the other may still be read; the sums are scaled between, behind a fence. Each warp has two products.
#include <cstdio>
#include "parts/group.cuh"

__global__ void good(float *out)
{
    __shared__ __align__(128) tiles t[2];
    float d[4] = {0, 0, 0, 0};

    for (int i = 0; i < 2; i++) {
        fill(t[i]);
        PROXY();
        __syncthreads();
        FENCE();
        multiply(d, t[i].a, t[i].b);
        COMMIT();
        WAIT(1);
    }
    WAIT(0);
    for (int i = 0; i < 4; i++)
        d[i] *= 2;
    FENCE();
    multiply(d, t[0].a, t[0].b);
    COMMIT();
    WAIT(0);
    out[threadIdx.x] = d[0];
}

int main()
{
    float *out;

    cudaMallocManaged(&out, 128 * sizeof(*out));
    good<<<1, 128>>>(out);
    cudaDeviceSynchronize();
    printf("%g\n", out[0]);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
