// flags: --check
// status: 1
// error: sync: a barrier that threads of the block go around, to the kernel's end
// error: waits     check-barrier-around.cu:20 thread 0 of block 0
// error: ended     the kernel's end         thread 64 of block 0
// error: waits     check-barrier-around.cu:35 thread 0 of block 0
// error: waits     check-barrier-around.cu:47 thread 0 of block 0
// error: --check: 3 findings
// Threads that go around a barrier and run to the kernel's end: around the first one of a kernel, around one in a
// loop, and around one in a device function. The GPU counts them as arrived, so the sums are right.
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void first(int *out)
{
    int t = threadIdx.x;

    if (t < 64) {
        out[t] = t;
        __syncthreads();
        out[64 + t] = out[63 - t];
    }
}

__global__ void loop(int *out)
{
    __shared__ int s[128];
    int t = threadIdx.x;

    s[t] = t;
    __syncthreads();
    for (int k = 64; k > 0; k /= 2) {
        if (t < k) {
            s[t] += s[t + k];
            __syncthreads();
        }
    }
    if (t == 0)
        out[128] = s[0];
}

__device__ void fold(int *s, int t)
{
    if (t >= 64)
        return;
    s[t] += s[t + 64];
    __syncthreads();
    if (t == 0)
        s[0] += s[1];
}

__global__ void called(int *out)
{
    __shared__ int s[128];

    s[threadIdx.x] = threadIdx.x;
    __syncthreads();
    fold(s, threadIdx.x);
}

int main()
{
    int *d, h[129];

    cudaMalloc(&d, sizeof(h));
    first<<<1, 128>>>(d);
    loop<<<1, 128>>>(d);
    called<<<1, 128>>>(d);
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    printf("%d %d\n", h[64], h[128]);
    return 0;
}
