/*
 * Rows of a matrix that come ahead of their turn: a cluster of blocks has a row, then the next one
 * that no other cluster has. Each block has slots in its shared memory with place for its part of
 * a row, which the TMA fills, and the TMA stores rows, too. Device code, for sm_90 and newer.
 */
#ifndef KIT_AHEAD_H
#define KIT_AHEAD_H

#include "harness/kit/cluster.h"

#include <limits.h>

#include "harness/kit/mail.h"

#define MOST_SLOTS 4
#define DRAWS 8                /* rows that are drawn and not yet taken; more than slots */
#define SLOTS_ROOM (224 << 10) /* bytes of shared memory; a block has 227 KiB at most */

/* A block's part of each row: so many vectors from vector `first` on. A vector is 16 bytes, or an
 * element where rows do not begin at multiples of 16 bytes. */
struct share {
    size_t first, there;
};

static __device__ struct share share_of(size_t length, unsigned blocks)
{
    size_t each = (length + blocks - 1) / blocks, first = blockIdx.x % blocks * each;

    if (first > length)
        first = length;
    return {first, length - first < each ? length - first : each};
}

/* In shared memory: where the block's part of row 0 is, and how many bytes it is from row to row;
 * which row a slot has, and when it is there; and the rows that the cluster's first block drew,
 * in a ring. */
struct slot_state {
    const char *from;
    size_t pitch;
    unsigned row[MOST_SLOTS], drawn[DRAWS];
    uint64_t full[MOST_SLOTS], told[DRAWS];
};

/* The slots of a block of a cluster of BLOCKS. */
template <int BLOCKS> struct slots {
    uint4 *at; /* of `count` times `vectors` */
    struct slot_state *state;
    unsigned vectors; /* of a part */
    unsigned rows, count;
    unsigned now;          /* the slot whose turn it is, */
    int parity;            /* of this phase */
    unsigned next;         /* of thread 0: the row that a slot gets next, */
    unsigned drawn, taken; /* and in a cluster which one was drawn last, how many were taken */
};

#ifdef CLUSTERS
/* Rows are drawn, so that a cluster that is faster has more of them: the next row; `rows` or more:
 * none is left. Each cluster draws one such, and the last of these sets the counter back to 0. */
static __device__ unsigned rows_drawn;

static __device__ unsigned draw(unsigned rows, unsigned blocks)
{
    return atomicInc(&rows_drawn, rows + gridDim.x / blocks - 1);
}

/* By the cluster's first thread: what was drawn before; then draw again. The ring has place: before
 * it is full, a row's mail has come from each block, which a block sends when it has taken what it
 * was told before that row. */
template <int BLOCKS> static __device__ void tell_and_draw(struct slots<BLOCKS> *s, unsigned at)
{
    cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();

    for (int i = 0; i < BLOCKS; i++)
        send(cluster.map_shared_rank(&s->state->drawn[at % DRAWS], i), s->drawn,
             cluster.map_shared_rank(&s->state->told[at % DRAWS], i));
    if (s->drawn < s->rows)
        s->drawn = draw(s->rows, BLOCKS);
}

/* By thread 0 of each block: which row comes next. In a cluster it was told before, and the one
 * behind it is told now, so that it need not be waited for. */
template <int BLOCKS> static __device__ void prepare(struct slots<BLOCKS> *s)
{
    unsigned at = s->taken % DRAWS;

    if (BLOCKS == 1) {
        if (s->next < s->rows)
            s->next = draw(s->rows, 1);
        return;
    }
    if (blockIdx.x % BLOCKS == 0)
        tell_and_draw(s, s->taken + 1);
    arrive_expecting(&s->state->told[at], sizeof(s->state->drawn[at]));
    wait_in_cluster(&s->state->told[at], s->taken++ / DRAWS % 2);
    s->next = s->state->drawn[at];
}

/* By one thread: the TMA copies so many bytes, more than none, to shared memory, and counts them at
 * the barrier. */
static __device__ __forceinline__ void bring(void *to, const void *from, unsigned bytes,
                                             uint64_t *barrier)
{
    CLUSTER_ASM("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "
                "[%0], [%1], %2, [%3];" ::"r"(shared_address(to)),
                "l"(from), "r"(bytes), "r"(shared_address(barrier))
                : "memory");
}

/* By thread 0 of each block: the slot gets the next row. */
template <int BLOCKS> static __device__ void fill(struct slots<BLOCKS> *s, unsigned slot)
{
    unsigned bytes = s->vectors * (unsigned)sizeof(uint4);

    s->state->row[slot] = s->next;
    if (s->next >= s->rows || bytes == 0) {
        arrive(&s->state->full[slot]);
        return;
    }
    arrive_expecting(&s->state->full[slot], (int)bytes);
    bring(&s->at[slot * s->vectors], s->state->from + s->next * s->state->pitch, bytes,
          &s->state->full[slot]);
}

/* By all threads of all blocks, before any slot is filled: barriers and all else are there when all
 * blocks have met. */
template <int BLOCKS>
static __device__ void begin_slots(const struct slots<BLOCKS> &s, const void *from, size_t pitch)
{
    if (threadIdx.x == 0) {
        s.state->from = (const char *)from;
        s.state->pitch = pitch;
    }
    if (threadIdx.x < MOST_SLOTS)
        begin_barrier(&s.state->full[threadIdx.x], 1);
    if (threadIdx.x < DRAWS)
        begin_barrier(&s.state->told[threadIdx.x], 1);
}

/* By all threads: all slots are filled. */
template <int BLOCKS> static __device__ void fill_all(struct slots<BLOCKS> *s)
{
    if (threadIdx.x > 0)
        return;
    if (BLOCKS > 1 && blockIdx.x % BLOCKS == 0) {
        s->drawn = draw(s->rows, BLOCKS);
        tell_and_draw(s, 0);
    }
    for (unsigned i = 0; i < s->count; i++) {
        prepare(s);
        fill(s, i);
    }
    prepare(s);
}

/* The next row, as soon as it is there, in slot s.now; s.rows or more: none is left. */
template <int BLOCKS>
static __device__ __forceinline__ unsigned row_there(const struct slots<BLOCKS> &s)
{
    wait(&s.state->full[s.now], s.parity);
    return s.state->row[s.now];
}

/* By all threads of the block: no one reads that row again, and its slot gets the next one. Then
 * thread 0 has time to prepare the one behind, before the next row is read. */
template <int BLOCKS> static __device__ __forceinline__ void row_read(struct slots<BLOCKS> *s)
{
    __syncthreads();
    if (threadIdx.x == 0)
        fill(s, s->now);
    if (++s->now == s->count) {
        s->now = 0;
        s->parity ^= 1;
    }
}

/* By all threads: no block ends before it has what it was told last. */
template <int BLOCKS> static __device__ void end_slots(const struct slots<BLOCKS> &s)
{
    unsigned at = s.taken % DRAWS;

    if (BLOCKS == 1 || threadIdx.x > 0)
        return;
    arrive_expecting(&s.state->told[at], sizeof(s.state->drawn[at]));
    wait_in_cluster(&s.state->told[at], s.taken / DRAWS % 2);
}

/* By all threads, when they have written the block's part of a row to shared memory: the TMA stores
 * it, as a copy of thread 0, while all go on. */
static __device__ __forceinline__ void store_all(void *to, const void *from, size_t bytes)
{
    CLUSTER_ASM("fence.proxy.async.shared::cta;" ::: "memory"); /* the TMA sees what was written */
    __syncthreads();
    if (threadIdx.x > 0 || bytes == 0)
        return;
    CLUSTER_ASM("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to),
                "r"(shared_address(from)), "r"((unsigned)bytes)
                : "memory");
    CLUSTER_ASM("cp.async.bulk.commit_group;" ::: "memory");
}

/* By thread 0: the TMA has read all that it stores, so its place may be written again. */
static __device__ __forceinline__ void wait_for_stores()
{
    CLUSTER_ASM("cp.async.bulk.wait_group.read 0;" ::: "memory");
}
#endif

/* --- the launch ------------------------------------------------------------------------------- */

/* What fits: so many clusters at once, each block of which has so many slots. */
struct slots_room {
    size_t clusters;
    unsigned slots;
    size_t bytes; /* of shared memory, for all slots and what else there is */
};

/* Slots of so many bytes, 0: none, beside other bytes. More slots only if no cluster has to give
 * way. */
template <typename K>
static struct slots_room room_for_slots(K *kernel, cudaLaunchConfig_t *config, size_t slot,
                                        size_t other)
{
    struct slots_room room = {0, 1, slot + other};

    config->dynamicSmemBytes = room.bytes;
    room.clusters = clusters_at_once(kernel, config);
    for (unsigned count = MOST_SLOTS; count > 1 && slot > 0; count--) {
        config->dynamicSmemBytes = count * slot + other;
        if (clusters_at_once(kernel, config) == room.clusters)
            return {room.clusters, count, count * slot + other};
    }
    return room;
}

/* A kernel whose clusters have BLOCKS blocks, over the rows of the work. What fits is asked again
 * only when the threads or the columns change. */
template <int BLOCKS, auto *K, typename W> static void launch_ahead(W *w, size_t slot, size_t other)
{
    static int threads;
    static size_t cols;
    static struct slots_room room;
    cudaLaunchAttribute cluster = {};
    cudaLaunchConfig_t config = cluster_launch(&cluster, BLOCKS, w->threads);

    if (threads != w->threads || cols != w->cols) {
        cudaFuncSetAttribute(K, cudaFuncAttributeMaxDynamicSharedMemorySize, SLOTS_ROOM);
        room = room_for_slots(K, &config, slot, other);
    }
    threads = w->threads;
    cols = w->cols;
    config.dynamicSmemBytes = room.bytes;
    config.gridDim = BLOCKS * (unsigned)(w->rows < room.clusters ? w->rows : room.clusters);
    if (w->rows > 0) /* a grid without blocks is an error */
        cudaLaunchKernelEx(&config, K, *w, room.slots);
}

/* Can rows come ahead? All arrays begin at multiples of 16 bytes, and so do rows; the counter can
 * count them; a block's part fits in its threads' registers, and in shared memory. */
static bool fits_ahead(size_t part, int threads, int held, size_t rows, int arrays)
{
    return part <= (size_t)threads * held && part * sizeof(uint4) * arrays <= SLOTS_ROOM &&
           rows < UINT_MAX / 2;
}

#endif
