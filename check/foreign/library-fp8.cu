// needs: fp8
// Conversions to numbers of 8 bits and back, by CUDA's own header: rounding to the nearest even,
// saturation, the smallest numbers, and two at once.
#include <cstdio>

#include <cuda_fp8.h>

__global__ void convert(float *out, const float *in, float2 *pair)
{
    int i = threadIdx.x;
    __nv_fp8_e4m3 a(in[i]);
    __nv_fp8_e5m2 b(in[i]);

    out[2 * i] = float(a);
    out[2 * i + 1] = float(b);
    if (i == 0)
        *pair = float2(__nv_fp8x2_e4m3(make_float2(in[2], in[3])));
}

int main()
{
    const float values[] = {0.1f, 1, 3.3f, 17, -1000, -0.0019f, 57344, 1e-9f};
    const int n = sizeof(values) / sizeof(values[0]);
    float *in, *out;
    float2 *pair;

    cudaMallocManaged(&in, sizeof(values));
    cudaMallocManaged(&out, 2 * sizeof(values));
    cudaMallocManaged(&pair, sizeof(float2));
    for (int i = 0; i < n; i++)
        in[i] = values[i];
    convert<<<1, n>>>(out, in, pair);
    if (cudaDeviceSynchronize())
        return 1;
    for (int i = 0; i < n; i++)
        printf("%g: %g %g\n", values[i], out[2 * i], out[2 * i + 1]);
    printf("%g %g\n", pair->x, pair->y);
    return 0;
}
