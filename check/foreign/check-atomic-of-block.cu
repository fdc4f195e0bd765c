// flags: --check
// status: 1
// error: an atomic of block scope orders nothing between two blocks
// Blocks count in one word by atomics that are atomic within a block only.
#include <cuda/atomic>
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void count(unsigned *c)
{
    cuda::atomic_ref<unsigned, cuda::thread_scope_block> counter(*c);

    counter.fetch_add(1, cuda::memory_order_relaxed);
}

int main()
{
    unsigned *c, h;

    cudaMalloc(&c, sizeof(h));
    cudaMemset(c, 0, sizeof(h));
    count<<<4, 64>>>(c);
    cudaMemcpy(&h, c, sizeof(h), cudaMemcpyDeviceToHost);
    printf("%u\n", h);
    return 0;
}
