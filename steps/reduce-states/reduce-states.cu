/*
 * reduce-states: the state is more than a number
 *
 * Idea      What some elements come to may be a struct: a value and where it stands, or count, mean
 *           and spread. The kernel is that of reduce-operators. A struct takes three functions of its
 *           own: how a lane gets that of another, how a round of elements goes into it at once, and
 *           what the result is of the last one.
 * Since     Each state of reduce-operators was one number, which one shuffle moves, and which costs
 *           one instruction per element.
 * Expect    As fast as the sum, because the memory is the limit: if a round of elements is looked at
 *           in registers first, and changes the state once. Taken one by one each element would cost
 *           several registers more, or a division.
 * Source    Chan, Golub and LeVeque, "Algorithms for Computing the Sample Variance", The American
 *           Statistician 37, 1983 (mean and variance of two parts).
 */
#include "families/operators/fold.h"

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
        return {limits::has_infinity ? -limits::infinity() : limits::lowest(), 0};
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
    /* The place in the round first, which needs one register. */
    template <int QUADS>
    static __device__ void add_quads(const argmax &, state *s, const element4 *x, const element4 *,
                                     size_t i, size_t stride)
    {
        element best = s[0].value;
        int at = -1;

#pragma unroll
        for (int k = 0; k < QUADS; k++) {
            element values[] = {x[k].x, x[k].y, x[k].z, x[k].w};

#pragma unroll
            for (int j = 0; j < 4; j++) {
                if (beats(values[j], best)) {
                    best = values[j];
                    at = 4 * k + j;
                }
            }
        }
        if (at >= 0)
            s[0] = {best, i + at / 4 * stride + at % 4};
    }
    static __device__ state from_lane(state s, int k)
    {
        return {__shfl_down_sync(WARP, s.value, k), __shfl_down_sync(WARP, s.at, k)};
    }
    static __device__ state finished(state s)
    {
        return s;
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
    /* All at once, in two passes over the registers. A division per element would cost more than
     * reading it. */
    template <int QUADS>
    static __device__ void add_quads(const mean &op, state *s, const element4 *x, const element4 *,
                                     size_t, size_t)
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
    static __device__ state from_lane(state s, int k)
    {
        return {__shfl_down_sync(WARP, s.count, k), __shfl_down_sync(WARP, s.mean, k),
                __shfl_down_sync(WARP, s.variance, k)};
    }
    static __device__ state finished(state s)
    {
        s.variance /= (float)s.count; /* 0 / 0: NaN */
        return s;
    }
};

/* Fold the whole array: *result is what all of its elements come to. */
template <typename OP> static __global__ void __launch_bounds__(1024)
reduce(typename OP::state *result, typename OP::state *partial, const element *x, const element *z,
       size_t n, OP op)
{
    typename OP::state s = block_fold(op, slice(op, x, z, n));

    if (grid_fold(op, &s, partial))
        *result = op.finished(s);
}

template <typename OP> static void launch(struct work *w)
{
    typedef typename OP::state state;

    reduce<<<w->blocks, w->threads>>>((state *)w->result, (state *)w->partial, w->x, w->z, w->n,
                                      OP());
}

static const struct variant variants[] = {
    {"argmax", "the greatest, and the first place where it is", launch<argmax>,
     WHOLE_WARPS | OPERATOR(ARGMAX), NULL, NULL, NULL, NULL, 0, NULL, operators_bytes_pair},
    {"mean", "mean and variance in one pass", launch<mean>, WHOLE_WARPS | ROUNDED | OPERATOR(MEAN),
     NULL, NULL, NULL, NULL, 0, &type_f32, operators_bytes_pair},
};

STEP("reduce-states", operators_family, variants);
