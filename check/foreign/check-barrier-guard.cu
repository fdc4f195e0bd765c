// flags: --check
// status: 1
// error: sync: a barrier that threads of the block go around, to the kernel's end
// error: waits     check-barrier-guard.cu:20 thread 0 of block 0
// error: ended     the kernel's end         thread 64 of block 0
// error: waits     check-barrier-guard.cu:39 thread 0 of block 0
// error: --check: 2 findings
// Kernels that some threads leave at once, by a return, and whose first barrier stands in an if: those that stay and do
// not enter it go around it. A jump to the end counts as a return: in the last kernel nothing is wrong.
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void guard(int *out, int n)
{
    int t = threadIdx.x;

    if (t >= n) return;
    else if (t < 64) {
        out[t] = t;
        __syncthreads();
        out[64 + t] = out[63 - t];
    }
}

#define STAY_IF(condition) if (!(condition)) return

__global__ void macro(int *out, int n)
{
    int t = threadIdx.x;
    auto half = [](int v) {
        if (v < 0)
            return 0;
        return v / 2;
    };

    STAY_IF(t < n);
    for (int k = 64; k > half(1); k /= 2)
        if (t < k)
            __syncthreads();
    if (t == 0)
        out[128] = n;
}

__global__ void jump(int *out, int n)
{
    int t = threadIdx.x;

    if (t >= n)
        goto end;
    out[t] = t;
    __syncthreads();
    if (t == 0)
        out[129] = out[n - 1];
end:;
}

int main()
{
    int *d, h[130];

    cudaMalloc(&d, sizeof(h));
    guard<<<1, 128>>>(d, 100);
    macro<<<1, 128>>>(d, 1);
    macro<<<1, 128>>>(d, 100);
    jump<<<1, 128>>>(d, 100);
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    printf("%d %d %d\n", h[64], h[128], h[129]);
    return 0;
}
