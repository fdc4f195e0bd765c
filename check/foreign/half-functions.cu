// Math functions and operators of half, and comparisons of pairs.
#include <cstdio>
#include <cuda_fp16.h>

__global__ void functions(float *out)
{
    half x = 0.75f, y = __int2half_rn(3), nan = __ushort_as_half(0x7fff);
    half2 a = __floats2half2_rn(1, 2), b = make_half2(__float2half(2), y);

    out[0] = hexp(x);
    out[1] = hlog(y);
    out[2] = hsin(x) * hsin(x) + hcos(x) * hcos(x);
    out[3] = hrsqrt(__float2half(16.0f));
    out[4] = hrcp(y);
    out[5] = hfloor(-x) + hceil(x) + hrint(__float2half(2.5f)) + htrunc(y);
    out[6] = hexp2(y) + hlog2(__float2half(8.0f)) + hexp10(__float2half(2.0f));
    out[7] = x / y - y * x + y;
    out[8] = __low2float(a * b + a) + __high2float(a - b);
    out[9] = __hlt(x, y) + 2 * __hge(x, y) + 4 * (x == x) + 8 * (nan != nan) + 16 * __heq(nan, nan);
    out[10] = __hbeq2(a, a) + 2 * __hblt2(a, b) + 4 * __hbgt2(a, b);
    out[11] = __low2float(__hlt2(a, b)) + 2 * __high2float(__heq2(a, b));
    out[12] = __half2float(__hmax(nan, y)) + __half2float(__hmin(x, y));
    out[13] = __high2float(__hmax2(a, b)) + __low2float(h2sqrt(__float2half2_rn(9)));
    out[14] = __half2float(__hadd_sat(x, y)) + __half2float(__hfma_relu(x, y, __hneg(y)));
    out[15] = __half2int_rz(y) + __half2short_rd(x) + (int)y + (bool)x;
    out[16] = __half2float(__low2half(__lowhigh2highlow(b))) + __half2float(__high2half(b));
    x += y;
    x *= y;
    out[17] = __half2float(x) + (++y == __float2half(4.0f));
    out[18] = __half2float(__hdiv(x, y)) - __half2float(htanh(y)) + (__hisinf(-x / __float2half(0)) == -1);
    out[19] = __low2float(__h2div(a, b)) + __high2float(__habs2(__hneg2(a)));
}

int main()
{
    float *d, h[20];

    cudaMalloc(&d, sizeof(h));
    functions<<<1, 1>>>(d);
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    for (float v : h)
        printf("%.6g\n", v);
    return 0;
}
