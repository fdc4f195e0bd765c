/*
 * A barrier across devices, for kernels that run on all of them at once: block b of each waits for
 * block b of every other. Each block has a word per device, its flags, in its own device's memory;
 * the others store to them, and it polls them there. The step peers-flag is about it.
 *
 * The grids must be the same on all devices, and resident: a block that cannot start keeps the
 * others waiting. Words only grow, modulo 2^32, from launch to launch.
 */
#ifndef DEVICE_BARRIER_H
#define DEVICE_BARRIER_H

#include "harness/kit/spread.h"

#define MAX_BARRIER_BLOCKS 1024 /* blocks per device */
#define BARRIER_WORDS (MAX_BARRIER_BLOCKS * MAX_SPREAD)

/* What a block knows of the barrier. */
struct device_barrier {
    int rank, devices;           /* this device's number, and how many there are */
    unsigned *flags[MAX_SPREAD]; /* BARRIER_WORDS in the memory of each device; 0 at first */
    long long limit;             /* cycles that a wait may take; 0: for ever, see wait_began */
};

#ifdef __cplusplus
#include <cuda/atomic>

typedef cuda::atomic_ref<unsigned, cuda::thread_scope_system> system_word;

/* The largest grid of this kernel that the current device holds at once and that has words; 0 where
 * unknown. */
template <typename ARGUMENT> static inline int most_resident(void (*kernel)(ARGUMENT), int threads)
{
    int device = 0, blocks = 0, multiprocessors = 0;

    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0);
    blocks *= multiprocessors;
    return blocks < MAX_BARRIER_BLOCKS ? blocks : MAX_BARRIER_BLOCKS;
}

/* A device that does not come, because its launch failed, must not keep the others for ever: so a
 * wait that takes too long ends its launch with an error, too. The CPU device sees by itself that
 * nothing goes on any more, but not while threads watch the clock: there is no limit there. */
static __device__ inline long long wait_began(long long limit)
{
    return limit ? clock64() : 0;
}

static __device__ inline void wait_goes_on(long long begun, long long limit)
{
    if (limit && clock64() - begun > limit)
        __trap();
}

/* Wait until a word has come to the value. */
static __device__ inline void await_word(unsigned *word, unsigned value, long long limit)
{
    long long begun = wait_began(limit);

    while ((int)(system_word(*word).load(cuda::memory_order_acquire) - value) < 0)
        wait_goes_on(begun, limit);
}

/* All threads of the block, at least as many as there are devices, call it with the same value: the
 * next one after the last barrier's. What any thread of the blocks stored before, on whichever
 * device, all threads of them may load after. */
static __device__ inline void wait_for_devices(const struct device_barrier *b, unsigned value)
{
    int other = (int)threadIdx.x;

    __syncthreads();
    if (other < b->devices) {
        unsigned *theirs = b->flags[other] + blockIdx.x * MAX_SPREAD + b->rank;
        unsigned *ours = b->flags[b->rank] + blockIdx.x * MAX_SPREAD + other;

        system_word(*theirs).store(value, cuda::memory_order_release);
        await_word(ours, value, b->limit);
    }
    __syncthreads();
}
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Zeroed flags in each place, and the limit. What a kernel gets is a copy with the rank filled in.
 * 0, or BAD_DEVICE after one line; free in either case. */
int device_barrier_make(struct device_barrier *, const struct device_stream *places, int devices);
void device_barrier_free(struct device_barrier *);

#ifdef __cplusplus
}
#endif
#endif
