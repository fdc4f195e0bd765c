// wgmma adds to an array of shared memory: its sums must be variables of the thread. The launch fails and says so.
// nvcc: no
#include <cstdio>

__global__ void multiply(float *out, bool yes)
{
    __shared__ __align__(128) unsigned short a[64 * 16], b[2][16 * 8];
    float d[4], *s = (float *)a;
    unsigned long long at = (unsigned)__cvta_generic_to_shared(a) >> 4 | 8ull << 16 | 16ull << 32;
    unsigned long long bt = (unsigned)__cvta_generic_to_shared(b[0]) >> 4 | 8ull << 16 | 16ull << 32;

    for (int i = threadIdx.x; i < 64 * 16; i += blockDim.x)
        a[i] = b[i / 128 % 2][i % 128] = 0x3f80;
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, 0, 1, 1, 0, 0;"
                 : "+f"(s[0]), "+f"(s[1]), "+f"(s[2]), "+f"(s[3])
                 : "l"(at), "l"(bt));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    out[threadIdx.x] = d[0];
}

int main()
{
    float *out;

    cudaMallocManaged(&out, 128 * sizeof(*out));
    multiply<<<1, 128>>>(out, true);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
