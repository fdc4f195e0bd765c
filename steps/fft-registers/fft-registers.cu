/*
 * fft-registers: a whole vector in a thread's registers
 *
 * Idea      8 or 16 points are few enough for one thread: it reads its vector, computes the transform by
 *           butterflies with constant roots of unity, and writes it. No thread waits for another.
 * Since     The definition needs length products for each point; butterflies need lg length additions.
 * Expect    The arithmetic is free: what counts is how a warp's 32 vectors come in. Read by their own
 *           threads, each load touches 32 sectors; read in order and handed over in shared memory, a warp
 *           needs each sector once, and the rate is the copy's.
 * Source    GPU programming principles; Cooley and Tukey, 1965.
 */
#include "families/fft/butterfly.h"

#define WARP 32
#define THREADS 128 /* of a block of four warps */

/* A thread's own vector, from memory to memory. */
template <int N>
static __device__ __forceinline__ void transform_own(c32 *out, const c32 *in, float sign)
{
    c32 x[N];

#pragma unroll
    for (int i = 0; i < N; i++)
        x[i] = conjugate(in[i], sign);
    butterfly<N>(x);
#pragma unroll
    for (int i = 0; i < N; i++)
        out[i] = conjugate(x[i], sign);
}

/* Each thread reads and writes its own vector: neighbouring lanes are a whole vector apart. */
template <int N> __global__ void fft_own(c32 *out, const c32 *in, size_t batch, float sign)
{
    size_t v = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (v < batch)
        transform_own<N>(out + v * N, in + v * N, sign);
}

/*
 * A warp reads its 32 vectors in the order of memory, point 32 i + lane in round i, and stores them in
 * shared memory, a row for each; then each lane takes its row. A row has one point of padding, so that
 * lanes that take one column meet all the banks. The way out is the same backwards. A last warp with fewer
 * vectors goes the other way, so that no other one tests anything.
 */
template <int N> __global__ void __launch_bounds__(THREADS, 8)
fft_warp(c32 *out, const c32 *in, size_t batch, float sign)
{
    __shared__ c32 rows[THREADS * (N + 1)];
    int lane = threadIdx.x % WARP;
    size_t v = (size_t)blockIdx.x * blockDim.x + threadIdx.x, first = v - lane; /* of the warp */
    c32 *row = rows + (threadIdx.x - lane) * (N + 1), x[N];

    if (first + WARP > batch) {
        if (v < batch)
            transform_own<N>(out + v * N, in + v * N, sign);
        return;
    }
#pragma unroll
    for (int i = 0; i < N; i++) {
        int p = i * WARP + lane;

        row[p / N * (N + 1) + p % N] = in[first * N + p];
    }
    __syncwarp();
#pragma unroll
    for (int i = 0; i < N; i++)
        x[i] = conjugate(row[lane * (N + 1) + i], sign);
    butterfly<N>(x);
#pragma unroll
    for (int i = 0; i < N; i++)
        row[lane * (N + 1) + i] = conjugate(x[i], sign);
    __syncwarp();
#pragma unroll
    for (int i = 0; i < N; i++) {
        int p = i * WARP + lane;

        out[first * N + p] = row[p / N * (N + 1) + p % N];
    }
}

static unsigned blocks_of(const struct work *w)
{
    return (unsigned)((w->batch + w->threads - 1) / w->threads);
}

static void own(struct work *w)
{
    if (w->batch == 0)
        return;
    if (w->length == 8)
        fft_own<8><<<blocks_of(w), w->threads>>>(w->out, w->in, w->batch, w->sign);
    else
        fft_own<16><<<blocks_of(w), w->threads>>>(w->out, w->in, w->batch, w->sign);
}

static void warp(struct work *w)
{
    if (w->batch == 0)
        return;
    if (w->length == 8)
        fft_warp<8><<<blocks_of(w), THREADS>>>(w->out, w->in, w->batch, w->sign);
    else
        fft_warp<16><<<blocks_of(w), THREADS>>>(w->out, w->in, w->batch, w->sign);
}

static const struct variant variants[] = {
    {"own", "each thread reads its own vector", own, 0, .only = "8 16"},
    {"warp", "a warp reads in the order of memory, and hands over in shared memory", warp, 0,
     .threads = THREADS, .only = "8 16"},
};

STEP("fft-registers", fft_family, variants);
