// flags: --check
// status: 1
// error: sync: the mask 0xffffffff of a warp operation names lanes that have ended: 0x00000080
// error: sync: the mask 0xffffffff of a warp operation names lanes that the block does not have: 0xffff0000
// A lane that has returned, and a block of half a warp: ldmatrix and mma are for all 32 lanes.
#include <cstdio>
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

__global__ void returned(float *out)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> c;

    if (threadIdx.x == 7)
        return;
    wmma::fill_fragment(a, 1.0f);
    wmma::fill_fragment(b, 1.0f);
    wmma::fill_fragment(c, 0.0f);
    wmma::mma_sync(c, a, b, c);
    out[threadIdx.x] = c.x[0];
}

__global__ void narrow(unsigned *out)
{
    __shared__ alignas(16) unsigned short s[8 * 8];
    unsigned r, row = (unsigned)__cvta_generic_to_shared(&s[threadIdx.x % 8 * 8]);

    for (int i = threadIdx.x; i < 64; i += blockDim.x)
        s[i] = 1;
    __syncthreads();
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r) : "r"(row));
    out[threadIdx.x] = r;
}

int main()
{
    unsigned *bits;
    float *out;

    cudaMallocManaged(&out, 32 * sizeof(*out));
    cudaMallocManaged(&bits, 32 * sizeof(*bits));
    returned<<<1, 32>>>(out);
    narrow<<<1, 16>>>(bits);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
