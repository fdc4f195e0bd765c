// mma.sync of all types and depths, each lane's registers filled by hand from the PTX ISA's tables; the sums are
// compared with the host's in double.
#include <cstdio>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

template <typename T> __device__ unsigned pack(const T *p, int step)
{
    unsigned bits = 0;

    for (int i = 0; i < 4 / (int)sizeof(T); i++)
        memcpy((char *)&bits + i * sizeof(T), p + i * step, sizeof(T));
    return bits;
}

#define SUMS_OF_4(NAME, OUT, IN, D)                                                                                    \
    asm volatile("mma.sync.aligned.m16n8k" NAME " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};" \
                 : OUT(D[0]), OUT(D[1]), OUT(D[2]), OUT(D[3])                                                          \
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), IN(D[0]), IN(D[1]), IN(D[2]),     \
                   IN(D[3]))
#define SUMS_OF_2(NAME, OUT, IN, D)                                                                      \
    asm volatile("mma.sync.aligned.m16n8k" NAME " {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};"  \
                 : OUT(D[0]), OUT(D[1]), OUT(D[2]), OUT(D[3])                                            \
                 : "r"(a[0]), "r"(a[1]), "r"(b[0]), IN(D[0]), IN(D[1]), IN(D[2]), IN(D[3]))

enum kind { F16_8, F16_16, BF16_8, BF16_16, TF32_4, TF32_8, S8_16, S8_32, U8_16, U8_32 };

// a: 16 x k by rows, b: k x 8 by rows, d: 16 x 8
template <typename T> __global__ void product(enum kind kind, int k, const T *a_, const T *b_, float *d)
{
    int g = threadIdx.x / 4, t = threadIdx.x % 4, e = 4 / sizeof(T);
    float sum[4] = {1, 1, 1, 1};
    int whole[4] = {1, 1, 1, 1};
    unsigned a[4] = {}, b[2] = {};

    for (int i = 0; i < k / e / 2; i++)
        a[i] = pack(&a_[(g + i % 2 * 8) * k + e * t + i / 2 * 4 * e], 1);
    for (int i = 0; i < k / e / 4; i++)
        b[i] = pack(&b_[(e * t + i * 4 * e) * 8 + g], 8);
    switch (kind) {
    case F16_8:
        SUMS_OF_2("8.row.col.f32.f16.f16.f32", "=f", "f", sum);
        break;
    case F16_16:
        SUMS_OF_4("16.row.col.f32.f16.f16.f32", "=f", "f", sum);
        break;
    case BF16_8:
        SUMS_OF_2("8.row.col.f32.bf16.bf16.f32", "=f", "f", sum);
        break;
    case BF16_16:
        SUMS_OF_4("16.row.col.f32.bf16.bf16.f32", "=f", "f", sum);
        break;
    case TF32_4:
        SUMS_OF_2("4.row.col.f32.tf32.tf32.f32", "=f", "f", sum);
        break;
    case TF32_8:
        SUMS_OF_4("8.row.col.f32.tf32.tf32.f32", "=f", "f", sum);
        break;
    case S8_16:
        SUMS_OF_2("16.row.col.s32.s8.s8.s32", "=r", "r", whole);
        break;
    case S8_32:
        SUMS_OF_4("32.row.col.s32.s8.s8.s32", "=r", "r", whole);
        break;
    case U8_16:
        SUMS_OF_2("16.row.col.s32.u8.u8.s32", "=r", "r", whole);
        break;
    case U8_32:
        SUMS_OF_4("32.row.col.satfinite.s32.u8.u8.s32", "=r", "r", whole);
        break;
    }
    for (int i = 0; i < 4; i++)
        d[(g + i / 2 * 8) * 8 + 2 * t + i % 2] = kind >= S8_16 ? (float)whole[i] : sum[i];
}

static unsigned state = 1;
static int next() // -100 to 100
{
    state = state * 1664525 + 1013904223;
    return (int)(state >> 8) % 201 - 100;
}

// The error of a sum of k products, each term and the sum cut off below 2^-25 and 2^-23 of the largest.
template <typename T> static void compare(const char *name, enum kind kind, int k, double scale, int above = 0)
{
    double worst = 0, bound = 0;
    T *a, *b;
    float *d;

    cudaMallocManaged(&a, 16 * k * sizeof(*a));
    cudaMallocManaged(&b, 8 * k * sizeof(*b));
    cudaMallocManaged(&d, 16 * 8 * sizeof(*d));
    for (int i = 0; i < 16 * k; i++)
        a[i] = (T)(float)(next() * scale + above);
    for (int i = 0; i < 8 * k; i++)
        b[i] = (T)(float)(next() * scale + above);
    product<<<1, 32>>>(kind, k, a, b, d);
    cudaDeviceSynchronize();
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 8; j++) {
            double sum = 1, most = 1;

            for (int l = 0; l < k; l++) {
                double p = (double)(float)a[i * k + l] * (double)(float)b[l * 8 + j];

                sum += p;
                most = (p < 0 ? -p : p) > most ? (p < 0 ? -p : p) : most;
            }
            double error = d[i * 8 + j] - sum;

            error = error < 0 ? -error : error;
            worst = error > worst ? error : worst;
            sum = sum < 0 ? -sum : sum;
            bound = (k + 1) * most / (1 << 25) + sum / (1 << 23) > bound ? (k + 1) * most / (1 << 25) + sum / (1 << 23)
                                                                         : bound;
        }
    printf("%s k%d: %s\n", name, k, worst == 0 ? "exact" : worst <= bound ? "within the bound" : "wrong");
    cudaFree(a);
    cudaFree(b);
    cudaFree(d);
}

// All of halves: d and c have two to a register.
__global__ void halves(const __half *a_, const __half *b_, __half *d_)
{
    int g = threadIdx.x / 4, t = threadIdx.x % 4;
    unsigned a[4], b[2], d[2] = {}, e[2] = {};

    for (int i = 0; i < 4; i++)
        a[i] = pack(&a_[(g + i % 2 * 8) * 16 + 2 * t + i / 2 * 8], 1);
    for (int i = 0; i < 2; i++)
        b[i] = pack(&b_[(2 * t + i * 8) * 8 + g], 8);
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%5, %6};"
                 : "=r"(e[0]), "=r"(e[1])
                 : "r"(a[2]), "r"(a[3]), "r"(b[1]), "r"(d[0]), "r"(d[1]));
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%5, %6};"
                 : "=r"(e[0]), "=r"(e[1])
                 : "r"(a[0]), "r"(a[1]), "r"(b[0]), "r"(e[0]), "r"(e[1]));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%8, %9};"
                 : "=r"(d[0]), "=r"(d[1])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(e[0]), "r"(e[1]));
    for (int i = 0; i < 2; i++)
        memcpy(&d_[(g + 8 * i) * 8 + 2 * t], &d[i], 4);
}

static void compare_halves()
{
    __half *a, *b, *d;
    int wrong = 0;

    cudaMallocManaged(&a, 16 * 16 * sizeof(*a));
    cudaMallocManaged(&b, 16 * 8 * sizeof(*b));
    cudaMallocManaged(&d, 16 * 8 * sizeof(*d));
    for (int i = 0; i < 16 * 16; i++)
        a[i] = __float2half((float)(next() / 10));
    for (int i = 0; i < 16 * 8; i++)
        b[i] = __float2half((float)(next() / 20));
    halves<<<1, 32>>>(a, b, d);
    cudaDeviceSynchronize();
    for (int i = 0; i < 16; i++)
        for (int j = 0; j < 8; j++) {
            float sum = 0;

            for (int l = 0; l < 16; l++)
                sum += 2 * __half2float(a[i * 16 + l]) * __half2float(b[l * 8 + j]);
            wrong += __half2float(d[i * 8 + j]) != sum;
        }
    printf("f16 alone: %d wrong\n", wrong);
}

int main()
{
    compare<__half>("f16", F16_8, 8, 1.0 / 128);
    compare<__half>("f16", F16_16, 16, 0.01);
    compare<__nv_bfloat16>("bf16", BF16_8, 8, 1.0);
    compare<__nv_bfloat16>("bf16", BF16_16, 16, 0.01);
    compare<float>("tf32", TF32_4, 4, 1.0);
    compare<float>("tf32", TF32_8, 8, 1.0 / 1024);
    compare<signed char>("s8", S8_16, 16, 1.0);
    compare<signed char>("s8", S8_32, 32, 1.0);
    compare<unsigned char>("u8", U8_16, 16, 1.0, 100);
    compare<unsigned char>("u8", U8_32, 32, 1.0, 100);
    compare_halves();
    return 0;
}
