// Which memory a pointer is in.
#include <cstdio>

__device__ int variable;

__global__ void where(unsigned *out, int *global)
{
    __shared__ int shared[32];
    int local[4];
    const void *pointers[] = {global, &variable, shared + threadIdx.x, local + threadIdx.x % 4};

    shared[threadIdx.x] = threadIdx.x;
    local[threadIdx.x % 4] = 1;
    for (int i = 0; i < 4; i++)
        out[i] = (__isGlobal(pointers[i]) ? 1 : 0) + (__isShared(pointers[i]) ? 10 : 0) +
                 (__isLocal(pointers[i]) ? 100 : 0);
    out[4] = __cvta_generic_to_shared(shared + 3) - __cvta_generic_to_shared(shared);
    out[5] = *(int *)__cvta_shared_to_generic(__cvta_generic_to_shared(shared)) + local[0];
}

int main()
{
    unsigned *d, h[6];
    int *global;

    cudaMalloc(&d, sizeof(h));
    cudaMalloc(&global, sizeof(int));
    where<<<1, 1>>>(d, global);
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    for (unsigned v : h)
        printf("%u\n", v);
    return 0;
}
