// flags: --check
// status: 1
// error: memory: write of 4 bytes just past the end of the variable sums (4096 bytes) (past)
// error: memory: read of 4 bytes 4 bytes before the start of the variable limit (4 bytes) (before)
// error: memory: read of 4 bytes just past the end of the variable weight (32 bytes) (behind)
// error: --check: 3 findings
// The program's variables may lie side by side: what is read or written past the end of one is then another one's.
#include <cuda_runtime.h>
#include <cstdio>

__device__ int sums[1024];
static __device__ int limit;
namespace weights {
__constant__ int weight[8];
}

__global__ void past(int count)
{
    for (int i = threadIdx.x; i < count; i += blockDim.x)
        sums[i] = i;
}

__global__ void before(int *out, int i)
{
    *out = (&limit)[i];
}

__global__ void behind(int *out, int i)
{
    *out = weights::weight[i] + sums[1023];
}

int main()
{
    int *out, last;

    cudaMalloc(&out, sizeof(*out));
    past<<<1, 32>>>(1024); /* all right */
    before<<<1, 1>>>(out, 0);
    behind<<<1, 1>>>(out, 7);
    cudaMemcpy(&last, out, sizeof(last), cudaMemcpyDeviceToHost);
    printf("%d\n", last);
    past<<<1, 32>>>(1025);
    before<<<1, 1>>>(out, -1);
    behind<<<1, 1>>>(out, 8);
    cudaDeviceSynchronize();
    return 0;
}
