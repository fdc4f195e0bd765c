/*
 * A query by itself, without tensor cores: the fall-back of the steps that have them. They multiply
 * a value that a query must not see by 0, which is NaN where the value is NaN or an infinity. And
 * some ways to bring elements to shared memory want arrays that begin at multiples of 16 bytes.
 */
#ifndef ATTENTION_ALONE_H
#define ATTENTION_ALONE_H

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

/* A query of a head, whose arrays begin at these elements, by a warp. The lanes have a key each and
 * find its share; then they have elements of the mean, 32 apart, and add 32 values to them. */
template <int DIM>
static __device__ __forceinline__ void attend_alone(const struct work &w, size_t head, size_t query)
{
    const element *q = w.q + head + query * DIM, *k = w.k + head, *v = w.v + head;
    size_t behind = w.causal ? query + 1 : w.length;
    int lane = threadIdx.x % 32;
    float max = -INFINITY, sum = 0, value[DIM / 32] = {};

#pragma unroll 1
    for (size_t first = 0; first < behind; first += 32) {
        size_t key = first + lane;
        int keys = behind - first < 32 ? (int)(behind - first) : 32;
        float score = lane < keys ? 0 : -INFINITY, before = max, base, share;

#pragma unroll 1
        for (int e = 0; e < DIM && lane < keys; e++)
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
                value[i] += its * (float)v[(first + j) * DIM + i * 32 + lane];
        }
    }
#pragma unroll
    for (int i = 16; i > 0; i /= 2)
        sum += __shfl_xor_sync(0xffffffff, sum, i);
#pragma unroll
    for (int i = 0; i < DIM / 32; i++)
        w.out[head + query * DIM + i * 32 + lane] = value[i] / sum;
}

#endif
