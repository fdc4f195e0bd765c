// Options priced with normcdf, and quantiles with its inverse; then the functions that only CUDA has.
#include <cstdio>
#include <math_constants.h>

struct option {
    double spot, strike, years;
};

__device__ double call(option o, double rate, double sigma)
{
    double root = sigma * sqrt(o.years);
    double d1 = (log(o.spot / o.strike) + (rate + sigma * sigma / 2) * o.years) / root;

    return o.spot * normcdf(d1) - o.strike * exp(-rate * o.years) * normcdf(d1 - root);
}

__global__ void price(double *out, const option *o, int n)
{
    int i = threadIdx.x;

    if (i < n)
        out[i] = call(o[i], 0.02, 0.3);
}

__global__ void others(double *out)
{
    double s, c;
    float sf, cf;

    sincospi(1.0 / 6, &s, &c);
    sincospif(0.25f, &sf, &cf);
    double v[] = {normcdfinv(0.975), erfinv(0.5), erfcinv(1e-10), erfcx(10.0), rsqrt(16.0),
                  rcbrt(27.0), rhypot(3.0, 4.0), norm3d(1.0, 2.0, 2.0), norm4d(1., 1., 1., 1.),
                  rnorm3d(2.0, 3.0, 6.0), sinpi(1e15), cospi(1.5), cyl_bessel_i0(1.0),
                  cyl_bessel_i1(1.0), j0(2.5), y1(2.5), jn(3, 2.5), exp10(-3.0), s, c * c,
                  sf - cf, CUDART_PI, normcdff(-1.0f), fdividef(1.0f, 4.0f), lgamma(10.5)};

    for (int i = 0; i < 25; i++)
        out[i] = v[i];
}

int main()
{
    const option h[] = {{100, 100, 1}, {100, 120, 0.5}, {50, 40, 2}};
    option *o;
    double *d, prices[3], values[25];

    cudaMalloc(&o, sizeof(h));
    cudaMalloc(&d, sizeof(values));
    cudaMemcpy(o, h, sizeof(h), cudaMemcpyHostToDevice);
    price<<<1, 32>>>(d, o, 3);
    cudaMemcpy(prices, d, sizeof(prices), cudaMemcpyDeviceToHost);
    for (double p : prices)
        printf("%.6f\n", p);
    others<<<1, 1>>>(d);
    cudaMemcpy(values, d, sizeof(values), cudaMemcpyDeviceToHost);
    for (double v : values)
        printf("%.10g\n", v);
    return 0;
}
