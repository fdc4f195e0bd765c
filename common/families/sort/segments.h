/*
 * Segments, for sort-msd and sort-crowded: keys with the same upper bits, which lie together once
 * they are moved by these bits. Which of them are moved at a time, and the bins by which a block
 * puts a segment in order. Device code.
 */
#ifndef SORT_SEGMENTS_H
#define SORT_SEGMENTS_H

#include "families/sort/in_order.h"

#define CROWD 64 /* keys in one bin: from here on comparing them takes too long */
#define BIN_BITS(threads) ((threads) == THREADS ? 13 : 14) /* 16 bins per thread */
#define BIN_MASK(threads) ((1u << BIN_BITS(threads)) - 1)

/* A part of a segment that is counted, for a block. */
struct task {
    unsigned segment, part; /* the latter in pieces */
    unsigned table;         /* where the segment's parts are added up; NO_TABLE: it has one */
};

#define NO_TABLE ~0u

struct tasks {
    unsigned *made;   /* how many there are; */
    unsigned *shared; /* tables that several parts have; */
    unsigned *taken;  /* tasks that blocks have taken: all three begin as zeros */
    struct task *list;
    unsigned *tables; /* so many counters each: one per block for what overflows, then those */
    unsigned table;   /* at least 2^bits, of the bits that are left: at most 16 */
    unsigned piece;   /* the most keys that one block counts at a time */
};

#define STAYS (1u << 31) /* in the list, of a long segment: all its keys have the same digit */

/* Long segments: they have more keys than a block can sort, and are moved by a digit more, of as
 * many bits as each needs. What they become is numbered behind the segments, DIGITS of each. */
struct spread {
    unsigned *made;   /* how many there are: begins as 0 */
    unsigned *list;   /* the segments; NULL: what is long is not moved further */
    unsigned *tiles;  /* tiles before each; behind the last: all */
    unsigned *bits;   /* that are left then */
    unsigned *counts; /* keys of what they become; */
    unsigned *next;   /* where its next key goes */
};

/* What has the same upper bits. There are less than 2^32 keys. */
struct segments {
    unsigned *counts;     /* keys of each, 2^bits of them */
    unsigned *begin;      /* where it begins; behind the last: n */
    unsigned *next;       /* where its next key goes */
    unsigned *digits;     /* where the next key of each digit of the first level goes */
    unsigned *tiles;      /* tiles before each of these digits; behind the last: all */
    unsigned *crowded;    /* whether one has too many keys, or too many alike */
    unsigned *minus;      /* whether there is a -0 */
    struct spread spread; /* what is long, if it is moved further */
    struct tasks tasks;   /* what is left then is counted; list NULL: nothing is */
    unsigned bits, first; /* bits of all, and of the first level; */
    unsigned left;        /* those below */
    unsigned capacity;    /* the most keys that one may have */
    unsigned n;           /* all keys */
};

/* Whether this is what a long segment has become. */
static __device__ __forceinline__ bool is_spread(const struct segments *s, unsigned segment)
{
    return segment >> s->bits != 0;
}

static __device__ __forceinline__ unsigned behind_of(const struct segments *s, unsigned segment)
{
    return segment - (1u << s->bits);
}

/* The keys of a segment, and where it begins, once all have been moved. SPREAD: it may be one of
 * those behind. */
template <bool SPREAD>
static __device__ __forceinline__ unsigned count_of(const struct segments *s, unsigned segment)
{
    if (SPREAD && is_spread(s, segment))
        return s->spread.counts[behind_of(s, segment)];
    return s->bits > 0 ? s->begin[segment + 1] - s->begin[segment] : s->n;
}

template <bool SPREAD>
static __device__ __forceinline__ unsigned begin_of(const struct segments *s, unsigned segment)
{
    unsigned behind = behind_of(s, segment);

    if (SPREAD && is_spread(s, segment))
        return s->spread.next[behind] - s->spread.counts[behind];
    return s->bits > 0 ? s->begin[segment] : 0;
}

/* Which of its keys' bits are left. */
template <bool SPREAD>
static __device__ __forceinline__ unsigned bits_left(const struct segments *s, unsigned segment)
{
    return SPREAD && is_spread(s, segment) ? s->spread.bits[behind_of(s, segment) / DIGITS]
                                           : s->left;
}

/* The bits above those. */
static __device__ __forceinline__ number upper_of(const struct segments *s, unsigned segment)
{
    unsigned behind = behind_of(s, segment), left = bits_left<true>(s, segment);

    if (is_spread(s, segment))
        segment = (s->spread.list[behind / DIGITS] & ~STAYS) << (s->left - left) | behind % DIGITS;
    return (number)segment << left;
}

/* Whether its keys have been moved once more. */
static __device__ __forceinline__ bool is_moved(const struct segments *s, unsigned segment)
{
    return is_spread(s, segment) && !(s->spread.list[behind_of(s, segment) / DIGITS] & STAYS);
}

/* How many segments there are, with what the long ones have become. */
static __device__ __forceinline__ unsigned all_segments(const struct segments *s)
{
    return (1u << s->bits) + (s->spread.list ? *s->spread.made * DIGITS : 0);
}

/* A segment is left to be counted. */
static __device__ void make_tasks(const struct tasks *t, unsigned segment, unsigned keys)
{
    unsigned parts = keys / t->piece + (keys % t->piece != 0), at = atomicAdd(t->made, parts);
    unsigned table = parts > 1 ? atomicAdd(t->shared, 1) : NO_TABLE;

    for (unsigned part = 0; part < parts; part++)
        t->list[at + part] = (struct task){segment, part, table};
}

/* A segment is left to one of the last kernels. */
static __device__ void leave_segment(const struct segments *s, unsigned segment, unsigned keys)
{
    if (s->tasks.list && (!s->spread.list || is_spread(s, segment)))
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

/* How many bits are set. */
static __device__ __forceinline__ unsigned bits_of(number bits)
{
    return (unsigned)(sizeof(bits) == 8 ? __popcll(bits) : __popc((unsigned)bits));
}

/* How many bits lie below the highest one that is set, and it. */
static __device__ __forceinline__ unsigned width_of(number bits)
{
    return sizeof(bits) == 8 ? 64 - __clzll((long long)bits) : 32 - __clz((int)bits);
}

#endif
