// Interval arithmetic: the same sum rounded down and up encloses the true one.
#include <cstdio>

struct interval {
    float low, high;
};

__global__ void sums(interval *out, int n)
{
    interval sum = {0, 0};
    float third_low = __fdiv_rd(1, 3), third_high = __frcp_ru(3);

    for (int i = 1; i <= n; i++) {
        sum.low = __fadd_rd(sum.low, __fmul_rd(third_low, (float)i));
        sum.high = __fmaf_ru(third_high, (float)i, sum.high);
    }
    out[0] = sum;
    out[1].low = __fsqrt_rd(2);
    out[1].high = __fsqrt_ru(2);
    out[2].low = __fsub_rz(-1, 1e-20f);
    out[2].high = __fsub_rd(-1, 1e-20f);
}

__global__ void doubles(double *out)
{
    out[0] = __dadd_ru(1, 1e-30);
    out[1] = __dmul_rd(1 + 0x1p-52, 1 + 0x1p-52);
    out[2] = __ddiv_rz(2, 3);
    out[3] = __dsqrt_ru(2);
    out[4] = __fma_ru(1 + 0x1p-52, 1 - 0x1p-52, -1);
    out[5] = __drcp_rn(3);
    out[6] = __dsub_rn(1, 0x1p-54);
}

int main()
{
    interval *in, h[3];
    double *d, out[7];

    cudaMalloc(&in, sizeof(h));
    cudaMalloc(&d, sizeof(out));
    sums<<<1, 1>>>(in, 1000);
    doubles<<<1, 1>>>(d);
    cudaMemcpy(h, in, sizeof(h), cudaMemcpyDeviceToHost);
    cudaMemcpy(out, d, sizeof(out), cudaMemcpyDeviceToHost);
    printf("encloses 500500/3: %s\n",
           h[0].low < 500500 / 3.0 && h[0].high > 500500 / 3.0 ? "yes" : "no");
    printf("narrower than 20: %s\n", h[0].high - h[0].low < 20 ? "yes" : "no");
    printf("the root of 2 between %a and %a\n", h[1].low, h[1].high);
    printf("-1 - 1e-20: %a to zero, %a down\n", h[2].low, h[2].high);
    for (double v : out)
        printf("%a\n", v);
    return 0;
}
