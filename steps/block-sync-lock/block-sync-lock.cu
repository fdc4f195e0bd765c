/*
 * block-sync-lock: a barrier between blocks, with one counter
 *
 * Idea      Each block adds 1 to a counter when it arrives and goes on when all have. The counter
 *           only grows, modulo 2^32: nothing is reset, so no block can be caught between two rounds.
 * Since     __syncthreads() knows one block; until now a grid had to end for its blocks to wait.
 * Expect    A round trip to the L2 cache for the addition, one for the poll that finds it complete.
 *           Fences and polls that come too early are expensive; the fast variant avoids both.
 * Source    Block barriers, after Xiao and Feng, "Inter-Block GPU Communication via Fast Barrier
 *           Synchronization", 2010 (E0, E1). It had no fence, and read the counter as a plain int.
 */
#include <cuda/atomic>
#include "families/barrier/barrier.h"

/* No barrier: each block waits for itself only, and block 0 sums what happens to be there. */
__global__ void sync_none(struct task task)
{
    for (unsigned round = 1; round <= task.rounds; round++) {
        before_barrier(&task, round);
        __syncthreads();
        after_barrier(&task, round);
    }
}

/*
 * Why this is right. __syncthreads() orders the writes of all threads of the block before what thread
 * 0 does next, and its first fence orders them before the addition for the whole device: a fence is
 * cumulative. A thread that reads it and then fences is ordered after them, and the second
 * __syncthreads() hands that on to its block. The addition is atomic, and so is a volatile read of an
 * aligned word (PTX: ld.volatile is as strong as a relaxed load); a plain one could be hoisted out
 * of the loop. Neither orders anything by itself, hence the fences.
 */
static __device__ void wait_lock(const struct task *task, unsigned round)
{
    unsigned target = task->start + (task->passed + round) * gridDim.x;
    long long since = 0;

    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        atomicAdd(task->words, 1u);
        while (!reached(*(volatile unsigned *)task->words, target))
            if (gave_up(task, &since))
                break;
        __threadfence();
    }
    __syncthreads();
}

__global__ void sync_lock(struct task task)
{
    for (unsigned round = 1; round <= task.rounds; round++) {
        before_barrier(&task, round);
        wait_lock(&task, round);
        after_barrier(&task, round);
    }
}

/* Cycles until the first poll: a trip to the L2 cache and back takes twice that, and polls stand in
 * the way of the additions that they wait for. The last block loses at most this. */
#define PAUSE 300

/*
 * The same order, asked for more cheaply: a fence orders against everything, a release or an acquire
 * only at one access. The polls are relaxed; once one has seen the target, an acquire load reads that
 * value or a later one, which every addition before it leads up to (a release sequence).
 */
static __device__ void wait_acquire(const struct task *task, unsigned round)
{
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> count(*task->words);
    unsigned target = task->start + (task->passed + round) * gridDim.x;
    long long since = 0;

    __syncthreads();
    if (threadIdx.x == 0) {
        count.fetch_add(1, cuda::memory_order_release);
        for (long long begun = clock64(); clock64() - begun < PAUSE;)
            ;
        while (!reached(count.load(cuda::memory_order_relaxed), target))
            if (gave_up(task, &since))
                break;
        count.load(cuda::memory_order_acquire);
    }
    __syncthreads();
}

__global__ void sync_acquire(struct task task)
{
    for (unsigned round = 1; round <= task.rounds; round++) {
        before_barrier(&task, round);
        wait_acquire(&task, round);
        after_barrier(&task, round);
    }
}

/*
 * Additions to one word queue, and so do polls of it: with many blocks, these come to stand in the way
 * of those. Half the blocks add to one counter, half to another, in another line of the cache. Two
 * lanes of each block poll one counter each; the barrier at the end waits for both.
 */
static __device__ void wait_two(const struct task *task, unsigned round)
{
    unsigned lane = threadIdx.x;
    long long since = 0;

    __syncthreads();
    if (lane < 2) {
        cuda::atomic_ref<unsigned, cuda::thread_scope_device> count(task->words[lane * APART]);
        unsigned members = (gridDim.x + 1 - lane) / 2; /* the blocks that add to it */
        unsigned target = task->start + (task->passed + round) * members;

        if (blockIdx.x % 2 == lane)
            count.fetch_add(1, cuda::memory_order_release);
        for (long long begun = clock64(); clock64() - begun < PAUSE;)
            ;
        while (!reached(count.load(cuda::memory_order_relaxed), target))
            if (gave_up(task, &since))
                break;
        count.load(cuda::memory_order_acquire);
    }
    __syncthreads();
}

__global__ void sync_two(struct task task)
{
    for (unsigned round = 1; round <= task.rounds; round++) {
        before_barrier(&task, round);
        wait_two(&task, round);
        after_barrier(&task, round);
    }
}

static void none(struct work *w)
{
    sync_none<<<w->blocks, w->threads>>>(w->task);
}

static void lock(struct work *w)
{
    if (w->oversubscribe)
        sync_lock<<<w->blocks, w->threads>>>(w->task);
    else
        cudaLaunchCooperativeKernel(sync_lock, w->blocks, w->threads, w->arguments, 0, 0);
}

static void lock_acquire(struct work *w)
{
    if (w->oversubscribe)
        sync_acquire<<<w->blocks, w->threads>>>(w->task);
    else
        cudaLaunchCooperativeKernel(sync_acquire, w->blocks, w->threads, w->arguments, 0, 0);
}

static void two_counters(struct work *w)
{
    if (w->oversubscribe)
        sync_two<<<w->blocks, w->threads>>>(w->task);
    else
        cudaLaunchCooperativeKernel(sync_two, w->blocks, w->threads, w->arguments, 0, 0);
}

static int most_lock(int threads)
{
    return most_resident(sync_lock, threads);
}

static int most_acquire(int threads)
{
    return most_resident(sync_acquire, threads);
}

static int most_two(int threads)
{
    return most_resident(sync_two, threads);
}

static const struct variant variants[] = {
    {"none", "no waiting: wrong on purpose", none, UNSYNCHRONISED},
    {"lock", "one counter, polled by thread 0 of each block", lock, WAITS, NULL, most_lock},
    {"lock-acquire", "the same with release and acquire in place of fences", lock_acquire, WAITS,
     NULL, most_acquire},
    {"two-counters", "and two counters, for many blocks", two_counters,
     WAITS | AT_LEAST_TWO_THREADS, NULL, most_two},
};

STEP("block-sync-lock", barrier_family, variants);
