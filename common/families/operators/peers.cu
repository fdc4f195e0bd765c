/*
 * The peers of the operators family: CUB's DeviceReduce, by the function that it has for an operator,
 * else by Reduce or TransformReduce with an operator given to it. Where its own takes no heed of a NaN,
 * which ours must, floats get an operator of the same rules as ours. Compiled once per type, because
 * that is what a build would wait for.
 */
#include <cub/device/device_reduce.cuh>
#include <cuda/std/functional>
#include <cuda/std/limits>
#include <cuda/std/tuple>
#include <string.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_output_iterator.h>
#include <thrust/iterator/zip_iterator.h>

#include "families/operators/operators.h"
#include "harness/kit/peer.h"

/* Call a CUB function twice: for the bytes of scratch memory that it needs, and with them. */
template <typename CALL> static void with_scratch(CALL call, const char *name)
{
    static struct scratch scratch; /* one for each call, since each has a type of its own */
    size_t bytes = 0;

    peer_check(call((void *)NULL, bytes), name);
    peer_check(call(peer_scratch(&scratch, bytes), bytes), name);
}

template <typename T> static const T *elements(const void *x)
{
    return (const T *)x;
}

template <typename T> static T *result(struct work *w)
{
    return (T *)w->result;
}

template <typename IN, typename OUT, typename OP, typename T>
static void reduce(IN in, OUT out, size_t n, OP op, T init)
{
    with_scratch(
        [=](void *memory, size_t &bytes) {
            return cub::DeviceReduce::Reduce(memory, bytes, in, out, n, op, init);
        },
        "cub::DeviceReduce::Reduce");
}

template <typename IN, typename OUT, typename OP, typename TERM, typename T>
static void transform_reduce(IN in, OUT out, size_t n, OP op, TERM term, T init)
{
    with_scratch(
        [=](void *memory, size_t &bytes) {
            return cub::DeviceReduce::TransformReduce(memory, bytes, in, out, n, op, term, init);
        },
        "cub::DeviceReduce::TransformReduce");
}

template <typename T> struct limits : cuda::std::numeric_limits<T> {
    typedef cuda::std::numeric_limits<T> base;
    static __host__ __device__ T least()
    {
        return base::has_infinity ? -base::infinity() : base::lowest();
    }
    static __host__ __device__ T most()
    {
        return base::has_infinity ? base::infinity() : base::max();
    }
};

template <typename T> static __host__ __device__ bool beats(T a, T b)
{
    return a > b || (a != a && b == b); /* a NaN beats all numbers */
}

struct lesser {
    __device__ float operator()(float a, float b) const
    {
        return a < b || a != a ? a : b;
    }
};

struct greater {
    __device__ float operator()(float a, float b) const
    {
        return a > b || a != a ? a : b;
    }
};

template <typename T> struct pair {
    T value;
    unsigned long long at;
};

template <typename T> struct with_place {
    const T *x;
    __device__ pair<T> operator()(unsigned long long i) const
    {
        return {x[i], i};
    }
};

template <typename T> struct greater_pair {
    __device__ pair<T> operator()(pair<T> a, pair<T> b) const
    {
        if (beats(a.value, b.value))
            return a;
        return beats(b.value, a.value) || b.at < a.at ? b : a;
    }
};

template <typename T> struct not_zero {
    __device__ T operator()(T x) const
    {
        return x != 0;
    }
};

template <typename T> struct both {
    __device__ T operator()(T a, T b) const
    {
        return a != 0 && b != 0;
    }
};

template <typename T> struct either_of {
    __device__ T operator()(T a, T b) const
    {
        return a != 0 || b != 0;
    }
};

template <typename T> struct square {
    __device__ T operator()(T x) const
    {
        return x * x;
    }
};

template <typename T> struct times {
    __device__ T operator()(const cuda::std::tuple<T, T> &p) const
    {
        return cuda::std::get<0>(p) * cuda::std::get<1>(p);
    }
};

template <typename T> struct equal_to {
    T target;
    __device__ unsigned long long operator()(T x) const
    {
        return x == target;
    }
};

struct single {
    __device__ struct moments operator()(float x) const
    {
        return {1, x, x - x};
    }
};

struct chan {
    __device__ struct moments operator()(struct moments a, struct moments b) const
    {
        unsigned long long count = a.count + b.count;
        float delta = b.mean - a.mean, part_a = (float)a.count / (float)count;
        float part_b = (float)b.count / (float)count;

        if (a.count == 0 || b.count == 0)
            return a.count == 0 ? b : a;
        return {count, part_a * a.mean + part_b * b.mean,
                a.variance + b.variance + delta * delta * ((float)a.count * part_b)};
    }
};

struct finish {
    __device__ struct moments operator()(struct moments m) const
    {
        return {m.count, m.mean, m.variance / (float)m.count};
    }
};

template <typename T> static void sum(struct work *w)
{
    with_scratch(
        [=](void *memory, size_t &bytes) {
            return cub::DeviceReduce::Sum(memory, bytes, elements<T>(w->x), result<T>(w), w->n);
        },
        "cub::DeviceReduce::Sum");
}

template <typename T> static void product(struct work *w)
{
    reduce(elements<T>(w->z), result<T>(w), w->n, cuda::std::multiplies<T>(), T(1));
}

template <typename T> static void logical_and(struct work *w)
{
    transform_reduce(elements<T>(w->x), result<T>(w), w->n, both<T>(), not_zero<T>(), T(1));
}

template <typename T> static void logical_or(struct work *w)
{
    transform_reduce(elements<T>(w->x), result<T>(w), w->n, either_of<T>(), not_zero<T>(), T(0));
}

template <typename T> static void squares(struct work *w)
{
    transform_reduce(elements<T>(w->x), result<T>(w), w->n, cuda::std::plus<T>(), square<T>(),
                     T(0));
}

template <typename T> static void dot(struct work *w)
{
    transform_reduce(thrust::make_zip_iterator(elements<T>(w->x), elements<T>(w->z)), result<T>(w),
                     w->n, cuda::std::plus<T>(), times<T>(), T(0));
}

/* `either` is an element of the type that this file is compiled for, as wide as the others. */
template <typename T> static void count(struct work *w)
{
    equal_to<T> term;

    static_assert(sizeof(T) == sizeof(w->target), "an element of either type");
    memcpy(&term.target, &w->target, sizeof(T));
    transform_reduce(elements<T>(w->x), result<unsigned long long>(w), w->n,
                     cuda::std::plus<unsigned long long>(), term, 0ull);
}

template <typename T> static void argmax_by_operator(struct work *w)
{
    transform_reduce(thrust::make_counting_iterator(0ull), result<pair<T>>(w), w->n,
                     greater_pair<T>(), with_place<T>{elements<T>(w->x)},
                     pair<T>{limits<T>::least(), 0});
}

/* --- what differs between the types ------------------------------------------------------------- */

#ifdef PEERS_f32
#define OWN_TYPE type_f32
#define MINIMUM_BY "CUB DeviceReduce::Reduce, with NaN"
#define MAXIMUM_BY "CUB DeviceReduce::Reduce, with NaN"
#define ARGMAX_BY "CUB DeviceReduce::TransformReduce, with NaN"
typedef float own;

static void minimum(struct work *w)
{
    reduce(elements<float>(w->x), result<float>(w), w->n, lesser(), limits<float>::most());
}

static void maximum(struct work *w)
{
    reduce(elements<float>(w->x), result<float>(w), w->n, greater(), limits<float>::least());
}

static void argmax(struct work *w)
{
    argmax_by_operator<float>(w);
}

static void mean(struct work *w)
{
    transform_reduce(elements<float>(w->x),
                     thrust::make_transform_output_iterator(result<struct moments>(w), finish()),
                     w->n, chan(), single(), moments{0, limits<float>::quiet_NaN(), 0});
}

#else
#define OWN_TYPE type_i32
#define MINIMUM_BY "CUB DeviceReduce::Min"
#define MAXIMUM_BY "CUB DeviceReduce::Max"
#define ARGMAX_BY "CUB DeviceReduce::ArgMax"
typedef int own;

static void minimum(struct work *w)
{
    with_scratch(
        [=](void *memory, size_t &bytes) {
            return cub::DeviceReduce::Min(memory, bytes, elements<int>(w->x), result<int>(w), w->n);
        },
        "cub::DeviceReduce::Min");
}

static void maximum(struct work *w)
{
    with_scratch(
        [=](void *memory, size_t &bytes) {
            return cub::DeviceReduce::Max(memory, bytes, elements<int>(w->x), result<int>(w), w->n);
        },
        "cub::DeviceReduce::Max");
}

static void argmax(struct work *w)
{
    pair<int> *out = result<pair<int>>(w);

    if (w->n == 0) { /* for which it has a rule of its own */
        argmax_by_operator<int>(w);
        return;
    }
    with_scratch(
        [=](void *memory, size_t &bytes) {
            return cub::DeviceReduce::ArgMax(memory, bytes, elements<int>(w->x), &out->value,
                                             &out->at, (long long)w->n);
        },
        "cub::DeviceReduce::ArgMax");
}

#endif

#define PEER(name, summary, launch, kind, its_bytes)                                               \
    {                                                                                              \
        &OWN_TYPE,                                                                                 \
        {                                                                                          \
            name, summary, launch, GRID_BY_SIZE | OPERATOR(kind), operators_depth_library, NULL,   \
                NULL, NULL, 0, NULL, its_bytes                                                     \
        }                                                                                          \
    }

extern "C" {
extern const struct peer PEER_TABLE[];
}
const struct peer PEER_TABLE[] = {
    PEER("cub-sum", "CUB DeviceReduce::Sum", sum<own>, SUM, NULL),
    PEER("cub-product", "CUB DeviceReduce::Reduce", product<own>, PRODUCT, NULL),
    PEER("cub-min", MINIMUM_BY, minimum, MINIMUM, NULL),
    PEER("cub-max", MAXIMUM_BY, maximum, MAXIMUM, NULL),
    PEER("cub-and", "CUB DeviceReduce::TransformReduce", logical_and<own>, LOGICAL_AND, NULL),
    PEER("cub-or", "CUB DeviceReduce::TransformReduce", logical_or<own>, LOGICAL_OR, NULL),
    PEER("cub-squares", "CUB DeviceReduce::TransformReduce", squares<own>, SQUARES, NULL),
    PEER("cub-dot", "CUB DeviceReduce::TransformReduce", dot<own>, DOT, operators_bytes_dot),
    PEER("cub-count", "CUB DeviceReduce::TransformReduce", count<own>, EQUALS, NULL),
    PEER("cub-argmax", ARGMAX_BY, argmax, ARGMAX, NULL),
#ifdef PEERS_f32
    PEER("cub-mean", "CUB DeviceReduce::TransformReduce", mean, MEAN, NULL),
#endif
    {NULL},
};
