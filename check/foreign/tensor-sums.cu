// How the tensor cores of an H100 sum: exact products, cut off at 2^-25 of the largest exponent, then added exactly; a
// float is cut off, a half is rounded. One row of A times one column of B, where the rest is 0.
#include <cstdio>
#include <cstring>
#include <cuda_fp16.h>

// All of A's row 0 is a[k], all of B's column 0 is b[k]; D's first element is returned.
__global__ void sum(const __half *a, const __half *b, float c, float *d, bool all)
{
    int t = threadIdx.x % 4;
    unsigned a0 = 0, a2 = 0, b0 = 0, b1 = 0, zero = 0;
    float s[4] = {c, 0, 0, 0};

    if (threadIdx.x < 4) {
        memcpy(&a0, &a[2 * t], 4);
        memcpy(&a2, &a[2 * t + 8], 4);
        memcpy(&b0, &b[2 * t], 4);
        memcpy(&b1, &b[2 * t + 8], 4);
    }
    if (all) {
        unsigned h[2] = {(unsigned)__half_as_ushort(__float2half(c)), 0};

        asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%0, %1};"
                     : "+r"(h[0]), "+r"(h[1])
                     : "r"(a0), "r"(zero), "r"(a2), "r"(zero), "r"(b0), "r"(b1));
        s[0] = __half2float(__ushort_as_half((unsigned short)h[0]));
    } else {
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                     "{%0, %1, %2, %3};"
                     : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3])
                     : "r"(a0), "r"(zero), "r"(a2), "r"(zero), "r"(b0), "r"(b1));
    }
    if (threadIdx.x == 0)
        *d = s[0];
}

static __half *a, *b;
static float *d;

static void fill(int count, float x, float y)
{
    for (int i = 0; i < 16; i++) {
        a[i] = __float2half(i < count ? x : 0.0f);
        b[i] = __float2half(i < count ? y : 0.0f);
    }
}

static void show(const char *what, float c, bool all = false)
{
    sum<<<1, 32>>>(a, b, c, d, all);
    cudaDeviceSynchronize();
    printf("%-60s %a\n", what, *d);
}

int main()
{
    cudaMallocManaged(&a, 16 * sizeof(*a));
    cudaMallocManaged(&b, 16 * sizeof(*b));
    cudaMallocManaged(&d, sizeof(*d));
    fill(16, 0x1p-13f, 0x1p-13f);
    show("1 + 16 * 2^-26: each is cut off", 1);
    fill(16, 0x1p-13f, 0x1p-12f);
    show("1 + 16 * 2^-25: each counts", 1);
    fill(3, 0x1p-13f, 0x1p-12f);
    show("1 + 3 * 2^-25: the sum is cut off", 1);
    fill(7, 0x1p-13f, 0x1p-12f);
    show("1 + 7 * 2^-25: down to 1 + 2^-23, and not up", 1);
    fill(1, -0x1p-13f, 0x1p-12f);
    show("1 - 2^-25: towards zero", 1);
    show("-1 - 2^-25: towards zero", -1);
    fill(16, 0x1p-14f, 0x1p-13f);
    a[0] = b[0] = __float2half(32768.0f);
    a[1] = __float2half(-32768.0f);
    b[1] = b[0];
    show("2^30 - 2^30 + 14 * 2^-27: nothing is left", 0);
    fill(16, 1.5f, 1.5f);
    show("3 * 2^24 + 16 * 2.25: of each 2 are left", 0x3p24f);
    fill(2, 65504.0f, 65504.0f);
    show("FLT_MAX and two products below its last bit", 0x1.fffffep127f);
    fill(0, 0, 0);
    show("-0", -0.0f);
    a[0] = __float2half(INFINITY);
    b[0] = __float2half(-2.0f);
    show("infinity", 1);
    b[0] = __float2half(0.0f);
    show("infinity * 0", 1);
    fill(1, 0x1p-24f, 0x1p-24f);
    show("subnormal halves", 0);
    show("subnormal halves, and a subnormal float", 0x1p-149f);
    fill(2, 0x1p-6f, 0x1p-6f);
    show("of halves: 2 + 2 * 2^-12, below half of the last bit", 2, true);
    fill(4, 0x1p-6f, 0x1p-6f);
    show("of halves: 2 + 4 * 2^-12, in the middle: to even", 2, true);
    fill(5, 0x1p-6f, 0x1p-6f);
    show("of halves: 2 + 5 * 2^-12, to the nearest", 2, true);
    fill(2, 250.0f, 250.0f);
    show("of halves: above the largest", 2, true);
    return 0;
}
