// flags: --check
// status: 1
// error: sync: lanes of a warp are at different calls of what all 32 do together (mma, ldmatrix and the like)
// error: check-tensor-apart.cu:15
// error: check-tensor-apart.cu:20
// Half of a warp multiplies in one branch, half in the other.
#include <cstdio>

__global__ void multiply(float *out, unsigned one)
{
    float d[4] = {0, 0, 0, 0};
    unsigned zero = 0;

    if (threadIdx.x < 16)
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
                     "{%0, %1, %2, %3};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(one), "r"(one), "r"(one));
    else
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, "
                     "{%0, %1, %2, %3};"
                     : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                     : "r"(zero), "r"(zero), "r"(one));
    out[threadIdx.x] = d[0];
}

int main()
{
    float *out;

    cudaMallocManaged(&out, 32 * sizeof(*out));
    multiply<<<1, 32>>>(out, 0x3c003c00);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
