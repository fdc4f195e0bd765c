/*
 * The reference on a GPU, in double: radix 2, a kernel per stage, without a table of roots. Its order of
 * operations is its own, neither a step's nor the host's, and points of it are compared with the sum of the
 * definition each time.
 */
#include "families/fft/fft_reference.h"

#include <cuda_runtime.h>
#include <math.h>

#include "families/fft/fft_compare.h"
#include "harness/kit/device.h"
#include "harness/kit/message.h"

#define THREADS 256
#define SAMPLES 32
#define POINT_THREADS 1024 /* of one point by the definition: few blocks, long sums */

static __device__ size_t first_of(void)
{
    return (size_t)blockIdx.x * THREADS + threadIdx.x;
}

static __device__ size_t stride_of(void)
{
    return (size_t)gridDim.x * THREADS;
}

/* exp(-2 pi i k / length) for a sign of 1; length is a power of two, so that the angle is exact. */
static __device__ double2 root_of(size_t k, size_t length, double sign)
{
    double2 w;

    sincospi(2 * (double)k / (double)length, &w.y, &w.x);
    w.y *= -sign;
    return w;
}

static __global__ void verify_widen(double2 *y, const float *x, size_t points)
{
    for (size_t i = first_of(); i < points; i += stride_of())
        y[i] = make_double2(x[2 * i], x[2 * i + 1]); /* aligned to a float alone */
}

/* A stage of Stockham's transform: sums and differences of points half a vector apart. */
static __global__ void verify_halve(double2 *y, const double2 *x, size_t length, size_t batch,
                                    size_t before, double sign)
{
    size_t half = length / 2;

    for (size_t b = first_of(); b < batch * half; b += stride_of()) {
        size_t i = b % half, j = i / before * before, from = b / half * length;
        double2 p = x[from + i], q = x[from + i + half], w = root_of(j, length, sign);
        double re = p.x - q.x, im = p.y - q.y;
        double2 *to = y + from + i + j;

        to[0] = make_double2(p.x + q.x, p.y + q.y);
        to[before] = make_double2(w.x * re - w.y * im, w.x * im + w.y * re);
    }
}

static __device__ double sum_of_warp(double sum)
{
    for (int k = 16; k > 0; k /= 2)
        sum += __shfl_xor_sync(0xffffffffu, sum, k);
    return sum;
}

/* The sum of the squares of each piece of a vector: a warp each. */
static __global__ void verify_squares(double *sums, const double2 *y, size_t length, size_t batch)
{
    size_t per_vector = pieces_of(length), lane = threadIdx.x % 32;

    for (size_t p = first_of() / 32; p < batch * per_vector; p += stride_of() / 32) {
        size_t from = p / per_vector * length, begin = p % per_vector * FFT_PIECE;
        size_t end = begin + FFT_PIECE < length ? begin + FFT_PIECE : length;
        double sum = 0;

        for (size_t k = begin + lane; k < end; k += 32)
            sum += y[from + k].x * y[from + k].x + y[from + k].y * y[from + k].y;
        sum = sum_of_warp(sum);
        if (lane == 0)
            sums[p] = sum;
    }
}

/* The norm of each vector, and its bound, which is least at norm 0 and grows with it: a warp each. */
static __global__ void verify_norms(double *norms, double *bounds, const double *sums,
                                    size_t per_vector, size_t batch, double least, double growth)
{
    size_t lane = threadIdx.x % 32;

    for (size_t v = first_of() / 32; v < batch; v += stride_of() / 32) {
        double sum = 0;

        for (size_t k = lane; k < per_vector; k += 32)
            sum += sums[v * per_vector + k];
        sum = sum_of_warp(sum);
        if (lane == 0) {
            norms[v] = isfinite(sum) ? sqrt(sum) : NAN;
            bounds[v] = least + growth * norms[v];
        }
    }
}

/* A point by the definition, and what it is compared with. */
struct sample {
    double2 sum, is;
    double all; /* the sum of the absolute values of both parts of all points */
    double norm;
};

/* Sample s of this many is a point of a vector that is as far through them all: a block each. */
static __global__ void verify_points(struct sample *samples, const double2 *y, const double *norms,
                                     const float *x, size_t length, size_t batch, double sign)
{
    __shared__ double part[3][POINT_THREADS];
    size_t s = blockIdx.x, v = s * batch / gridDim.x, t = threadIdx.x;
    size_t k = (s * 2654435761u + s / 2) % length;
    double sum[3] = {0};

    for (size_t j = t; j < length; j += POINT_THREADS) {
        double re = x[2 * (v * length + j)], im = x[2 * (v * length + j) + 1];
        double2 w = root_of(j * k % length, length, sign);

        sum[0] += w.x * re - w.y * im;
        sum[1] += w.x * im + w.y * re;
        sum[2] += fabs(re) + fabs(im);
    }
    for (int i = 0; i < 3; i++)
        part[i][t] = sum[i];
    __syncthreads();
    for (unsigned half = POINT_THREADS / 2; half > 0; half /= 2) {
        for (int i = 0; i < 3 && t < half; i++)
            part[i][t] += part[i][t + half];
        __syncthreads();
    }
    if (t == 0) {
        samples[s].sum = make_double2(part[0][0], part[1][0]);
        samples[s].all = part[2][0];
        samples[s].is = y[v * length + k];
        samples[s].norm = norms[v];
    }
}

/* Each term is off by the root's two ulps and three roundings, and passes through so many additions. */
static bool agrees(const struct sample *s, size_t length)
{
    double additions = ceil((double)length / POINT_THREADS) + log2(POINT_THREADS);
    double bound = (additions + 7) * 0x1p-53 * s->all + fft_reference_bound(length, s->norm);

    if (isnan(s->norm))
        return true; /* it is not finite, nor need this sum be */
    return fabs(s->sum.x - s->is.x) <= bound && fabs(s->sum.y - s->is.y) <= bound;
}

static int check_points(const struct comparison *c, const float *x, size_t length, size_t batch,
                        double sign)
{
    struct sample samples[SAMPLES];
    void *device = NULL;
    int status = device_alloc(&device, sizeof(samples), "points of the reference");

    if (status == 0) {
        verify_points<<<SAMPLES, POINT_THREADS>>>(
            (struct sample *)device, (const double2 *)c->reference->device,
            (const double *)c->norms->device, x, length, batch, sign);
        status = device_check(cudaGetLastError());
    }
    if (status == 0)
        status = device_check(cudaMemcpy(samples, device, sizeof(samples), cudaMemcpyDeviceToHost));
    for (int s = 0; s < SAMPLES && status == 0; s++)
        if (!agrees(&samples[s], length))
            status = complain(BAD_DEVICE,
                              "the reference of %zu points is wrong: %.17g %.17g, and by the "
                              "definition %.17g %.17g",
                              length, samples[s].is.x, samples[s].is.y, samples[s].sum.x,
                              samples[s].sum.y);
    device_free(device);
    return status;
}

/* All stages, from array to array; the last one leaves the result in the reference. */
static void transform(const struct comparison *c, double2 *other, const float *x, size_t length,
                      size_t batch, double sign)
{
    double2 *to = (double2 *)c->reference->device, *from = other;
    unsigned blocks = (unsigned)device_full_grid(THREADS), stages = 0;

    for (size_t k = length; k > 1; k /= 2)
        stages++;
    if (stages % 2 == 0) {
        from = to;
        to = other;
    }
    verify_widen<<<blocks, THREADS>>>(from, x, length * batch);
    for (size_t before = 1; before < length; before *= 2) {
        double2 *swap = from;

        verify_halve<<<blocks, THREADS>>>(to, from, length, batch, before, sign);
        from = to;
        to = swap;
    }
}

static int fill(const struct comparison *c, double2 *other, const float *x, size_t length,
                size_t batch, double sign)
{
    unsigned blocks = (unsigned)device_full_grid(THREADS);
    double *sums = (double *)c->pieces->device, least = fft_bound(length, 0);

    transform(c, other, x, length, batch, sign);
    verify_squares<<<blocks, THREADS>>>(sums, (const double2 *)c->reference->device, length, batch);
    verify_norms<<<blocks, THREADS>>>((double *)c->norms->device, (double *)c->bounds->device, sums,
                                      pieces_of(length), batch, least,
                                      fft_bound(length, 1) - least);
    return device_check(cudaGetLastError());
}

int fft_reference_on_device(const struct comparison *c, const float *x, size_t length, size_t batch,
                            bool inverse, bool *made)
{
    void *other = NULL;
    int status = 0;

    *made = false;
    if (length * batch < FFT_ON_DEVICE || (length & (length - 1)) != 0)
        return 0;
    other = device_try_alloc(length * batch * sizeof(double2));
    if (!other)
        return 0;
    status = fill(c, (double2 *)other, x, length, batch, inverse ? -1 : 1);
    if (status == 0)
        status = check_points(c, x, length, batch, inverse ? -1 : 1);
    device_free(other);
    *made = status == 0;
    return status;
}
