/*
 * reduce-operators: one kernel, any operator
 *
 * Idea      The kernel of reduce-vector adds in four places. Put the operator there, as a template
 *           parameter: a type that says what no elements give, what one more changes, and how two
 *           parts are put together. What is folded may then be more than a number: a value and where
 *           it stands, or count, mean and spread.
 * Since     reduce-vector could only add.
 * Expect    Each operator as fast as the sum: the memory is the limit, and a few instructions more per
 *           element do not show. Small arrays cost what combine() costs, so that one warp puts the
 *           blocks' states together. `subtract` has no associative operator: its result changes with
 *           the launch shape and, since blocks are put together as they come, from run to run.
 * Source    Blelloch, "Prefix Sums and Their Applications", CMU-CS-90-190 (what an operator must
 *           be); Chan, Golub and LeVeque, "Algorithms for Computing the Sample Variance", The
 *           American Statistician 37, 1983 (mean and variance of two parts).
 */
#include <cuda/atomic>
#include <cuda/std/limits>
#include "families/operators/operators.h"

typedef cuda::std::numeric_limits<element> limits;

#define LOADS OPERATORS_LOADS
#define WARP 0xffffffffu

static __device__ unsigned tickets; /* taken so far; zero between launches */

template <typename T> static __device__ bool is_nan(T x)
{
    return x != x; /* never, of an int */
}

/*
 * The operators. `state` is what some elements come to; identity(), what none come to; add() takes
 * one more element, behind all that the state has; combine() puts two states together, of which
 * either may have the first elements. READS: of which arrays add() needs the element.
 */
enum { X = 1, Z = 2 };

struct sum {
    typedef element state;
    enum { READS = X };
    __device__ state identity() const
    {
        return 0;
    }
    __device__ void add(state *s, element x, element, size_t) const
    {
        *s += x;
    }
    __device__ state combine(state a, state b) const
    {
        return a + b;
    }
};

struct squares : sum {
    __device__ void add(state *s, element x, element, size_t) const
    {
        *s += x * x;
    }
};

struct dot : sum {
    enum { READS = X | Z };
    __device__ void add(state *s, element x, element z, size_t) const
    {
        *s += x * z;
    }
};

struct product {
    typedef element state;
    enum { READS = Z };
    __device__ state identity() const
    {
        return 1;
    }
    __device__ void add(state *s, element, element z, size_t) const
    {
        *s *= z;
    }
    __device__ state combine(state a, state b) const
    {
        return a * b;
    }
};

/* A NaN in either place stays. */
struct minimum {
    typedef element state;
    enum { READS = X };
    __device__ state identity() const
    {
        return limits::has_infinity ? limits::infinity() : limits::max();
    }
    __device__ state combine(state a, state b) const
    {
        return a < b || is_nan(a) ? a : b;
    }
    __device__ void add(state *s, element x, element, size_t) const
    {
        *s = combine(*s, x);
    }
};

struct maximum {
    typedef element state;
    enum { READS = X };
    __device__ state identity() const
    {
        return limits::has_infinity ? -limits::infinity() : limits::lowest();
    }
    __device__ state combine(state a, state b) const
    {
        return a > b || is_nan(a) ? a : b;
    }
    __device__ void add(state *s, element x, element, size_t) const
    {
        *s = combine(*s, x);
    }
};

struct logical_and {
    typedef element state;
    enum { READS = X };
    __device__ state identity() const
    {
        return 1;
    }
    __device__ void add(state *s, element x, element, size_t) const
    {
        *s = x != 0 ? *s : 0;
    }
    __device__ state combine(state a, state b) const
    {
        return a != 0 ? b : a;
    }
};

struct logical_or {
    typedef element state;
    enum { READS = X };
    __device__ state identity() const
    {
        return 0;
    }
    __device__ void add(state *s, element x, element, size_t) const
    {
        *s = x != 0 ? 1 : *s;
    }
    __device__ state combine(state a, state b) const
    {
        return a != 0 ? a : b;
    }
};

struct equals {
    typedef unsigned long long state;
    enum { READS = X };
    element target;
    __device__ state identity() const
    {
        return 0;
    }
    __device__ void add(state *s, element x, element, size_t) const
    {
        *s += x == target;
    }
    __device__ state combine(state a, state b) const
    {
        return a + b;
    }
};

/* A state of the identity's value has index 0, be it of no elements or of the least there are. So
 * only a greater one replaces it, and if none does, 0 is right. */
struct argmax {
    typedef struct greatest state;
    enum { READS = X };
    static __device__ bool beats(element a, element b)
    {
        return !(a <= b) && !is_nan(b); /* a NaN is not <= b; no branch */
    }
    __device__ state identity() const
    {
        return {maximum().identity(), 0};
    }
    __device__ void add(state *s, element x, element, size_t i) const
    {
        if (beats(x, s->value)) {
            s->value = x;
            s->at = i;
        }
    }
    __device__ state combine(state a, state b) const
    {
        if (beats(a.value, b.value))
            return a;
        return beats(b.value, a.value) || b.at < a.at ? b : a;
    }
};

/* In a state, variance is the sum of the squared deviations, until finished(). */
struct mean {
    typedef struct moments state;
    enum { READS = X };
    __device__ state identity() const
    {
        return {0, NAN, 0};
    }
    __device__ void add(state *s, element x, element, size_t) const
    {
        float value = x;

        *s = combine(*s, {1, value, value - value}); /* 0, or NaN if it is not finite */
    }
    __device__ state combine(state a, state b) const
    {
        unsigned long long count = a.count + b.count;
        float delta = b.mean - a.mean, part_a = (float)a.count / (float)count;
        float part_b = (float)b.count / (float)count;

        if (a.count == 0)
            return b;
        if (b.count == 0)
            return a;
        return {count, part_a * a.mean + part_b * b.mean,
                a.variance + b.variance + delta * delta * ((float)a.count * part_b)};
    }
};

/* Not associative, and 0 is no identity on its left. */
struct subtract {
    typedef element state;
    enum { READS = X };
    __device__ state identity() const
    {
        return 0;
    }
    __device__ void add(state *s, element x, element, size_t) const
    {
        *s -= x;
    }
    __device__ state combine(state a, state b) const
    {
        return a - b;
    }
};

/* What the result is, of the state of all elements. */
template <typename STATE> static __device__ STATE finished(STATE s)
{
    return s;
}

static __device__ struct moments finished(struct moments s)
{
    s.variance /= (float)s.count; /* 0 / 0: NaN */
    return s;
}

/* Take quads of elements that are in registers; i is the index of the first, and the next quad
 * begins stride elements behind. Four states side by side, so that no addition waits for the last. */
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

/* Of argmax: the place in the round first, which needs one register. */
template <int QUADS>
static __device__ void add_quads(const argmax &op, struct greatest *s, const element4 *x,
                                 const element4 *, size_t i, size_t stride)
{
    element best = s[0].value;
    int at = -1;

#pragma unroll
    for (int k = 0; k < QUADS; k++) {
        element values[] = {x[k].x, x[k].y, x[k].z, x[k].w};

#pragma unroll
        for (int j = 0; j < 4; j++) {
            if (op.beats(values[j], best)) {
                best = values[j];
                at = 4 * k + j;
            }
        }
    }
    if (at >= 0)
        s[0] = {best, i + at / 4 * stride + at % 4};
}

/* Of mean and variance: all at once, in two passes over the registers. A division per element would cost
 * more than reading it. */
template <int QUADS>
static __device__ void add_quads(const mean &op, struct moments *s, const element4 *x,
                                 const element4 *, size_t, size_t)
{
    float mean = 0, spread = 0;

#pragma unroll
    for (int k = 0; k < QUADS; k++)
        mean += ((float)x[k].x + (float)x[k].y) + ((float)x[k].z + (float)x[k].w);
    mean /= 4 * QUADS; /* a power of two: exact */
#pragma unroll
    for (int k = 0; k < QUADS; k++) {
        float a = x[k].x - mean, b = x[k].y - mean, c = x[k].z - mean, d = x[k].w - mean;

        spread += (a * a + b * b) + (c * c + d * d);
    }
    s[0] = op.combine(s[0], {4 * QUADS, mean, spread});
}

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

/* What one thread's elements come to. Each in rising order: first those before the first address that is
 * a multiple of 16 bytes, then quads, all loads of a round in flight together, then the rest. */
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
        add_quads<QUADS>(op, s, a, b, head + 4 * i, 4 * stride);
    }
    if (OP::READS & X)
        load_quads<QUADS - 1, false>(a, x4, i, quads, stride);
    if (OP::READS & Z)
        load_quads<QUADS - 1, false>(b, z4, i, quads, stride);
#pragma unroll
    for (int k = 0; k < QUADS - 1 && i < quads; k++, i += stride)
        add_quads<1>(op, s, a + k, b + k, head + 4 * i, 4 * stride);
    i = head + 4 * quads + thread;
    if (i < n)
        op.add(&s[0], OP::READS & X ? x[i] : 0, OP::READS & Z ? z[i] : 0, i);
    return op.combine(op.combine(s[0], s[1]), op.combine(s[2], s[3]));
}

/* What a lane k places further on has. */
template <typename STATE> static __device__ STATE from_lane(STATE s, int k)
{
    return __shfl_down_sync(WARP, s, k);
}

static __device__ struct greatest from_lane(struct greatest s, int k)
{
    return {from_lane(s.value, k), from_lane(s.at, k)};
}

static __device__ struct moments from_lane(struct moments s, int k)
{
    return {from_lane(s.count, k), from_lane(s.mean, k), from_lane(s.variance, k)};
}

/* What a warp's states come to, in lane 0. */
template <typename OP>
static __device__ typename OP::state warp_fold(const OP &op, typename OP::state s)
{
    for (int k = 16; k > 0; k /= 2)
        s = op.combine(s, from_lane(s, k));
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

/* As in reduce-vector, but asked by the first warp alone: one atomic that releases the block's state and
 * acquires those of all others. */
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

template <typename OP> static __global__ void __launch_bounds__(1024)
reduce(typename OP::state *result, typename OP::state *partial, const element *x, const element *z,
       size_t n, OP op)
{
    typename OP::state s = block_fold(op, slice(op, x, z, n)), rest = op.identity();

    if (threadIdx.x >= 32) /* one warp is enough for what is left */
        return;
    if (gridDim.x > 1) { /* a single block is the last without asking */
        if (!last_to_finish(partial, s))
            return;
        for (unsigned i = threadIdx.x; i < gridDim.x; i += 32)
            rest = op.combine(rest, partial[i]);
        s = warp_fold(op, rest);
    }
    if (threadIdx.x == 0)
        *result = finished(s);
}

/* Each block subtracts what was there before from what it has, as the blocks come. */
static __global__ void __launch_bounds__(1024)
reduce_as_they_come(element *result, const element *x, size_t n)
{
    subtract op;
    element s = block_fold(op, slice(op, x, x, n));

    if (threadIdx.x == 0) {
        cuda::atomic_ref<element, cuda::thread_scope_device> all(*result);
        element before = all.load(cuda::memory_order_relaxed);

        while (
            !all.compare_exchange_weak(before, op.combine(s, before), cuda::memory_order_relaxed))
            ; /* another block came between; before is its result */
    }
}

template <typename OP> static void launch_operator(struct work *w, OP op)
{
    typedef typename OP::state state;

    reduce<<<w->blocks, w->threads>>>((state *)w->result, (state *)w->partial, w->x, w->z, w->n,
                                      op);
}

template <typename OP> static void launch(struct work *w)
{
    launch_operator(w, OP());
}

static void launch_equals(struct work *w)
{
    launch_operator(w, equals{w->target});
}

static void launch_subtract(struct work *w)
{
    cudaMemsetAsync(w->result, 0, sizeof(element), 0);
    reduce_as_they_come<<<w->blocks, w->threads>>>((element *)w->result, w->x, w->n);
}

static const struct variant variants[] = {
    {"sum", "x[0] + x[1] + ...", launch<sum>, WHOLE_WARPS | OPERATOR(SUM)},
    {"product", "z[0] z[1] ..., of factors near 1 and -1", launch<product>,
     WHOLE_WARPS | OPERATOR(PRODUCT)},
    {"min", "the least; NaN if there is one", launch<minimum>, WHOLE_WARPS | OPERATOR(MINIMUM)},
    {"max", "the greatest; NaN if there is one", launch<maximum>, WHOLE_WARPS | OPERATOR(MAXIMUM)},
    {"and", "1 if no element is 0", launch<logical_and>, WHOLE_WARPS | OPERATOR(LOGICAL_AND)},
    {"or", "1 if some element is not 0", launch<logical_or>, WHOLE_WARPS | OPERATOR(LOGICAL_OR)},
    {"squares", "x[0]^2 + x[1]^2 + ...", launch<squares>,
     WHOLE_WARPS | ROUNDED | OPERATOR(SQUARES)},
    {"dot", "x[0] z[0] + x[1] z[1] + ...", launch<dot>, WHOLE_WARPS | OPERATOR(DOT), NULL, NULL,
     NULL, NULL, 0, NULL, operators_bytes_dot},
    {"count", "how many elements are equal to x[n / 3]", launch_equals,
     WHOLE_WARPS | OPERATOR(EQUALS), NULL, NULL, NULL, NULL, 0, NULL, operators_bytes_count},
    {"argmax", "the greatest, and the first place where it is", launch<argmax>,
     WHOLE_WARPS | OPERATOR(ARGMAX), NULL, NULL, NULL, NULL, 0, NULL, operators_bytes_pair},
    {"mean", "mean and variance in one pass", launch<mean>, WHOLE_WARPS | ROUNDED | OPERATOR(MEAN),
     NULL, NULL, NULL, NULL, 0, &type_f32, operators_bytes_pair},
    {"subtract", "no operator for a reduction: wrong on purpose", launch_subtract,
     WHOLE_WARPS | UNSYNCHRONISED | UNORDERED | OPERATOR(SUBTRACT)},
};

STEP("reduce-operators", operators_family, variants);
