/*
 * The histogram family: counts[b] is the number of elements of x that fall into bin b.
 *
 * The bin of an element:
 *
 *     u32  x % bins
 *     f32  (int)((x - low) * scale) in float arithmetic, where scale = (float)bins / (high - low),
 *          and bins - 1 if that is more: the arithmetic of CUB's HistogramEven
 *     i32, u8   floor((x - low) * bins / (high - low)), exactly
 *
 * By range, an element below low, an element not below high and a NaN have no bin. They are counted
 * apart, in counts[bins].
 */
#ifndef HISTOGRAM_H
#define HISTOGRAM_H

#ifdef __cplusplus
#include <cuda_runtime.h>
typedef unsigned char element_u8;
typedef uchar4 element4_u8;
#endif
#include "harness/kit/element.h"

#ifdef __cplusplus
extern "C" {
#endif

extern const struct type type_u8;

/* Rules of this family's variants, beside enum rule. */
enum histogram_rule {
    PARTIALS = FAMILY_RULE,       /* it needs room for a histogram per block */
    ONLY_BINS = FAMILY_RULE << 1, /* it leaves counts[bins] alone, which is then not verified */
    COUNTS_32 = FAMILY_RULE << 2, /* its counts have 32 bits, and n is at most 2^31 - 1 */
};

/* Which bin an element falls into. Made by bins_of in histogram_range.h. */
struct bins {
    unsigned count;                /* 1 to 65536 */
    float low, high, scale;        /* f32 */
    unsigned first, last;          /* i32 and u8: low, modulo 2^32, and high - 1 - low */
    unsigned shift;                /* so that (high - low) << shift is at least 2^31 */
    unsigned long long multiplier; /* ceil(count * 2^64 / ((high - low) << shift)), below 2^50 */
    bool short_multiplier;         /* its lower half is 0, as where high - low is a power of two */
};

/* What a launch function gets. All pointers are device memory. */
struct work {
    unsigned long long *counts; /* bins.count + 1, the result; poisoned before each run */
    unsigned *partial;          /* with PARTIALS: blocks * (bins.count + 1) counters; poisoned */
    const element *x;           /* n elements; aligned to 16 bytes only without --offset */
    size_t n;                   /* elements, 0 and up */
    size_t piece;               /* no counter of 32 bits may meet more elements; 64 divides it */
    struct bins bins;
    double low, high;     /* the range, for the peers; u32: 0 and the number of bins */
    int blocks;           /* grid size, at least 1 */
    int threads;          /* threads per block, 1 to 1024 */
    size_t shared_memory; /* the most dynamic shared memory that a block may ask for, in bytes */
};

/* The elements of the piece that begins at element begin. */
static inline size_t histogram_piece(const struct work *w, size_t begin)
{
    return w->n - begin < w->piece ? w->n - begin : w->piece;
}

/* Default shapes: of histogram-private, as many threads as an SM holds, with 16 words of 4 bytes
 * each; of histogram-narrow small blocks, for counters per thread. */
void histogram_shape_wide(struct shape *);
void histogram_shape_small(struct shape *);

#ifdef __cplusplus
}

#ifdef ELEMENT_TYPE
/*
 * floor(d * count / range) for d = 0 to range - 1 without a division. With D = d << shift and
 * R = range << shift, 2^31 <= R <= 2^32, the multiplier M is count * 2^64 / R + e, 0 <= e < 1, and
 *
 *     D * M / 2^64 = D * count / R + D * e / 2^64.
 *
 * The first term is a multiple of 1 / R, so that its fraction is at most 1 - 1 / R. The second is
 * below 1 / R, because D < R <= 2^32. Their sum therefore has the same floor as the first term
 * alone. M is below 2^50, so that its upper half times D has room in 64 bits. Where the lower half
 * is 0 there is nothing to add, and one multiplication does.
 */
static __device__ __forceinline__ unsigned bin_in_range(unsigned d, const struct bins *b)
{
    unsigned scaled = d << b->shift, upper = (unsigned)(b->multiplier >> 32), bin;
    unsigned long long rest = __umulhi(scaled, (unsigned)b->multiplier);

    if (b->short_multiplier)
        bin = __umulhi(scaled, upper);
    else
        bin = (unsigned)(((unsigned long long)scaled * upper + rest) >> 32);
    return d <= b->last ? bin : b->count;
}

/* The bin of an element, count if it has none: one function per element type. */
static __device__ __forceinline__ unsigned bin_of(float x, const struct bins *b)
{
    bool inside = x >= b->low && x < b->high; /* false for a NaN */
    unsigned bin = inside ? (unsigned)(int)((x - b->low) * b->scale) : b->count;

    return inside && bin >= b->count ? b->count - 1 : bin;
}

static __device__ __forceinline__ unsigned bin_of(int x, const struct bins *b)
{
    return bin_in_range((unsigned)x - b->first, b);
}

static __device__ __forceinline__ unsigned bin_of(unsigned char x, const struct bins *b)
{
    return bin_in_range(x - b->first, b);
}

static __device__ __forceinline__ unsigned bin_of(unsigned x, const struct bins *b)
{
    return x % b->count;
}
#endif
#endif

#endif
