/*
 * peers-flag: a word that says that something has come
 *
 * Idea      A GPU stores its data to another's memory, then a flag. The other polls the flag in its own memory,
 *           then reads the data. The store releases, the load acquires, both at system scope: else the data
 *           may come after its flag. With a flag for each pair of GPUs that is a barrier across all of them.
 * Since     peers-load ended its kernel to say that the data is there: a launch, and the host, each time.
 * Expect    About the time of a store's way over the link, and of the polls that see it, for each hop; as much
 *           for a barrier, because all flags are under way at once.
 * Source    CUDA guide, "Memory Fence Functions"; libcu++, "thread scopes"; PTX ISA, "Memory Consistency Model".
 */
#include "families/handover/handover.h"

/* The flag of device `from` in the memory of device `owner`. */
static __device__ unsigned *flag_of(const struct task &t, int owner, int from)
{
    return t.barrier.flags[owner] + blockIdx.x * MAX_SPREAD + from;
}

/* Store the value with a release: what was stored before is there for whoever sees it. */
static __device__ void pass_on(const struct task &t, int to, unsigned turn)
{
    if (t.checks)
        store_slot(&t, turn, to);
    system_word(*flag_of(t, to, t.barrier.rank)).store(turn, cuda::memory_order_release);
}

static __device__ void receive(const struct task &t, int from, unsigned turn)
{
    await_word(flag_of(t, t.barrier.rank, from), turn, t.barrier.limit);
    if (t.checks)
        load_slot(&t, turn, from);
}

/* A word goes round the GPUs: the first one begins each round, every other waits for the one before it. */
static __global__ void word_round(struct task t)
{
    int p = t.barrier.devices, rank = t.barrier.rank;
    int next = (rank + 1) % p, before = (rank + p - 1) % p;

    for (unsigned round = 1; threadIdx.x == 0 && round <= t.rounds; round++) {
        if (rank == 0)
            pass_on(t, next, t.passed + round);
        receive(t, before, t.passed + round);
        if (rank != 0)
            pass_on(t, next, t.passed + round);
    }
}

/* The same with a fence of its own in place of release and acquire. */
static __device__ void pass_fenced(const struct task &t, int to, unsigned turn)
{
    if (t.checks)
        store_slot(&t, turn, to);
    __threadfence_system();
    *(volatile unsigned *)flag_of(t, to, t.barrier.rank) = turn;
}

static __device__ void receive_fenced(const struct task &t, int from, unsigned turn)
{
    volatile unsigned *flag = flag_of(t, t.barrier.rank, from);
    long long begun = wait_began(t.barrier.limit);

    while ((int)(*flag - turn) < 0)
        wait_goes_on(begun, t.barrier.limit);
    __threadfence_system();
    if (t.checks)
        load_slot(&t, turn, from);
}

static __global__ void word_round_fenced(struct task t)
{
    int p = t.barrier.devices, rank = t.barrier.rank;
    int next = (rank + 1) % p, before = (rank + p - 1) % p;

    for (unsigned round = 1; threadIdx.x == 0 && round <= t.rounds; round++) {
        if (rank == 0)
            pass_fenced(t, next, t.passed + round);
        receive_fenced(t, before, t.passed + round);
        if (rank != 0)
            pass_fenced(t, next, t.passed + round);
    }
}

/* Every block of every GPU waits for the same block of all others: thread k tells device k, and waits for it. */
static __global__ void barriers(struct task t)
{
    for (unsigned round = 1; round <= t.rounds; round++) {
        before_meeting(&t, t.passed + round);
        wait_for_devices(&t.barrier, t.passed + round);
        after_meeting(&t, t.passed + round);
    }
}

/* Make device d the current one; what its kernel gets. */
static struct task on_device(const struct work *w, int d)
{
    struct task t = w->task;

    t.barrier.rank = d;
    cudaSetDevice(w->places[d].device->ordinal);
    return t;
}

static void ring(struct work *w)
{
    for (int d = 0; d < w->task.barrier.devices; d++) {
        struct task t = on_device(w, d);

        word_round<<<w->blocks, w->threads, 0, w->places[d].stream>>>(t);
    }
    w->task.passed += w->task.rounds;
}

static void ring_fenced(struct work *w)
{
    for (int d = 0; d < w->task.barrier.devices; d++) {
        struct task t = on_device(w, d);

        word_round_fenced<<<w->blocks, w->threads, 0, w->places[d].stream>>>(t);
    }
    w->task.passed += w->task.rounds;
}

static void barrier(struct work *w)
{
    for (int d = 0; d < w->task.barrier.devices; d++) {
        struct task t = on_device(w, d);

        barriers<<<w->blocks, w->threads, 0, w->places[d].stream>>>(t);
    }
    w->task.passed += w->task.rounds;
}

static int most(int threads)
{
    return most_resident(barriers, threads);
}

static const struct variant variants[] = {
    {"ring", "a word goes round: release and acquire", ring, WAITS, NULL, most},
    {"ring-fenced", "a word goes round: fences of system scope", ring_fenced, WAITS, NULL, most},
    {"barrier", "a barrier across all GPUs, block by block", barrier, WAITS, NULL, most},
};

STEP("peers-flag", handover_family, variants);
