// Inline PTX: arithmetic, special registers, and several instructions in one statement.
#include <cstdio>

__device__ int multiply_add(int a, int b, int c)
{
    int product, sum;

    asm volatile("mul.lo.s32 %0, %2, %3;\n\t" // the product
                 "add.s32 %1, %0, %4;"
                 : "=r"(product), "=r"(sum)
                 : "r"(a), "r"(b), "r"(c));
    return sum;
}

__global__ void compute(int *out, float *f, unsigned long long *wide)
{
    int i = threadIdx.x, smallest, shifted;
    unsigned lane, below, count = 1;
    float fused;

    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(below));
    asm("min.s32 %0, %1, %2;" : "=r"(smallest) : "r"(i - 3), "r"(-1));
    asm("shr.s32 %0, %1, 1;" : "=r"(shifted) : "r"(i - 8));
    asm("add.u32 %0, %0, %1;" : "+r"(count) : "r"(lane));
    asm("fma.rn.f32 %0, %1, %2, %3;" : "=f"(fused) : "f"(i + 0.5f), "f"(2.0f), "f"(1.0f));
    asm("mul.wide.u32 %0, %1, %2;" : "=l"(wide[i]) : "r"(0x80000000u + i), "r"(6u));
    out[5 * i] = multiply_add(i, -7, 100);
    out[5 * i + 1] = below;
    out[5 * i + 2] = smallest;
    out[5 * i + 3] = shifted;
    out[5 * i + 4] = count;
    f[i] = fused;
}

int main()
{
    unsigned long long *wide;
    float *f;
    int *out;

    cudaMallocManaged(&wide, 64 * sizeof(*wide));
    cudaMallocManaged(&f, 64 * sizeof(*f));
    cudaMallocManaged(&out, 5 * 64 * sizeof(*out));
    compute<<<1, 64>>>(out, f, wide);
    cudaDeviceSynchronize();
    for (int i = 0; i < 64; i += 21)
        printf("%d %#x %d %d %d %g %llu\n", out[5 * i], out[5 * i + 1], out[5 * i + 2],
               out[5 * i + 3], out[5 * i + 4], f[i], wide[i]);
    return 0;
}
