// flags: --check
// error: --check: nothing found
// What CUDA allows: masks that name who takes part, lanes that returned before a full __syncwarp() or
// vote, and two calls in two branches that meet.
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void masks(int *out, int n)
{
    __shared__ int s[32];
    int i = threadIdx.x, v, low;
    unsigned mask = __ballot_sync(0xffffffffu, i < n);

    if (i >= n)
        return;
    s[i] = i;
    __syncwarp();
    v = s[n - 1 - i];
    if (__any_sync(0xffffffffu, v < 0))
        v = 0;
    low = __shfl_sync(mask, v, 0);
    if (i % 2)
        v = __shfl_up_sync(mask, v, 1);
    else
        v = __shfl_up_sync(mask, v, 1);
    out[i] = v + low;
}

int main()
{
    int *out, h[20];

    cudaMalloc(&out, sizeof(h));
    masks<<<1, 32>>>(out, 20);
    cudaMemcpy(h, out, sizeof(h), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 20; i++)
        printf("%d ", h[i]);
    printf("\n");
    return 0;
}
