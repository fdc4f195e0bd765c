// A structure is copied in pieces of its alignment: three floats in three, four floats that are not
// aligned in four, and an aligned one at once. 32 lanes: a row of each is loads, then stores.
// flags: --counters
// error: copy_three                    1       32     1         3        36 12.00
// error: copy_four                     1       32     1         4        64 16.00
// error: copy_aligned                  1       32     1         1        16 16.00
#include <cstdio>

struct four {
    float x, y, z, w;
};

__global__ void copy_three(float3 *to, const float3 *from)
{
    to[threadIdx.x] = from[threadIdx.x];
}

__global__ void copy_four(four *to, const four *from)
{
    to[threadIdx.x] = from[threadIdx.x];
}

__global__ void copy_aligned(float4 *to, const float4 *from)
{
    to[threadIdx.x] = from[threadIdx.x];
}

int main()
{
    float host[128], *from, *to;

    for (int i = 0; i < 128; i++)
        host[i] = (float)i;
    cudaMalloc(&from, sizeof(host));
    cudaMalloc(&to, sizeof(host));
    cudaMemcpy(from, host, sizeof(host), cudaMemcpyHostToDevice);
    copy_three<<<1, 32>>>((float3 *)to, (float3 *)from);
    copy_four<<<1, 32>>>((four *)to, (four *)from);
    copy_aligned<<<1, 32>>>((float4 *)to, (float4 *)from);
    cudaMemcpy(host, to, sizeof(host), cudaMemcpyDeviceToHost);
    printf("%g %g\n", host[95], host[127]);
    cudaFree(from);
    cudaFree(to);
    return 0;
}
