// flags: --check -lcublas
// needs: cuBLAS
// error: --check: nothing found
// error: cuBLAS ran on the host, not counted and not checked: 
// cuBLAS's calls, each compared with loops in double precision.
#include <cmath>
#include <complex>
#include <cstdio>
#include <cublas_v2.h>
#include <cuda_fp16.h>
#include <vector>

typedef std::complex<double> complex;

/* A matrix in columns: rows x columns with a leading dimension, on the device and here. */
template <typename T> struct matrix {
    int rows, columns, ld;
    std::vector<T> host;
    T *device;

    matrix(int m, int n, int more = 0, int seed = 1)
        : rows(m), columns(n), ld(m + more), host((size_t)ld * n)
    {
        for (size_t i = 0; i < host.size(); i++)
            host[i] = T((double)((i * 7 + seed * 13) % 17) - 8);
        cudaMalloc(&device, host.size() * sizeof(T));
        cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
    }
    T &at(int i, int j)
    {
        return host[i + (size_t)j * ld];
    }
    double apart() /* the largest difference from the device's */
    {
        std::vector<T> other(host.size());
        double most = 0;

        cudaMemcpy(other.data(), device, other.size() * sizeof(T), cudaMemcpyDeviceToHost);
        for (size_t i = 0; i < host.size(); i++)
            most = fmax(most, std::abs((double)host[i] - (double)other[i]));
        return most;
    }
};

static cublasHandle_t blas;

static void tell(const char *what, bool good)
{
    printf("%s %s\n", what, good ? "ok" : "WRONG");
}

__global__ void twice(float *x, int n)
{
    if ((int)threadIdx.x < n)
        x[threadIdx.x] *= 2;
}

static void vectors()
{
    matrix<float> x(40, 1, 0, 2), y(40, 1, 0, 3);
    double dot = 0, squares = 0, sum = 0;
    float a = 3, result;
    int at;

    twice<<<1, 64>>>(x.device, 40);
    for (int i = 0; i < 40; i++) {
        x.host[i] *= 2;
        dot += x.host[i] * y.host[i];
        squares += x.host[i] * x.host[i];
        sum += fabs(x.host[i]);
    }
    cublasSdot(blas, 40, x.device, 1, y.device, 1, &result);
    tell("dot", result == dot);
    cublasSnrm2(blas, 40, x.device, 1, &result);
    tell("nrm2", fabs(result - sqrt(squares)) < 1e-4);
    cublasSasum(blas, 20, x.device, 2, &result);
    for (int i = 1; i < 40; i += 2)
        sum -= fabs(x.host[i]);
    tell("asum with a step", result == sum);
    cublasIsamax(blas, 40, x.device, 1, &at);
    bool most = true;
    for (int i = 0; i < 40; i++)
        most &= fabs(x.host[i]) < fabs(x.host[at - 1]) ||
                (i >= at - 1 && fabs(x.host[i]) == fabs(x.host[at - 1]));
    tell("iamax", most);
    cublasSaxpy(blas, 40, &a, x.device, 1, y.device, 1);
    for (int i = 0; i < 40; i++)
        y.host[i] += 3 * x.host[i];
    tell("axpy", y.apart() == 0);
    cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_DEVICE);
    cublasSscal(blas, 40, y.device, x.device, 1);
    cublasSetPointerMode(blas, CUBLAS_POINTER_MODE_HOST);
    for (int i = 0; i < 40; i++)
        x.host[i] *= y.host[0];
    tell("scal by a scalar on the device", x.apart() == 0);
}

/* gemm of all operations of its operands, with leading dimensions of their own. */
template <typename T, typename C> static void products(const char *what, C call)
{
    const int m = 5, n = 7, k = 9;
    bool good = true;

    for (int ops = 0; ops < 4; ops++) {
        bool ta = ops & 1, tb = ops & 2;
        matrix<T> a(ta ? k : m, ta ? m : k, 1), b(tb ? n : k, tb ? k : n, 2, 4), c(m, n, 3, 5);

        good &= !call(ta ? CUBLAS_OP_T : CUBLAS_OP_N, tb ? CUBLAS_OP_T : CUBLAS_OP_N, m, n, k, a,
                      b, c);
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) {
                double sum = 0;

                for (int l = 0; l < k; l++)
                    sum += (double)(ta ? a.at(l, i) : a.at(i, l)) *
                           (double)(tb ? b.at(j, l) : b.at(l, j));
                c.at(i, j) = T(2 * sum - (double)c.at(i, j));
            }
        good &= c.apart() == 0;
    }
    tell(what, good);
}

static void other_products()
{
    float two = 2, minus = -1, zero = 0, one = 1;
    matrix<float> a(4, 4, 0, 1), b(4, 4, 1, 2), c(4, 4, 0, 3), x(4, 1), y(3, 1, 0, 2), r(4, 3);

    cublasSgeam(blas, CUBLAS_OP_T, CUBLAS_OP_N, 4, 4, &two, a.device, 4, &minus, b.device, 5,
                c.device, 4);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            c.at(i, j) = 2 * a.at(j, i) - b.at(i, j);
    tell("geam", c.apart() == 0);
    cublasSger(blas, 4, 3, &two, x.device, 1, y.device, 1, r.device, 4);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 3; j++)
            r.at(i, j) += 2 * x.host[i] * y.host[j];
    tell("ger", r.apart() == 0);
    cublasSgemv(blas, CUBLAS_OP_T, 4, 3, &one, r.device, 4, x.device, 1, &zero, y.device, 1);
    for (int j = 0; j < 3; j++) {
        y.host[j] = 0;
        for (int i = 0; i < 4; i++)
            y.host[j] += r.at(i, j) * x.host[i];
    }
    tell("gemv", y.apart() == 0);
    for (int i = 0; i < 4; i++)
        a.at(i, i) = 20;
    cudaMemcpy(a.device, a.host.data(), 16 * sizeof(float), cudaMemcpyHostToDevice);
    cublasStrsm(blas, CUBLAS_SIDE_LEFT, CUBLAS_FILL_MODE_LOWER, CUBLAS_OP_N, CUBLAS_DIAG_NON_UNIT,
                4, 4, &one, a.device, 4, b.device, 5);
    for (int j = 0; j < 4; j++)
        for (int i = 0; i < 4; i++) {
            double left = b.at(i, j);

            for (int l = 0; l < i; l++)
                left -= (double)a.at(i, l) * b.at(l, j);
            b.at(i, j) = (float)(left / a.at(i, i));
        }
    tell("trsm", b.apart() < 1e-5);
}

static void batches()
{
    const int n = 3, count = 4;
    double one = 1, zero = 0, *list[3][count];
    matrix<double> a(n, n * count), b(n, n * count, 0, 2), c(n, n * count, 0, 3);
    matrix<double> d(n, n * count, 0, 4);
    double ***where;

    cublasDgemmStridedBatched(blas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, a.device, n, n * n,
                              b.device, n, n * n, &zero, c.device, n, n * n, count);
    for (int t = 0; t < count; t++) {
        list[0][t] = a.device + t * n * n;
        list[1][t] = b.device + t * n * n;
        list[2][t] = d.device + t * n * n;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                double sum = 0;

                for (int l = 0; l < n; l++)
                    sum += a.at(i, t * n + l) * b.at(l, t * n + j);
                c.at(i, t * n + j) = d.at(i, t * n + j) = sum;
            }
    }
    tell("gemmStridedBatched", c.apart() == 0);
    cudaMalloc(&where, sizeof(list));
    cudaMemcpy(where, list, sizeof(list), cudaMemcpyHostToDevice);
    cublasDgemmBatched(blas, CUBLAS_OP_N, CUBLAS_OP_N, n, n, n, &one, (double **)where, n,
                       (double **)where + count, n, &zero, (double **)where + 2 * count, n, count);
    tell("gemmBatched", d.apart() == 0);
}

static void factors() /* A = L U without pivots, multiplied out again */
{
    matrix<double> a(4, 4);
    double *list[] = {a.device}, got[16], **where;
    int *info, told;
    double most = 0;

    for (int i = 0; i < 4; i++)
        a.at(i, i) = 30;
    cudaMemcpy(a.device, a.host.data(), 16 * sizeof(double), cudaMemcpyHostToDevice);
    cudaMalloc(&where, sizeof(list));
    cudaMalloc(&info, sizeof(int));
    cudaMemcpy(where, list, sizeof(list), cudaMemcpyHostToDevice);
    cublasDgetrfBatched(blas, 4, where, 4, NULL, info, 1);
    cudaMemcpy(&told, info, sizeof(int), cudaMemcpyDeviceToHost);
    cudaMemcpy(got, a.device, sizeof(got), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++) {
            double sum = 0;

            for (int l = 0; l <= i && l <= j; l++)
                sum += (l == i ? 1 : got[i + l * 4]) * got[l + j * 4];
            most = fmax(most, fabs(sum - a.at(i, j)));
        }
    tell("getrfBatched", told == 0 && most < 1e-12);
}

int main()
{
    float two = 2, minus = -1;
    double two_d = 2, minus_d = -1;

    cublasCreate(&blas);
    vectors();
    products<float>("sgemm", [&](cublasOperation_t p, cublasOperation_t q, int m, int n, int k,
                                 matrix<float> &a, matrix<float> &b, matrix<float> &c) {
        return cublasSgemm(blas, p, q, m, n, k, &two, a.device, a.ld, b.device, b.ld, &minus,
                           c.device, c.ld);
    });
    products<double>("dgemm", [&](cublasOperation_t p, cublasOperation_t q, int m, int n, int k,
                                  matrix<double> &a, matrix<double> &b, matrix<double> &c) {
        return cublasDgemm(blas, p, q, m, n, k, &two_d, a.device, a.ld, b.device, b.ld, &minus_d,
                           c.device, c.ld);
    });
    products<__half>("gemmEx of halves",
                     [&](cublasOperation_t p, cublasOperation_t q, int m, int n, int k,
                         matrix<__half> &a, matrix<__half> &b, matrix<__half> &c) {
                         return cublasGemmEx(blas, p, q, m, n, k, &two, a.device, CUDA_R_16F, a.ld,
                                             b.device, CUDA_R_16F, b.ld, &minus, c.device,
                                             CUDA_R_16F, c.ld, CUBLAS_COMPUTE_32F,
                                             CUBLAS_GEMM_DEFAULT);
                     });
    other_products();
    batches();
    factors();

    std::vector<float> host(16);
    matrix<float> m(4, 4);
    cublasStatus_t s = cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &two, host.data(), 4,
                                   m.device, 4, &minus, m.device, 4);
    printf("the host's memory: %s\n", cublasGetStatusName(s));
    s = cublasSgemm(blas, CUBLAS_OP_N, CUBLAS_OP_N, 4, 4, 4, &two, m.device, 3, m.device, 4, &minus,
                    m.device, 4);
    printf("a leading dimension of too little: %s\n", cublasGetStatusName(s));
    cublasDestroy(blas);
}
