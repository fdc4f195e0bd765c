// flags: --check
// status: 1
// error: race: one thread reads what another writes, s[1] of 32 elements in shared memory, with no barrier
// A vote makes the lanes meet, but it orders no memory: __syncwarp() does.
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void turn(int *out)
{
    __shared__ int s[32];
    int t = threadIdx.x;

    s[t] = t;
    if (__all_sync(0xffffffffu, t < 32))
        out[t] = s[(t + 1) % 32];
}

int main()
{
    int *out, h[32], sum = 0;

    cudaMalloc(&out, sizeof(h));
    turn<<<1, 32>>>(out);
    cudaMemcpy(h, out, sizeof(h), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; i++)
        sum += h[i];
    printf("%d\n", sum);
    return 0;
}
