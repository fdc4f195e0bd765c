// Random numbers by counter (Philox's multiplications) in code that host and device share: the same
// points, so the same count.
#include <cstdio>

__host__ __device__ uint2 random_pair(unsigned i)
{
    uint2 v = make_uint2(i, 0);
    unsigned key = 0x9e3779b9;

    for (int round = 0; round < 10; round++) {
        unsigned high = (unsigned)(((unsigned long long)v.x * 0xd256d193) >> 32);

        v = make_uint2(high ^ key ^ v.y, v.x * 0xd256d193);
        key += 0x9e3779b9;
    }
    return v;
}

__host__ __device__ bool is_inside(unsigned i)
{
    uint2 v = random_pair(i);
    float x = v.x * 0x1p-32f, y = v.y * 0x1p-32f;

    return fmaf(x, x, y * y) < 1;
}

__global__ void points(unsigned *inside, unsigned n)
{
    unsigned count = 0;

    for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        count += is_inside(i);
    count = __reduce_add_sync(0xffffffff, count);
    if (threadIdx.x % warpSize == 0)
        atomicAdd(inside, count);
}

int main()
{
    const unsigned n = 200000;
    unsigned *d, h, host = 0;

    cudaMalloc(&d, sizeof(h));
    cudaMemset(d, 0, sizeof(h));
    points<<<8, 128>>>(d, n);
    cudaMemcpy(&h, d, sizeof(h), cudaMemcpyDeviceToHost);
    for (unsigned i = 0; i < n; i++)
        host += is_inside(i);
    printf("pi is about %.2f, %s\n", 4.0 * h / n, h == host ? "as on the host" : "not as on the host");
    return 0;
}
