// Managed memory, by call and by qualifier, with prefetches and advice.
// flags: --check
#include <cstdio>
#include <cstring>

__device__ __managed__ int total = 5;
__managed__ float scale[4];

struct Particle {
    float mass;
    char name[12];
};

__global__ void weigh(const Particle *p, int n, float *sum)
{
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        *sum = 0;
        for (int i = 0; i < n; i++)
            *sum += p[i].mass * scale[i % 4];
        total += n;
    }
}

int main()
{
    const int n = 8;
    int device = 0;
    Particle *p;
    float *sum;

    cudaGetDevice(&device);
    cudaMallocManaged(&p, n * sizeof(Particle));
    cudaMallocManaged((void **)&sum, sizeof(float), cudaMemAttachGlobal);
    for (int i = 0; i < n; i++) {
        p[i].mass = (float)(i + 1);
        snprintf(p[i].name, sizeof(p[i].name), "p%d", i);
    }
    for (int i = 0; i < 4; i++)
        scale[i] = 1.0f + (float)i;
#if CUDART_VERSION >= 13000
    cudaMemLocation place = {cudaMemLocationTypeDevice, device}, host = {cudaMemLocationTypeHost, 0};
    cudaMemAdvise(p, n * sizeof(Particle), cudaMemAdviseSetReadMostly, place);
    cudaMemPrefetchAsync(p, n * sizeof(Particle), place, 0, 0);
#else
    int host = cudaCpuDeviceId;
    cudaMemAdvise(p, n * sizeof(Particle), cudaMemAdviseSetReadMostly, device);
    cudaMemPrefetchAsync(p, n * sizeof(Particle), device, 0);
#endif
    weigh<<<2, 32>>>(p, n, sum);
#if CUDART_VERSION >= 13000
    cudaMemPrefetchAsync(sum, sizeof(float), host, 0, 0);
#else
    cudaMemPrefetchAsync(sum, sizeof(float), host);
#endif
    cudaDeviceSynchronize();
    printf("%s to %s weigh %g, total %d\n", p[0].name, p[n - 1].name, *sum, total);
    memset(p, 0, n * sizeof(Particle));
    weigh<<<1, 32>>>(p, n, sum);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    printf("%g %d\n", *sum, total);
    cudaFree(p);
    cudaFree(sum);
    return 0;
}
