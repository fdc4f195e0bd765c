// flags: --check -lcublasLt
// needs: cuBLASLt
// error: --check: nothing found
// error: cuBLAS ran on the host, not counted and not checked: 
// error: CPU device: cublasLt: there is no such epilogue: there are bias, relu and gelu here
// cuBLASLt's products, each compared with loops in double precision: matrices in rows and columns,
// transposes, batches, types, epilogues; a matrix in another order; and what is refused.
#include <cmath>
#include <cstdio>
#include <cublasLt.h>
#include <cuda_fp16.h>
#include <vector>

static cublasLtHandle_t handle;

/* rows x columns, in columns or in rows, `count` of them, on the device and here. */
template <typename T> struct matrix {
    int rows, columns, ld, count;
    bool in_rows;
    size_t stride;
    std::vector<T> host;
    T *device;
    cublasLtMatrixLayout_t layout;

    matrix(cudaDataType type, int m, int n, int seed, bool rows_first = false, int times = 1)
        : rows(m), columns(n), ld((rows_first ? n : m) + 3), count(times), in_rows(rows_first)
    {
        cublasLtOrder_t order = CUBLASLT_ORDER_ROW;
        int64_t step;

        stride = (size_t)ld * (in_rows ? m : n) + 5;
        step = stride;
        host.resize(stride * count);
        for (size_t i = 0; i < host.size(); i++)
            host[i] = T((float)((i * 7 + seed * 13) % 9) - 4);
        cudaMalloc(&device, host.size() * sizeof(T));
        cudaMemcpy(device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice);
        cublasLtMatrixLayoutCreate(&layout, type, m, n, ld);
        if (in_rows)
            cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof(order));
        cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof(count));
        cublasLtMatrixLayoutSetAttribute(layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &step, sizeof(step));
    }
    T &at(int b, int i, int j)
    {
        return host[b * stride + (in_rows ? j + (size_t)i * ld : i + (size_t)j * ld)];
    }
    double apart() /* the largest difference from the device's, relative to the largest value */
    {
        std::vector<T> other(host.size());
        double most = 0, largest = 1;

        cudaMemcpy(other.data(), device, other.size() * sizeof(T), cudaMemcpyDeviceToHost);
        for (size_t i = 0; i < host.size(); i++) {
            most = fmax(most, fabs((double)(float)host[i] - (double)(float)other[i]));
            largest = fmax(largest, fabs((double)(float)host[i]));
        }
        return most / largest;
    }
};

static void tell(const char *what, bool good)
{
    printf("%s %s\n", what, good ? "ok" : "WRONG");
}

static double finished(double v, cublasLtEpilogue_t epilogue, double bias)
{
    if (epilogue & CUBLASLT_EPILOGUE_BIAS)
        v += bias;
    if (epilogue & CUBLASLT_EPILOGUE_RELU)
        v = v > 0 ? v : 0;
    if (epilogue & CUBLASLT_EPILOGUE_GELU)
        v = 0.5 * v * (1 + tanh(sqrt(2 / M_PI) * (v + 0.044715 * v * v * v)));
    return v;
}

/* D = alpha op(A) op(B) + beta C, m = 5, n = 7, k = 11. */
template <typename T, typename R, typename S>
static void product(const char *what, cudaDataType in, cudaDataType out, cublasComputeType_t compute,
                    cudaDataType scale, bool turn_a, bool turn_b, bool in_rows, int count,
                    cublasLtEpilogue_t epilogue, double bound)
{
    const int m = 5, n = 7, k = 11;
    matrix<T> a(in, turn_a ? k : m, turn_a ? m : k, 1, false, count);
    matrix<T> b(in, turn_b ? n : k, turn_b ? k : n, 2, in_rows, count);
    matrix<R> c(out, m, n, 3, false, count), d(out, m, n, 4, in_rows, count), bias(out, m, 1, 5);
    cublasOperation_t op_a = turn_a ? CUBLAS_OP_T : CUBLAS_OP_N, op_b = turn_b ? CUBLAS_OP_T : CUBLAS_OP_N;
    S alpha = S(2), beta = S(-1);
    cublasLtMatmulDesc_t description;
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulHeuristicResult_t chosen;
    size_t most = 1 << 20;
    void *bias_at = bias.device;
    int found = 0;
    cublasStatus_t status;

    cublasLtMatmulDescCreate(&description, compute, scale);
    cublasLtMatmulDescSetAttribute(description, CUBLASLT_MATMUL_DESC_TRANSA, &op_a, sizeof(op_a));
    cublasLtMatmulDescSetAttribute(description, CUBLASLT_MATMUL_DESC_TRANSB, &op_b, sizeof(op_b));
    cublasLtMatmulDescSetAttribute(description, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof(epilogue));
    cublasLtMatmulDescSetAttribute(description, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias_at, sizeof(bias_at));
    cublasLtMatmulPreferenceCreate(&preference);
    cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &most, sizeof(most));
    status = cublasLtMatmulAlgoGetHeuristic(handle, description, a.layout, b.layout, c.layout, d.layout, preference,
                                            1, &chosen, &found);
    if (!status && found == 1)
        status = cublasLtMatmul(handle, description, &alpha, a.device, a.layout, b.device, b.layout, &beta, c.device,
                                c.layout, d.device, d.layout, &chosen.algo, NULL, 0, 0);
    for (int t = 0; t < count; t++)
        for (int i = 0; i < m; i++)
            for (int j = 0; j < n; j++) {
                double sum = 0;

                for (int l = 0; l < k; l++)
                    sum += (double)(float)(turn_a ? a.at(t, l, i) : a.at(t, i, l)) *
                           (double)(float)(turn_b ? b.at(t, j, l) : b.at(t, l, j));
                sum = finished(2 * sum - (double)(float)c.at(t, i, j), epilogue, (double)(float)bias.at(0, i, 0));
                d.at(t, i, j) = R((float)sum);
            }
    tell(what, status == CUBLAS_STATUS_SUCCESS && found == 1 && d.apart() <= bound);
    cublasLtMatmulPreferenceDestroy(preference);
    cublasLtMatmulDescDestroy(description);
}

/* From columns to groups of 32 columns and back: what was there. */
static void transform()
{
    matrix<signed char> x(CUDA_R_8I, 6, 70, 1), y(CUDA_R_8I, 6, 70, 2);
    cublasLtOrder_t order = CUBLASLT_ORDER_COL32;
    cublasLtMatrixLayout_t between;
    cublasLtMatrixTransformDesc_t description;
    signed char *at, third;
    float one = 1;

    cudaMalloc(&at, 32 * 6 * 3);
    cublasLtMatrixLayoutCreate(&between, CUDA_R_8I, 6, 70, 32 * 6);
    cublasLtMatrixLayoutSetAttribute(between, CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof(order));
    cublasLtMatrixTransformDescCreate(&description, CUDA_R_32F);
    cublasLtMatrixTransform(handle, description, &one, x.device, x.layout, NULL, NULL, NULL, at, between, 0);
    cudaMemcpy(&third, at + 2 * 32 * 6 + 4 * 32 + 5, 1, cudaMemcpyDeviceToHost); /* row 4, column 69 */
    tell("groups of 32 columns", third == x.at(0, 4, 69));
    cublasLtMatrixTransform(handle, description, &one, at, between, NULL, NULL, NULL, y.device, y.layout, 0);
    for (int i = 0; i < 6; i++)
        for (int j = 0; j < 70; j++)
            y.at(0, i, j) = x.at(0, i, j);
    tell("and back", y.apart() == 0);
}

static void refused()
{
    matrix<float> a(CUDA_R_32F, 4, 4, 1), wide(CUDA_R_32F, 5, 4, 1);
    cublasLtEpilogue_t epilogue = CUBLASLT_EPILOGUE_DRELU;
    cublasLtMatmulDesc_t description;
    std::vector<float> on_host(16);
    float one = 1;
    size_t written = 0;
    int order = -1;

    cublasLtMatmulDescCreate(&description, CUBLAS_COMPUTE_32F, CUDA_R_32F);
    auto multiply = [&](const float *x, matrix<float> &d) {
        return cublasLtGetStatusName(cublasLtMatmul(handle, description, &one, x, a.layout, a.device, a.layout, &one,
                                                    d.device, d.layout, d.device, d.layout, NULL, NULL, 0, 0));
    };
    printf("the host's memory: %s\n", multiply(on_host.data(), a));
    printf("sides that do not fit: %s\n", multiply(a.device, wide));
    printf("an attribute of too few bytes: %s\n",
           cublasLtGetStatusName(cublasLtMatrixLayoutSetAttribute(a.layout, CUBLASLT_MATRIX_LAYOUT_ROWS, &order, 4)));
    cublasLtMatrixLayoutGetAttribute(a.layout, CUBLASLT_MATRIX_LAYOUT_ORDER, &order, sizeof(order), &written);
    printf("order %d in %zu bytes\n", order, written);
    cublasLtMatmulDescSetAttribute(description, CUBLASLT_MATMUL_DESC_EPILOGUE, &epilogue, sizeof(epilogue));
    printf("another epilogue: %s\n", multiply(a.device, a));
}

int main()
{
    cublasLtCreate(&handle);
    product<float, float, float>("columns", CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F, false, false,
                                 false, 1, CUBLASLT_EPILOGUE_DEFAULT, 1e-6);
    product<float, float, float>("transposes, rows", CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F, true,
                                 true, true, 1, CUBLASLT_EPILOGUE_DEFAULT, 1e-6);
    product<double, double, double>("doubles, a batch", CUDA_R_64F, CUDA_R_64F, CUBLAS_COMPUTE_64F, CUDA_R_64F, true,
                                    false, false, 3, CUBLASLT_EPILOGUE_DEFAULT, 0);
    product<__half, __half, float>("halves, bias", CUDA_R_16F, CUDA_R_16F, CUBLAS_COMPUTE_32F, CUDA_R_32F, false,
                                   true, false, 2, CUBLASLT_EPILOGUE_BIAS, 0);
    product<__half, float, float>("halves to floats, relu and bias", CUDA_R_16F, CUDA_R_32F, CUBLAS_COMPUTE_32F,
                                  CUDA_R_32F, false, false, true, 1, CUBLASLT_EPILOGUE_RELU_BIAS, 0);
    product<float, float, float>("gelu", CUDA_R_32F, CUDA_R_32F, CUBLAS_COMPUTE_32F, CUDA_R_32F, false, false, false,
                                 1, CUBLASLT_EPILOGUE_GELU_BIAS, 1e-6);
    product<signed char, int, int>("bytes", CUDA_R_8I, CUDA_R_32I, CUBLAS_COMPUTE_32I, CUDA_R_32I, true, false, false,
                                   1, CUBLASLT_EPILOGUE_DEFAULT, 0);
    transform();
    refused();
    cublasLtDestroy(handle);
    return 0;
}
