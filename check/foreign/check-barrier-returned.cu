// flags: --check
// Threads that leave a kernel by return, before its first barrier or between two, are not awaited: nothing is wrong.
// A return of a lambda leaves no kernel, and one at the kernel's end leaves nothing out.
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void guard(int *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    out[i] = i;
    __syncthreads();
    if (i == 0)
        out[n] = out[n - 1];
}

template <bool SOME> __global__ void later(int *out)
{
    __shared__ int s[128];
    int t = threadIdx.x;
    auto twice = [](int v) {
        if (v == 0)
            return;
    };

    twice(t);
    s[t] = t;
    __syncthreads();
    for (int k = 64; k > 0; k /= 2) {
        if constexpr (SOME) {
            if (t >= k)
                return;
        }
        if (t < k)
            s[t] += s[t + k];
        __syncthreads();
    }
    if (t == 0)
        out[0] = s[0];
    return;
}

__global__ void last(int *out)
{
    __shared__ int s[128];
    int t = threadIdx.x;

    s[t] = t;
    __syncthreads();
    if (t >= 32) {
        return;
    } else {
        s[t] += s[t + 32];
        __syncthreads();
    }
    if (t == 0)
        out[1] = s[31];
}

int main()
{
    int *d, h[102];

    cudaMalloc(&d, sizeof(h));
    guard<<<1, 128>>>(d, 100);
    later<true><<<1, 128>>>(d);
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    printf("%d %d\n", h[0], h[100]);
    later<false><<<1, 128>>>(d);
    last<<<1, 128>>>(d);
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    printf("%d %d\n", h[0], h[1]);
    return 0;
}
