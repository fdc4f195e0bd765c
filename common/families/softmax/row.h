/*
 * A row that waits in registers while its maximum and its sum are found: what softmax-registers and
 * the steps with clusters share. So many threads have a row of `length` vectors, and thread t the
 * vectors t, t + threads, ... The first HELD of them stay in its registers; what it has more is
 * loaded again by each of the three functions of a row. WHOLE: it has no more, and there is no code
 * for it. Whatever the type of the elements, what is
 * computed of them is float.
 */
#ifndef SOFTMAX_ROW_H
#define SOFTMAX_ROW_H

#include "families/softmax/softmax.h"
#include "harness/kit/wide.h"

#define LOG2_E 1.44269504f

/* What is known of a part of a row: its largest element, and the sum of all exp(x - max). */
struct part {
    float max, sum;
};

/* exp(x - base). Of narrow elements an instruction's 2^x is exact enough; a result below the
 * smallest normal float is 0 then. */
static __device__ __forceinline__ float power(float x, float base)
{
    float y = (x - base) * LOG2_E;

    if (sizeof(element) != 2)
        return expf(x - base);
    asm("ex2.approx.ftz.f32 %0, %0;" : "+f"(y));
    return y;
}

/* By what a sum for the maximum `from` is multiplied to be one for `to`. */
static __device__ float factor(float from, float to)
{
    return from == -INFINITY ? 0 : expf(from - to);
}

/* The largest value of so many lanes that lie together, a power of two, and the sum of theirs. */
static __device__ __forceinline__ float lanes_max(float value, unsigned lanes)
{
    for (unsigned k = lanes / 2; k > 0; k /= 2)
        value = fmaxf(value, __shfl_xor_sync(0xffffffff, value, k));
    return value;
}

static __device__ __forceinline__ float lanes_sum(float value, unsigned lanes)
{
    for (unsigned k = lanes / 2; k > 0; k /= 2)
        value += __shfl_xor_sync(0xffffffff, value, k);
    return value;
}

/* The maximum first, so that each lane's sum is multiplied once. */
static __device__ __forceinline__ struct part warp_all(struct part p)
{
    float max = lanes_max(p.max, 32);

    return {max, lanes_sum(p.sum * factor(p.max, max), 32)};
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
template <bool WHOLE = false, int COLS, int HELD>
static __device__ __forceinline__ float load_row(float (&held)[HELD][COLS], const vector<COLS> *in,
                                                 size_t length, unsigned t, unsigned threads)
{
    unsigned most = HELD * threads, within = WHOLE || length < most ? (unsigned)length : most;
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
    for (size_t at = t + most; !WHOLE && at < length; at += threads) {
        copy(&v[0], &in[at]);
        for (int c = 0; c < COLS; c++)
            max = fmaxf(max, v[0].x[c]);
    }
    return max;
}

/* Make each x in registers to exp(x - base): the sum of all that are the thread's. */
template <bool WHOLE = false, int COLS, int HELD>
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
            held[i][c] = power(held[i][c], base);
            sum += held[i][c];
        }
#pragma unroll 1
    for (size_t at = t + HELD * threads; !WHOLE && at < length; at += threads) {
        copy(&v, &in[at]);
        for (int c = 0; c < COLS; c++)
            sum += power(v.x[c], base);
    }
    return sum;
}

/* Store exp(x - base) times `share`, which is 1 over the sum of the row. */
template <bool WHOLE = false, int COLS, int HELD>
static __device__ __forceinline__ void store_row(vector<COLS> *out, const float (&held)[HELD][COLS],
                                                 const vector<COLS> *in, size_t length, unsigned t,
                                                 unsigned threads, float base, float share)
{
    unsigned most = HELD * threads, within = WHOLE || length < most ? (unsigned)length : most;
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
    for (size_t at = t + most; !WHOLE && at < length; at += threads) {
        copy(&v, &in[at]);
        for (int c = 0; c < COLS; c++)
            v.x[c] = power(v.x[c], base) * share;
        copy(&out[at], &v);
    }
}

#endif
