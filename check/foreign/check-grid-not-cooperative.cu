// flags: --check
// status: 1
// error: a barrier of the grid in a launch that is not cooperative
// A kernel with a barrier of the grid, launched like any other.
#include <cooperative_groups.h>
#include <cuda_runtime.h>
#include <stdio.h>

namespace cg = cooperative_groups;

__global__ void ask(int *valid)
{
    *valid = cg::this_grid().is_valid();
}

__global__ void meet(int *x)
{
    x[blockIdx.x] = 1;
    cg::this_grid().sync();
    x[blockIdx.x] += x[(blockIdx.x + 1) % gridDim.x];
}

int main()
{
    int *d, h;

    cudaMalloc(&d, 4 * sizeof(int));
    ask<<<1, 1>>>(d);
    cudaMemcpy(&h, d, sizeof(h), cudaMemcpyDeviceToHost);
    printf("valid: %d\n", h);
    meet<<<4, 1>>>(d);
    printf("%s\n", cudaDeviceSynchronize() == cudaSuccess ? "done" : "failed");
    return 0;
}
