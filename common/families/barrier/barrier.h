/*
 * The barrier family: all blocks of a grid wait for one another, n times.
 *
 * A step brings, for each method, a kernel of this form, of which it writes only the middle line:
 *
 *     __global__ void method(struct task task)
 *     {
 *         for (unsigned round = 1; round <= task.rounds; round++) {
 *             before_barrier(&task, round);
 *             wait_for_all(&task, round);
 *             after_barrier(&task, round);
 *         }
 *     }
 *
 * The same kernel is timed, doing nothing before and after, and verified, at the two tasks below.
 */
#ifndef BARRIER_H
#define BARRIER_H

#include "harness/kit/element.h"

#ifdef __cplusplus
extern "C" {
#endif

enum task_kind {
    TASK_NOTHING, /* the barrier alone: what is timed */
    TASK_SUMS,    /* one round: each block sums 0..1023, then block 0 sums the blocks' results */
    TASK_SLOTS,   /* each block writes a slot, one of them late, then reads those of all others */
};

/* Words between two words that shall not lie in one line of a cache: 256 bytes. */
#define APART 64
/* Words that a method has beside two for each block, which come after them. */
#define OWN_WORDS ((size_t)16 * APART)

/* Slots that a block reads in a round, at most: all of a grid that is resident. */
#define MAX_SLOTS_READ 8192

/* A kernel's argument. Pointers are device memory. */
struct task {
    enum task_kind kind;
    unsigned rounds;         /* barriers in this launch */
    unsigned start;          /* every word was this when none had been passed */
    unsigned passed;         /* barriers passed since then, modulo 2^32, in the launches before */
    unsigned *words;         /* the method's: OWN_WORDS, then 2 * gridDim.x */
    unsigned *partial;       /* TASK_SUMS: a sum a block; 0 before */
    unsigned long long *sum; /* TASK_SUMS: the sum of those; 0 before */
    unsigned *slots;         /* TASK_SLOTS: 2 * gridDim.x, the halves used in turn */
    unsigned *errors;        /* TASK_SLOTS: how many slots were read with a wrong value */
    unsigned late;           /* TASK_SLOTS: chooses who is late; another number in each launch */
    long long delay;         /* TASK_SLOTS: by how many cycles */
    long long limit;         /* cycles that a wait may take; 0: for ever. See gave_up */
    unsigned *stuck;         /* [0]: a wait took longer; [1]: polls in vain: see count_poll */
};

/* What a launch function gets. */
struct work {
    struct task task;
    int blocks, threads;
    /* With --oversubscribe: launch with <<<>>>, which takes any grid. Without it, launch with
     * cudaLaunchCooperativeKernel, which refuses a grid that is not resident all at once. */
    bool oversubscribe;
    void *arguments[1]; /* for cudaLaunchCooperativeKernel: &task */
    bool refused;       /* the launch function sets it: CUDA took no such grid */
};

#ifdef __cplusplus
}

/* The largest grid of this kernel that the current device holds at once; 0 where unknown. */
static inline int most_resident(void (*kernel)(struct task), int threads)
{
    int device = 0, blocks = 0, multiprocessors = 0;

    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0);
    return blocks * multiprocessors;
}

/* Whether a counter that only grows, modulo 2^32, is at its target or beyond: right as long as the
 * two are less than 2^31 apart, wherever the wrap lies. */
static __device__ inline bool reached(unsigned count, unsigned target)
{
    return (int)(count - target) >= 0;
}

/* Count a turn of a loop that ends by the clock. The CPU device knows a deadlock when it sees that
 * nothing changes any more, and would end the launch before the loop ends. */
static __device__ inline void count_poll(const struct task *task)
{
    atomicAdd(&task->stuck[1], 1u);
}

/* To call after each poll in vain. True when the wait is to end although nobody came: a limit is
 * set and this wait, or any other, took longer. *since is the caller's, 0 before its first poll. */
static __device__ inline bool gave_up(const struct task *task, long long *since)
{
    long long now;

    if (task->limit == 0)
        return false;
    now = clock64();
    if (*since == 0)
        *since = now;
    count_poll(task);
    if (now - *since > task->limit)
        atomicExch(&task->stuck[0], 1u);
    return *(volatile unsigned *)&task->stuck[0] != 0;
}

static __device__ inline unsigned slot_value(unsigned round, unsigned block)
{
    return round * 2654435761u + block * 40503u;
}

/* One block is late in each round: the first and the last, for they may be special, and then others
 * in turn, from launch to launch. */
static __device__ inline bool is_late(const struct task *task, unsigned round)
{
    unsigned block = round == 1 ? 0 : round == 2 ? gridDim.x - 1 : (task->late + round) % gridDim.x;

    return blockIdx.x == block;
}

/* In each round another thread of every block writes its slot: a barrier must wait for all blocks,
 * and in them for all threads. */
static __device__ inline void write_slot(const struct task *task, unsigned round)
{
    unsigned turn = task->passed + round;

    if (threadIdx.x != (task->late + round * 37) % blockDim.x)
        return;
    if (is_late(task, round)) {
        for (long long begun = clock64(); clock64() - begun < task->delay;) {
            __nanosleep(1000);
            count_poll(task);
        }
    }
    task->slots[turn % 2 * gridDim.x + blockIdx.x] = slot_value(turn, blockIdx.x);
}

/* Nobody may be two rounds ahead, so two halves are enough. Plain loads: an old value in a cache
 * counts as wrong, and so it should. */
static __device__ inline void read_slots(const struct task *task, unsigned round)
{
    unsigned turn = task->passed + round, wrong = 0;

    for (unsigned k = threadIdx.x; k < gridDim.x && k < MAX_SLOTS_READ; k += blockDim.x)
        wrong += task->slots[turn % 2 * gridDim.x + k] != slot_value(turn, k);
    if (wrong)
        atomicAdd(task->errors, wrong);
}

/* The article's work before the barrier: this block's sum of 0..1023. */
static __device__ inline void sum_of_block(const struct task *task)
{
    unsigned own = 0;

    for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x)
        own += i;
    atomicAdd(&task->partial[blockIdx.x], own);
}

/* And after it: block 0 sums what the blocks have left. */
static __device__ inline void sum_of_grid(const struct task *task)
{
    unsigned long long own = 0;

    if (blockIdx.x != 0)
        return;
    for (unsigned k = threadIdx.x; k < gridDim.x; k += blockDim.x)
        own += task->partial[k];
    atomicAdd(task->sum, own);
}

static __device__ inline void before_barrier(const struct task *task, unsigned round)
{
    if (task->kind == TASK_SUMS)
        sum_of_block(task);
    else if (task->kind == TASK_SLOTS)
        write_slot(task, round);
}

static __device__ inline void after_barrier(const struct task *task, unsigned round)
{
    if (task->kind == TASK_SUMS)
        sum_of_grid(task);
    else if (task->kind == TASK_SLOTS)
        read_slots(task, round);
}
#endif
#endif
