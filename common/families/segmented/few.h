/*
 * Few tiles, a block each: the kernel, what a device holds of its blocks, and its launch, for the
 * steps that take short arrays so.
 */
#ifndef SEGMENTED_FEW_H
#define SEGMENTED_FEW_H

#include "families/segmented/pairs.h"

enum {
    FEW_WARPS = 8, /* of a block, each with a part of the tile */
    FEW_QUADS = 4,
    FEW_TILE = FEW_WARPS * FEW_QUADS * 128,
    FEW_THREADS = FEW_WARPS * 32,
    FEW = 1024 /* words: no more blocks than that */
};

/* The pair of each tile. Its tag is the number of the launch: so those of earlier ones are none. */
static __device__ unsigned long long posted_few[FEW];

static __device__ struct pair join(struct pair a, struct pair b)
{
    return {b.head ? b.value : a.value + b.value, a.head | b.head};
}

/* What reaches this block, in every lane: the pairs of the tiles before it, 32 at a time and the
 * nearest first, up to one with a head. */
static __device__ element gather_few(unsigned tag)
{
    unsigned lane = threadIdx.x % 32, with = 0;
    element all = 0;

    for (unsigned end = blockIdx.x; end > 0 && !with; end -= end < 32 ? end : 32) {
        struct pair p = {0, 0};

        if (lane < end)
            p = take<IN_GRID>(&posted_few[end - 1 - lane], tag, 0);
        with = __ballot_sync(WARP, p.head);
        all += warp_sum(with & ((1u << lane) - 1) ? 0 : p.value);
    }
    return all;
}

/* A warp's part in registers, x and the flags of each row: so all loads are in flight together. */
template <bool PACKED>
static __device__ void load_few(element4 *q, unsigned *heads, const element *in,
                                const unsigned *flags, size_t first, size_t n)
{
    unsigned lane = threadIdx.x % 32;

#pragma unroll
    for (int r = 0; r < FEW_QUADS; r++) {
        size_t row = first + r * 128, i = row + lane * 4;

        if (i + 4 <= n && (size_t)in % sizeof(*q) == 0)
            q[r] = *(const element4 *)(in + i);
        else {
            q[r].x = i < n ? in[i] : 0;
            q[r].y = i + 1 < n ? in[i + 1] : 0;
            q[r].z = i + 2 < n ? in[i + 2] : 0;
            q[r].w = i + 3 < n ? in[i + 3] : 0;
        }
        heads[r] = i < n ? flags[PACKED ? row / 32 + lane / 8 : i / 4] : 0;
    }
#pragma unroll
    for (int r = 0; r < FEW_QUADS; r++)
        heads[r] = PACKED ? heads[r] >> lane % 8 * 4 & 15 : (heads[r] * 0x01020408u) >> 24;
}

/* Each block posts its pair as soon as it has it, and gathers those before it. All are resident. */
template <bool PACKED> static __global__ void __launch_bounds__(FEW_THREADS)
scan_few(element *out, const element *in, const unsigned *flags, size_t n, unsigned tag)
{
    __shared__ struct pair parts[FEW_WARPS];
    __shared__ element prefix;
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    unsigned heads[FEW_QUADS], with[FEW_QUADS];
    size_t first = blockIdx.x * (size_t)FEW_TILE + warp * (FEW_QUADS * 128);
    element4 q[FEW_QUADS];
    element sum[FEW_QUADS];
    struct pair part = {0, 0}, before = {0, 0};

    load_few<PACKED>(q, heads, in, flags, first, n);
    scan_rows<FEW_QUADS>(q, sum, heads, with);
#pragma unroll
    for (int r = 0; r < FEW_QUADS; r++)
        part = join(part, {__shfl_sync(WARP, sum[r], 31), with[r] != 0});
    if (lane == 0)
        parts[warp] = part;
    __syncthreads();
    for (unsigned k = 0; k < warp; k++)
        before = join(before, parts[k]);
    if (warp == FEW_WARPS - 1) {
        element reaches;

        if (lane == 0)
            hand<IN_GRID>(&posted_few[blockIdx.x], tag, join(before, part));
        reaches = gather_few(tag);
        if (lane == 0)
            prefix = reaches;
    }
    __syncthreads();
    add_reach<FEW_QUADS>(q, sum, heads, with, before.head ? before.value : prefix + before.value);
    store<FEW_QUADS>(out, q, first, n);
}

/* How many blocks of scan_few are on the device at once, as far as there are words for them. */
template <bool PACKED> static int resident_few(int threads)
{
    static int most;
    int sms = 0, a_sm = 0;

    if (most == 0) {
        cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a_sm, scan_few<PACKED>, FEW_THREADS, 0);
        most = sms * a_sm < FEW ? sms * a_sm : FEW;
    }
    return threads == FEW_THREADS ? most : 0;
}

static unsigned last_tag; /* of scan_few: never 0, which the words hold at first */

/* All n > 0 elements in one launch: their tiles are no more than resident_few says. The flags are
 * bits or bytes, from a whole word on. */
template <bool PACKED>
static void launch_few(element *out, const element *in, const unsigned *flags, size_t n)
{
    unsigned tiles = (unsigned)segmented_tiles_of(n, FEW_TILE);

    last_tag = last_tag % 0x7fffffff + 1;
    scan_few<PACKED><<<tiles, FEW_THREADS>>>(out, in, flags, n, last_tag);
}

/*
 * The longest chain of additions in a launch of so many blocks. The rows of a part: 3 + 5; the part
 * 4; those of the block 8; the gatherer's 5 + 1 for 32 words; what reaches a row 1 + 4, and its
 * elements 2.
 */
static double depth_few(int blocks)
{
    return 3 + 5 + 4 + 8 + (double)(blocks / 32 + 1) * (5 + 1) + 1 + 4 + 2;
}

#endif
