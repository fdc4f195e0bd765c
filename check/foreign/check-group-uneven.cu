// flags: --check
// status: 1
// error: async: the four warps of a warpgroup have not multiplied (wgmma) as often (uneven)
// One warp of the four multiplies once more. A GPU waits for the others for ever, or not: CUDA does not define it.
#include <cstdio>
#include "parts/group.cuh"

__global__ void uneven(float *out)
{
    __shared__ __align__(128) tiles t;
    float d[4] = {0, 0, 0, 0};

    fill(t);
    PROXY();
    __syncthreads();
    FENCE();
    for (int i = 0; i < (threadIdx.x < 32 ? 2 : 1); i++)
        multiply(d, t.a, t.b);
    COMMIT();
    WAIT(0);
    out[threadIdx.x] = d[0];
}

int main()
{
    float *out;

    cudaMallocManaged(&out, 128 * sizeof(*out));
    uneven<<<1, 128>>>(out);
    cudaDeviceSynchronize();
    printf("%g\n", out[0]);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
