/*
 * A transform by several threads: stages of butterflies in registers, and exchanges between them.
 * Device code. The order is Stockham's: the points come out in order, without a pass that sorts
 * them.
 *
 * N points, N = R1 R2 ..., are transformed by T threads with N / T points each. Before each stage
 * thread t has the points t + T i. A stage of radix R does the butterflies t, t + T, ...; butterfly
 * j takes the points j + N/R k, k = 0 to R-1. With `BEFORE` the product of the radices of earlier
 * stages, and p the remainder of j by it, point k is multiplied by exp(-2 pi i p k / (R BEFORE))
 * first, and result k goes to place (j - p) R + p + BEFORE k.
 */
#ifndef FFT_STAGES_H
#define FFT_STAGES_H

#include "families/fft/butterfly.h"

/* The roots of unity of the second, third and fourth stage: root k of remainder p is at k BEFORE +
 * p. Tables in global memory that nobody writes. */
struct stage_roots {
    const c32 *of[3]; /* fft_roots(R, BEFORE, R * BEFORE) */

    /* w[k], k = 1 to R-1: those of a butterfly. */
    template <int R> __device__ __forceinline__ void get(c32 *w, int stage, int before, int p) const
    {
#pragma unroll
        for (int k = 1; k < R; k++)
            w[k] = __ldg(&of[stage][k * before + p]);
    }
};

/* The same tables, but for a radix of 16 or 32 most roots are products of two of them: one rounding
 * more for each, and fewer loads. */
struct product_roots {
    struct stage_roots tables;

    template <int R> __device__ __forceinline__ void get(c32 *w, int stage, int before, int p) const
    {
        const int Q = R == 32 ? 8 : R == 16 ? 4 : R;

#pragma unroll
        for (int k = 1; k < R; k++)
            if (k < Q || k % Q == 0)
                w[k] = __ldg(&tables.of[stage][k * before + p]);
#pragma unroll
        for (int k = Q + 1; k < R; k++)
            if (k % Q)
                w[k] = multiply(w[k / Q * Q], w[k % Q]);
    }
};

/* A stage of the thread's M * R points. */
template <int M, int R, int BEFORE, int T, typename Roots>
static __device__ __forceinline__ void stage(c32 *x, int t, const Roots &roots, int number)
{
#pragma unroll
    for (int b = 0; b < M; b++) {
        c32 y[R], w[R];

        if (BEFORE > 1)
            roots.template get<R>(w, number, BEFORE, (t + T * b) % BEFORE);
        y[0] = x[b];
#pragma unroll
        for (int k = 1; k < R; k++)
            y[k] = BEFORE == 1 ? x[b + M * k] : multiply(x[b + M * k], w[k]);
        butterfly<R>(y);
#pragma unroll
        for (int k = 0; k < R; k++)
            x[b + M * k] = y[k];
    }
}

/* Where a point lies in shared memory: with one more after every 16, so that the lanes' stores,
 * which are R points apart after the first stage, meet all banks. */
static __device__ __forceinline__ unsigned padded(unsigned place)
{
    return place + place / 16;
}

/* Points of shared memory for a vector, an odd number, so that the same place of neighbouring
 * vectors lies in different banks. */
static __host__ __device__ constexpr int room(int n)
{
    return n + n / 16 + 1;
}

/* So many threads wait for each other: those of a warp, or of the block. */
template <int MEET> static __device__ __forceinline__ void meet()
{
    if (MEET <= 32)
        __syncwarp();
    else
        __syncthreads();
}

/* The results of a stage to their places, and from there those of the next: whole points. A thread
 * may go on as thread `next` of another vector, `from`. */
template <int M, int R, int BEFORE, int T, int MEET>
static __device__ __forceinline__ void exchange(c32 *x, int t, int next, c32 *to, const c32 *from)
{
#pragma unroll
    for (int b = 0; b < M; b++) {
        int j = t + T * b, place = (j - j % BEFORE) * R + j % BEFORE;

#pragma unroll
        for (int k = 0; k < R; k++)
            to[padded(place + BEFORE * k)] = x[b + M * k];
    }
    meet<MEET>();
#pragma unroll
    for (int i = 0; i < M * R; i++)
        x[i] = from[padded(next + T * i)];
}

/* The same in half the room: all real parts, then all imaginary ones. */
template <int M, int R, int BEFORE, int T, int MEET>
static __device__ __forceinline__ void exchange(c32 *x, int t, int next, float *to,
                                                const float *from)
{
#pragma unroll
    for (int half = 0; half < 2; half++) {
        if (half)
            meet<MEET>();
#pragma unroll
        for (int b = 0; b < M; b++) {
            int j = t + T * b, place = (j - j % BEFORE) * R + j % BEFORE;

#pragma unroll
            for (int k = 0; k < R; k++)
                to[padded(place + BEFORE * k)] = half ? x[b + M * k].y : x[b + M * k].x;
        }
        meet<MEET>();
#pragma unroll
        for (int i = 0; i < M * R; i++)
            (half ? x[i].y : x[i].x) = from[padded(next + T * i)];
    }
}

/* The points of a vector, by T threads, in two to four stages: a radix of 1 is none. The last
 * exchange may hand them to other threads. MEET threads wait for each other: T, or the block's
 * where those of a vector are not side by side. Word is c32, or float for exchanges in halves. */
template <int N, int T, int R1, int R2, int R3, int R4, int MEET, typename Word, typename Roots>
static __device__ __forceinline__ void transform(c32 *x, int t, int next, Word *to,
                                                 const Word *from, const Roots &roots)
{
    constexpr int P = N / T, S3 = R3 > 1 ? R3 : 2, S4 = R4 > 1 ? R4 : 2; /* 2: never used */

    stage<P / R1, R1, 1, T>(x, t, roots, 0);
    if (R3 > 1) {
        exchange<P / R1, R1, 1, T, MEET>(x, t, t, to, to);
        stage<P / R2, R2, R1, T>(x, t, roots, 0);
        meet<MEET>();
    }
    if (R4 > 1) {
        exchange<P / R2, R2, R1, T, MEET>(x, t, t, to, to);
        stage<P / S3, S3, R1 * R2, T>(x, t, roots, 1);
        meet<MEET>();
        exchange<P / S3, S3, R1 * R2, T, MEET>(x, t, next, to, from);
        stage<P / S4, S4, R1 * R2 * R3, T>(x, next, roots, 2);
    } else if (R3 > 1) {
        exchange<P / R2, R2, R1, T, MEET>(x, t, next, to, from);
        stage<P / S3, S3, R1 * R2, T>(x, next, roots, 1);
    } else {
        exchange<P / R1, R1, 1, T, MEET>(x, t, next, to, from);
        stage<P / R2, R2, R1, T>(x, next, roots, 0);
    }
}

/* The tables for it, on the host. */
static inline struct stage_roots stage_roots_of(int r1, int r2, int r3, int r4)
{
    struct stage_roots roots = {{fft_roots(r2, r1, r1 * r2)}};

    if (r3 > 1)
        roots.of[1] = fft_roots(r3, r1 * r2, r1 * r2 * r3);
    if (r4 > 1)
        roots.of[2] = fft_roots(r4, r1 * r2 * r3, r1 * r2 * r3 * r4);
    return roots;
}

#endif
