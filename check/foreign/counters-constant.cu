// Constant memory is no global memory: of these accesses only the store to out is counted, of 32 lanes.
// flags: --counters
// error: look_up                       1       32     1         -         -     -     -         1         4
#include <cstdio>

__constant__ float weights[32];
__constant__ struct {
    float offset;
} settings;
static __constant__ const int places[4] = {3, 1, 0, 2};

__global__ void look_up(float *out)
{
    int i = threadIdx.x;

    out[i] = weights[(i + places[i % 4]) % 32] + settings.offset;
}

int main()
{
    float host[32], offset = 0.5f, *out;

    for (int i = 0; i < 32; i++)
        host[i] = (float)i;
    cudaMemcpyToSymbol(weights, host, sizeof(host));
    cudaMemcpyToSymbol(settings, &offset, sizeof(offset));
    cudaMalloc(&out, sizeof(host));
    look_up<<<1, 32>>>(out);
    cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
    printf("%g %g %g\n", host[0], host[1], host[31]);
    cudaFree(out);
    return 0;
}
