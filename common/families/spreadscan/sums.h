/*
 * Sums of chunks, each handed over to all devices in a word, and the launch on one device: what the
 * steps of this family share beside the rounds.
 */
#ifndef SPREADSCAN_SUMS_H
#define SPREADSCAN_SUMS_H

#include "families/spreadscan/spreadscan.h"

#define WARP 0xffffffffu

/* What a kernel gets. */
struct part {
    struct device_barrier barrier;
    const element *x;
    element *y;
    size_t n, chunk; /* elements of the device, and of each of its chunks but the last */
    element *partial;
    unsigned *tickets;
    unsigned long long *posted, *inbox[MAX_SPREAD];
    size_t room;
    unsigned epoch;
};

/* The number of the launch and a sum, in one word, as in scan-rounds: no fence is needed, and words
 * need not be cleared. */
static __device__ unsigned long long packed(const struct part &p, element sum)
{
    unsigned bits;

    memcpy(&bits, &sum, sizeof(bits));
    return (unsigned long long)p.epoch << 32 | bits;
}

static __device__ element sum_in(unsigned long long word)
{
    unsigned bits = (unsigned)word;
    element sum;

    memcpy(&sum, &bits, sizeof(sum));
    return sum;
}

typedef cuda::atomic_ref<unsigned long long, cuda::thread_scope_device> device_packet;
typedef cuda::atomic_ref<unsigned long long, cuda::thread_scope_system> system_packet;

static __device__ unsigned long long peek(unsigned long long *word)
{
    return device_packet(*word).load(cuda::memory_order_relaxed);
}

/* The sum over the warp, in every lane. */
static __device__ element warp_sum(element v)
{
    for (int k = 16; k > 0; k /= 2)
        v += __shfl_xor_sync(WARP, v, k);
    return v;
}

/* Where device d has the sum of a chunk: halves in turn, because it may still read those of the
 * launch before. */
static __device__ unsigned long long *word_of(const struct part &p, int d, unsigned chunk)
{
    return p.inbox[d] + p.epoch % 2 * p.room + chunk;
}

/* By a warp: the sum of the device's chunk c goes to all devices. */
static __device__ void hand_over(const struct part &p, unsigned c, element sum)
{
    int lane = (int)(threadIdx.x % 32);

    if (lane < p.barrier.devices)
        system_packet(*word_of(p, lane, c * p.barrier.devices + p.barrier.rank))
            .store(packed(p, sum), cuda::memory_order_relaxed);
}

/* The word of a chunk of the whole array, as it is now; from `to` on, one that brings 0. */
static __device__ unsigned long long ask(const struct part &p, unsigned c, unsigned to)
{
    return c < to ? system_packet(*word_of(p, p.barrier.rank, c)).load(cuda::memory_order_relaxed)
                  : packed(p, 0);
}

/* The sum that the word brings, once it is this launch's. */
static __device__ element arrived(const struct part &p, unsigned c, unsigned to,
                                  unsigned long long seen)
{
    long long begun = wait_began(p.barrier.limit);

    while (seen >> 32 != p.epoch) {
        wait_goes_on(begun, p.barrier.limit);
        seen = ask(p, c, to);
    }
    return sum_in(seen);
}

/* By a warp: this lane's share of the sums of some chunks of the whole array. */
static __device__ element sum_of_chunks(const struct part &p, unsigned from, unsigned to)
{
    element sum = 0;

    for (unsigned c = from + threadIdx.x % 32; c < to; c += 32)
        sum += arrived(p, c, to, ask(p, c, to));
    return sum;
}

/* Make device d the current one; what its kernel gets. */
static struct part on_device(const struct work *w, int d)
{
    struct part p = {
        .barrier = w->barrier, .x = w->x[d], .y = w->y[d], .n = w->length[d], .chunk = w->chunk};

    p.barrier.devices = w->devices;
    p.barrier.rank = d;
    p.partial = w->partial[d];
    p.tickets = w->tickets[d];
    p.posted = w->posted[d];
    p.room = w->room;
    p.epoch = w->epoch;
    for (int k = 0; k < w->devices; k++)
        p.inbox[k] = w->inbox[k];
    cudaSetDevice(w->places[d].device->ordinal);
    return p;
}

#endif
