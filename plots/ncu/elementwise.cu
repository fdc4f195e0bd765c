/* A thread for each element, or several: vectors, activations, an optimizer, options, pictures. */
#include "program.h"

__global__ void add_vectors(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        c[i] = a[i] + b[i];
}

__global__ void add_vectors4(const float4 *a, const float4 *b, float4 *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        float4 u = a[i], v = b[i];
        c[i] = make_float4(u.x + v.x, u.y + v.y, u.z + v.z, u.w + v.w);
    }
}

__global__ void saxpy_stride(int n, float a, const float *x, float *y)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        y[i] = a * x[i] + y[i];
}

__global__ void gelu_forward(float *out, const float *in, int n)
{
    const float scale = 0.7978845608f;
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        float x = in[i];
        float cube = 0.044715f * x * x * x;
        out[i] = 0.5f * x * (1.0f + tanhf(scale * (x + cube)));
    }
}

__global__ void adam_update(float *weights, const float *gradients, float *first, float *second,
                            int n, float rate, float beta1, float beta2, float decay)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= n)
        return;
    float g = gradients[i];
    float m = beta1 * first[i] + (1.0f - beta1) * g;
    float v = beta2 * second[i] + (1.0f - beta2) * g * g;
    first[i] = m;
    second[i] = v;
    weights[i] -= rate * (m / (sqrtf(v) + 1e-8f) + decay * weights[i]);
}

__device__ float normal_cdf(float x)
{
    return 0.5f * erfcf(-x * 0.70710678f);
}

__global__ void option_prices(float *call, float *put, const float *price, const float *strike,
                              const float *years, float rate, float volatility, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        float root = sqrtf(years[i]);
        float d1 =
            (logf(price[i] / strike[i]) + (rate + 0.5f * volatility * volatility) * years[i]) /
            (volatility * root);
        float d2 = d1 - volatility * root;
        float discounted = strike[i] * expf(-rate * years[i]);
        call[i] = price[i] * normal_cdf(d1) - discounted * normal_cdf(d2);
        put[i] = discounted * normal_cdf(-d2) - price[i] * normal_cdf(-d1);
    }
}

__global__ void mandelbrot(unsigned char *picture, int width, int height, int limit)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;

    if (x >= width || y >= height)
        return;
    float cr = -2.0f + 0.03125f * x, ci = -1.0f + 0.03125f * y, zr = 0, zi = 0;
    int k = 0;

    for (; k < limit && zr * zr + zi * zi < 4.0f; k++) {
        float t = zr * zr - zi * zi + cr;
        zi = 2.0f * zr * zi + ci;
        zr = t;
    }
    picture[y * width + x] = (unsigned char)k;
}

__global__ void grey_from_rgb(unsigned char *grey, const uchar3 *rgb, int pixels)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < pixels) {
        uchar3 p = rgb[i];
        grey[i] = (unsigned char)((77 * p.x + 150 * p.y + 29 * p.z) >> 8);
    }
}

__global__ void brighten_rgba(uchar4 *picture, int pixels, int more)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < pixels) {
        uchar4 p = picture[i];
        p.x = (unsigned char)(p.x + more > 255 ? 255 : p.x + more);
        p.y = (unsigned char)(p.y + more > 255 ? 255 : p.y + more);
        p.z = (unsigned char)(p.z + more > 255 ? 255 : p.z + more);
        picture[i] = p;
    }
}

__global__ void multiply_doubles(double *y, const double *a, const double *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = a[i] * b[i];
}

static void vectors(int n, int threads)
{
    int blocks = (n + threads - 1) / threads, quarter = n / 4;
    float *a = random_floats(n), *b = random_floats(n), *c = host_array<float>(n);
    float *da = to_device(a, n), *db = to_device(b, n), *dc = device_array<float>(n);

    for (int i = 0; i < n; i++)
        c[i] = a[i] + b[i];
    add_vectors<<<blocks, threads>>>(da, db, dc, n);
    expect_equal("add_vectors", dc, c, n);
    must(cudaMemset(dc, 0, n * sizeof(float)), "cudaMemset");
    add_vectors4<<<(quarter + threads - 1) / threads, threads>>>((float4 *)da, (float4 *)db,
                                                                 (float4 *)dc, quarter);
    expect_equal("add_vectors4", dc, c, 4 * quarter);
    for (int i = 0; i < n; i++)
        c[i] = 3 * a[i] + b[i];
    saxpy_stride<<<4, threads>>>(n, 3, da, db);
    expect_near("saxpy_stride", db, c, n, 2);
    for (int i = 0; i < n; i++)
        c[i] =
            (float)(0.5 * a[i] * (1 + tanh(0.7978845608 * (a[i] + 0.044715 * a[i] * a[i] * a[i]))));
    gelu_forward<<<blocks, threads>>>(dc, da, n);
    expect_near("gelu_forward", dc, c, n, 16);
}

static void adam(int n)
{
    float *w = random_floats(n), *g = random_floats(n), *m = random_floats(n),
          *v = random_floats(n);

    for (int i = 0; i < n; i++)
        v[i] = fabsf(v[i]) + 0.5f;
    float *dw = to_device(w, n), *dm = to_device(m, n), *dv = to_device(v, n);

    adam_update<<<(n + 127) / 128, 128>>>(dw, to_device(g, n), dm, dv, n, 0.01f, 0.9f, 0.99f, 0.1f);
    for (int i = 0; i < n; i++) {
        m[i] = 0.9f * m[i] + (1.0f - 0.9f) * g[i];
        v[i] = 0.99f * v[i] + (1.0f - 0.99f) * g[i] * g[i];
        w[i] -= 0.01f * (m[i] / (sqrtf(v[i]) + 1e-8f) + 0.1f * w[i]);
    }
    expect_near("adam_update", dw, w, n, 16);
    expect_near("adam_update, first moment", dm, m, n, 16);
    expect_near("adam_update, second moment", dv, v, n, 16);
}

static void options(int n)
{
    float *s = host_array<float>(n), *x = host_array<float>(n), *t = host_array<float>(n);
    float *call = host_array<float>(n), *put = host_array<float>(n);
    float *dcall = device_array<float>(n), *dput = device_array<float>(n);

    for (int i = 0; i < n; i++) {
        s[i] = 20 + 5 * random_float();
        x[i] = 20 + 5 * random_float();
        t[i] = 2 + random_float();
        double d1 =
            (log((double)s[i] / x[i]) + (0.02 + 0.5 * 0.3 * 0.3) * t[i]) / (0.3 * sqrt(t[i]));
        double d2 = d1 - 0.3 * sqrt(t[i]), k = x[i] * exp(-0.02 * t[i]), h = sqrt(0.5);
        call[i] = (float)(s[i] * 0.5 * erfc(-d1 * h) - k * 0.5 * erfc(-d2 * h));
        put[i] = (float)(k * 0.5 * erfc(d2 * h) - s[i] * 0.5 * erfc(d1 * h));
    }
    option_prices<<<(n + 127) / 128, 128>>>(dcall, dput, to_device(s, n), to_device(x, n),
                                            to_device(t, n), 0.02f, 0.3f, n);
    expect_near("option_prices, calls", dcall, call, n, 64);
    expect_near("option_prices, puts", dput, put, n, 64);
}

/* The steps of c are powers of two, so that the host rounds alike but for fused operations; those
 * may move a pixel on the border, so only points far from it are compared. */
static void fractal(int width, int height)
{
    unsigned char *d = device_array<unsigned char>((size_t)width * height);
    unsigned char *inside = host_array<unsigned char>(2);

    inside[0] = 64; /* c = -1 stays for ever */
    inside[1] = 1;  /* c = -2 - i leaves at once */
    mandelbrot<<<dim3((width + 15) / 16, (height + 15) / 16), dim3(16, 16)>>>(d, width, height, 64);
    expect_equal("mandelbrot, inside", d + 32 * width + 32, inside, 1);
    expect_equal("mandelbrot, outside", d, inside + 1, 1);
}

static void pictures(int pixels)
{
    uchar3 *rgb = host_array<uchar3>(pixels);
    unsigned char *grey = host_array<unsigned char>(pixels),
                  *bright = host_array<unsigned char>(4 * pixels);
    unsigned char *rgba = host_array<unsigned char>(4 * pixels);
    unsigned char *dgrey = device_array<unsigned char>(pixels);
    int blocks = (pixels + 255) / 256;

    for (int i = 0; i < pixels; i++) {
        rgb[i].x = (unsigned char)random_bits();
        rgb[i].y = (unsigned char)random_bits();
        rgb[i].z = (unsigned char)random_bits();
        grey[i] = (unsigned char)((77 * rgb[i].x + 150 * rgb[i].y + 29 * rgb[i].z) >> 8);
    }
    for (int i = 0; i < 4 * pixels; i++) {
        rgba[i] = (unsigned char)random_bits();
        bright[i] = (unsigned char)(i % 4 == 3 ? rgba[i] : rgba[i] + 40 > 255 ? 255 : rgba[i] + 40);
    }
    unsigned char *drgba = to_device(rgba, 4 * pixels);

    grey_from_rgb<<<blocks, 256>>>(dgrey, to_device(rgb, pixels), pixels);
    expect_equal("grey_from_rgb", dgrey, grey, pixels);
    brighten_rgba<<<blocks, 256>>>((uchar4 *)drgba, pixels, 40);
    expect_equal("brighten_rgba", drgba, bright, 4 * pixels);
}

static void doubles(int n)
{
    double *a = host_array<double>(n), *b = host_array<double>(n), *y = host_array<double>(n);
    double *d = device_array<double>(n);

    for (int i = 0; i < n; i++) {
        a[i] = random_float();
        b[i] = random_float();
        y[i] = a[i] * b[i];
    }
    multiply_doubles<<<(n + 63) / 64, 64>>>(d, to_device(a, n), to_device(b, n), n);
    expect_equal("multiply_doubles", d, y, n);
}

int main()
{
    vectors(10000, 256);
    vectors(4096, 96);
    adam(3000);
    options(2000);
    fractal(96, 72);
    pictures(5001);
    doubles(1500);
    return wrong ? 1 : 0;
}
