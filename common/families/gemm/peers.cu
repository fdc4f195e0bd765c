/*
 * The peer of gemm and hgemm: cuBLAS. With floats it is told to keep to single precision in every
 * product and sum; with halves it has sums in single precision, by tensor cores.
 */
#include <cublas_v2.h>

#include "harness/kit/peer.h"
#include "families/gemm/gemm.h"

static int64_t at_least_one(size_t ld)
{
    return ld > 0 ? (int64_t)ld : 1;
}

/* Made in a warm-up run, one for each mode. */
static cublasHandle_t handle_with(cublasMath_t mode)
{
    static cublasHandle_t handles[2];
    cublasHandle_t *handle = &handles[mode == CUBLAS_PEDANTIC_MATH];

    if (!*handle) {
        peer_check(cublasCreate(handle), "cublasCreate");
        peer_check(cublasSetMathMode(*handle, mode), "cublasSetMathMode");
    }
    return *handle;
}

/* cuBLAS stores column by column: our C is its transpose of C, which is that of B times that of A. */
static void gemm(struct work *w)
{
    peer_check(cublasSgemm_64(handle_with(CUBLAS_PEDANTIC_MATH), CUBLAS_OP_N, CUBLAS_OP_N,
                              (int64_t)w->n, (int64_t)w->m, (int64_t)w->k, &w->alpha,
                              (const float *)w->b, at_least_one(w->ldb), (const float *)w->a,
                              at_least_one(w->lda), &w->beta, w->c, at_least_one(w->ldc)),
               "cublasSgemm");
}

/* Where B is stored as its transpose, its columns lie together: that is B to cuBLAS, whose transpose
 * is asked for. */
static void of_halves(struct work *w, cudaDataType_t type)
{
    peer_check(cublasGemmEx_64(
                   handle_with(CUBLAS_DEFAULT_MATH), w->transposed ? CUBLAS_OP_T : CUBLAS_OP_N,
                   CUBLAS_OP_N, (int64_t)w->n, (int64_t)w->m, (int64_t)w->k, &w->alpha, w->b, type,
                   at_least_one(w->ldb), w->a, type, at_least_one(w->lda), &w->beta, w->c,
                   CUDA_R_32F, at_least_one(w->ldc), CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
               "cublasGemmEx");
}

static void gemm_f16(struct work *w)
{
    of_halves(w, CUDA_R_16F);
}

static void gemm_bf16(struct work *w)
{
    of_halves(w, CUDA_R_16BF);
}

extern "C" {
extern const struct peer gemm_peers[];
}
const struct peer gemm_peers[] = {
    {&type_f32, {"cublas", "cublasSgemm with pedantic math", gemm, GRID_BY_SIZE}},
    {&type_bf16, {"cublas", "cublasGemmEx, sums and C in floats", gemm_bf16, GRID_BY_SIZE}},
    {&type_f16, {"cublas", "cublasGemmEx, sums and C in floats", gemm_f16, GRID_BY_SIZE}},
    {NULL},
};
