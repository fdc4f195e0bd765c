/*
 * A row that waits in registers while its maximum and its sum are found: what softmax-registers and
 * the steps with clusters share. So many threads have a row of `length` vectors, and thread t the
 * vectors t, t + threads, ... The first HELD of them stay in its registers; what it has more is
 * loaded again by each of the three functions of a row. Whatever the type of the elements, what is
 * computed of them is float.
 */
#ifndef SOFTMAX_ROW_H
#define SOFTMAX_ROW_H

#include "families/softmax/softmax.h"
#include "harness/kit/wide.h"

/* What is known of a part of a row: its largest element, and the sum of all exp(x - max). */
struct part {
    float max, sum;
};

/* By what a sum for the maximum `from` is multiplied to be one for `to`. */
static __device__ float factor(float from, float to)
{
    return from == -INFINITY ? 0 : expf(from - to);
}

static __device__ struct part joined_parts(struct part a, struct part b)
{
    float max = fmaxf(a.max, b.max);

    a.sum = a.sum * factor(a.max, max) + b.sum * factor(b.max, max);
    a.max = max;
    return a;
}

static __device__ struct part warp_all(struct part p)
{
    for (int k = 16; k > 0; k /= 2) {
        struct part other = {__shfl_xor_sync(0xffffffff, p.max, k),
                             __shfl_xor_sync(0xffffffff, p.sum, k)};

        p = joined_parts(p, other);
    }
    return p;
}

/* The first `count` of these parts as one, at most 32, in each lane of a warp. */
static __device__ struct part all_of(const struct part *parts, unsigned count)
{
    unsigned lane = threadIdx.x % 32;
    struct part p;

    p.max = lane < count ? parts[lane].max : -INFINITY;
    p.sum = lane < count ? parts[lane].sum : 0;
    return warp_all(p);
}

/* Load the thread's vectors, those in registers before it looks at any: its largest element. In
 * place of vectors that are not there is -infinity, whose exponential is 0. */
template <int COLS, int HELD>
static __device__ __forceinline__ float load_row(float (&held)[HELD][COLS], const vector<COLS> *in,
                                                 size_t length, unsigned t, unsigned threads)
{
    unsigned most = HELD * threads, within = length < most ? (unsigned)length : most;
    vector<COLS> v[HELD];
    float max = -INFINITY;

#pragma unroll
    for (int i = 0; i < HELD; i++) {
#pragma unroll
        for (int c = 0; c < COLS; c++)
            v[i].x[c] = -INFINITY;
        if (t + i * threads < within)
            copy(&v[i], &in[t + i * threads]);
    }
#pragma unroll
    for (int i = 0; i < HELD; i++)
#pragma unroll
        for (int c = 0; c < COLS; c++) {
            held[i][c] = v[i].x[c];
            max = fmaxf(max, held[i][c]);
        }
#pragma unroll 1
    for (size_t at = t + most; at < length; at += threads) {
        copy(&v[0], &in[at]);
        for (int c = 0; c < COLS; c++)
            max = fmaxf(max, v[0].x[c]);
    }
    return max;
}

/* Make each x in registers to exp(x - base): the sum of all that are the thread's. */
template <int COLS, int HELD>
static __device__ __forceinline__ float sum_row(float (&held)[HELD][COLS], const vector<COLS> *in,
                                                size_t length, unsigned t, unsigned threads,
                                                float base)
{
    vector<COLS> v;
    float sum = 0;

#pragma unroll
    for (int i = 0; i < HELD; i++)
#pragma unroll
        for (int c = 0; c < COLS; c++) {
            held[i][c] = expf(held[i][c] - base);
            sum += held[i][c];
        }
#pragma unroll 1
    for (size_t at = t + HELD * threads; at < length; at += threads) {
        copy(&v, &in[at]);
        for (int c = 0; c < COLS; c++)
            sum += expf((float)v.x[c] - base);
    }
    return sum;
}

/* Store exp(x - base) times `share`, which is 1 over the sum of the row. */
template <int COLS, int HELD>
static __device__ __forceinline__ void store_row(vector<COLS> *out, const float (&held)[HELD][COLS],
                                                 const vector<COLS> *in, size_t length, unsigned t,
                                                 unsigned threads, float base, float share)
{
    unsigned most = HELD * threads, within = length < most ? (unsigned)length : most;
    vector<COLS> v;

#pragma unroll
    for (int i = 0; i < HELD; i++) {
#pragma unroll
        for (int c = 0; c < COLS; c++)
            v.x[c] = held[i][c] * share;
        if (t + i * threads < within)
            copy(&out[t + i * threads], &v);
    }
#pragma unroll 1
    for (size_t at = t + most; at < length; at += threads) {
        copy(&v, &in[at]);
        for (int c = 0; c < COLS; c++)
            v.x[c] = expf((float)v.x[c] - base) * share;
        copy(&out[at], &v);
    }
}

#endif
