// flags: --check
// status: 1
// error: race:
// error: check-tensor-race.cu:16
// Warp 1 reads by ldmatrix what warp 0 has stored by stmatrix, with no barrier between.
#include <cstdio>

__global__ void pass(unsigned *out)
{
    __shared__ alignas(16) unsigned short s[64];
    unsigned r = 0x00010001, row = (unsigned)__cvta_generic_to_shared(&s[threadIdx.x % 8 * 8]);

    if (threadIdx.x < 32)
        asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(row), "r"(r) : "memory");
    else
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r) : "r"(row));
    out[threadIdx.x] = r;
}

int main()
{
    unsigned *out;

    cudaMallocManaged(&out, 64 * sizeof(*out));
    pass<<<1, 64>>>(out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
