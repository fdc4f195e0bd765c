// What half precision and bfloat16 make of numbers: every rounding, the ends, and NaN.
#include <cmath>
#include <cstdio>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

struct row {
    unsigned short half[4], bfloat[4];
    int whole;
    float root, sum;
    unsigned short of_int;
};

__global__ void table(row *out, const float *v, int n)
{
    int i = threadIdx.x;

    if (i >= n)
        return;
    out[i].half[0] = __half_as_ushort(__float2half_rn(v[i]));
    out[i].half[1] = __half_as_ushort(__float2half_rz(v[i]));
    out[i].half[2] = __half_as_ushort(__float2half_rd(v[i]));
    out[i].half[3] = __half_as_ushort(__float2half_ru(v[i]));
    out[i].bfloat[0] = __bfloat16_as_ushort(__float2bfloat16_rn(v[i]));
    out[i].bfloat[1] = __bfloat16_as_ushort(__float2bfloat16_rz(v[i]));
    out[i].bfloat[2] = __bfloat16_as_ushort(__float2bfloat16_rd(v[i]));
    out[i].bfloat[3] = __bfloat16_as_ushort(__float2bfloat16_ru(v[i]));
    out[i].whole = __half2int_rn(__float2half(v[i]));
    out[i].root = __half2float(hsqrt(__float2half(v[i])));
    out[i].sum = __bfloat162float(__hadd(__float2bfloat16(v[i]), __nv_bfloat16(1.0f)));
    out[i].of_int = __half_as_ushort(__int2half_rn((int)(i * 1000 + 1)));
}

int main()
{
    const float v[] = {0.1f, -0.1f, 2049, 65519, 65520, 1e6f, -1e-8f, 3e-8f, 5.97e-8f, 3.4e38f,
                       1e-40f, INFINITY, NAN};
    const int n = sizeof(v) / sizeof(v[0]);
    float *dv;
    row *d, h[n];

    cudaMalloc(&dv, sizeof(v));
    cudaMalloc(&d, sizeof(h));
    cudaMemcpy(dv, v, sizeof(v), cudaMemcpyHostToDevice);
    table<<<1, 32>>>(d, dv, n);
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++) {
        printf("%g:", v[i]);
        for (unsigned short bits : h[i].half)
            printf(" %04x", bits);
        printf(",");
        for (unsigned short bits : h[i].bfloat)
            printf(" %04x", bits);
        printf(", %d %.6g %.6g %04x\n", h[i].whole, fabsf(h[i].root), fabsf(h[i].sum), h[i].of_int);
    }
    return 0;
}
