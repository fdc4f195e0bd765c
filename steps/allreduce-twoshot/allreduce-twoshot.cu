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
template <int QUADS> static __device__ void hand_out(const struct shares &s)
{
    int p = s.barrier.devices, rank = s.barrier.rank;
    size_t stride = (size_t)gridDim.x * blockDim.x;
    size_t self = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    for (int step = 1; step < p; step++) {
        int d = (rank + step) % p; /* no two at the same time to the same device */
        const element *from = s.in[rank] + begin_of(s, d);
        element *to = s.scratch[d] + (size_t)rank * s.share;
        size_t length = begin_of(s, d + 1) - begin_of(s, d), quads = length / 4;

        for (size_t i = self; i < quads; i += QUADS * stride) {
            element4 x[QUADS];

#pragma unroll
            for (int k = 0; k < QUADS; k++)
                x[k] = quad(from, least(i + k * stride, quads - 1));
#pragma unroll
            for (int k = 0; k < QUADS; k++) {
                if (i + k * stride < quads)
                    quad(to, i + k * stride) = x[k];
            }
        }
        for (size_t i = 4 * quads + self; i < length; i += stride)
            to[i] = from[i];
    }
}

/* This device's share of what device d has: its own, or as it was handed over. */
static __device__ const element *term(const struct shares &s, int d)
{
    int rank = s.barrier.rank;

    return d == rank ? s.in[d] + begin_of(s, d) : s.scratch[rank] + (size_t)d * s.share;
}

/* Each thread sums what the same thread of the others has stored, so block waits for block. */
template <int QUADS> static __device__ void sum_handed_out(const struct shares &s)
{
    int p = s.barrier.devices;
    size_t begin = begin_of(s, s.barrier.rank), length = begin_of(s, s.barrier.rank + 1) - begin;
    size_t quads = length / 4, stride = (size_t)gridDim.x * blockDim.x;
    size_t self = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    for (size_t i = self; i < quads; i += QUADS * stride) {
        element4 sum[QUADS];

        for (int d = 0; d < p; d++) {
#pragma unroll
            for (int k = 0; k < QUADS; k++) {
                if (i + k * stride <
                    quads) { /* not the last one instead: this block waited for its own */
                    element4 x = quad(term(s, d), i + k * stride);

                    sum[k] = d == 0 ? x : added(sum[k], x);
                }
            }
        }
        for (int d = 0; d < p; d++) {
#pragma unroll
            for (int k = 0; k < QUADS; k++) {
                if (i + k * stride < quads)
                    quad(s.out[d] + begin, i + k * stride) = sum[k];
            }
        }
    }
    for (size_t i = 4 * quads + self; i < length; i += stride) {
        element sum = term(s, 0)[i];

        for (int d = 1; d < p; d++)
            sum += term(s, d)[i];
        for (int d = 0; d < p; d++)
            s.out[d][begin + i] = sum;
    }
}

/* All that crosses a link is stored: nobody waits for a load from afar. */
template <int QUADS> static __global__ void by_stores(struct shares s)
{
    hand_out<QUADS>(s);
    wait_for_devices(&s.barrier, 2 * s.epoch + 1);
    sum_handed_out<QUADS>(s);
    wait_for_devices(&s.barrier, 2 * s.epoch + 2);
}

/* Make device d the current one; what its kernel gets. */
static struct shares on_device(const struct work *w, int d)
{
    struct shares s = {.barrier = w->barrier, .n = w->n, .share = w->share, .epoch = w->epoch};

    s.barrier.devices = w->devices;
    s.barrier.rank = d;
    for (int k = 0; k < w->devices; k++) {
        s.in[k] = w->in[k];
        s.out[k] = w->out[k];
        s.scratch[k] = w->scratch[k];
    }
    cudaSetDevice(w->places[d].device->ordinal);
    return s;
}

template <int QUADS> static void loads(struct work *w)
{
    w->epoch++;
    for (int d = 0; d < w->devices; d++) {
        struct shares s = on_device(w, d);

        by_loads<QUADS><<<w->blocks, w->threads, 0, w->places[d].stream>>>(s);
    }
}

template <int QUADS> static void stores(struct work *w)
{
    w->epoch++;
    for (int d = 0; d < w->devices; d++) {
        struct shares s = on_device(w, d);

        by_stores<QUADS><<<w->blocks, w->threads, 0, w->places[d].stream>>>(s);
    }
}

/* All blocks must be there at once. */
template <int QUADS> static int most_loads(int threads)
{
    return most_resident(by_loads<QUADS>, threads);
}

template <int QUADS> static int most_stores(int threads)
{
    return most_resident(by_stores<QUADS>, threads);
}

static const struct variant variants[] = {
    {"loads", "each GPU loads its share of all inputs", loads<1>, WAITS | WHOLE_WARPS, NULL,
     most_loads<1>},
    {"loads-4", "four quads of a thread are under way", loads<4>, WAITS | WHOLE_WARPS, NULL,
     most_loads<4>},
    {"stores", "the shares are handed out by stores", stores<1>, WAITS | WHOLE_WARPS, NULL,
     most_stores<1>},
    {"stores-4", "four quads of a thread together", stores<4>, WAITS | WHOLE_WARPS, NULL,
     most_stores<4>},
};

STEP("allreduce-twoshot", allreduce_family, variants);
