// Conversions round as their names say, and end at the ends of the integers.
#include <cmath>
#include <cstdio>

struct row {
    int rn, rz, rd, ru;
    unsigned u;
    long long ll;
    unsigned long long ull;
    int of_double;
};

__global__ void convert(row *out, const float *v, int n)
{
    int i = threadIdx.x;

    if (i >= n)
        return;
    out[i].rn = __float2int_rn(v[i]);
    out[i].rz = __float2int_rz(v[i]);
    out[i].rd = __float2int_rd(v[i]);
    out[i].ru = __float2int_ru(v[i]);
    out[i].u = __float2uint_rn(v[i]);
    out[i].ll = __float2ll_rz(v[i]);
    out[i].ull = __float2ull_ru(v[i]);
    out[i].of_double = __double2int_rn(v[i]);
}

__global__ void back(float *out, double *wide)
{
    out[0] = __int2float_rd(16777217);
    out[1] = __int2float_ru(16777217);
    out[2] = __uint2float_rz(4294967295u);
    out[3] = __ll2float_rn(0x7fffffffffffffff);
    out[4] = __ull2float_rz(0xffffffffffffffff);
    out[5] = __double2float_ru(0.1);
    out[6] = __double2float_rd(0.1);
    out[7] = __int_as_float(0x3fc00000) + __uint_as_float(0x40000000);
    wide[0] = __ll2double_rd(0x7fffffffffffffff);
    wide[1] = __ull2double_rn(0x8000000000000401);
    wide[2] = __hiloint2double(0x40091eb8, 0x51eb851f);
    wide[3] = __longlong_as_double(__double_as_longlong(-2.5)) + __double2hiint(1.0) +
              __double2loint(1.0) + __float_as_int(1.0f);
}

int main()
{
    const float v[] = {0.5f, 1.5f, -1.5f, -0.25f, 2.75f, 3e9f, -3e9f, 1e19f, 1e20f, NAN, INFINITY};
    const int n = sizeof(v) / sizeof(v[0]);
    float *dv, *df, f[8];
    double *dd, d[4];
    row *dr, r[n];

    cudaMalloc(&dv, sizeof(v));
    cudaMalloc(&dr, sizeof(r));
    cudaMalloc(&df, sizeof(f));
    cudaMalloc(&dd, sizeof(d));
    cudaMemcpy(dv, v, sizeof(v), cudaMemcpyHostToDevice);
    convert<<<1, 32>>>(dr, dv, n);
    back<<<1, 1>>>(df, dd);
    cudaMemcpy(r, dr, sizeof(r), cudaMemcpyDeviceToHost);
    cudaMemcpy(f, df, sizeof(f), cudaMemcpyDeviceToHost);
    cudaMemcpy(d, dd, sizeof(d), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++)
        printf("%g: %d %d %d %d %u %lld %llu %d\n", v[i], r[i].rn, r[i].rz, r[i].rd, r[i].ru,
               r[i].u, r[i].ll, r[i].ull, r[i].of_double);
    for (float each : f)
        printf("%.9g\n", each);
    for (double each : d)
        printf("%.17g\n", each);
    return 0;
}
