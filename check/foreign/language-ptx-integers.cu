// Inline PTX on integers of 64 bits, and the place of the highest bit.
#include <cstdio>

#define ONE(name, instruction, T, in, out)                                                         \
    __device__ T name(T a)                                                                         \
    {                                                                                              \
        unsigned y;                                                                                \
        asm(instruction " %0, %1;" : out(y) : in(a));                                              \
        return y;                                                                                  \
    }
ONE(high, "bfind.u32", unsigned, "r", "=r")
ONE(high_of_long, "bfind.u64", unsigned long long, "l", "=r")
ONE(bits, "popc.b64", unsigned long long, "l", "=r")
ONE(zeros, "clz.b64", unsigned long long, "l", "=r")

__device__ unsigned long long turned(unsigned long long a)
{
    unsigned long long y;

    asm("brev.b64 %0, %1;" : "=l"(y) : "l"(a));
    return y;
}

__device__ unsigned long long upper(unsigned long long a, unsigned long long b)
{
    unsigned long long y;

    asm("mul.hi.u64 %0, %1, %2;" : "=l"(y) : "l"(a), "l"(b));
    return y;
}

__device__ unsigned long long upper_of_all_bits(unsigned long long a)
{
    unsigned long long y;

    asm("mul.hi.u64 %0, %1, -1;" : "=l"(y) : "l"(a));
    return y;
}

__device__ long long upper_signed(long long a, long long b)
{
    long long y;

    asm("mul.hi.s64 %0, %1, %2;" : "=l"(y) : "l"(a), "l"(b));
    return y;
}

__device__ long long halved(long long a, unsigned by)
{
    long long y;

    asm("shr.s64 %0, %1, %2;" : "=l"(y) : "l"(a), "r"(by));
    return y;
}

__device__ unsigned long long wide(unsigned a, unsigned b, unsigned long long c)
{
    unsigned long long y;

    asm("mad.wide.u32 %0, %1, %2, %3;" : "=l"(y) : "r"(a), "r"(b), "l"(c));
    return y;
}

__device__ long long wide_signed(int a, int b, long long c)
{
    long long y;

    asm("mad.wide.s32 %0, %1, %2, %3;" : "=l"(y) : "r"(a), "r"(b), "l"(c));
    return y;
}

__device__ unsigned distance(unsigned a, unsigned b, unsigned c)
{
    unsigned y;

    asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(y) : "r"(a), "r"(b), "r"(c));
    return y;
}

__global__ void all()
{
    printf("%u %u %u %x\n", high(1), high(0x80000000), high(0x1234), high(0));
    printf("%llu %llu %llx\n", high_of_long(1ull << 40), high_of_long(~0ull), high_of_long(0));
    printf("%llu %llu %llu %llu\n", bits(0), bits(~0ull), zeros(0), zeros(1ull << 40));
    printf("%llx %llx\n", turned(1), turned(0x123456789abcdefull));
    printf("%llx %llx %llx\n", upper(~0ull, ~0ull), upper(1ull << 63, 6), upper_of_all_bits(5));
    printf("%lld %lld\n", upper_signed(-1, 1), upper_signed(-(1ll << 62), 12));
    printf("%lld %lld %lld\n", halved(-1000, 3), halved(-1, 200), halved(1ll << 62, 61));
    printf("%llx %lld\n", wide(~0u, ~0u, 5), wide_signed(-7, 100000, 3));
    printf("%u %u\n", distance(0x01ff0510, 0x02000910, 100), distance(~0u, 0, 0));
}

int main()
{
    all<<<1, 1>>>();
    return cudaDeviceSynchronize() ? 1 : 0;
}
