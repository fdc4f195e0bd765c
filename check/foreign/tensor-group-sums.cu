// How wgmma sums: as mma.sync does, to the bit, of numbers whose exponents lie far apart. The last column is a number
// for all the sums: on an H200 it is the same.
#include <cstdio>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#define TILE(TYPE)                                                                               \
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32." TYPE "." TYPE                      \
                 " {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"                                      \
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])                                 \
                 : "l"(descriptor(sa)), "l"(descriptor(sb)))
#define WARP(TYPE)                                                                               \
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32." TYPE "." TYPE                          \
                 ".f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"           \
                 : "+f"(e[0]), "+f"(e[1]), "+f"(e[2]), "+f"(e[3])                                 \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))

__device__ unsigned long long descriptor(const void *start)
{
    return (unsigned long long)__cvta_generic_to_shared(start) >> 4 | 8ull << 16 | 16ull << 32;
}

// Element (m, k), k < 16, from 8 x 8 elements that follow each other, first along k.
__device__ int place(int m, int k)
{
    return m / 8 * 128 + k / 8 * 64 + m % 8 * 8 + k % 8;
}

// A is 64 x 16 by rows, B 16 x 8 by columns; c is 64 x 8, and gets what wgmma makes of it; more gets that of mma.sync.
__global__ void sum(const unsigned short *a_, const unsigned short *b_, float *c, float *more, bool brain)
{
    __shared__ __align__(128) unsigned short sa[64 * 16], sb[8 * 16];
    int lane = threadIdx.x % 32, row = threadIdx.x / 32 * 16 + lane / 4, column = lane % 4 * 2;
    unsigned a[4], b[2];
    float d[4], e[4];

    for (int i = threadIdx.x; i < 64 * 16; i += 128)
        sa[place(i / 16, i % 16)] = a_[i];
    sb[place(threadIdx.x / 16, threadIdx.x % 16)] = b_[threadIdx.x];
    for (int i = 0; i < 4; i++) {
        d[i] = e[i] = c[(row + i / 2 * 8) * 8 + column + i % 2];
        memcpy(&a[i], &a_[(row + i % 2 * 8) * 16 + column + i / 2 * 8], 4);
        memcpy(&b[i % 2], &b_[lane / 4 * 16 + column + i % 2 * 8], 4);
    }
#if __CUDA_ARCH_FEAT_SM90_ALL
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    if (brain)
        TILE("bf16");
    else
        TILE("f16");
    asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;" ::: "memory");
#endif
    if (brain)
        WARP("bf16");
    else
        WARP("f16");
    for (int i = 0; i < 4; i++) {
        c[(row + i / 2 * 8) * 8 + column + i % 2] = d[i];
        more[(row + i / 2 * 8) * 8 + column + i % 2] = e[i];
    }
}

static unsigned state = 1;
static unsigned next()
{
    state = state * 1664525 + 1013904223;
    return state >> 8;
}

static unsigned short *a, *b;
static float *c, *more;

// Exponents of elements from `low` on, `wide` of them, and of C around where the products are.
static void compare(const char *name, bool brain, int low, int wide)
{
    unsigned bits = brain ? 7 : 10, hash = 0, different = 0;

    for (int round = 0; round < 40; round++) {
        for (int i = 0; i < 64 * 16; i++)
            a[i] = (unsigned short)((next() & 1) << 15 | (low + next() % wide) << bits | (next() & ((1u << bits) - 1)));
        for (int i = 0; i < 8 * 16; i++)
            b[i] = (unsigned short)((next() & 1) << 15 | (low + next() % wide) << bits | (next() & ((1u << bits) - 1)));
        for (int i = 0; i < 64 * 8; i++) {
            int bias = brain ? 127 : 15, exponent = 127 + 2 * (low - bias) + (int)(next() % (2 * wide + 4));
            unsigned v = (next() & 1) << 31 | (unsigned)exponent << 23 | (next() & 0x7fffff);

            memcpy(&c[i], &v, 4);
        }
        sum<<<1, 128>>>(a, b, c, more, brain);
        cudaDeviceSynchronize();
        for (int i = 0; i < 64 * 8; i++) {
            unsigned v;

            memcpy(&v, &c[i], 4);
            hash = (hash ^ v) * 16777619;
            different += memcmp(&c[i], &more[i], 4) != 0;
        }
    }
    printf("%-28s %u different, %08x\n", name, different, hash);
}

int main()
{
    cudaMallocManaged(&a, 64 * 16 * sizeof(*a));
    cudaMallocManaged(&b, 8 * 16 * sizeof(*b));
    cudaMallocManaged(&c, 64 * 8 * sizeof(*c));
    cudaMallocManaged(&more, 64 * 8 * sizeof(*more));
    compare("f16, exponents alike", false, 15, 1);
    compare("f16, 4 apart", false, 12, 4);
    compare("f16, all, with subnormals", false, 0, 30);
    compare("bf16, exponents alike", true, 127, 1);
    compare("bf16, 8 apart", true, 120, 8);
    compare("bf16, 24 apart", true, 110, 24);
    compare("bf16, the smallest", true, 60, 20);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
