// Variables of the device: __device__ and __constant__, static, in namespaces, of classes, initialised.
#include <cstdio>

struct taps {
    float at[3];
    int count;
};

__constant__ float weights[4] = {1, 2, 3, 4};
static __constant__ taps filter;
__device__ int total = 5;
__device__ static unsigned long long hits[2];
static __device__ __constant__ int steps = 2;
__device__ const double third = 1.0 / 3;
extern __device__ int later;

namespace settings
{
__constant__ int scale;
__device__ float *pointer;
}

__device__ int next()
{
    return atomicAdd(&total, steps);
}

__global__ void use(float *out)
{
    int i = threadIdx.x;

    atomicAdd(&hits[i % 2], 1ull);
    next();
    out[i] = settings::scale * weights[i % 4] + filter.at[i % filter.count] + later;
    if (i == 0)
        settings::pointer[0] = (float)(3 * third);
}

__device__ int later = 100;

int main()
{
    taps host = {{10, 20, 30}, 3};
    unsigned long long counted[2];
    float *d, h[8], *address, one;
    int scale = 1000, sum;
    void *symbol;

    cudaMalloc(&d, sizeof(h));
    cudaMalloc(&address, sizeof(float));
    cudaMemcpyToSymbol(filter, &host, sizeof(host));
    cudaMemcpyToSymbol(settings::scale, &scale, sizeof(int));
    cudaMemcpyToSymbol(settings::pointer, &address, sizeof(address));
    use<<<1, 8>>>(d);
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    cudaMemcpyFromSymbol(counted, hits, sizeof(counted));
    cudaMemcpyFromSymbol(&sum, total, sizeof(sum));
    cudaMemcpy(&one, address, sizeof(one), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 8; i++)
        printf("%g%c", h[i], i == 7 ? '\n' : ' ');
    printf("%llu %llu %d %g\n", counted[0], counted[1], sum, one);
    cudaGetSymbolAddress(&symbol, weights);
    cudaMemcpy(h, symbol, 4 * sizeof(float), cudaMemcpyDeviceToHost);
    printf("%g\n", h[3]);
    return 0;
}
