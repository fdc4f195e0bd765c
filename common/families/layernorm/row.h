/*
 * A row that waits in registers for two looks at it, and is stored with weights and biases: what
 * layernorm and layernorm-ahead share. So many threads have a row of `length` vectors, and thread t
 * the vectors t, t + threads, ... WHOLE: a row has no more than registers hold, and there is no
 * code for it.
 */
#ifndef LAYERNORM_ROW_H
#define LAYERNORM_ROW_H

#include "families/layernorm/layernorm.h"
#include "harness/kit/wide.h"

#define NARROW (sizeof(element) == 2)

/* The thread's part of a row: vectors t, t + threads, ... of `length`. What a row has more than
 * registers hold is loaded again each time. */
template <int COLS, int HELD>
static __device__ __forceinline__ void load(vector<COLS> (&held)[HELD], const vector<COLS> *from,
                                            size_t length, unsigned t, unsigned threads)
{
#pragma unroll
    for (int i = 0; i < HELD; i++) {
#pragma unroll
        for (int c = 0; c < COLS; c++)
            held[i].x[c] = 0.0f;
        if (t + i * threads < length)
            copy(&held[i], &from[t + i * threads]);
    }
}

/* The sum of the thread's elements. */
template <bool WHOLE = false, int COLS, int HELD>
static __device__ __forceinline__ float sum_of(const vector<COLS> (&held)[HELD],
                                               const vector<COLS> *row, size_t length, unsigned t,
                                               unsigned threads)
{
    vector<COLS> v;
    float sum = 0;

#pragma unroll
    for (int i = 0; i < HELD; i++)
#pragma unroll
        for (int c = 0; c < COLS; c++)
            sum += (float)held[i].x[c];
#pragma unroll 1
    for (size_t at = t + (size_t)HELD * threads; !WHOLE && at < length; at += threads) {
        copy(&v, &row[at]);
        for (int c = 0; c < COLS; c++)
            sum += (float)v.x[c];
    }
    return sum;
}

/* From here on nvcc cannot know what is in the registers. Else it would keep of each narrow
 * element the float that it has made, in a register of its own, and not two in one as loaded. */
template <int COLS, int HELD>
static __device__ __forceinline__ void keep_packed(vector<COLS> (&held)[HELD])
{
#pragma unroll
    for (int i = 0; i < HELD; i++)
#pragma unroll
        for (int pair = 0; NARROW && pair < COLS / 2; pair++)
            asm volatile("mov.b32 %0, %0;" : "+r"(((unsigned *)held[i].x)[pair]));
}

/* From here on nvcc cannot know which vectors are the thread's. Else it would make the addresses of
 * their weights and biases before the loop over rows, and keep them: 32 registers for 8 vectors. */
static __device__ __forceinline__ void forget(unsigned *t)
{
    asm volatile("mov.b32 %0, %0;" : "+r"(*t));
}

/* The sum of the squares of their differences from the mean. */
template <bool WHOLE = false, int COLS, int HELD>
static __device__ __forceinline__ float squares_of(const vector<COLS> (&held)[HELD],
                                                   const vector<COLS> *row, size_t length,
                                                   unsigned t, unsigned threads, float mean)
{
    vector<COLS> v;
    float sum = 0;

#pragma unroll
    for (int i = 0; i < HELD; i++)
        if (t + i * threads < length)
            for (int c = 0; c < COLS; c++) {
                float d = (float)held[i].x[c] - mean;

                sum += d * d;
            }
#pragma unroll 1
    for (size_t at = t + (size_t)HELD * threads; !WHOLE && at < length; at += threads) {
        copy(&v, &row[at]);
        for (int c = 0; c < COLS; c++) {
            float d = (float)v.x[c] - mean;

            sum += d * d;
        }
    }
    return sum;
}

/* By one load, or with WORDS by one for each element. */
template <bool WORDS, int COLS>
static __device__ __forceinline__ void fetch(vector<COLS> *to, const vector<COLS> *from)
{
    if (!WORDS)
        copy(to, from);
    for (int c = 0; WORDS && c < COLS; c++)
        to->x[c] = from->x[c];
}

/* Store vector number `at` of a row. */
template <bool WORDS, int COLS>
static __device__ __forceinline__ void store(element *to, vector<COLS> v, const struct work &w,
                                             size_t at, float mean, float scale)
{
    vector<COLS> weight, bias;

    fetch<WORDS>(&weight, &((const vector<COLS> *)w.weight)[at]);
    fetch<WORDS>(&bias, &((const vector<COLS> *)w.bias)[at]);
    for (int c = 0; c < COLS; c++)
        v.x[c] = ((float)v.x[c] - mean) * scale * (float)weight.x[c] + (float)bias.x[c];
    copy(&((vector<COLS> *)to)[at], &v);
}

/* The whole row. */
template <bool WORDS, bool WHOLE = false, int COLS, int HELD>
static __device__ __forceinline__ void store_row(element *to, const vector<COLS> (&held)[HELD],
                                                 const vector<COLS> *row, const struct work &w,
                                                 size_t length, unsigned t, unsigned threads,
                                                 float mean, float scale)
{
#pragma unroll
    for (int i = 0; i < HELD; i++)
        if (t + i * threads < length)
            store<WORDS>(to, held[i], w, t + i * threads, mean, scale);
#pragma unroll 1
    for (size_t at = t + (size_t)HELD * threads; !WHOLE && at < length; at += threads) {
        vector<COLS> v;

        copy(&v, &row[at]);
        store<WORDS>(to, v, w, at, mean, scale);
    }
}

#endif
