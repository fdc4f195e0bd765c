// The sums are variables of a function that has returned before the wait: the launch fails and says so.
// nvcc: no
#include <cstdio>

__device__ __noinline__ float begin(const unsigned short *a, const unsigned short *b)
{
    float d[4] = {0, 0, 0, 0};
    unsigned long long at = (unsigned)__cvta_generic_to_shared(a) >> 4 | 8ull << 16 | 16ull << 32;
    unsigned long long bt = (unsigned)__cvta_generic_to_shared(b) >> 4 | 8ull << 16 | 16ull << 32;

    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, 0, 1, 1, 0, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "l"(at), "l"(bt));
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    return d[0];
}

__global__ void multiply(float *out)
{
    __shared__ __align__(128) unsigned short a[64 * 16], b[16 * 8];

    for (int i = threadIdx.x; i < 64 * 16; i += blockDim.x)
        a[i] = b[i % 128] = 0x3f80;
    asm volatile("fence.proxy.async;" ::: "memory");
    __syncthreads();
    float d = begin(a, b);

    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
    out[threadIdx.x] = d;
}

int main()
{
    float *out;

    cudaMallocManaged(&out, 128 * sizeof(*out));
    multiply<<<1, 128>>>(out);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
