// One half of a warp at mma.sync, the other at ldmatrix: undefined in CUDA; here the launch fails and says so.
// nvcc: no
#include <cstdio>

__global__ void multiply(float *out, unsigned one)
{
    __shared__ alignas(16) unsigned short s[64];
    float d[4] = {0, 0, 0, 0};
    unsigned r = 0;

    if (threadIdx.x < 16)
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
                     "{%0, %1, %2, %3};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(one), "r"(one), "r"(one));
    else
        asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
                     : "=r"(r)
                     : "r"((unsigned)__cvta_generic_to_shared(s)));
    out[threadIdx.x] = d[0] + r;
}

int main()
{
    float *out;

    cudaMallocManaged(&out, 32 * sizeof(*out));
    multiply<<<1, 32>>>(out, 0x3c003c00);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
