// flags: --check
// status: 1
// error: read of 4 bytes at x[200], just past the end of its 200 elements (past)
// error: write of 4 bytes at y[-2], 4 bytes before the start of its 299 elements (before)
// error: one thread reads what another writes, x[0] of 200 elements, and nothing orders the two blocks (race)
// error: read of 4 bytes that nobody wrote, at byte 4 of pairs[2] of 50 elements (unwritten)
// error: misaligned: byte 1 of words (800 elements) is no multiple of 4 (misaligned)
// error: two threads write byte 8 of allocation 1 (800 bytes), and nothing orders the two blocks (inside)
// A finding has the name that the kernel gives the array, and its elements as the kernel counts them. What a
// pointer inside a structure points to has none.
#include <cuda_runtime.h>
#include <stdio.h>

struct vector {
    int *at;
    int n;
};

__global__ void past(const int *__restrict__ x, int n, int *out)
{
    if (threadIdx.x <= n)
        out[threadIdx.x] = x[threadIdx.x];
}

template <typename T> __global__ void before(T *, int step, T y[] /* from its second element on */)
{
    y[step] = 1;
}

template <typename T> __global__ void race(T n, T *x, T *out = nullptr)
{
    if (blockIdx.x == 0)
        x[0] = n;
    else if (x[0] == n + 1)
        x[1] = out == nullptr;
}

__global__ void unwritten(int2 *pairs, int *out)
{
    *out = pairs[2].y;
}

__global__ void misaligned(const char *words, int *out)
{
    *out = *(const int *)(words + 1);
}

__global__ void inside(vector v)
{
    v.at[2] = blockIdx.x;
}

int main()
{
    int *x, *y, *pairs;
    void *arguments[2];

    cudaMalloc(&x, 200 * sizeof(int));
    cudaMalloc(&y, 300 * sizeof(int));
    cudaMalloc(&pairs, 100 * sizeof(int));
    cudaMemset(x, 0, 200 * sizeof(int));
    unwritten<<<1, 1>>>((int2 *)pairs, y);
    past<<<1, 256>>>(x, 200, y);
    before<<<1, 1>>>((unsigned *)x, -2, (unsigned *)y + 1);
    race<<<2, 1>>>(7, x);
    arguments[0] = &x;
    arguments[1] = &y;
    cudaLaunchKernel((void *)misaligned, dim3(1), dim3(1), arguments, 0, 0);
    inside<<<2, 1>>>(vector{x, 200});
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
