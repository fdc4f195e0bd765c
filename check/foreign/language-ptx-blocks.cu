// Inline PTX with registers of its own: shuffles with their predicates, votes, guards, halves of 64
// bits, and fields of bits.
#include <cstdio>

__device__ float add_from_below(float x, unsigned by)
{
    float sum;

    asm volatile("{ .reg .f32 r; .reg .pred p;"
                 " shfl.sync.up.b32 r|p, %1, %2, 0, 0xffffffff;"
                 " @!p mov.f32 r, %3;"
                 " add.f32 %0, r, %1; }"
                 : "=f"(sum)
                 : "f"(x), "r"(by), "f"(0.25f));
    return sum;
}

__device__ unsigned within(unsigned x, unsigned lane)
{
    unsigned y;

    asm("shfl.sync.idx.b32 %0, %1, %2, 0x181f, -1;" : "=r"(y) : "r"(x), "r"(lane));
    return y;
}

__device__ unsigned long long turned(unsigned long long x)
{
    unsigned long long y;

    asm("{ .reg .u32 lo, hi; mov.b64 {lo, hi}, %1; mov.b64 %0, {hi, lo}; }" : "=l"(y) : "l"(x));
    return y;
}

__device__ int larger(int a, int b)
{
    int c;

    asm("{ .reg .pred %%p; setp.gt.s32 %%p, %1, %2; selp.b32 %0, %1, %2, %%p; }"
        : "=r"(c)
        : "r"(a), "r"(b));
    return c;
}

__device__ unsigned votes(unsigned x)
{
    unsigned lanes;

    asm("{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.ballot.sync.b32 %0, p, 0xffffffff; }"
        : "=r"(lanes)
        : "r"(x));
    return lanes;
}

__global__ void all(float *sums, unsigned *words, const float4 *from)
{
    unsigned lane = threadIdx.x, field, put, bytes;
    float a, b, c, d;

    sums[lane] = add_from_below(lane, 2);
    words[lane] = within(100 + lane, 9);
    asm("bfe.u32 %0, %1, 4, 8;" : "=r"(field) : "r"(0x12345678));
    asm("bfi.b32 %0, %1, %2, 8, 4;" : "=r"(put) : "r"(5), "r"(0xffffffff));
    asm("prmt.b32 %0, %1, %2, 0x5140;" : "=r"(bytes) : "r"(0x33221100), "r"(0x77665544));
    asm("ld.global.cg.v4.f32 {%0, %1, %2, %3}, [%4];"
        : "=f"(a), "=f"(b), "=f"(c), "=f"(d)
        : "l"(from));
    if (lane == 0)
        printf("%x %x %x %llx %d %g %g\n", field, put, bytes, turned(0x100000002ull),
               larger(-3, 2), a + b, c + d);
    field = votes(lane % 3);
    if (lane == 0)
        printf("%x\n", field);
}

int main()
{
    float *sums;
    unsigned *words;
    float4 *from;

    cudaMallocManaged(&sums, 32 * sizeof(float));
    cudaMallocManaged(&words, 32 * sizeof(unsigned));
    cudaMallocManaged(&from, sizeof(float4));
    *from = {1, 2, 3, 4};
    all<<<1, 32>>>(sums, words, from);
    if (cudaDeviceSynchronize())
        return 1;
    printf("%g %g %g %g\n", sums[0], sums[1], sums[2], sums[31]);
    printf("%u %u %u %u\n", words[0], words[7], words[8], words[31]);
    return 0;
}
