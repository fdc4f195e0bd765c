// cp.async in its forms: ca and cg, 4, 8 and 16 bytes, fewer bytes than that from the source, groups.
#include <cstdio>

template <int BYTES> __device__ void copy(void *to, const void *from, int bytes = BYTES)
{
    unsigned address = (unsigned)__cvta_generic_to_shared(to);

    asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(address), "l"(from), "n"(BYTES), "r"(bytes)
                 : "memory");
}

__global__ void stages(const int *x, int *out)
{
    __shared__ alignas(16) int s[3][128];
    int t = threadIdx.x;
    unsigned to = (unsigned)__cvta_generic_to_shared(&s[0][4 * t]);

    for (int i = t; i < 3 * 128; i += 32)
        s[i / 128][i % 128] = -1;
    __syncwarp();
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(to), "l"(&x[4 * t]) : "memory");
    asm volatile("cp.async.commit_group;\n" ::: "memory");
    asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;\n" ::"r"(to + 512), "l"(&x[128 + 4 * t])
                 : "memory");
    asm volatile("cp.async.commit_group;\n" ::: "memory");
    copy<4>(&s[2][4 * t], &x[4 * t]);
    copy<8>(&s[2][4 * t + 2], &x[4 * t + 2], 4);
    asm volatile("cp.async.wait_group %0;\n" ::"n"(1) : "memory");
    for (int i = 0; i < 4; i++)
        out[4 * t + i] = s[0][4 * t + i] + s[1][4 * t + i];
    asm volatile("cp.async.wait_all;\n" ::: "memory");
    for (int i = 0; i < 4; i++)
        out[128 + 4 * t + i] = s[2][4 * t + i];
}

int main()
{
    int *x, *out, wrong = 0;

    cudaMallocManaged(&x, 256 * sizeof(*x));
    cudaMallocManaged(&out, 256 * sizeof(*out));
    for (int i = 0; i < 256; i++)
        x[i] = i * i;
    stages<<<1, 32>>>(x, out);
    cudaDeviceSynchronize();
    // With wait_group 1 the second group may still be on its way, and is on the CPU device.
    for (int i = 0; i < 128; i++) {
        int third = i % 4 == 0 || i % 4 == 2 ? x[i] : i % 4 == 1 ? -1 : 0;

        wrong += (out[i] != x[i] + x[128 + i] && out[i] != x[i] - 1) || out[128 + i] != third;
    }
    printf("%d wrong\n", wrong);
    return 0;
}
