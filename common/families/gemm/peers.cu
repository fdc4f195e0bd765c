/*
 * The peer of the gemm family: cuBLAS, told to keep to single precision in every product and sum.
 */
#include <cublas_v2.h>

#include "harness/kit/peer.h"
#include "families/gemm/gemm.h"

static int64_t at_least_one(size_t ld)
{
    return ld > 0 ? (int64_t)ld : 1;
}

/* cuBLAS stores column by column: our C is its transpose of C, which is that of B times that of A. */
static void gemm(struct work *w)
{
    static cublasHandle_t handle; /* made in the warm-up run */

    if (!handle) {
        peer_check(cublasCreate(&handle), "cublasCreate");
        peer_check(cublasSetMathMode(handle, CUBLAS_PEDANTIC_MATH), "cublasSetMathMode");
    }
    peer_check(cublasSgemm_64(handle, CUBLAS_OP_N, CUBLAS_OP_N, (int64_t)w->n, (int64_t)w->m,
                              (int64_t)w->k, &w->alpha, w->b, at_least_one(w->ldb), w->a,
                              at_least_one(w->lda), &w->beta, w->c, at_least_one(w->ldc)),
               "cublasSgemm");
}

extern "C" {
extern const struct peer gemm_peers[];
}
const struct peer gemm_peers[] = {
    {&type_f32, {"cublas", "cublasSgemm with pedantic math", gemm, GRID_BY_SIZE}},
    {NULL},
};
