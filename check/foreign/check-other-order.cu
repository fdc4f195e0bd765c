// flags: --check
// status: 1
// error: race: two threads write data[0] of 1 element, with no barrier between (late, --schedule=random:
// error: --check: 1 finding
// error: --check: each launch was run in 4 orders
// A later thread writes the word only where it comes before thread 0 has said that it is there: in another order than
// the usual one, and no run in which it comes later says anything of it.
#include <cuda_runtime.h>
#include <stdio.h>

__device__ int there;

__global__ void late(int *data, int who)
{
    if (threadIdx.x == 0) {
        for (int i = 0; i < 2; i++)
            data[0] = i;
        atomicExch(&there, 1);
    } else if (threadIdx.x == who && atomicAdd(&there, 0) == 0) {
        data[0] = 3;
    }
}

int main()
{
    int *d, zero = 0;

    cudaMalloc(&d, sizeof(int));
    for (int who = 32; who < 64; who += 4) {
        cudaMemcpyToSymbol(there, &zero, sizeof(zero));
        late<<<1, 64>>>(d, who);
    }
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
