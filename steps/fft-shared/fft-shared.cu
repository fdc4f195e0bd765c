/*
 * fft-shared: several threads transform a vector, and exchange points in shared memory
 *
 * Idea      Vectors of 64 to 4096 points go in three or four stages. In each a thread has 4 to 16 points in
 *           registers and does butterflies on them, as in fft-registers; between stages the threads of a
 *           vector exchange their points through shared memory. Global memory sees each point twice.
 * Since     fft-registers ends where a vector no longer fits a thread.
 * Expect    As many bytes as a copy, so its rate, if enough blocks are resident to load while others
 *           exchange. In halves, real parts first, an exchange needs half the shared memory and two more
 *           barriers.
 * Source    GPU programming principles: 2048 = 16 x 16 x 8 by 128 threads; Stockham's order of points.
 */
#include "families/fft/stages.h"

/* V vectors a block, T threads each. Word is what is exchanged at once: a point, or a half of it. */
template <int N, int T, int R1, int R2, int R3, int R4, int V, int BLOCKS, typename Word>
__global__ void __launch_bounds__(T *V, BLOCKS)
fft_block(c32 *out, const c32 *in, size_t batch, float sign, struct stage_roots roots)
{
    __shared__ Word places[V * room(N)];
    int t = threadIdx.x % T;
    size_t v = (size_t)blockIdx.x * V + threadIdx.x / T;
    Word *own = places + threadIdx.x / T * room(N);
    c32 x[N / T];

#pragma unroll
    for (int i = 0; i < N / T; i++)
        x[i] = v < batch ? conjugate(in[v * N + t + T * i], sign) : make_float2(0, 0);
    transform<N, T, R1, R2, R3, R4, T>(x, t, t, own, own, roots);
    if (v >= batch)
        return;
#pragma unroll
    for (int i = 0; i < N / T; i++)
        out[v * N + t + T * i] = conjugate(x[i], sign);
}

template <int N, int T, int R1, int R2, int R3, int R4, int V, int BLOCKS, typename Word>
static void start(struct work *w)
{
    struct stage_roots roots = stage_roots_of(R1, R2, R3, R4);

    if (w->batch > 0)
        fft_block<N, T, R1, R2, R3, R4, V, BLOCKS, Word>
            <<<(unsigned)((w->batch + V - 1) / V), T * V>>>(w->out, w->in, w->batch, w->sign, roots);
}

/* Blocks a multiprocessor leave 64 registers a thread; to exchange halves some need more. 2048 whole points
 * go by threads of 8, with 48 registers. */
template <typename Word> static void by_length(struct work *w)
{
    const bool whole = sizeof(Word) == sizeof(c32);

    switch (w->length) {
    case 64:
        return start<64, 16, 4, 4, 4, 1, 8, 8, Word>(w);
    case 256:
        return start<256, 32, 8, 8, 4, 1, 2, 16, Word>(w);
    case 512:
        return start<512, 64, 8, 8, 8, 1, 1, 16, Word>(w);
    case 1024:
        return start<1024, 64, 16, 16, 4, 1, 1, whole ? 16 : 12, Word>(w);
    case 2048:
        return whole ? start<2048, 256, 8, 8, 8, 4, 1, 5, c32>(w)
                     : start<2048, 128, 16, 16, 8, 1, 1, 6, float>(w);
    case 4096:
        return start<4096, 256, 16, 16, 16, 1, 1, 3, Word>(w);
    }
}

static void points(struct work *w)
{
    by_length<c32>(w);
}

static void halves(struct work *w)
{
    by_length<float>(w);
}

/* Threads a block. */
static int threads(size_t length)
{
    return length == 64 ? 128 : length <= 1024 ? 64 : (int)(length / 16);
}

static void shape(struct shape *s)
{
    if (s->threads == 0)
        s->threads = s->axis[FFT_LENGTH] == 2048 ? 256 : threads(s->axis[FFT_LENGTH]);
}

static void shape_of_halves(struct shape *s)
{
    if (s->threads == 0)
        s->threads = threads(s->axis[FFT_LENGTH]);
}

#define LENGTHS "64 256 512 1024 2048 4096"

static const struct variant variants[] = {
    {"points", "threads exchange whole points", points, THREADS_BY_SIZE, .default_shape = shape,
     .only = LENGTHS},
    {"halves", "they exchange real parts, then imaginary ones, in half the room", halves,
     THREADS_BY_SIZE, .default_shape = shape_of_halves, .only = LENGTHS},
};

STEP("fft-shared", fft_family, variants);
