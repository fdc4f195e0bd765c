// A product of a warpgroup, and its tiles in shared memory: A of 64 x 16, B of 16 x 8.
#include <cuda_bf16.h>

__device__ unsigned long long descriptor(const void *start) // 8 x 8 elements follow each other, then along k
{
    unsigned long long address = (unsigned)__cvta_generic_to_shared(start);

    return address >> 4 | 8ull << 16 | 16ull << 32; // 128 bytes further along k, 256 along rows and columns
}

__device__ void multiply(float (&d)[4], const void *a, const void *b)
{
#if __CUDA_ARCH_FEAT_SM90_ALL
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "l"(descriptor(a)), "l"(descriptor(b)));
#endif
}

#if __CUDA_ARCH_FEAT_SM90_ALL
#define FENCE() asm volatile("wgmma.fence.sync.aligned;" ::: "memory")
#define COMMIT() asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory")
#define WAIT(N) asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory")
#define PROXY() asm volatile("fence.proxy.async;" ::: "memory")
#else
#define FENCE()
#define COMMIT()
#define WAIT(N)
#define PROXY()
#endif

struct tiles {
    __nv_bfloat16 a[64 * 16], b[16 * 8];
};

__device__ void fill(tiles &t)
{
    for (int i = threadIdx.x; i < 64 * 16; i += 128)
        t.a[i] = __float2bfloat16(1.0f);
    t.b[threadIdx.x] = __float2bfloat16(0.5f);
}
