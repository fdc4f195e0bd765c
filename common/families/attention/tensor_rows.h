/*
 * What the steps on tensor cores share: rows of scores as the lanes of a warp have them, and a
 * query by itself, the fall-back. Tensor cores multiply a value that a query must not see by 0,
 * which is NaN where the value is NaN or an infinity. And some ways to bring elements to shared
 * memory want arrays that begin at multiples of 16 bytes.
 */
#ifndef ATTENTION_TENSOR_ROWS_H
#define ATTENTION_TENSOR_ROWS_H

#include "families/attention/attention.h"

#define LOG2_E 1.44269504f

/* 2^x, where nothing below the smallest normal float is needed: an instruction. exp2f has more of
 * them. */
static __device__ __forceinline__ float power_of_2(float x)
{
    float y;

    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

static __device__ __forceinline__ int lane()
{
    return threadIdx.x % 32;
}

/* --- a row of scores, or of means --------------------------------------------------------------
 *
 * Four neighbouring lanes have it. Of each 8 elements a lane has two beside each other, at row[0]
 * and row[1], and those of the next 8 at row[4] and row[5]. */

/* What the query does not see of these keys, of which this is the first, has a score of -infinity
 * from now on. */
template <int KEYS>
static __device__ __forceinline__ void hide_row(float *row, const struct work &w, size_t query,
                                                size_t first_key)
{
    size_t behind = w.causal && query < w.length ? query + 1 : w.length;
    int seen = behind < first_key          ? 0
               : behind - first_key < KEYS ? (int)(behind - first_key)
                                           : KEYS;

#pragma unroll
    for (int j = 0; j < KEYS / 8; j++) {
#pragma unroll
        for (int e = 0; e < 2; e++)
            if (j * 8 + lane() % 4 * 2 + e >= seen)
                row[j * 4 + e] = -INFINITY;
    }
}

template <int KEYS> static __device__ __forceinline__ float row_max(const float *row)
{
    float max = -INFINITY;

#pragma unroll
    for (int j = 0; j < KEYS / 8; j++)
        max = fmaxf(max, fmaxf(row[j * 4], row[j * 4 + 1]));
    max = fmaxf(max, __shfl_xor_sync(0xffffffff, max, 1));
    return fmaxf(max, __shfl_xor_sync(0xffffffff, max, 2));
}

/* The sum of what the four lanes have. */
static __device__ __forceinline__ float row_sum(float sum)
{
    sum += __shfl_xor_sync(0xffffffff, sum, 1);
    return sum + __shfl_xor_sync(0xffffffff, sum, 2);
}

/* Store the means of a query, its sums of values divided by the sum of shares, of which each lane
 * has its own. Is none of them NaN? */
template <int DIM>
static __device__ __forceinline__ bool store_row(const struct work &w, size_t head, size_t query,
                                                 const float *row, float sum)
{
    float part = 1 / row_sum(sum);
    bool number = true;

#pragma unroll
    for (int j = 0; j < DIM / 8; j++) {
        const float *two = &row[j * 4];

        number = number && two[0] == two[0] && two[1] == two[1];
        if (query < w.length)
            *(float2 *)&w.out[head + query * DIM + j * 8 + lane() % 4 * 2] =
                make_float2(two[0] * part, two[1] * part);
    }
    return number;
}

/* --- a query by itself ------------------------------------------------------------------------ */

/* A query of a head, whose arrays begin at these elements, by a warp. The lanes have a key each and
 * find its share; then they have elements of the mean, 32 apart, and add 32 values to them. */
template <int DIM>
static __device__ __forceinline__ void attend_alone(const struct work &w, size_t head, size_t query)
{
    const element *q = w.q + head + query * DIM, *k = w.k + head, *v = w.v + head;
    size_t behind = w.causal ? query + 1 : w.length;
    float max = -INFINITY, sum = 0, value[DIM / 32] = {};

#pragma unroll 1
    for (size_t first = 0; first < behind; first += 32) {
        size_t key = first + lane();
        int keys = behind - first < 32 ? (int)(behind - first) : 32;
        float score = lane() < keys ? 0 : -INFINITY, before = max, base, share;

#pragma unroll 1
        for (int e = 0; e < DIM && lane() < keys; e++)
            score += (float)q[e] * (float)k[key * DIM + e];
        score *= w.scale * LOG2_E;
        max = fmaxf(max, score);
#pragma unroll
        for (int i = 16; i > 0; i /= 2)
            max = fmaxf(max, __shfl_xor_sync(0xffffffff, max, i));
        base = max == -INFINITY ? 0 : max; /* -infinity minus itself would be NaN */
        share = power_of_2(score - base);
        before = power_of_2(before - base);
        sum = sum * before + share;
#pragma unroll
        for (int i = 0; i < DIM / 32; i++)
            value[i] *= before;
#pragma unroll 1
        for (int j = 0; j < keys; j++) {
            float its = __shfl_sync(0xffffffff, share, j);

#pragma unroll
            for (int i = 0; i < DIM / 32; i++)
                value[i] += its * (float)v[(first + j) * DIM + i * 32 + lane()];
        }
    }
#pragma unroll
    for (int i = 16; i > 0; i /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, i);
#pragma unroll
    for (int i = 0; i < DIM / 32; i++)
        w.out[head + query * DIM + i * 32 + lane()] = value[i] / sum;
}

/* Where a mean is NaN, and that may be the fault of tensor cores alone, a warp does its queries
 * again, each alone. number: none of those that this lane has is such a mean. */
template <int DIM, int COUNT>
static __device__ __forceinline__ void repair(const struct work &w, size_t head, size_t first,
                                              bool number)
{
    if (!__all_sync(0xffffffff, number)) {
        __syncwarp(); /* other lanes have stored there */
        for (size_t query = first; query < first + COUNT && query < w.length; query++)
            attend_alone<DIM>(w, head, query);
    }
}

#endif
