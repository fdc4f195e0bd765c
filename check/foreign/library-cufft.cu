// flags: --check -lcufft
// needs: cuFFT
// error: --check: nothing found
// error: cuFFT ran on the host, not counted and not checked: 
// cuFFT's transforms of each kind, compared with sums of exponentials in double precision.
#include <cmath>
#include <complex>
#include <cstdio>
#include <cufft.h>
#include <vector>

typedef std::complex<double> complex;

static void tell(const char *what, double apart, double bound)
{
    printf("%s %s\n", what, apart <= bound ? "ok" : "WRONG");
}

static double pattern(int i)
{
    return (i * 29 + 7) % 23 / 11.0 - 1;
}

/* The transform of n0 x n1 x n2 numbers; sign: -1 forward. */
static std::vector<complex> transform(const std::vector<complex> &x, int n0, int n1, int n2,
                                      int sign)
{
    std::vector<complex> y(x.size());

    for (int k = 0; k < n0 * n1 * n2; k++)
        for (int i = 0; i < n0 * n1 * n2; i++) {
            double turn = (double)(k / (n1 * n2)) * (i / (n1 * n2)) / n0 +
                          (double)(k / n2 % n1) * (i / n2 % n1) / n1 +
                          (double)(k % n2) * (i % n2) / n2;

            y[k] += x[i] * std::polar(1.0, sign * 2 * M_PI * turn);
        }
    return y;
}

/* A complex transform of N numbers in three shapes, in place and not, there and back. */
template <typename T, typename F>
static void whole(const char *what, cufftType type, F call, int n0, int n1, int n2, double bound)
{
    int n = n0 * n1 * n2, rank = n0 > 1 ? 3 : n1 > 1 ? 2 : 1;
    std::vector<T> host(n);
    std::vector<complex> x(n), y;
    double apart = 0;
    T *in, *out;
    cufftHandle plan;

    for (int i = 0; i < n; i++) {
        x[i] = complex(pattern(i), pattern(i + 100));
        host[i].x = x[i].real();
        host[i].y = x[i].imag();
    }
    cudaMalloc(&in, n * sizeof(T));
    cudaMalloc(&out, n * sizeof(T));
    cudaMemcpy(in, host.data(), n * sizeof(T), cudaMemcpyHostToDevice);
    if (rank == 1)
        cufftPlan1d(&plan, n, type, 1);
    else if (rank == 2)
        cufftPlan2d(&plan, n1, n2, type);
    else
        cufftPlan3d(&plan, n0, n1, n2, type);
    call(plan, in, out, CUFFT_FORWARD);
    cudaMemcpy(host.data(), out, n * sizeof(T), cudaMemcpyDeviceToHost);
    y = transform(x, n0, n1, n2, -1);
    for (int i = 0; i < n; i++)
        apart = fmax(apart, std::abs(y[i] - complex(host[i].x, host[i].y)));
    call(plan, out, out, CUFFT_INVERSE); /* n times what it was */
    cudaMemcpy(host.data(), out, n * sizeof(T), cudaMemcpyDeviceToHost);
    for (int i = 0; i < n; i++)
        apart = fmax(apart, std::abs(x[i] * (double)n - complex(host[i].x, host[i].y)));
    tell(what, apart, bound);
    cufftDestroy(plan);
}

/* Real numbers, many of them: there, where half of the outputs are kept, and back. */
static void real(bool in_place)
{
    const int n = 18, count = 3, half = n / 2 + 1;
    int gap = in_place ? 2 * half : n;
    std::vector<float> host(count * gap);
    std::vector<cufftComplex> got(count * half);
    double apart = 0;
    float *in;
    cufftComplex *out;
    cufftHandle there, back;

    for (int t = 0; t < count; t++)
        for (int i = 0; i < n; i++)
            host[t * gap + i] = pattern(t * n + i);
    cudaMalloc(&in, host.size() * sizeof(float));
    cudaMalloc(&out, got.size() * sizeof(cufftComplex));
    if (in_place)
        out = (cufftComplex *)in;
    cudaMemcpy(in, host.data(), host.size() * sizeof(float), cudaMemcpyHostToDevice);
    cufftPlan1d(&there, n, CUFFT_R2C, count);
    cufftPlan1d(&back, n, CUFFT_C2R, count);
    cufftExecR2C(there, in, out);
    cudaMemcpy(got.data(), out, got.size() * sizeof(cufftComplex), cudaMemcpyDeviceToHost);
    for (int t = 0; t < count; t++) {
        std::vector<complex> x(host.begin() + t * gap, host.begin() + t * gap + n);
        std::vector<complex> y = transform(x, 1, 1, n, -1);

        for (int i = 0; i < half; i++)
            apart = fmax(apart, std::abs(y[i] - complex(got[t * half + i].x, got[t * half + i].y)));
    }
    cufftExecC2R(back, out, in);
    std::vector<float> again(host.size());
    cudaMemcpy(again.data(), in, host.size() * sizeof(float), cudaMemcpyDeviceToHost);
    for (int t = 0; t < count; t++)
        for (int i = 0; i < n; i++)
            apart = fmax(apart, fabs(again[t * gap + i] - n * host[t * gap + i]));
    tell(in_place ? "real in place" : "real", apart, 2e-5);
}

/* The columns of a matrix, in double precision: steps and distances. */
static void columns()
{
    int n = 6, count = 4, embed[] = {n};
    std::vector<cufftDoubleComplex> host(n * count);
    std::vector<complex> all(n * count);
    cufftDoubleComplex *d;
    cufftHandle plan;
    double apart = 0;

    for (int i = 0; i < n * count; i++) {
        all[i] = complex(pattern(i), pattern(2 * i));
        host[i] = make_cuDoubleComplex(all[i].real(), all[i].imag());
    }
    cudaMalloc(&d, host.size() * sizeof(*d));
    cudaMemcpy(d, host.data(), host.size() * sizeof(*d), cudaMemcpyHostToDevice);
    cufftPlanMany(&plan, 1, &n, embed, count, 1, embed, count, 1, CUFFT_Z2Z, count);
    cufftExecZ2Z(plan, d, d, CUFFT_FORWARD);
    cudaMemcpy(host.data(), d, host.size() * sizeof(*d), cudaMemcpyDeviceToHost);
    for (int c = 0; c < count; c++) {
        std::vector<complex> x(n), y;

        for (int i = 0; i < n; i++)
            x[i] = all[i * count + c];
        y = transform(x, 1, 1, n, -1);
        for (int i = 0; i < n; i++)
            apart = fmax(apart, std::abs(y[i] - complex(host[i * count + c].x,
                                                        host[i * count + c].y)));
    }
    tell("columns of a matrix", apart, 1e-13);
    printf("of another type: %d\n", (int)cufftExecC2C(plan, (cufftComplex *)d, (cufftComplex *)d,
                                                      CUFFT_FORWARD));
}

int main()
{
    whole<cufftComplex>("C2C", CUFFT_C2C, cufftExecC2C, 1, 1, 30, 1e-4);
    whole<cufftComplex>("C2C of two dimensions", CUFFT_C2C, cufftExecC2C, 1, 5, 6, 1e-4);
    whole<cufftDoubleComplex>("Z2Z of three dimensions", CUFFT_Z2Z, cufftExecZ2Z, 2, 3, 5, 1e-12);
    real(false);
    real(true);
    columns();
}
