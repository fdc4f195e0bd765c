/*
 * block-sync-lockfree: a barrier between blocks, with a word for each block
 *
 * Idea      Each block writes the number of the round to its own word, so nothing needs an atomic
 *           addition; to know that all have arrived, one block must read every word.
 * Since     block-sync-lock sent all blocks to one counter, where their additions queue.
 * Expect    Polled in turn, the reads follow one another and the cost grows with the blocks. Polled by
 *           all threads at once, every block reads every word. Gathered, only block 0 does, and a second
 *           word releases each block: two round trips, not one. The one counter stays cheaper.
 * Source    That of block-sync-lock (in-turn); Xiao and Feng, 2010 (gathered).
 */
#include "families/barrier/barrier.h"

/* Words of this kind of barrier: which block has arrived, then, for gathered, may go on. */
static __device__ volatile unsigned *arrived(const struct task *task)
{
    return task->words + OWN_WORDS;
}

static __device__ volatile unsigned *released(const struct task *task)
{
    return task->words + OWN_WORDS + gridDim.x;
}

/* Wait until the word has come to this round. A volatile access of an aligned word is as strong as a
 * relaxed atomic one; a reader of what was written before puts a fence behind the wait. */
static __device__ void wait_for(const struct task *task, volatile unsigned *word, unsigned value)
{
    long long since = 0;

    while (!reached(*word, value))
        if (gave_up(task, &since))
            break;
}

/* To be called by thread 0 after a __syncthreads(), which put the block's writes before this. The
 * fence makes that order hold for the whole device. */
static __device__ void arrive(const struct task *task, unsigned value)
{
    __threadfence();
    arrived(task)[blockIdx.x] = value;
}

static __device__ void wait_in_turn(const struct task *task, unsigned round)
{
    unsigned value = task->start + task->passed + round;

    __syncthreads();
    if (threadIdx.x == 0) {
        arrive(task, value);
        for (unsigned k = 0; k < gridDim.x; k++)
            wait_for(task, &arrived(task)[k], value);
        __threadfence();
    }
    __syncthreads();
}

/* Each thread waits for its own share of the words, and fences for what it has seen. */
static __device__ void wait_parallel(const struct task *task, unsigned round)
{
    unsigned value = task->start + task->passed + round;

    __syncthreads();
    if (threadIdx.x == 0)
        arrive(task, value);
    for (unsigned k = threadIdx.x; k < gridDim.x; k += blockDim.x)
        wait_for(task, &arrived(task)[k], value);
    __threadfence();
    __syncthreads();
}

static __device__ void wait_gathered(const struct task *task, unsigned round)
{
    unsigned value = task->start + task->passed + round;

    __syncthreads();
    if (threadIdx.x == 0)
        arrive(task, value);
    if (blockIdx.x == 0) {
        for (unsigned k = threadIdx.x; k < gridDim.x; k += blockDim.x)
            wait_for(task, &arrived(task)[k], value);
        __threadfence(); /* after what this thread has seen */
        __syncthreads(); /* and so after what all threads of block 0 have */
        __threadfence(); /* and before the release, for the whole device */
        for (unsigned k = threadIdx.x; k < gridDim.x; k += blockDim.x)
            released(task)[k] = value;
    }
    if (threadIdx.x == 0) {
        wait_for(task, &released(task)[blockIdx.x], value);
        __threadfence();
    }
    __syncthreads();
}

__global__ void sync_in_turn(struct task task)
{
    for (unsigned round = 1; round <= task.rounds; round++) {
        before_barrier(&task, round);
        wait_in_turn(&task, round);
        after_barrier(&task, round);
    }
}

__global__ void sync_parallel(struct task task)
{
    for (unsigned round = 1; round <= task.rounds; round++) {
        before_barrier(&task, round);
        wait_parallel(&task, round);
        after_barrier(&task, round);
    }
}

__global__ void sync_gathered(struct task task)
{
    for (unsigned round = 1; round <= task.rounds; round++) {
        before_barrier(&task, round);
        wait_gathered(&task, round);
        after_barrier(&task, round);
    }
}

static void in_turn(struct work *w)
{
    if (w->oversubscribe)
        sync_in_turn<<<w->blocks, w->threads>>>(w->task);
    else
        cudaLaunchCooperativeKernel(sync_in_turn, w->blocks, w->threads, w->arguments, 0, 0);
}

static void parallel(struct work *w)
{
    if (w->oversubscribe)
        sync_parallel<<<w->blocks, w->threads>>>(w->task);
    else
        cudaLaunchCooperativeKernel(sync_parallel, w->blocks, w->threads, w->arguments, 0, 0);
}

static void gathered(struct work *w)
{
    if (w->oversubscribe)
        sync_gathered<<<w->blocks, w->threads>>>(w->task);
    else
        cudaLaunchCooperativeKernel(sync_gathered, w->blocks, w->threads, w->arguments, 0, 0);
}

static int most_in_turn(int threads)
{
    return most_resident(sync_in_turn, threads);
}

static int most_parallel(int threads)
{
    return most_resident(sync_parallel, threads);
}

static int most_gathered(int threads)
{
    return most_resident(sync_gathered, threads);
}

static const struct variant variants[] = {
    {"in-turn", "thread 0 of each block polls one word after the other", in_turn, WAITS, NULL,
     most_in_turn},
    {"parallel", "all threads of each block poll", parallel, WAITS, NULL, most_parallel},
    {"gathered", "block 0 polls and releases the others", gathered, WAITS, NULL, most_gathered},
};

STEP("block-sync-lockfree", barrier_family, variants);
