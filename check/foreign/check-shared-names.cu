// flags: --check
// status: 1
// error: race: one thread reads what another writes, s[1] of 64 elements in shared memory, with no barrier
// error: race: two threads write tile[1][2] of 2 x 3 elements in shared memory, with no barrier
// error: race: two threads write last in shared memory
// error: race: two threads write byte 4 of pair in shared memory
// error: memory: write of 4 bytes at s[64], just past the end of its 64 elements in shared memory
// error: memory: read of 4 bytes at tile[2][0], just past the end of its 2 x 3 elements in shared memory
// error: memory: read of 8 bytes misaligned: byte 4 of s (64 elements) is no multiple of 8
// error: init: read of 4 bytes that no thread of the block wrote, at tile[0][1] of 2 x 3 elements in shared memory
// error: memory: write of 4 bytes just past the end of the dynamic shared memory (256 bytes)
// Variables in shared memory, dynamic and static, are named as the kernel declares them. Dynamic memory that a launch
// uses by two names has neither.
#include <cuda_runtime.h>
#include <stdio.h>

extern __shared__ float s[];

__device__ float neighbour(int t)
{
    extern __shared__ float s[];

    return s[t + 1];
}

__global__ void races(float *out)
{
    __shared__ int tile[2][3], last;
    __shared__ struct { int a, b; } pair;
    int t = threadIdx.x;

    s[t] = t;
    if (t < 32)
        out[t] = neighbour(t);
    tile[1][2] = t;
    last = t;
    pair.b = t;
    __syncthreads();
    out[t] = tile[1][2] + last + pair.b;
}

template <typename T, int N> __global__ void outside(float *out, int n)
{
    __shared__ T tile[2][N];
    int t = threadIdx.x;

    s[t] = t;
    if (t == 0)
        tile[0][0] = t;
    __syncwarp();
    if (t == n)
        s[t + 1] = 0;
    if (t == n - 1)
        out[0] = tile[(n + 1) / 32][0];
    if (t == n - 2)
        out[1] = *(double *)&s[1];
    if (t == n - 3)
        out[2] = tile[0][1];
}

__global__ void names(int n)
{
    extern __shared__ int words[];

    s[0] = 0;
    words[n] = 1;
}

int main()
{
    float *d;

    cudaMalloc(&d, 64 * sizeof(*d));
    races<<<1, 64, 64 * sizeof(float)>>>(d);
    outside<float, 3><<<1, 64, 64 * sizeof(float)>>>(d, 63);
    names<<<1, 1, 256>>>(64);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
