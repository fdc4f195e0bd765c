// flags: --check
// status: 1
// error: async: read of
// error: check-tensor-stages.cu:29
// Two stages, copied ahead: waiting for all but one group leaves the stage that ldmatrix reads on its way. With `late`
// it waits for all but none, and nothing is found.
#include <cstdio>

__global__ void stages(unsigned *out, const unsigned short *x, int tiles, bool late)
{
    __shared__ alignas(16) unsigned short s[2][64];
    int t = threadIdx.x;
    unsigned r, sum = 0;

    for (int i = 0; i <= tiles; i++) {
        if (i < tiles && t < 8)
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(
                             (unsigned)__cvta_generic_to_shared(&s[i % 2][8 * t])),
                         "l"(&x[64 * i + 8 * t])
                         : "memory");
        asm volatile("cp.async.commit_group;" ::: "memory");
        if (i == 0)
            continue;
        if (late)
            asm volatile("cp.async.wait_group 1;" ::: "memory");
        else
            asm volatile("cp.async.wait_group 2;" ::: "memory");
        __syncthreads();
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
                     : "=r"(r)
                     : "r"((unsigned)__cvta_generic_to_shared(&s[(i - 1) % 2][t % 8 * 8])));
        sum += r & 0xffff;
        __syncthreads();
    }
    out[t] = sum;
}

int main()
{
    unsigned short *x;
    unsigned *out;

    cudaMallocManaged(&x, 4 * 64 * sizeof(*x));
    cudaMallocManaged(&out, 32 * sizeof(*out));
    for (int i = 0; i < 4 * 64; i++)
        x[i] = 1;
    stages<<<1, 32>>>(out, x, 4, true);
    cudaDeviceSynchronize();
    printf("%u\n", out[0]);
    stages<<<1, 32>>>(out, x, 4, false);
    cudaDeviceSynchronize();
    return 0;
}
