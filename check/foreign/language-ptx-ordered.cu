// flags: --check
// Loads and stores of inline PTX with an order: a block hands words over to the next one, by a byte.
#include <cstdio>

__device__ void give(unsigned char *flag, unsigned value)
{
    asm volatile("st.release.gpu.global.u8 [%1], %0;" ::"r"(value), "l"(flag) : "memory");
}

__device__ unsigned take(const unsigned char *flag)
{
    unsigned value;

    asm volatile("ld.acquire.gpu.global.u8 %0, [%1];" : "=r"(value) : "l"(flag) : "memory");
    return value;
}

/* The first bytes of a double as a float, and one of them as a signed number. */
__device__ void as_bits(double *x)
{
    float *low = (float *)x, f;
    int byte;

    asm volatile("st.volatile.global.b32 [%0], %1;" ::"l"(low), "f"(-1.5f) : "memory");
    asm volatile("ld.volatile.global.b32 %0, [%1];" : "=f"(f) : "l"(low) : "memory");
    asm volatile("ld.relaxed.gpu.global.s8 %0, [%1];" : "=r"(byte) : "l"((char *)low + 3));
    printf("%g %d\n", f, byte);
    asm volatile("st.global.b32 [%0], %1;" ::"l"(low), "f"(2.5f) : "memory");
    asm volatile("ld.global.b32 %0, [%1];" : "=f"(f) : "l"(low) : "memory");
    asm volatile("ld.global.s8 %0, [%1];" : "=r"(byte) : "l"((char *)low + 3));
    printf("%g %d\n", f, byte);
}

__global__ void hand_over(double *x, unsigned char *flag, int *sum)
{
    int count;

    if (blockIdx.x > 0)
        while (take(&flag[blockIdx.x]) != 7)
            ;
    asm volatile("ld.relaxed.sys.global.s32 %0, [%1];" : "=r"(count) : "l"(sum));
    asm volatile("st.relaxed.gpu.global.s32 [%0], %1;" ::"l"(sum), "r"(count - 1));
    x[blockIdx.x + 1] = x[blockIdx.x] / 2;
    if (blockIdx.x == 3)
        as_bits(&x[4]);
    if (blockIdx.x + 1 < gridDim.x)
        give(&flag[blockIdx.x + 1], 7);
}

int main()
{
    double *x;
    unsigned char *flag;
    int *sum;

    cudaMallocManaged(&x, 5 * sizeof(*x));
    cudaMallocManaged(&flag, 4);
    cudaMallocManaged(&sum, sizeof(*sum));
    *x = 16;
    for (int i = 0; i < 4; i++)
        flag[i] = 0;
    *sum = -1;
    hand_over<<<4, 1>>>(x, flag, sum);
    cudaDeviceSynchronize();
    printf("%g %d\n", x[4], *sum);
}
