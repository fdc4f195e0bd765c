// needs: fp8
// Half precision and bfloat16 beside the numbers of 8 bits: CUDA's header of the last includes both
// others by itself, which are the CPU device's then, too.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cstdio>

__global__ void narrow(float *out, const __half *h, const __nv_bfloat16 *b)
{
    int i = threadIdx.x;
    __nv_fp8_e4m3 a(h[i]), c(b[i]);
    __half_raw wide = __nv_cvt_fp8_to_halfraw(a.__x, __NV_E4M3);

    out[3 * i] = float(a);
    out[3 * i + 1] = float(c);
    out[3 * i + 2] = __half2float(__hadd(__half(wide), __float2half(1)));
}

int main()
{
    const float values[] = {0.1f, -3.3f, 500, 0.0019f};
    __half *h;
    __nv_bfloat16 *b;
    float *out;

    cudaMallocManaged(&h, sizeof(__half) * 4);
    cudaMallocManaged(&b, sizeof(__nv_bfloat16) * 4);
    cudaMallocManaged(&out, sizeof(float) * 12);
    for (int i = 0; i < 4; i++) {
        h[i] = __float2half(values[i]);
        b[i] = __float2bfloat16(values[i]);
    }
    narrow<<<1, 4>>>(out, h, b);
    if (cudaDeviceSynchronize())
        return 1;
    for (int i = 0; i < 4; i++)
        printf("%g: %g %g %g\n", values[i], out[3 * i], out[3 * i + 1], out[3 * i + 2]);
    return 0;
}
