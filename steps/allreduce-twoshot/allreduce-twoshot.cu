/*
 * allreduce-twoshot: each GPU sums its share, and stores the sum to all
 *
 * Idea      Two shots in one kernel: GPU number r adds up the r-th share of all arrays, and stores the sums
 *           to all outputs. Two barriers across the GPUs stand around it.
 * Since     allreduce-oneshot let each GPU read everything: (p - 1) n elements come in over each link. Here
 *           it is 2 (p - 1) / p n, as in the ring, but in two steps of the way and not in 2 (p - 1).
 * Expect    For large arrays the link's rate; for small ones the time of the two barriers.
 * Source    NCCL's documentation on algorithms; the custom all-reduce kernels of inference servers.
 */
#include "families/allreduce/allreduce.h"

/* What a kernel gets. */
struct shares {
    struct device_barrier barrier;
    const element *in[MAX_SPREAD];
    element *out[MAX_SPREAD];
    element *scratch[MAX_SPREAD]; /* of each device: a share of every other's */
    size_t n, share;
    unsigned epoch;
};

static __device__ size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static __device__ element4 added(element4 a, element4 b)
{
    return {a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w};
}

static __device__ element4 &quad(element *x, size_t i)
{
    return ((element4 *)x)[i];
}

static __device__ element4 quad(const element *x, size_t i)
{
    return ((const element4 *)x)[i];
}

/* The share of device r: from here, and up to there. */
static __device__ size_t begin_of(const struct shares &s, int r)
{
    return least(s.n, (size_t)r * s.share);
}

/* Sum this device's share by loads from all, and store it to all. QUADS loads of each array are under way per
 * thread. */
template <int QUADS> static __device__ void sum_share(const struct shares &s)
{
    int p = s.barrier.devices;
    size_t begin = begin_of(s, s.barrier.rank), end = begin_of(s, s.barrier.rank + 1);
    size_t quads = (end - begin) / 4, stride = (size_t)gridDim.x * blockDim.x;
    size_t self = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    for (size_t i = self; i < quads; i += QUADS * stride) {
        element4 sum[QUADS];

#pragma unroll
        for (int k = 0; k < QUADS; k++)
            sum[k] = quad(s.in[0] + begin, least(i + k * stride, quads - 1));
        for (int d = 1; d < p; d++) {
#pragma unroll
            for (int k = 0; k < QUADS; k++)
                sum[k] = added(sum[k], quad(s.in[d] + begin, least(i + k * stride, quads - 1)));
        }
        for (int d = 0; d < p; d++) {
#pragma unroll
            for (int k = 0; k < QUADS; k++) {
                if (i + k * stride < quads)
                    quad(s.out[d] + begin, i + k * stride) = sum[k];
            }
        }
    }
    for (size_t i = begin + 4 * quads + self; i < end; i += stride) { /* the last one to three */
        element sum = s.in[0][i];

        for (int d = 1; d < p; d++)
            sum += s.in[d][i];
        for (int d = 0; d < p; d++)
            s.out[d][i] = sum;
    }
}

/* Between two barriers: all inputs are there and all outputs free; all have read and stored. */
template <int QUADS> static __global__ void by_loads(struct shares s)
{
    wait_for_devices(&s.barrier, 2 * s.epoch + 1);
    sum_share<QUADS>(s);
    wait_for_devices(&s.barrier, 2 * s.epoch + 2);
}

/* Store to every other device the share of this one's array that it will sum. */
static __device__ void hand_out(const struct shares &s)
{
    int p = s.barrier.devices, rank = s.barrier.rank;
    size_t stride = (size_t)gridDim.x * blockDim.x;
    size_t self = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    for (int step = 1; step < p; step++) {
        int d = (rank + step) % p; /* no two at the same time to the same device */
        size_t begin = begin_of(s, d), quads = (begin_of(s, d + 1) - begin + 3) / 4;
        size_t whole = (begin_of(s, d + 1) - begin) / 4;
        element *to = s.scratch[d] + (size_t)rank * s.share;

        for (size_t i = self; i < whole; i += stride)
            quad(to, i) = quad(s.in[rank] + begin, i);
        if (whole < quads && self == whole % stride) {
            for (size_t i = 4 * whole; begin + i < s.n; i++)
                to[i] = s.in[rank][begin + i];
        }
    }
}

/* The same elements as by_loads, each thread those whose terms the same thread of every other has stored. */
static __device__ element *term(const struct shares &s, int d, size_t begin)
{
    return d == s.barrier.rank ? (element *)s.in[d] + begin
                               : s.scratch[s.barrier.rank] + (size_t)d * s.share;
}

static __device__ void sum_handed_out(const struct shares &s)
{
    int p = s.barrier.devices, rank = s.barrier.rank;
    size_t begin = begin_of(s, rank), end = begin_of(s, rank + 1), whole = (end - begin) / 4;
    size_t stride = (size_t)gridDim.x * blockDim.x;
    size_t self = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    for (size_t i = self; i < whole; i += stride) {
        element4 sum = quad(term(s, 0, begin), i);

        for (int d = 1; d < p; d++)
            sum = added(sum, quad(term(s, d, begin), i));
        for (int d = 0; d < p; d++)
            quad(s.out[d] + begin, i) = sum;
    }
    if (self != whole % stride)
        return;
    for (size_t i = 4 * whole; begin + i < end; i++) {
        element sum = term(s, 0, begin)[i];

        for (int d = 1; d < p; d++)
            sum += term(s, d, begin)[i];
        for (int d = 0; d < p; d++)
            s.out[d][begin + i] = sum;
    }
}

/* All that crosses a link is stored: nobody waits for a load from afar. */
static __global__ void by_stores(struct shares s)
{
    hand_out(s);
    wait_for_devices(&s.barrier, 2 * s.epoch + 1);
    sum_handed_out(s);
    wait_for_devices(&s.barrier, 2 * s.epoch + 2);
}

static void on_all(struct work *w, void (*kernel)(struct shares))
{
    struct shares s = {.barrier = w->barrier, .n = w->n, .share = w->share, .epoch = w->epoch++};

    s.barrier.devices = w->devices;
    for (int d = 0; d < w->devices; d++) {
        s.in[d] = w->in[d];
        s.out[d] = w->out[d];
        s.scratch[d] = w->scratch[d];
    }
    for (int d = 0; d < w->devices; d++) {
        s.barrier.rank = d;
        cudaSetDevice(w->places[d].device->ordinal);
        kernel<<<w->blocks, w->threads, 0, w->places[d].stream>>>(s);
    }
}

static void loads(struct work *w)
{
    on_all(w, by_loads<1>);
}

static void loads_two(struct work *w)
{
    on_all(w, by_loads<2>);
}

static void loads_four(struct work *w)
{
    on_all(w, by_loads<4>);
}

static void stores(struct work *w)
{
    on_all(w, by_stores);
}

/* The barrier holds the most blocks that any of the kernels may have. */
static int resident(int threads)
{
    int blocks = most_resident(by_loads<4>, threads), others = most_resident(by_stores, threads);

    return blocks < others ? blocks : others;
}

static const struct variant variants[] = {
    {"loads", "each GPU loads its share of all inputs", loads, WAITS | WHOLE_WARPS, NULL, resident},
    {"loads-2", "two quads per thread are under way", loads_two, WAITS | WHOLE_WARPS, NULL,
     resident},
    {"loads-4", "four quads per thread are under way", loads_four, WAITS | WHOLE_WARPS, NULL,
     resident},
    {"stores", "the shares are handed out by stores", stores, WAITS | WHOLE_WARPS, NULL, resident},
};

STEP("allreduce-twoshot", allreduce_family, variants);
