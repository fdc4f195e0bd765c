/*
 * Pairs of a segmented sum, each handed over in a word between warps or blocks; and a warp's part
 * of a tile in registers, rows of 32 quads, scanned in two halves.
 */
#ifndef SEGMENTED_PAIRS_H
#define SEGMENTED_PAIRS_H

#include <cuda/atomic>
#include "families/segmented/segmented.h"

#define WARP 0xffffffffu
#define IN_BLOCK cuda::thread_scope_block
#define IN_GRID cuda::thread_scope_device

/* The sum since the last head in some elements, or of all, and whether there is a head. */
struct pair {
    element value;
    unsigned head;
};

/*
 * Pairs are handed over in words of 64 bits: a tag of 31 bits, the head, and the sum. A word is
 * written and read whole, by one relaxed atomic access, and nothing else is handed over with it, so
 * no fence is needed. The tag says for what a word was written: each step has numbers of its own.
 */
template <cuda::thread_scope SCOPE>
static __device__ void hand(unsigned long long *word, unsigned tag, struct pair p)
{
    unsigned bits;

    memcpy(&bits, &p.value, sizeof(bits));
    cuda::atomic_ref<unsigned long long, SCOPE>(*word).store(
        (unsigned long long)(tag << 1 | p.head) << 32 | bits, cuda::memory_order_relaxed);
}

template <cuda::thread_scope SCOPE>
static __device__ unsigned long long peek(unsigned long long *word)
{
    return cuda::atomic_ref<unsigned long long, SCOPE>(*word).load(cuda::memory_order_relaxed);
}

/* The pair in a word, once it has the tag; `seen` is what it held a moment ago. */
template <cuda::thread_scope SCOPE>
static __device__ struct pair take(unsigned long long *word, unsigned tag, unsigned long long seen)
{
    struct pair p;
    unsigned bits;

    while (seen >> 33 != tag)
        seen = peek<SCOPE>(word);
    bits = (unsigned)seen;
    memcpy(&p.value, &bits, sizeof(bits));
    p.head = seen >> 32 & 1;
    return p;
}

/* The sum over the warp, in every lane. */
static __device__ element warp_sum(element v)
{
    for (int k = 16; k > 0; k /= 2)
        v += __shfl_xor_sync(WARP, v, k);
    return v;
}

/* How many lanes before this one belong to its segment, if `with` has the lanes with heads. */
static __device__ unsigned reach(unsigned with)
{
    unsigned lane = threadIdx.x % 32, back = __clz(with << (31 - lane)); /* 32: none up to here */

    return back < lane ? back : lane;
}

/* Scan the rows of a part, each by itself: sum[r] is up to this lane's quad; with[r]: the lanes
 * with heads. The rows' shuffles take turns, so that those of one need not wait for each other. */
template <int QUADS>
static __device__ void scan_rows(element4 *q, element *sum, const unsigned *heads, unsigned *with)
{
    unsigned most[QUADS];

#pragma unroll
    for (int r = 0; r < QUADS; r++) {
        q[r].y = heads[r] & 2 ? q[r].y : q[r].x + q[r].y;
        q[r].z = heads[r] & 4 ? q[r].z : q[r].y + q[r].z;
        q[r].w = heads[r] & 8 ? q[r].w : q[r].z + q[r].w;
        sum[r] = q[r].w;
        with[r] = __ballot_sync(WARP, heads[r] != 0);
        most[r] = reach(with[r]);
    }
    for (unsigned k = 1; k < 32; k *= 2) {
#pragma unroll
        for (int r = 0; r < QUADS; r++) {
            element other = __shfl_up_sync(WARP, sum[r], k);

            sum[r] = k <= most[r] ? other + sum[r] : sum[r];
        }
    }
}

/* Add what reaches the part, its base, to the elements before the first head, row by row. */
template <int QUADS>
static __device__ void add_reach(element4 *q, const element *sum, const unsigned *heads,
                                 const unsigned *with, element reaches)
{
    unsigned lane = threadIdx.x % 32;

#pragma unroll
    for (int r = 0; r < QUADS; r++) {
        element before = __shfl_up_sync(WARP, sum[r], 1), row = __shfl_sync(WARP, sum[r], 31);

        if (lane == 0)
            before = reaches;
        else if (!(with[r] << (32 - lane))) /* no head in the lanes before */
            before = reaches + before;
        q[r].x = heads[r] & 1 ? q[r].x : before + q[r].x;
        q[r].y = heads[r] & 3 ? q[r].y : before + q[r].y;
        q[r].z = heads[r] & 7 ? q[r].z : before + q[r].z;
        q[r].w = heads[r] ? q[r].w : before + q[r].w;
        reaches = with[r] ? row : reaches + row;
    }
}

/* Store a part: whole quads, if they are aligned. */
template <int QUADS>
static __device__ void store(element *out, const element4 *q, size_t first, size_t n)
{
    size_t i = first + threadIdx.x % 32 * 4;

    if (first + QUADS * 128 <= n && (size_t)out % sizeof(*q) == 0) {
#pragma unroll
        for (int r = 0; r < QUADS; r++)
            __stwb((element4 *)(out + i + r * 128), q[r]); /* an ordinary store, kept whole */
        return;
    }
#pragma unroll
    for (int r = 0; r < QUADS; r++, i += 128) {
        if (i < n)
            out[i] = q[r].x;
        if (i + 1 < n)
            out[i + 1] = q[r].y;
        if (i + 2 < n)
            out[i + 2] = q[r].z;
        if (i + 3 < n)
            out[i + 3] = q[r].w;
    }
}

#endif
