/*
 * Segments, for sort-msd: keys with the same upper bits, which lie together once they are moved by
 * these bits. Which of them are moved at a time, and the bins by which a block puts a segment in
 * order. Device code.
 */
#ifndef SORT_SEGMENTS_H
#define SORT_SEGMENTS_H

#include "families/sort/counted.h"

#define CROWD 64 /* keys in one bin: from here on comparing them takes too long */
#define BIN_BITS(threads) ((threads) == THREADS ? 13 : 14) /* 16 bins per thread */
#define BIN_MASK(threads) ((1u << BIN_BITS(threads)) - 1)

/* What has the same upper bits. There are less than 2^32 keys. */
struct segments {
    unsigned *counts;     /* keys of each, 2^bits of them */
    unsigned *begin;      /* where it begins; behind the last: n */
    unsigned *next;       /* where its next key goes */
    unsigned *digits;     /* where the next key of each digit of the first level goes */
    unsigned *tiles;      /* tiles before each of these digits; behind the last: all */
    unsigned *crowded;    /* whether one has too many keys, or too many alike */
    unsigned *minus;      /* whether there is a -0 */
    struct tasks tasks;   /* where 16 bits are left, such segments are counted */
    unsigned bits, first; /* bits of all, and of the first level */
    unsigned capacity;    /* the most keys that one may have */
    unsigned n;           /* all keys */
};

static __device__ __forceinline__ unsigned begin_of(const struct segments *s, unsigned segment)
{
    return s->bits > 0 ? s->begin[segment] : segment > 0 ? s->n : 0;
}

/* A segment is left to the last kernel. */
static __device__ void leave_segment(const struct segments *s, unsigned segment, unsigned keys)
{
    if (s->tasks.list)
        make_tasks(&s->tasks, segment, keys);
    else
        tell(s->crowded);
}

/* The piece that is tile number `tile`; *digit is one of the first level, no later than its. */
static __device__ struct piece piece_of(unsigned tile, unsigned *digit, const struct segments *s,
                                        unsigned level, size_t n)
{
    unsigned under = s->bits - s->first;
    struct piece p = {(size_t)tile * TILE, 0, 0, 0};
    size_t end = n;

    if (level > 0) {
        if (tile >= s->tiles[1u << s->first])
            return p;
        while (tile >= s->tiles[*digit + 1])
            ++*digit;
        p.digit = *digit;
        p.first = s->tiles[p.digit];
        p.begin = s->begin[p.digit << under] + (tile - p.first) * TILE;
        end = s->begin[(p.digit + 1) << under];
    }
    if (p.begin < end)
        p.here = end - p.begin < TILE ? (unsigned)(end - p.begin) : TILE;
    return p;
}

/* The bits in which the numbers of the block's threads differ: those are of `own` where a thread's
 * numbers do. */
static __device__ number differing(number own)
{
    __shared__ number all;

    if (threadIdx.x == 0)
        all = 0;
    for (int far = 16; far > 0; far /= 2)
        own |= __shfl_xor_sync(WARP, own, far);
    __syncthreads();
    if (threadIdx.x % 32 == 0 && own != 0)
        atomicOr(&all, own);
    __syncthreads();
    return all;
}

/* Two counts in a word become where their bins begin. */
static __device__ __forceinline__ unsigned begin_two(unsigned counts, unsigned *sum)
{
    unsigned first = *sum, second = first + (counts & 0xffff);

    *sum = second + (counts >> 16);
    return first | second << 16;
}

/* The bins' counts become where they begin, 16 of them per thread. */
static __device__ void begin_bins(uint4 *bins, bool mark = false)
{
    unsigned sum = 0, all;

    for (int k = 0; k < 2; k++) {
        uint4 four = bins[threadIdx.x * 2 + k];
        unsigned pairs = four.x + four.y + four.z + four.w; /* no half of it overflows */

        sum += (pairs & 0xffff) + (pairs >> 16);
    }
    sum = sum_before(sum, &all);
    for (int k = 0; k < 2; k++) {
        uint4 four = bins[threadIdx.x * 2 + k];

        four.x = begin_two(four.x, &sum);
        four.y = begin_two(four.y, &sum);
        four.z = begin_two(four.z, &sum);
        four.w = begin_two(four.w, &sum);
        bins[threadIdx.x * 2 + k] = four;
    }
    if (mark && threadIdx.x == blockDim.x - 1)
        bins[threadIdx.x * 2 + 2].x = sum;
    __syncthreads();
}

/* How many bits lie below the highest one that is set, and it. */
static __device__ __forceinline__ unsigned width_of(number bits)
{
    return sizeof(bits) == 8 ? 64 - __clzll((long long)bits) : 32 - __clz((int)bits);
}

#endif
