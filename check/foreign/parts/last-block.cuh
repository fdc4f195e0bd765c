// The last block to finish adds up what all have stored. Who includes this says which fences stand
// before and after the ticket: BEFORE, AFTER.
#include <cuda_runtime.h>
#include <stdio.h>

__device__ unsigned tickets;

__global__ void sum(int *partial, int *out)
{
    __shared__ bool last;

    if (threadIdx.x == 0) {
        partial[blockIdx.x] = blockIdx.x;
        BEFORE;
        unsigned mine = atomicAdd(&tickets, 1);
        AFTER;
        last = mine == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        int s = 0;

        for (unsigned i = 0; i < gridDim.x; i++)
            s += partial[i];
        *out = s;
    }
}

int main()
{
    int *partial, *out, h;

    cudaMalloc(&partial, 10 * sizeof(int));
    cudaMalloc(&out, sizeof(int));
    sum<<<10, 32>>>(partial, out);
    cudaMemcpy(&h, out, sizeof(h), cudaMemcpyDeviceToHost);
    printf("%d\n", h);
    return 0;
}
