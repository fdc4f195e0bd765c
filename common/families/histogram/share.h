/*
 * A thread's share of the elements, and the counters that a block has in shared memory. Device
 * code.
 *
 * Where a thread counts is a step's own: it has a structure for that, a TALLY here, and two
 * functions:
 *
 *     count_element(TALLY *, element)    one element
 *     count_word(TALLY *, unsigned)      a word: an element or four, by count_elements, say
 */
#ifndef HISTOGRAM_SHARE_H
#define HISTOGRAM_SHARE_H

#include "families/histogram/histogram.h"

#define IN_FLIGHT (sizeof(element) > 1 ? 4 : 2) /* 16-byte loads that a thread has under way */
#define LANES 32                                /* and banks */

/* A word's elements, one by one. */
template <typename TALLY>
static __device__ __forceinline__ void count_elements(TALLY *t, unsigned word)
{
    element x[4 / sizeof(element)];

    memcpy(x, &word, sizeof(word));
#pragma unroll
    for (unsigned k = 0; k < 4 / sizeof(element); k++)
        count_element(t, x[k]);
}

template <typename TALLY> static __device__ __forceinline__ void count_quad(TALLY *t, uint4 q)
{
    const unsigned words[4] = {q.x, q.y, q.z, q.w};

#pragma unroll
    for (int k = 0; k < 4; k++)
        count_word(t, words[k]);
}

/* This thread's share of x: words of 16 bytes between the first and the last aligned address, and
 * the elements before and behind them one by one. A block takes IN_FLIGHT words per thread at a
 * time. */
template <typename TALLY>
static __device__ __forceinline__ void count_share(TALLY *t, const element *x, size_t n)
{
    size_t me = (size_t)blockIdx.x * blockDim.x + threadIdx.x, all = (size_t)gridDim.x * blockDim.x;
    size_t head = min(n, (16 - (size_t)x % 16) % 16 / sizeof(element));
    size_t quads = (n - head) / (16 / sizeof(element));
    size_t tail = head + quads * (16 / sizeof(element));
    const uint4 *end = (const uint4 *)(x + tail), *q = end - quads;

    for (size_t i = me; i < head + (n - tail); i += all)
        count_element(t, x[i < head ? i : tail + (i - head)]);
    q += (size_t)blockIdx.x * IN_FLIGHT * blockDim.x + threadIdx.x;
    for (; q + (IN_FLIGHT - 1) * blockDim.x < end; q += all * IN_FLIGHT) {
        uint4 loaded[IN_FLIGHT];

#pragma unroll
        for (unsigned r = 0; r < IN_FLIGHT; r++)
            loaded[r] = q[r * blockDim.x];
#pragma unroll
        for (unsigned r = 0; r < IN_FLIGHT; r++)
            count_quad(t, loaded[r]);
    }
    for (; q < end; q += blockDim.x) /* fewer than IN_FLIGHT, at the end */
        count_quad(t, *q);
}

static __device__ void clear(unsigned *words, unsigned count)
{
    for (unsigned k = threadIdx.x; k < count; k += blockDim.x)
        words[k] = 0;
    __syncthreads();
}

/* The sum of a counter's copies, a power of two that lie together. Each lane begins at another one:
 * 32 lanes read 32 banks. */
static __device__ unsigned sum_copies(const unsigned *copy, unsigned copies)
{
    unsigned sum = 0;

    for (unsigned k = 0; k < copies; k++)
        sum += copy[(k + threadIdx.x) & (copies - 1)];
    return sum;
}

/* Add the block's counters, one word each, to the result. Each block begins at another one: all are
 * done at about the same time, and if they began at one they would wait for each other there. */
static __device__ void add_block(unsigned long long *counts, const unsigned *own, unsigned cells,
                                 unsigned copies)
{
    unsigned begin = blockIdx.x * 8 % cells;

    for (unsigned i = threadIdx.x; i < cells; i += blockDim.x) {
        unsigned k = i + begin < cells ? i + begin : i + begin - cells;
        unsigned sum = sum_copies(own + k * copies, copies);

        if (sum > 0)
            atomicAdd(&counts[k], (unsigned long long)sum);
    }
}

static inline void clear_result(struct work *w)
{
    cudaMemsetAsync(w->counts, 0, (w->bins.count + 1) * sizeof(*w->counts), 0);
}

#endif
