/*
 * cuBLAS over the system's BLAS and LAPACK: both keep matrices in columns, so the numbers go
 * through as they are. What BLAS has not, such as geam, and half precision, which is computed in
 * single precision and rounded once at the end, stands here. Scalars lie on the host or on the
 * device: there is one memory, so either is read as it is.
 */
#include <complex.h>
#include <math.h>
#include "cpu/libraries/library.h"
#include "cpu/libraries/element.h"
#include <cblas.h>
#include <cublas_v2.h>
#include <cublasXt.h>

struct cublasContext {
    cudaStream_t stream;
    cublasPointerMode_t pointers;
    cublasAtomicsMode_t atomics;
    cublasMath_t math;
    int multiprocessors;
};

#define OPEN()                                                                                     \
    if (!handle)                                                                                   \
        return CUBLAS_STATUS_NOT_INITIALIZED;                                                      \
    LIBRARY_CALL("cuBLAS", __func__)
#define NEED(condition)                                                                            \
    if (!(condition))                                                                              \
    return CUBLAS_STATUS_INVALID_VALUE
#define RANGE(P, N, WRITE)                                                                         \
    if (cpu_library_range(__func__, P, (N) * sizeof(*(P)), WRITE))                                 \
    return CUBLAS_STATUS_EXECUTION_FAILED
#define READS(P, N) RANGE(P, N, false)
#define WRITES(P, N) RANGE(P, N, true)
#define MATRIX(P, ROWS, COLUMNS, LD, WRITE)                                                        \
    NEED((LD) >= ((ROWS) > 1 ? (ROWS) : 1));                                                       \
    RANGE(P, matrix_length(ROWS, COLUMNS, LD), WRITE)
/* A matrix that is read as its transpose. */
#define OPERAND(P, OP, ROWS, COLUMNS, LD)                                                          \
    MATRIX(P, (OP) == CUBLAS_OP_N ? (ROWS) : (COLUMNS), (OP) == CUBLAS_OP_N ? (COLUMNS) : (ROWS),  \
           LD, false)
#define DONE return CUBLAS_STATUS_SUCCESS

static CBLAS_TRANSPOSE op_of(cublasOperation_t op)
{
    return op == CUBLAS_OP_N ? CblasNoTrans : op == CUBLAS_OP_T ? CblasTrans : CblasConjTrans;
}

static CBLAS_UPLO part_of(cublasFillMode_t part)
{
    return part == CUBLAS_FILL_MODE_LOWER ? CblasLower : CblasUpper;
}

static CBLAS_SIDE side_of(cublasSideMode_t side)
{
    return side == CUBLAS_SIDE_LEFT ? CblasLeft : CblasRight;
}

static CBLAS_DIAG diagonal_of(cublasDiagType_t diagonal)
{
    return diagonal == CUBLAS_DIAG_UNIT ? CblasUnit : CblasNonUnit;
}

/* --- handles ---------------------------------------------------------------------------------- */

cublasStatus_t cublasCreate_v2(cublasHandle_t *handle)
{
    NEED(handle);
    *handle = calloc(1, sizeof(**handle));
    return *handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}

cublasStatus_t cublasDestroy_v2(cublasHandle_t handle)
{
    if (!handle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    free(handle);
    DONE;
}

cublasStatus_t cublasGetVersion_v2(cublasHandle_t handle, int *version)
{
    (void)handle;
    NEED(version);
    *version = CUBLAS_VERSION;
    DONE;
}

cublasStatus_t cublasGetProperty(libraryPropertyType type, int *value)
{
    static const int parts[] = {CUBLAS_VER_MAJOR, CUBLAS_VER_MINOR, CUBLAS_VER_PATCH};

    NEED(value && (unsigned)type < 3);
    *value = parts[type];
    DONE;
}

#define SETTING(SET, GET, T, MEMBER)                                                               \
    cublasStatus_t SET(cublasHandle_t handle, T value)                                             \
    {                                                                                              \
        if (!handle)                                                                               \
            return CUBLAS_STATUS_NOT_INITIALIZED;                                                  \
        handle->MEMBER = value;                                                                    \
        DONE;                                                                                      \
    }                                                                                              \
    cublasStatus_t GET(cublasHandle_t handle, T *value)                                            \
    {                                                                                              \
        if (!handle)                                                                               \
            return CUBLAS_STATUS_NOT_INITIALIZED;                                                  \
        NEED(value);                                                                               \
        *value = handle->MEMBER;                                                                   \
        DONE;                                                                                      \
    }
SETTING(cublasSetStream_v2, cublasGetStream_v2, cudaStream_t, stream)
SETTING(cublasSetPointerMode_v2, cublasGetPointerMode_v2, cublasPointerMode_t, pointers)
SETTING(cublasSetAtomicsMode, cublasGetAtomicsMode, cublasAtomicsMode_t, atomics)
SETTING(cublasSetMathMode, cublasGetMathMode, cublasMath_t, math)
SETTING(cublasSetSmCountTarget, cublasGetSmCountTarget, int, multiprocessors)

cublasStatus_t cublasSetWorkspace_v2(cublasHandle_t handle, void *workspace, size_t bytes)
{
    (void)workspace;
    (void)bytes;
    return handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_NOT_INITIALIZED;
}

#define STATUS(S, TEXT)                                                                            \
    {                                                                                              \
        CUBLAS_STATUS_##S, "CUBLAS_STATUS_" #S, TEXT                                               \
    }
static const struct {
    cublasStatus_t status;
    const char *name, *text;
} statuses[] = {STATUS(SUCCESS, "success"),
                STATUS(NOT_INITIALIZED, "the library was not initialized"),
                STATUS(ALLOC_FAILED, "the resource allocation failed"),
                STATUS(INVALID_VALUE, "an invalid value was given"),
                STATUS(ARCH_MISMATCH, "the device has not what is needed"),
                STATUS(MAPPING_ERROR, "memory could not be accessed"),
                STATUS(EXECUTION_FAILED, "the call failed to execute"),
                STATUS(INTERNAL_ERROR, "an internal operation failed"),
                STATUS(NOT_SUPPORTED, "what is asked for is not supported"),
                STATUS(LICENSE_ERROR, "a licence is missing")};

static int status_at(cublasStatus_t status)
{
    int n = sizeof(statuses) / sizeof(statuses[0]), i = 0;

    while (i < n && statuses[i].status != status)
        i++;
    return i < n ? i : -1;
}

const char *cublasGetStatusName(cublasStatus_t status)
{
    return status_at(status) < 0 ? "unknown" : statuses[status_at(status)].name;
}

const char *cublasGetStatusString(cublasStatus_t status)
{
    return status_at(status) < 0 ? "unknown" : statuses[status_at(status)].text;
}

/* --- copies ----------------------------------------------------------------------------------- */

static cublasStatus_t copied(cudaError_t error)
{
    return error ? CUBLAS_STATUS_MAPPING_ERROR : CUBLAS_STATUS_SUCCESS;
}

#define COPY(NAME, FROM, TO, KIND)                                                                 \
    cublasStatus_t cublas##NAME##Vector(int n, int size, const void *FROM, int from_step,          \
                                        void *TO, int to_step)                                     \
    {                                                                                              \
        NEED(size > 0 && from_step > 0 && to_step > 0);                                            \
        return copied(cudaMemcpy2D(TO, (size_t)to_step * size, FROM, (size_t)from_step * size,     \
                                   size, n, KIND));                                                \
    }                                                                                              \
    cublasStatus_t cublas##NAME##VectorAsync(int n, int size, const void *FROM, int from_step,     \
                                             void *TO, int to_step, cudaStream_t stream)           \
    {                                                                                              \
        NEED(size > 0 && from_step > 0 && to_step > 0);                                            \
        return copied(cudaMemcpy2DAsync(TO, (size_t)to_step * size, FROM,                          \
                                        (size_t)from_step * size, size, n, KIND, stream));         \
    }                                                                                              \
    cublasStatus_t cublas##NAME##Matrix(int rows, int columns, int size, const void *FROM,         \
                                        int lda, void *TO, int ldb)                                \
    {                                                                                              \
        NEED(size > 0 && lda >= rows && ldb >= rows && rows > 0);                                  \
        return copied(cudaMemcpy2D(TO, (size_t)ldb * size, FROM, (size_t)lda * size,               \
                                   (size_t)rows * size, columns, KIND));                           \
    }                                                                                              \
    cublasStatus_t cublas##NAME##MatrixAsync(int rows, int columns, int size, const void *FROM,    \
                                             int lda, void *TO, int ldb, cudaStream_t stream)      \
    {                                                                                              \
        NEED(size > 0 && lda >= rows && ldb >= rows && rows > 0);                                  \
        return copied(cudaMemcpy2DAsync(TO, (size_t)ldb * size, FROM, (size_t)lda * size,          \
                                        (size_t)rows * size, columns, KIND, stream));              \
    }
COPY(Set, host, device, cudaMemcpyHostToDevice)
COPY(Get, device, host, cudaMemcpyDeviceToHost)

/* --- vectors; V: BLAS takes a scalar of type T by its value, or its address ------------------- */

#define VALUE(P) (*(P))
#define ADDRESS(P) (P)

#define VECTORS(T, X, x, V)                                                                        \
    cublasStatus_t cublas##X##axpy_v2(cublasHandle_t handle, int n, const T *alpha, const T *a,    \
                                      int step, T *b, int b_step)                                  \
    {                                                                                              \
        OPEN();                                                                                    \
        READS(a, vector_length(n, step));                                                          \
        WRITES(b, vector_length(n, b_step));                                                       \
        cblas_##x##axpy(n, V(alpha), a, step, b, b_step);                                          \
        DONE;                                                                                      \
    }                                                                                              \
    cublasStatus_t cublas##X##copy_v2(cublasHandle_t handle, int n, const T *a, int step, T *b,    \
                                      int b_step)                                                  \
    {                                                                                              \
        OPEN();                                                                                    \
        READS(a, vector_length(n, step));                                                          \
        WRITES(b, vector_length(n, b_step));                                                       \
        cblas_##x##copy(n, a, step, b, b_step);                                                    \
        DONE;                                                                                      \
    }                                                                                              \
    cublasStatus_t cublas##X##swap_v2(cublasHandle_t handle, int n, T *a, int step, T *b,          \
                                      int b_step)                                                  \
    {                                                                                              \
        OPEN();                                                                                    \
        WRITES(a, vector_length(n, step));                                                         \
        WRITES(b, vector_length(n, b_step));                                                       \
        cblas_##x##swap(n, a, step, b, b_step);                                                    \
        DONE;                                                                                      \
    }                                                                                              \
    cublasStatus_t cublas##X##scal_v2(cublasHandle_t handle, int n, const T *alpha, T *a,          \
                                      int step)                                                    \
    {                                                                                              \
        OPEN();                                                                                    \
        WRITES(a, vector_length(n, step));                                                         \
        cblas_##x##scal(n, V(alpha), a, step);                                                     \
        DONE;                                                                                      \
    }
VECTORS(float, S, s, VALUE)
VECTORS(double, D, d, VALUE)
VECTORS(cuComplex, C, c, ADDRESS)
VECTORS(cuDoubleComplex, Z, z, ADDRESS)

/* NAME of one vector, to a number R; BLAS and cuBLAS name some of them otherwise. */
#define TO_NUMBER(T, R, NAME, CALL)                                                                \
    cublasStatus_t NAME(cublasHandle_t handle, int n, const T *a, int step, R *result)             \
    {                                                                                              \
        OPEN();                                                                                    \
        NEED(result);                                                                              \
        READS(a, vector_length(n, step));                                                          \
        *result = n < 1 || step < 1 ? 0 : CALL(n, a, step);                                        \
        DONE;                                                                                      \
    }
TO_NUMBER(float, float, cublasSnrm2_v2, cblas_snrm2)
TO_NUMBER(double, double, cublasDnrm2_v2, cblas_dnrm2)
TO_NUMBER(cuComplex, float, cublasScnrm2_v2, cblas_scnrm2)
TO_NUMBER(cuDoubleComplex, double, cublasDznrm2_v2, cblas_dznrm2)
TO_NUMBER(float, float, cublasSasum_v2, cblas_sasum)
TO_NUMBER(double, double, cublasDasum_v2, cblas_dasum)
TO_NUMBER(cuComplex, float, cublasScasum_v2, cblas_scasum)
TO_NUMBER(cuDoubleComplex, double, cublasDzasum_v2, cblas_dzasum)

/* cuBLAS counts elements from 1. */
TO_NUMBER(float, int, cublasIsamax_v2, 1 + (int)cblas_isamax)
TO_NUMBER(double, int, cublasIdamax_v2, 1 + (int)cblas_idamax)
TO_NUMBER(cuComplex, int, cublasIcamax_v2, 1 + (int)cblas_icamax)
TO_NUMBER(cuDoubleComplex, int, cublasIzamax_v2, 1 + (int)cblas_izamax)

#define LEAST(T, S, SIZE)                                                                          \
    static int least_##S(int n, const T *a, int step)                                              \
    {                                                                                              \
        int at = 0;                                                                                \
                                                                                                   \
        for (int i = 1; i < n; i++) {                                                              \
            const T v = a[(size_t)i * step], w = a[(size_t)at * step];                             \
                                                                                                   \
            if (SIZE(v) < SIZE(w))                                                                 \
                at = i;                                                                            \
        }                                                                                          \
        return at;                                                                                 \
    }
#define SIZE_OF_COMPLEX(v) (fabs((v).x) + fabs((v).y))
LEAST(float, s, fabs)
LEAST(double, d, fabs)
LEAST(cuComplex, c, SIZE_OF_COMPLEX)
LEAST(cuDoubleComplex, z, SIZE_OF_COMPLEX)
TO_NUMBER(float, int, cublasIsamin_v2, 1 + least_s)
TO_NUMBER(double, int, cublasIdamin_v2, 1 + least_d)
TO_NUMBER(cuComplex, int, cublasIcamin_v2, 1 + least_c)
TO_NUMBER(cuDoubleComplex, int, cublasIzamin_v2, 1 + least_z)

#define DOT(T, NAME, STATEMENT)                                                                    \
    cublasStatus_t NAME(cublasHandle_t handle, int n, const T *a, int step, const T *b,            \
                        int b_step, T *result)                                                     \
    {                                                                                              \
        OPEN();                                                                                    \
        NEED(result);                                                                              \
        READS(a, vector_length(n, step));                                                          \
        READS(b, vector_length(n, b_step));                                                        \
        STATEMENT;                                                                                 \
        DONE;                                                                                      \
    }
DOT(float, cublasSdot_v2, *result = cblas_sdot(n, a, step, b, b_step))
DOT(double, cublasDdot_v2, *result = cblas_ddot(n, a, step, b, b_step))
DOT(cuComplex, cublasCdotu_v2, cblas_cdotu_sub(n, a, step, b, b_step, (void *)result))
DOT(cuComplex, cublasCdotc_v2, cblas_cdotc_sub(n, a, step, b, b_step, (void *)result))
DOT(cuDoubleComplex, cublasZdotu_v2, cblas_zdotu_sub(n, a, step, b, b_step, (void *)result))
DOT(cuDoubleComplex, cublasZdotc_v2, cblas_zdotc_sub(n, a, step, b, b_step, (void *)result))

#define SCALE_BY_REAL(T, R, NAME, CALL)                                                            \
    cublasStatus_t NAME(cublasHandle_t handle, int n, const R *alpha, T *a, int step)              \
    {                                                                                              \
        OPEN();                                                                                    \
        WRITES(a, vector_length(n, step));                                                         \
        CALL(n, *alpha, a, step);                                                                  \
        DONE;                                                                                      \
    }
SCALE_BY_REAL(cuComplex, float, cublasCsscal_v2, cblas_csscal)
SCALE_BY_REAL(cuDoubleComplex, double, cublasZdscal_v2, cblas_zdscal)

#define ROTATE(T, NAME, CALL)                                                                      \
    cublasStatus_t NAME(cublasHandle_t handle, int n, T *a, int step, T *b, int b_step,            \
                        const T *c, const T *s)                                                    \
    {                                                                                              \
        OPEN();                                                                                    \
        WRITES(a, vector_length(n, step));                                                         \
        WRITES(b, vector_length(n, b_step));                                                       \
        CALL(n, a, step, b, b_step, *c, *s);                                                       \
        DONE;                                                                                      \
    }
ROTATE(float, cublasSrot_v2, cblas_srot)
ROTATE(double, cublasDrot_v2, cblas_drot)

/* --- a matrix and vectors --------------------------------------------------------------------- */

#define TRIANGLE_AND_VECTOR(T, X, x, NAME)                                                         \
    cublasStatus_t cublas##X##NAME##_v2(cublasHandle_t handle, cublasFillMode_t part,              \
                                        cublasOperation_t op, cublasDiagType_t diagonal, int n,    \
                                        const T *a, int lda, T *b, int step)                       \
    {                                                                                              \
        OPEN();                                                                                    \
        MATRIX(a, n, n, lda, false);                                                               \
        WRITES(b, vector_length(n, step));                                                         \
        cblas_##x##NAME(CblasColMajor, part_of(part), op_of(op), diagonal_of(diagonal), n, a, lda, \
                        b, step);                                                                  \
        DONE;                                                                                      \
    }

#define MATRIX_AND_VECTOR(T, X, x, V)                                                              \
    cublasStatus_t cublas##X##gemv_v2(cublasHandle_t handle, cublasOperation_t op, int m, int n,   \
                                      const T *alpha, const T *a, int lda, const T *b, int b_step, \
                                      const T *beta, T *c, int c_step)                             \
    {                                                                                              \
        OPEN();                                                                                    \
        MATRIX(a, m, n, lda, false);                                                               \
        READS(b, vector_length(op == CUBLAS_OP_N ? n : m, b_step));                                \
        WRITES(c, vector_length(op == CUBLAS_OP_N ? m : n, c_step));                               \
        cblas_##x##gemv(CblasColMajor, op_of(op), m, n, V(alpha), a, lda, b, b_step, V(beta), c,   \
                        c_step);                                                                   \
        DONE;                                                                                      \
    }                                                                                              \
    TRIANGLE_AND_VECTOR(T, X, x, trmv)                                                             \
    TRIANGLE_AND_VECTOR(T, X, x, trsv)
MATRIX_AND_VECTOR(float, S, s, VALUE)
MATRIX_AND_VECTOR(double, D, d, VALUE)
MATRIX_AND_VECTOR(cuComplex, C, c, ADDRESS)
MATRIX_AND_VECTOR(cuDoubleComplex, Z, z, ADDRESS)

#define OUTER(T, NAME, CALL, V)                                                                    \
    cublasStatus_t NAME(cublasHandle_t handle, int m, int n, const T *alpha, const T *b,           \
                        int b_step, const T *c, int c_step, T *a, int lda)                         \
    {                                                                                              \
        OPEN();                                                                                    \
        READS(b, vector_length(m, b_step));                                                        \
        READS(c, vector_length(n, c_step));                                                        \
        MATRIX(a, m, n, lda, true);                                                                \
        CALL(CblasColMajor, m, n, V(alpha), b, b_step, c, c_step, a, lda);                         \
        DONE;                                                                                      \
    }
OUTER(float, cublasSger_v2, cblas_sger, VALUE)
OUTER(double, cublasDger_v2, cblas_dger, VALUE)
OUTER(cuComplex, cublasCgeru_v2, cblas_cgeru, ADDRESS)
OUTER(cuComplex, cublasCgerc_v2, cblas_cgerc, ADDRESS)
OUTER(cuDoubleComplex, cublasZgeru_v2, cblas_zgeru, ADDRESS)
OUTER(cuDoubleComplex, cublasZgerc_v2, cblas_zgerc, ADDRESS)

#define SYMMETRIC_AND_VECTOR(T, NAME, CALL, V)                                                     \
    cublasStatus_t NAME(cublasHandle_t handle, cublasFillMode_t part, int n, const T *alpha,       \
                        const T *a, int lda, const T *b, int b_step, const T *beta, T *c,          \
                        int c_step)                                                                \
    {                                                                                              \
        OPEN();                                                                                    \
        MATRIX(a, n, n, lda, false);                                                               \
        READS(b, vector_length(n, b_step));                                                        \
        WRITES(c, vector_length(n, c_step));                                                       \
        CALL(CblasColMajor, part_of(part), n, V(alpha), a, lda, b, b_step, V(beta), c, c_step);    \
        DONE;                                                                                      \
    }
SYMMETRIC_AND_VECTOR(float, cublasSsymv_v2, cblas_ssymv, VALUE)
SYMMETRIC_AND_VECTOR(double, cublasDsymv_v2, cblas_dsymv, VALUE)
SYMMETRIC_AND_VECTOR(cuComplex, cublasChemv_v2, cblas_chemv, ADDRESS)
SYMMETRIC_AND_VECTOR(cuDoubleComplex, cublasZhemv_v2, cblas_zhemv, ADDRESS)

#define SYMMETRIC_OUTER(T, R, NAME, CALL)                                                          \
    cublasStatus_t NAME(cublasHandle_t handle, cublasFillMode_t part, int n, const R *alpha,       \
                        const T *b, int step, T *a, int lda)                                       \
    {                                                                                              \
        OPEN();                                                                                    \
        READS(b, vector_length(n, step));                                                          \
        MATRIX(a, n, n, lda, true);                                                                \
        CALL(CblasColMajor, part_of(part), n, *alpha, b, step, a, lda);                            \
        DONE;                                                                                      \
    }
SYMMETRIC_OUTER(float, float, cublasSsyr_v2, cblas_ssyr)
SYMMETRIC_OUTER(double, double, cublasDsyr_v2, cblas_dsyr)
SYMMETRIC_OUTER(cuComplex, float, cublasCher_v2, cblas_cher)
SYMMETRIC_OUTER(cuDoubleComplex, double, cublasZher_v2, cblas_zher)

/* --- products of matrices --------------------------------------------------------------------- */

#define PRODUCTS(T, X, x, V)                                                                       \
    cublasStatus_t cublas##X##gemm_v2(cublasHandle_t handle, cublasOperation_t op_a,               \
                                      cublasOperation_t op_b, int m, int n, int k, const T *alpha, \
                                      const T *a, int lda, const T *b, int ldb, const T *beta,     \
                                      T *c, int ldc)                                               \
    {                                                                                              \
        OPEN();                                                                                    \
        OPERAND(a, op_a, m, k, lda);                                                               \
        OPERAND(b, op_b, k, n, ldb);                                                               \
        MATRIX(c, m, n, ldc, true);                                                                \
        cblas_##x##gemm(CblasColMajor, op_of(op_a), op_of(op_b), m, n, k, V(alpha), a, lda, b,     \
                        ldb, V(beta), c, ldc);                                                     \
        DONE;                                                                                      \
    }                                                                                              \
    cublasStatus_t cublas##X##gemmStridedBatched(                                                  \
        cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n,       \
        int k, const T *alpha, const T *a, int lda, long long a_stride, const T *b, int ldb,       \
        long long b_stride, const T *beta, T *c, int ldc, long long c_stride, int count)           \
    {                                                                                              \
        cublasStatus_t status = CUBLAS_STATUS_SUCCESS;                                             \
        OPEN();                                                                                    \
        for (long long i = 0; i < count && !status; i++)                                           \
            status = cublas##X##gemm_v2(handle, op_a, op_b, m, n, k, alpha, a + i * a_stride, lda, \
                                        b + i * b_stride, ldb, beta, c + i * c_stride, ldc);       \
        return status;                                                                             \
    }                                                                                              \
    cublasStatus_t cublas##X##gemmBatched(                                                         \
        cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n,       \
        int k, const T *alpha, const T *const a[], int lda, const T *const b[], int ldb,           \
        const T *beta, T *const c[], int ldc, int count)                                           \
    {                                                                                              \
        cublasStatus_t status = CUBLAS_STATUS_SUCCESS;                                             \
        OPEN();                                                                                    \
        READS(a, (size_t)count);                                                                   \
        READS(b, (size_t)count);                                                                   \
        READS(c, (size_t)count);                                                                   \
        for (int i = 0; i < count && !status; i++)                                                 \
            status = cublas##X##gemm_v2(handle, op_a, op_b, m, n, k, alpha, a[i], lda, b[i], ldb,  \
                                        beta, c[i], ldc);                                          \
        return status;                                                                             \
    }                                                                                              \
    cublasStatus_t cublas##X##symm_v2(                                                             \
        cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t part, int m, int n,         \
        const T *alpha, const T *a, int lda, const T *b, int ldb, const T *beta, T *c, int ldc)    \
    {                                                                                              \
        int order = side == CUBLAS_SIDE_LEFT ? m : n;                                              \
        OPEN();                                                                                    \
        MATRIX(a, order, order, lda, false);                                                       \
        MATRIX(b, m, n, ldb, false);                                                               \
        MATRIX(c, m, n, ldc, true);                                                                \
        cblas_##x##symm(CblasColMajor, side_of(side), part_of(part), m, n, V(alpha), a, lda, b,    \
                        ldb, V(beta), c, ldc);                                                     \
        DONE;                                                                                      \
    }                                                                                              \
    cublasStatus_t cublas##X##syrk_v2(cublasHandle_t handle, cublasFillMode_t part,                \
                                      cublasOperation_t op, int n, int k, const T *alpha,          \
                                      const T *a, int lda, const T *beta, T *c, int ldc)           \
    {                                                                                              \
        OPEN();                                                                                    \
        OPERAND(a, op, n, k, lda);                                                                 \
        MATRIX(c, n, n, ldc, true);                                                                \
        cblas_##x##syrk(CblasColMajor, part_of(part), op_of(op), n, k, V(alpha), a, lda, V(beta),  \
                        c, ldc);                                                                   \
        DONE;                                                                                      \
    }                                                                                              \
    cublasStatus_t cublas##X##syr2k_v2(                                                            \
        cublasHandle_t handle, cublasFillMode_t part, cublasOperation_t op, int n, int k,          \
        const T *alpha, const T *a, int lda, const T *b, int ldb, const T *beta, T *c, int ldc)    \
    {                                                                                              \
        OPEN();                                                                                    \
        OPERAND(a, op, n, k, lda);                                                                 \
        OPERAND(b, op, n, k, ldb);                                                                 \
        MATRIX(c, n, n, ldc, true);                                                                \
        cblas_##x##syr2k(CblasColMajor, part_of(part), op_of(op), n, k, V(alpha), a, lda, b, ldb,  \
                         V(beta), c, ldc);                                                         \
        DONE;                                                                                      \
    }                                                                                              \
    cublasStatus_t cublas##X##trsm_v2(cublasHandle_t handle, cublasSideMode_t side,                \
                                      cublasFillMode_t part, cublasOperation_t op,                 \
                                      cublasDiagType_t diagonal, int m, int n, const T *alpha,     \
                                      const T *a, int lda, T *b, int ldb)                          \
    {                                                                                              \
        int order = side == CUBLAS_SIDE_LEFT ? m : n;                                              \
        OPEN();                                                                                    \
        MATRIX(a, order, order, lda, false);                                                       \
        MATRIX(b, m, n, ldb, true);                                                                \
        cblas_##x##trsm(CblasColMajor, side_of(side), part_of(part), op_of(op),                    \
                        diagonal_of(diagonal), m, n, V(alpha), a, lda, b, ldb);                    \
        DONE;                                                                                      \
    }                                                                                              \
    cublasStatus_t cublas##X##trsmBatched(                                                         \
        cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t part, cublasOperation_t op, \
        cublasDiagType_t diagonal, int m, int n, const T *alpha, const T *const a[], int lda,      \
        T *const b[], int ldb, int count)                                                          \
    {                                                                                              \
        cublasStatus_t status = CUBLAS_STATUS_SUCCESS;                                             \
        OPEN();                                                                                    \
        READS(a, (size_t)count);                                                                   \
        READS(b, (size_t)count);                                                                   \
        for (int i = 0; i < count && !status; i++)                                                 \
            status = cublas##X##trsm_v2(handle, side, part, op, diagonal, m, n, alpha, a[i], lda,  \
                                        b[i], ldb);                                                \
        return status;                                                                             \
    }                                                                                              \
    /* Unlike BLAS's the product goes to a matrix of its own. */                                   \
    cublasStatus_t cublas##X##trmm_v2(cublasHandle_t handle, cublasSideMode_t side,                \
                                      cublasFillMode_t part, cublasOperation_t op,                 \
                                      cublasDiagType_t diagonal, int m, int n, const T *alpha,     \
                                      const T *a, int lda, const T *b, int ldb, T *c, int ldc)     \
    {                                                                                              \
        int order = side == CUBLAS_SIDE_LEFT ? m : n;                                              \
        OPEN();                                                                                    \
        MATRIX(a, order, order, lda, false);                                                       \
        MATRIX(b, m, n, ldb, false);                                                               \
        MATRIX(c, m, n, ldc, true);                                                                \
        for (int i = 0; i < n && b != c; i++)                                                      \
            memcpy(c + (size_t)i * ldc, b + (size_t)i * ldb, (size_t)m * sizeof(*c));              \
        cblas_##x##trmm(CblasColMajor, side_of(side), part_of(part), op_of(op),                    \
                        diagonal_of(diagonal), m, n, V(alpha), a, lda, c, ldc);                    \
        DONE;                                                                                      \
    }                                                                                              \
    /* On matrices of the host's, or anywhere. */                                                  \
    cublasStatus_t cublasXt##X##gemm(cublasXtHandle_t handle, cublasOperation_t op_a,              \
                                     cublasOperation_t op_b, size_t m, size_t n, size_t k,         \
                                     const T *alpha, const T *a, size_t lda, const T *b,           \
                                     size_t ldb, const T *beta, T *c, size_t ldc)                  \
    {                                                                                              \
        OPEN();                                                                                    \
        cblas_##x##gemm(CblasColMajor, op_of(op_a), op_of(op_b), (int)m, (int)n, (int)k, V(alpha), \
                        a, (int)lda, b, (int)ldb, V(beta), c, (int)ldc);                           \
        DONE;                                                                                      \
    }
PRODUCTS(float, S, s, VALUE)
PRODUCTS(double, D, d, VALUE)
PRODUCTS(cuComplex, C, c, ADDRESS)
PRODUCTS(cuDoubleComplex, Z, z, ADDRESS)

#define HERMITIAN(T, R, X, x)                                                                      \
    cublasStatus_t cublas##X##hemm_v2(                                                             \
        cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t part, int m, int n,         \
        const T *alpha, const T *a, int lda, const T *b, int ldb, const T *beta, T *c, int ldc)    \
    {                                                                                              \
        int order = side == CUBLAS_SIDE_LEFT ? m : n;                                              \
        OPEN();                                                                                    \
        MATRIX(a, order, order, lda, false);                                                       \
        MATRIX(b, m, n, ldb, false);                                                               \
        MATRIX(c, m, n, ldc, true);                                                                \
        cblas_##x##hemm(CblasColMajor, side_of(side), part_of(part), m, n, alpha, a, lda, b, ldb,  \
                        beta, c, ldc);                                                             \
        DONE;                                                                                      \
    }                                                                                              \
    cublasStatus_t cublas##X##herk_v2(cublasHandle_t handle, cublasFillMode_t part,                \
                                      cublasOperation_t op, int n, int k, const R *alpha,          \
                                      const T *a, int lda, const R *beta, T *c, int ldc)           \
    {                                                                                              \
        OPEN();                                                                                    \
        OPERAND(a, op, n, k, lda);                                                                 \
        MATRIX(c, n, n, ldc, true);                                                                \
        cblas_##x##herk(CblasColMajor, part_of(part), op_of(op), n, k, *alpha, a, lda, *beta, c,   \
                        ldc);                                                                      \
        DONE;                                                                                      \
    }
HERMITIAN(cuComplex, float, C, c)
HERMITIAN(cuDoubleComplex, double, Z, z)

cublasStatus_t cublasXtCreate(cublasXtHandle_t *handle)
{
    return cublasCreate_v2((cublasHandle_t *)handle);
}

cublasStatus_t cublasXtDestroy(cublasXtHandle_t handle)
{
    return cublasDestroy_v2((cublasHandle_t)handle);
}

cublasStatus_t cublasXtDeviceSelect(cublasXtHandle_t handle, int count, int *devices)
{
    (void)handle;
    NEED(count > 0 && devices);
    DONE;
}

cublasStatus_t cublasXtSetBlockDim(cublasXtHandle_t handle, int block)
{
    (void)handle;
    NEED(block > 0);
    DONE;
}

/* --- what BLAS has not ------------------------------------------------------------------------ */

/* CUDA's complex numbers as C's: both are two parts, one behind the other. */
#define SUM_OF_MATRICES(T, S, X)                                                                   \
    static S element_##X(const T *a, cublasOperation_t op, int i, int j, int ld)                   \
    {                                                                                              \
        S v = ((const S *)a)[op == CUBLAS_OP_N ? i + (size_t)j * ld : j + (size_t)i * ld];         \
                                                                                                   \
        return op == CUBLAS_OP_C ? (S)conj(v) : v;                                                 \
    }                                                                                              \
    cublasStatus_t cublas##X##geam(                                                                \
        cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, int m, int n,       \
        const T *alpha, const T *a, int lda, const T *beta, const T *b, int ldb, T *c, int ldc)    \
    {                                                                                              \
        S p = *(const S *)alpha, q = *(const S *)beta;                                             \
        OPEN();                                                                                    \
        if (p != 0) {                                                                              \
            OPERAND(a, op_a, m, n, lda);                                                           \
        }                                                                                          \
        if (q != 0) {                                                                              \
            OPERAND(b, op_b, m, n, ldb);                                                           \
        }                                                                                          \
        MATRIX(c, m, n, ldc, true);                                                                \
        for (int j = 0; j < n; j++)                                                                \
            for (int i = 0; i < m; i++)                                                            \
                ((S *)c)[i + (size_t)j * ldc] =                                                    \
                    (p != 0 ? p * element_##X(a, op_a, i, j, lda) : 0) +                           \
                    (q != 0 ? q * element_##X(b, op_b, i, j, ldb) : 0);                            \
        DONE;                                                                                      \
    }                                                                                              \
    cublasStatus_t cublas##X##dgmm(cublasHandle_t handle, cublasSideMode_t side, int m, int n,     \
                                   const T *a, int lda, const T *b, int step, T *c, int ldc)       \
    {                                                                                              \
        int order = side == CUBLAS_SIDE_LEFT ? m : n;                                              \
        const T *first = step < 0 ? b - (ptrdiff_t)(order - 1) * step : b;                         \
        OPEN();                                                                                    \
        MATRIX(a, m, n, lda, false);                                                               \
        READS(b, vector_length(order, step));                                                      \
        MATRIX(c, m, n, ldc, true);                                                                \
        for (int j = 0; j < n; j++)                                                                \
            for (int i = 0; i < m; i++)                                                            \
                ((S *)c)[i + (size_t)j * ldc] =                                                    \
                    ((const S *)a)[i + (size_t)j * lda] *                                          \
                    ((const S *)first)[(ptrdiff_t)(side == CUBLAS_SIDE_LEFT ? i : j) * step];      \
        DONE;                                                                                      \
    }
SUM_OF_MATRICES(float, float, S)
SUM_OF_MATRICES(double, double, D)
SUM_OF_MATRICES(cuComplex, float _Complex, C)
SUM_OF_MATRICES(cuDoubleComplex, double _Complex, Z)

/* LAPACK's, for each matrix; where a library numbers rows, from 1 in both. */
#define DECLARE_LAPACK(T, x)                                                                       \
    void x##getrf_(const int *m, const int *n, T *a, const int *lda, int *pivots, int *info);      \
    void x##getri_(const int *n, T *a, const int *lda, const int *pivots, T *work,                 \
                   const int *length, int *info);                                                  \
    void x##getrs_(const char *op, const int *n, const int *m, const T *a, const int *lda,         \
                   const int *pivots, T *b, const int *ldb, int *info, size_t);
DECLARE_LAPACK(float, s)
DECLARE_LAPACK(double, d)
DECLARE_LAPACK(cuComplex, c)
DECLARE_LAPACK(cuDoubleComplex, z)

#define FACTORS(T, X, x)                                                                           \
    /* Without pivots, as cuBLAS has it for pivots that are NULL. */                               \
    static int factor_##X(int n, T *a, int lda)                                                    \
    {                                                                                              \
        int info = 0, one = 1, pivot;                                                              \
                                                                                                   \
        for (int k = 0; k < n; k++) {                                                              \
            T *d = a + k + (size_t)k * lda;                                                        \
            int wrong = 0;                                                                         \
                                                                                                   \
            x##getrf_(&one, &one, d, &lda, &pivot, &wrong);                                        \
            info = info || !wrong ? info : k + 1;                                                  \
            if (k + 1 < n)                                                                         \
                eliminate_##X(n - k - 1, d, lda);                                                  \
        }                                                                                          \
        return info;                                                                               \
    }                                                                                              \
    cublasStatus_t cublas##X##getrfBatched(cublasHandle_t handle, int n, T *const a[], int lda,    \
                                           int *pivots, int *info, int count)                      \
    {                                                                                              \
        OPEN();                                                                                    \
        READS(a, (size_t)count);                                                                   \
        WRITES(info, (size_t)count);                                                               \
        for (int i = 0; i < count; i++) {                                                          \
            MATRIX(a[i], n, n, lda, true);                                                         \
            if (pivots) {                                                                          \
                WRITES(pivots + (size_t)i * n, (size_t)n);                                         \
                x##getrf_(&n, &n, a[i], &lda, pivots + (size_t)i * n, &info[i]);                   \
            } else {                                                                               \
                info[i] = factor_##X(n, a[i], lda);                                                \
            }                                                                                      \
        }                                                                                          \
        DONE;                                                                                      \
    }                                                                                              \
    cublasStatus_t cublas##X##getriBatched(cublasHandle_t handle, int n, const T *const a[],       \
                                           int lda, const int *pivots, T *const c[], int ldc,      \
                                           int *info, int count)                                   \
    {                                                                                              \
        LIBRARY_FREED T *work = malloc((size_t)(n > 0 ? n : 1) * sizeof(T));                       \
        cublasStatus_t status = work ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;         \
                                                                                                   \
        for (int i = 0; i < count && !status; i++)                                                 \
            status = invert_##X(handle, n, a[i], lda, pivots ? pivots + (size_t)i * n : NULL,      \
                                c[i], ldc, &info[i], work);                                        \
        return status;                                                                             \
    }                                                                                              \
    cublasStatus_t cublas##X##getrsBatched(                                                        \
        cublasHandle_t handle, cublasOperation_t op, int n, int columns, const T *const a[],       \
        int lda, const int *pivots, T *const b[], int ldb, int *info, int count)                   \
    {                                                                                              \
        const char *letter = op == CUBLAS_OP_N ? "N" : op == CUBLAS_OP_T ? "T" : "C";              \
        LIBRARY_FREED int *same = in_order(pivots, n);                                             \
        OPEN();                                                                                    \
        *info = 0;                                                                                 \
        for (int i = 0; i < count && !*info; i++) {                                                \
            MATRIX(a[i], n, n, lda, false);                                                        \
            MATRIX(b[i], n, columns, ldb, true);                                                   \
            x##getrs_(letter, &n, &columns, a[i], &lda, pivots ? pivots + (size_t)i *n : same,     \
                      b[i], &ldb, info, 1);                                                        \
        }                                                                                          \
        DONE;                                                                                      \
    }

/* The pivots of a factorization without: 1, 2, and so on; NULL where there are some. */
static int *in_order(const int *pivots, int n)
{
    int *same = pivots ? NULL : malloc((size_t)(n > 0 ? n : 1) * sizeof(int));

    for (int i = 0; same && i < n; i++)
        same[i] = i + 1;
    return same;
}

#define STEP_OF_FACTORS(T, S, X, x, V)                                                             \
    /* The column below d over d, and what lies right of both less the product of the two. */      \
    static void eliminate_##X(int n, T *d, int ld)                                                 \
    {                                                                                              \
        S over = (S)1 / *(S *)d, less = -1;                                                        \
        const T *scale = (const T *)&over, *minus = (const T *)&less;                              \
                                                                                                   \
        cblas_##x##scal(n, V(scale), d + 1, 1);                                                    \
        cblas_##x##gemm(CblasColMajor, CblasNoTrans, CblasNoTrans, n, n, 1, V(minus), d + 1, n,    \
                        d + ld, ld, V(one_##X()), d + ld + 1, ld);                                 \
    }                                                                                              \
    static cublasStatus_t invert_##X(cublasHandle_t handle, int n, const T *a, int lda,            \
                                     const int *pivots, T *c, int ldc, int *info, T *work)         \
    {                                                                                              \
        LIBRARY_FREED int *same = in_order(pivots, n);                                             \
        OPEN();                                                                                    \
        MATRIX(a, n, n, lda, false);                                                               \
        MATRIX(c, n, n, ldc, true);                                                                \
        WRITES(info, (size_t)1);                                                                   \
        for (int i = 0; i < n; i++)                                                                \
            memcpy(c + (size_t)i * ldc, a + (size_t)i * lda, (size_t)n * sizeof(*c));              \
        x##getri_(&n, c, &ldc, pivots ? pivots : same, work, &n, info);                            \
        DONE;                                                                                      \
    }
#define ONE(T, S, X)                                                                               \
    static const T *one_##X(void)                                                                  \
    {                                                                                              \
        static const S one = 1;                                                                    \
                                                                                                   \
        return (const T *)&one;                                                                    \
    }
#define ALL_FACTORS(T, S, X, x, V)                                                                 \
    ONE(T, S, X)                                                                                   \
    STEP_OF_FACTORS(T, S, X, x, V)                                                                 \
    FACTORS(T, X, x)
ALL_FACTORS(float, float, S, s, VALUE)
ALL_FACTORS(double, double, D, d, VALUE)
ALL_FACTORS(cuComplex, float _Complex, C, c, ADDRESS)
ALL_FACTORS(cuDoubleComplex, double _Complex, Z, z, ADDRESS)

/* --- products of other types ------------------------------------------------------------------ */

static size_t size_of(cudaDataType type)
{
    return type == CUDA_C_32F ? 8 : type == CUDA_C_64F ? 16 : element_bytes(type);
}

/* A matrix in single precision, without gaps; to be freed. NULL: no memory. */
static float *in_single(const void *a, cudaDataType type, int rows, int columns, int ld)
{
    float *to = malloc(sizeof(float) * ((size_t)rows * columns + 1));

    for (int j = 0; to && j < columns; j++)
        for (int i = 0; i < rows; i++)
            to[i + (size_t)j * rows] = (float)element_value(a, type, i + (size_t)j * ld);
    return to;
}

/* An operand of the call below: its type, and rows and columns as they lie in memory. */
struct operand {
    const void *at;
    cudaDataType type;
    int rows, columns, ld;
};

static cublasStatus_t in_halves(cublasOperation_t op_a, cublasOperation_t op_b, int k, float alpha,
                                const struct operand *a, const struct operand *b, float beta,
                                const struct operand *c)
{
    LIBRARY_FREED float *x = in_single(a->at, a->type, a->rows, a->columns, a->ld);
    LIBRARY_FREED float *y = in_single(b->at, b->type, b->rows, b->columns, b->ld);
    LIBRARY_FREED float *z = beta == 0 ? calloc((size_t)c->rows * c->columns + 1, sizeof(float))
                                       : in_single(c->at, c->type, c->rows, c->columns, c->ld);
    bool good = x && y && z;

    if (good)
        cblas_sgemm(CblasColMajor, op_of(op_a), op_of(op_b), c->rows, c->columns, k, alpha, x,
                    a->rows > 1 ? a->rows : 1, y, b->rows > 1 ? b->rows : 1, beta, z,
                    c->rows > 1 ? c->rows : 1);
    for (int j = 0; good && j < c->columns; j++)
        for (int i = 0; i < c->rows; i++)
            element_put((void *)(uintptr_t)c->at, c->type, i + (size_t)j * c->ld,
                        z[i + (size_t)j * c->rows]);
    return good ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}

static void in_integers(cublasOperation_t op_a, cublasOperation_t op_b, int k, int alpha,
                        const struct operand *a, const struct operand *b, int beta,
                        const struct operand *c)
{
    const signed char *x = a->at, *y = b->at;
    int *z = (int *)(uintptr_t)c->at;

    for (int j = 0; j < c->columns; j++)
        for (int i = 0; i < c->rows; i++) {
            int sum = 0;

            for (int l = 0; l < k; l++)
                sum += x[op_a == CUBLAS_OP_N ? i + (size_t)l * a->ld : l + (size_t)i * a->ld] *
                       y[op_b == CUBLAS_OP_N ? l + (size_t)j * b->ld : j + (size_t)l * b->ld];
            z[i + (size_t)j * c->ld] = alpha * sum + (beta ? beta * z[i + (size_t)j * c->ld] : 0);
        }
}

static bool is_half(cudaDataType type)
{
    return type == CUDA_R_16F || type == CUDA_R_16BF;
}

/* The scalars alpha and beta have the type that is computed in. */
static float scalar(const void *p, cublasComputeType_t compute)
{
    return compute == CUBLAS_COMPUTE_16F || compute == CUBLAS_COMPUTE_16F_PEDANTIC
               ? cpu_f32_of_f16(*(const uint16_t *)p)
               : *(const float *)p;
}

cublasStatus_t cublasGemmEx(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b,
                            int m, int n, int k, const void *alpha, const void *a,
                            cudaDataType a_type, int lda, const void *b, cudaDataType b_type,
                            int ldb, const void *beta, void *c, cudaDataType c_type, int ldc,
                            cublasComputeType_t compute, cublasGemmAlgo_t algorithm)
{
    bool a_is = op_a == CUBLAS_OP_N, b_is = op_b == CUBLAS_OP_N;
    struct operand x = {a, a_type, a_is ? m : k, a_is ? k : m, lda};
    struct operand y = {b, b_type, b_is ? k : n, b_is ? n : k, ldb};
    struct operand z = {c, c_type, m, n, ldc};
    const struct operand *all[] = {&x, &y, &z};

    (void)algorithm;
    OPEN();
    for (int i = 0; i < 3; i++) {
        NEED(all[i]->ld >= (all[i]->rows > 1 ? all[i]->rows : 1));
        if (cpu_library_range(__func__, all[i]->at,
                              matrix_length(all[i]->rows, all[i]->columns, all[i]->ld) *
                                  size_of(all[i]->type),
                              i == 2))
            return CUBLAS_STATUS_EXECUTION_FAILED;
    }
    if (a_type == CUDA_R_8I && b_type == CUDA_R_8I && c_type == CUDA_R_32I) {
        in_integers(op_a, op_b, k, *(const int *)alpha, &x, &y, *(const int *)beta, &z);
        DONE;
    }
    if (a_type != b_type)
        return CUBLAS_STATUS_NOT_SUPPORTED;
    if (a_type == CUDA_R_64F && c_type == CUDA_R_64F)
        return cublasDgemm_v2(handle, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    if (a_type == CUDA_C_32F && c_type == CUDA_C_32F)
        return cublasCgemm_v2(handle, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    if (a_type == CUDA_C_64F && c_type == CUDA_C_64F)
        return cublasZgemm_v2(handle, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
    if ((!is_half(a_type) && a_type != CUDA_R_32F) || (!is_half(c_type) && c_type != CUDA_R_32F))
        return CUBLAS_STATUS_NOT_SUPPORTED;
    return in_halves(op_a, op_b, k, scalar(alpha, compute), &x, &y, scalar(beta, compute), &z);
}

cublasStatus_t cublasGemmStridedBatchedEx(cublasHandle_t handle, cublasOperation_t op_a,
                                          cublasOperation_t op_b, int m, int n, int k,
                                          const void *alpha, const void *a, cudaDataType a_type,
                                          int lda, long long a_stride, const void *b,
                                          cudaDataType b_type, int ldb, long long b_stride,
                                          const void *beta, void *c, cudaDataType c_type, int ldc,
                                          long long c_stride, int count,
                                          cublasComputeType_t compute, cublasGemmAlgo_t algorithm)
{
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;

    OPEN();
    for (long long i = 0; i < count && !status; i++)
        status = cublasGemmEx(
            handle, op_a, op_b, m, n, k, alpha,
            (const char *)a + i * a_stride * (long long)size_of(a_type), a_type, lda,
            (const char *)b + i * b_stride * (long long)size_of(b_type), b_type, ldb, beta,
            (char *)c + i * c_stride * (long long)size_of(c_type), c_type, ldc, compute, algorithm);
    return status;
}

cublasStatus_t cublasGemmBatchedEx(cublasHandle_t handle, cublasOperation_t op_a,
                                   cublasOperation_t op_b, int m, int n, int k, const void *alpha,
                                   const void *const a[], cudaDataType a_type, int lda,
                                   const void *const b[], cudaDataType b_type, int ldb,
                                   const void *beta, void *const c[], cudaDataType c_type, int ldc,
                                   int count, cublasComputeType_t compute,
                                   cublasGemmAlgo_t algorithm)
{
    cublasStatus_t status = CUBLAS_STATUS_SUCCESS;

    OPEN();
    for (int i = 0; i < count && !status; i++)
        status = cublasGemmEx(handle, op_a, op_b, m, n, k, alpha, a[i], a_type, lda, b[i], b_type,
                              ldb, beta, c[i], c_type, ldc, compute, algorithm);
    return status;
}

cublasStatus_t cublasSgemmEx(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b,
                             int m, int n, int k, const float *alpha, const void *a,
                             cudaDataType a_type, int lda, const void *b, cudaDataType b_type,
                             int ldb, const float *beta, void *c, cudaDataType c_type, int ldc)
{
    return cublasGemmEx(handle, op_a, op_b, m, n, k, alpha, a, a_type, lda, b, b_type, ldb, beta, c,
                        c_type, ldc, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT);
}

/* Declared for C++ alone. */
cublasStatus_t cublasHgemm(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b,
                           int m, int n, int k, const __half *alpha, const __half *a, int lda,
                           const __half *b, int ldb, const __half *beta, __half *c, int ldc);
cublasStatus_t cublasHgemmStridedBatched(cublasHandle_t handle, cublasOperation_t op_a,
                                         cublasOperation_t op_b, int m, int n, int k,
                                         const __half *alpha, const __half *a, int lda,
                                         long long a_stride, const __half *b, int ldb,
                                         long long b_stride, const __half *beta, __half *c, int ldc,
                                         long long c_stride, int count);

cublasStatus_t cublasHgemm(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b,
                           int m, int n, int k, const __half *alpha, const __half *a, int lda,
                           const __half *b, int ldb, const __half *beta, __half *c, int ldc)
{
    return cublasGemmEx(handle, op_a, op_b, m, n, k, alpha, a, CUDA_R_16F, lda, b, CUDA_R_16F, ldb,
                        beta, c, CUDA_R_16F, ldc, CUBLAS_COMPUTE_16F, CUBLAS_GEMM_DEFAULT);
}

cublasStatus_t cublasHgemmStridedBatched(cublasHandle_t handle, cublasOperation_t op_a,
                                         cublasOperation_t op_b, int m, int n, int k,
                                         const __half *alpha, const __half *a, int lda,
                                         long long a_stride, const __half *b, int ldb,
                                         long long b_stride, const __half *beta, __half *c, int ldc,
                                         long long c_stride, int count)
{
    return cublasGemmStridedBatchedEx(handle, op_a, op_b, m, n, k, alpha, a, CUDA_R_16F, lda,
                                      a_stride, b, CUDA_R_16F, ldb, b_stride, beta, c, CUDA_R_16F,
                                      ldc, c_stride, count, CUBLAS_COMPUTE_16F,
                                      CUBLAS_GEMM_DEFAULT);
}
