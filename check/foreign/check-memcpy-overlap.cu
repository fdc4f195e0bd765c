// flags: --check
// status: 1
// error: two threads write to[1] of 1024 elements, with no barrier or __syncwarp between (copy_bytes)
// error: two threads write to[1] of 256 elements, with no barrier or __syncwarp between (copy_floats)
// error: two threads write to[4] of 1024 elements, with no barrier or __syncwarp between (copy_by_builtin)
// error: --check: 3 findings
/*
 * Copies of several elements where one was meant: each thread writes its neighbours' bytes, too. 5 and
 * 12 bytes are no word of the machine, so the compiler would copy them unobserved.
 */
#include <cstring>
#include <cuda_runtime.h>

__global__ void copy_bytes(char *to, const char *from)
{
    memcpy(to + threadIdx.x, from + threadIdx.x, 5);
}

__global__ void copy_floats(float *to, const float *from)
{
    memcpy(to + threadIdx.x, from + threadIdx.x, 3 * sizeof(*to));
}

__global__ void copy_by_builtin(char *to, const char *from)
{
    __builtin_memcpy(to + 4 * threadIdx.x, from + 4 * threadIdx.x, 5);
}

__global__ void copy_own(float *to, const float *from)
{
    memcpy(to + 3 * threadIdx.x, from + 3 * threadIdx.x, 3 * sizeof(*to));
}

int main()
{
    float *to, *from;

    cudaMalloc(&to, 1024);
    cudaMalloc(&from, 1024);
    cudaMemset(from, 0, 1024);
    copy_own<<<1, 2>>>(to, from);
    copy_bytes<<<1, 2>>>((char *)to, (char *)from);
    copy_floats<<<1, 2>>>(to, from);
    copy_by_builtin<<<1, 2>>>((char *)to, (char *)from);
    return cudaDeviceSynchronize();
}
