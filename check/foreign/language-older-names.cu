// flags: -rdc=true
// What headers of older programs name: errors that no call returns any more, and headers of the
// toolkit for one architecture; a kernel declared with other parameters than it has; and atomics
// that are volatile.
#include <cstdio>
#include <cuda/atomic>
#include <sm_32_intrinsics.h>
#include <sm_61_intrinsics.h>

__global__ void sort(int *p, int length); // as an older version had it

__global__ void sort(int *p, int length, int depth)
{
    if (depth < 3)
        sort<<<1, 1>>>(p, length + 1, depth + 1);
    else
        *p = length * 10 + depth;
}

__global__ void set(volatile cuda::atomic<int, cuda::thread_scope_device> *flag, int *sums)
{
    if (flag->load() == 0)
        flag->store(4);
    flag->fetch_add(1);
    sums[0] = flag->load(cuda::memory_order_relaxed);
    sums[1] = __dp4a(0x01020304, 0x05060708, 9);
}

const char *name_of(cudaError_t error)
{
    switch (error) {
    case cudaErrorMapBufferObjectFailed:
        return "map";
    case cudaErrorInvalidTextureBinding:
        return "binding";
    case cudaErrorAddressOfConstant:
        return "constant";
    case cudaErrorStartupFailure:
        return "startup";
    default:
        return "another";
    }
}

int main()
{
    cuda::atomic<int, cuda::thread_scope_device> *flag;
    int *p, got[3];

    cudaMalloc(&p, sizeof(got));
    cudaMalloc(&flag, sizeof(*flag));
    cudaMemset(flag, 0, sizeof(*flag));
    sort<<<1, 1>>>(p, 5, 0);
    set<<<1, 1>>>(flag, p + 1);
    cudaMemcpy(got, p, sizeof(got), cudaMemcpyDeviceToHost);
    printf("%d %d %d\n", got[0], got[1], got[2]);
    printf("%s %s\n", name_of(cudaErrorStartupFailure), name_of(cudaGetLastError()));
    return 0;
}
