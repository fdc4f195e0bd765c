/*
 * A reduction by any operator: what reduce-operators and reduce-states share. An operator is a
 * type:
 *
 *  state       what some elements come to
 *  identity()  what none come to
 *  add()       takes one more element, behind all that the state has
 *  combine()   puts two states together, of which either may have the first elements
 *  READS       of which arrays add() needs the element
 *  add_quads() takes quads of elements that are in registers
 *  from_lane() gives what a lane k places further on has
 *
 * The last two are those of one_number where the state is one.
 */
#ifndef OPERATORS_FOLD_H
#define OPERATORS_FOLD_H

#include <cuda/atomic>
#include <cuda/std/limits>
#include "families/operators/operators.h"

typedef cuda::std::numeric_limits<element> limits;

#define LOADS OPERATORS_LOADS
#define WARP 0xffffffffu

static __device__ unsigned tickets; /* taken so far; zero between launches */

enum { X = 1, Z = 2 };

template <typename T> static __device__ bool is_nan(T x)
{
    return x != x; /* never, of an int */
}

/* Of an operator whose state is one number. */
struct one_number {
    /* i is the index of the first element, and the next quad begins stride elements behind. Four
     * states side by side, so that no addition waits for the last. */
    template <int QUADS, typename OP>
    static __device__ void add_quads(const OP &op, typename OP::state *s, const element4 *x,
                                     const element4 *z, size_t i, size_t stride)
    {
#pragma unroll
        for (int k = 0; k < QUADS; k++, i += stride) {
            op.add(&s[0], x[k].x, z[k].x, i);
            op.add(&s[1], x[k].y, z[k].y, i + 1);
            op.add(&s[2], x[k].z, z[k].z, i + 2);
            op.add(&s[3], x[k].w, z[k].w, i + 3);
        }
    }
    template <typename STATE> static __device__ STATE from_lane(STATE s, int k)
    {
        return __shfl_down_sync(WARP, s, k);
    }
};

/* Load quads that lie stride apart, those in front of the end; WHOLE: all do. */
template <int QUADS, bool WHOLE>
static __device__ void load_quads(element4 *out, const element4 *in, size_t i, size_t end,
                                  size_t stride)
{
#pragma unroll
    for (int k = 0; k < QUADS; k++) {
        if (WHOLE || i + k * stride < end)
            out[k] = in[i + k * stride];
    }
}

/* What one thread's elements come to. Each in rising order: first those before the first address
 * that is a multiple of 16 bytes, then quads, all loads of a round in flight together, then the
 * rest. */
template <typename OP>
static __device__ typename OP::state slice(const OP &op, const element *x, const element *z,
                                           size_t n)
{
    enum { QUADS = OP::READS == (X | Z) ? LOADS / 2 : LOADS };
    size_t thread = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t stride = (size_t)gridDim.x * blockDim.x, i = thread;
    size_t offset = (size_t)(-(intptr_t)x & 15) / sizeof(element);
    size_t head = offset < n ? offset : n, quads = (n - head) / 4;
    const element4 *x4 = (const element4 *)(x + head), *z4 = (const element4 *)(z + head);
    element4 a[QUADS] = {}, b[QUADS] = {};
    typename OP::state s[4] = {op.identity(), op.identity(), op.identity(), op.identity()};

    if (thread < head) /* at most three elements, and a warp at least */
        op.add(&s[0], OP::READS & X ? x[thread] : 0, OP::READS & Z ? z[thread] : 0, thread);
    for (; i + (QUADS - 1) * stride < quads; i += QUADS * stride) {
        if (OP::READS & X)
            load_quads<QUADS, true>(a, x4, i, quads, stride);
        if (OP::READS & Z)
            load_quads<QUADS, true>(b, z4, i, quads, stride);
        op.template add_quads<QUADS>(op, s, a, b, head + 4 * i, 4 * stride);
    }
    if (OP::READS & X)
        load_quads<QUADS - 1, false>(a, x4, i, quads, stride);
    if (OP::READS & Z)
        load_quads<QUADS - 1, false>(b, z4, i, quads, stride);
#pragma unroll
    for (int k = 0; k < QUADS - 1 && i < quads; k++, i += stride)
        op.template add_quads<1>(op, s, a + k, b + k, head + 4 * i, 4 * stride);
    i = head + 4 * quads + thread;
    if (i < n)
        op.add(&s[0], OP::READS & X ? x[i] : 0, OP::READS & Z ? z[i] : 0, i);
    return op.combine(op.combine(s[0], s[1]), op.combine(s[2], s[3]));
}

/* What a warp's states come to, in lane 0. */
template <typename OP>
static __device__ typename OP::state warp_fold(const OP &op, typename OP::state s)
{
    for (int k = 16; k > 0; k /= 2)
        s = op.combine(s, op.from_lane(s, k));
    return s;
}

/* What the block's states come to, in thread 0. */
template <typename OP>
static __device__ typename OP::state block_fold(const OP &op, typename OP::state s)
{
    __shared__ typename OP::state warps[32];
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;

    s = warp_fold(op, s);
    if (lane == 0)
        warps[warp] = s;
    __syncthreads();
    if (warp == 0)
        s = warp_fold(op, lane < blockDim.x / 32 ? warps[lane] : op.identity());
    return s;
}

/* As in reduce-vector, but asked by the first warp alone: one atomic that releases the block's
 * state and acquires those of all others. */
template <typename STATE> static __device__ bool last_to_finish(STATE *partial, STATE s)
{
    __shared__ bool last;

    if (threadIdx.x == 0) {
        cuda::atomic_ref<unsigned, cuda::thread_scope_device> taken(tickets);

        partial[blockIdx.x] = s;
        last = taken.fetch_add(1, cuda::memory_order_acq_rel) == gridDim.x - 1;
        if (last)
            tickets = 0; /* no other block is left to read it before the next launch */
    }
    __syncwarp();
    return last;
}

/* Let the first warp of the block that finishes last put all blocks' states together: true in its
 * thread 0, which then has what all elements come to. */
template <typename OP>
static __device__ bool grid_fold(const OP &op, typename OP::state *s, typename OP::state *partial)
{
    typename OP::state rest = op.identity();

    if (threadIdx.x >= 32) /* one warp is enough for what is left */
        return false;
    if (gridDim.x > 1) { /* a single block is the last without asking */
        if (!last_to_finish(partial, *s))
            return false;
        for (unsigned i = threadIdx.x; i < gridDim.x; i += 32)
            rest = op.combine(rest, partial[i]);
        *s = warp_fold(op, rest);
    }
    return threadIdx.x == 0;
}

#endif
