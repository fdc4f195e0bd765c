/*
 * reduce-operators: one kernel, any operator
 *
 * Idea      The kernel of reduce-vector adds in four places. Put the operator there, as a template
 *           parameter: a type that says what no elements give, what one more changes, and how two
 *           parts are put together.
 * Since     reduce-vector could only add.
 * Expect    Each operator as fast as the sum: the memory is the limit, and a few instructions more per
 *           element do not show. Small arrays cost what combine() costs, so that one warp puts the
 *           blocks' states together. `subtract` has no associative operator: its result changes with
 *           the launch shape and, since blocks are put together as they come, from run to run.
 * Source    Blelloch, "Prefix Sums and Their Applications", CMU-CS-90-190 (what an operator must
 *           be).
 */
#include "families/operators/fold.h"

struct sum : one_number {
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

struct product : one_number {
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
struct minimum : one_number {
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

struct maximum : one_number {
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

struct logical_and : one_number {
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

struct logical_or : one_number {
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

struct equals : one_number {
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

/* Not associative, and 0 is no identity on its left. */
struct subtract : one_number {
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

/* Fold the whole array: *result is what all of its elements come to. */
template <typename OP> static __global__ void __launch_bounds__(1024)
reduce(typename OP::state *result, typename OP::state *partial, const element *x, const element *z,
       size_t n, OP op)
{
    typename OP::state s = block_fold(op, slice(op, x, z, n));

    if (grid_fold(op, &s, partial))
        *result = s;
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
    launch_operator(w, equals{{}, w->target});
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
    {"subtract", "no operator for a reduction: wrong on purpose", launch_subtract,
     WHOLE_WARPS | UNSYNCHRONISED | UNORDERED | OPERATOR(SUBTRACT)},
};

STEP("reduce-operators", operators_family, variants);
