/*
 * fft-block: 8192 or 16384 points, in the shared memory of one block
 *
 * Idea      A block has up to 227 KiB of shared memory, if the launch requests it. So
 *           a vector of 64 or 128 KiB needs no second pass: threads of 32 points transform it in three
 *           stages, as in fft-shared.
 * Since     fft-shared ends where a vector no longer fits the 48 KiB that a kernel may declare.
 * Expect    The copy's bytes, at almost its rate for 8192 points. Of 16384 a multiprocessor holds one
 *           vector, and loads nothing while it transforms it.
 * Source    GPU programming principles; Stockham's order of points.
 */
#include "families/fft/stages.h"

template <int N, int T, int R1, int R2, int R3, int BLOCKS>
__global__ void __launch_bounds__(T, BLOCKS)
fft_block(c32 *out, const c32 *in, float sign, struct stage_roots roots)
{
    extern __shared__ c32 places[];
    size_t base = (size_t)blockIdx.x * N;
    int t = threadIdx.x;
    c32 x[N / T];

#pragma unroll
    for (int i = 0; i < N / T; i++)
        x[i] = conjugate(in[base + t + T * i], sign);
    transform<N, T, R1, R2, R3, 1, T>(x, t, t, places, places, product_roots{roots});
#pragma unroll
    for (int i = 0; i < N / T; i++)
        out[base + t + T * i] = conjugate(x[i], sign);
}

template <int N, int T, int R1, int R2, int R3, int BLOCKS> static void start(struct work *w)
{
    const int shared = room(N) * sizeof(c32);

    cudaFuncSetAttribute(fft_block<N, T, R1, R2, R3, BLOCKS>,
                         cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
    fft_block<N, T, R1, R2, R3, BLOCKS>
        <<<(unsigned)w->batch, T, shared>>>(w->out, w->in, w->sign, stage_roots_of(R1, R2, R3, 1));
}

static void whole(struct work *w)
{
    if (w->batch == 0)
        return;
    if (w->length == 1 << 13)
        start<1 << 13, 256, 16, 16, 32, 2>(w);
#ifndef BACKEND_CPU
    else
        start<1 << 14, 512, 32, 16, 32, 1>(w);
#endif
}

static void shape(struct shape *s)
{
    if (s->threads == 0)
        s->threads = s->axis[FFT_LENGTH] == 1 << 14 ? 512 : 256;
}

static bool refuse(const struct shape *s, char *why, size_t size)
{
    return device_lacks_shared(room((int)s->axis[FFT_LENGTH]) * sizeof(c32), why, size);
}

/* A kernel is made for its length, so each costs time to compile: the CPU device has one. */
#ifdef BACKEND_CPU
#define LENGTHS "8192"
#else
#define LENGTHS "8192 16384"
#endif

static const struct variant variants[] = {
    {"whole", "threads exchange whole points", whole, THREADS_BY_SIZE, .default_shape = shape,
     .only = LENGTHS, .refuse = refuse},
};

STEP("fft-block", fft_family, variants);
