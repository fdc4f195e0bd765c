/*
 * The comparison on a GPU: a warp per piece of a vector, then a thread per vector, and one worst
 * vector per block, which the host joins.
 */
#include "families/fft/fft_compare.h"

#include <cuda_runtime.h>

#include "harness/kit/device.h"

#define THREADS 128

static __global__ void verify_pieces(double *sums, const float *y, const double *reference,
                                     const double *norms, size_t length, size_t batch,
                                     bool opposite)
{
    size_t per_vector = pieces_of(length), warps = (size_t)gridDim.x * (THREADS / 32);
    size_t warp = (size_t)blockIdx.x * (THREADS / 32) + threadIdx.x / 32;

    for (; warp < batch * per_vector; warp += warps) {
        size_t v = warp / per_vector, begin = warp % per_vector * FFT_PIECE;
        size_t end = begin + FFT_PIECE < length ? begin + FFT_PIECE : length;
        bool finite = norms[v] == norms[v];
        double sum = 0;

        for (size_t k = v * length + begin + threadIdx.x % 32; k < v * length + end; k += 32)
            sum += off_by(y + 2 * k, reference + 2 * k, finite, opposite);
        for (int k = 16; k > 0; k /= 2)
            sum += __shfl_down_sync(0xffffffffu, sum, k);
        if (threadIdx.x % 32 == 0)
            sums[warp] = sum;
    }
}

static __global__ void verify_vectors(struct worst *worst, const double *sums, const double *norms,
                                      const double *bounds, size_t length, size_t batch)
{
    __shared__ struct worst own[THREADS];
    size_t per_vector = pieces_of(length), stride = (size_t)gridDim.x * THREADS;
    struct worst *w = &own[threadIdx.x];

    memset(w, 0, sizeof(*w));
    w->part = -1;
    for (size_t v = (size_t)blockIdx.x * THREADS + threadIdx.x; v < batch; v += stride) {
        double sum = 0;

        for (size_t k = 0; k < per_vector; k++)
            sum += sums[v * per_vector + k];
        compare_vector(w, v, sum, norms[v], bounds[v]);
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int t = 1; t < THREADS; t++)
            worst_of(w, &own[t]);
        worst[blockIdx.x] = *w;
    }
}

static void launch(struct worst *device, size_t blocks, const void *context)
{
    const struct comparison *c = (const struct comparison *)context;
    double *sums = (double *)c->pieces->device;
    const double *norms = (const double *)c->norms->device;

    verify_pieces<<<(unsigned)blocks, THREADS>>>(sums, (const float *)c->out->device,
                                                 (const double *)c->reference->device, norms,
                                                 c->length, c->batch, c->opposite);
    verify_vectors<<<(unsigned)blocks, THREADS>>>(
        device, sums, norms, (const double *)c->bounds->device, c->length, c->batch);
}

int fft_compare_reserve(const struct comparison *c, size_t points, size_t most_vectors)
{
    int status = buffer_reserve(c->reference, 2 * points);

    if (status == 0)
        status = buffer_reserve(c->norms, most_vectors);
    if (status == 0)
        status = buffer_reserve(c->bounds, most_vectors);
    return status == 0 ? buffer_reserve(c->pieces, most_vectors + points / FFT_PIECE + 1) : status;
}

static int upload(const struct buffer *b, size_t elements)
{
    return device_check(
        cudaMemcpy(b->device, b->host, elements * b->bytes, cudaMemcpyHostToDevice));
}

int fft_compare_upload(const struct comparison *c)
{
    int status = upload(c->reference, 2 * c->length * c->batch);

    if (status == 0)
        status = upload(c->norms, c->batch);
    return status == 0 ? upload(c->bounds, c->batch) : status;
}

size_t fft_furthest(const struct comparison *c, size_t vector)
{
    return vector * c->length;
}

int fft_compare(const struct comparison *c, struct worst *worst)
{
    return worst_on_device(worst, (size_t)device_full_grid(THREADS), launch, c);
}
