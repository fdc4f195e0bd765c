/*
 * The peers of the transpose family: cuBLAS, whose geam adds two matrices, either of them transposed
 * on the way; and the runtime's copy from device to device, the ceiling.
 */
#include <cublas_v2.h>

#include "harness/kit/peer.h"
#include "families/transpose/transpose.h"

/* cuBLAS stores column by column: our rows x cols matrix is its cols x rows matrix. */
static void geam(struct work *w)
{
    static cublasHandle_t handle; /* made in the warm-up run */
    const float one = 1, zero = 0;
    int rows = (int)w->rows, cols = (int)w->cols;

    if (!handle)
        peer_check(cublasCreate(&handle), "cublasCreate");
    if (rows > 0 && cols > 0)
        peer_check(cublasSgeam(handle, CUBLAS_OP_T, CUBLAS_OP_N, rows, cols, &one, w->in, cols,
                               &zero, w->out, rows, w->out, rows),
                   "cublasSgeam");
}

static void copy(struct work *w)
{
    cudaMemcpyAsync(w->out, w->in, w->rows * w->cols * sizeof(float), cudaMemcpyDeviceToDevice);
}

extern "C" {
extern const struct peer transpose_peers[];
}
const struct peer transpose_peers[] = {
    {&type_f32, {"cublas", "cublasSgeam", geam, GRID_BY_SIZE}},
    {&type_f32, {"memcpy", "cudaMemcpyAsync from device to device", copy, GRID_BY_SIZE | CEILING}},
    {NULL},
};
