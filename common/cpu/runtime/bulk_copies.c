/*
 * Copies in bulk between global and shared memory, or to that of another block of the cluster:
 * cp.async.bulk and cp.async.bulk.tensor; and st.async, which arrives in the same way. When
 * they arrive is the engine's matter (engine/bulk_copies.c), what a box is that of tensor_maps.c.
 *
 * The tools are told of loads and stores when the copy begins, marked, because on a GPU no
 * instruction does them; and of the copy itself when it begins and when it is done.
 */
#include <string.h>
#include "cpu/abi.h"
#include "cpu/engine/bulk_copies.h"
#include "cpu/engine/cluster.h"
#include "cpu/engine/failure.h"
#include "cpu/engine/object.h"
#include "cpu/engine/thread.h"
#include "cpu/runtime/access.h"
#include "cpu/runtime/barrier_objects.h"
#include "cpu/runtime/tensor_maps.h"

enum { OBJECT_BYTES = 8 };

static void fail(struct bulk *c, const char *why)
{
    struct thread *t = c->thread;

    bulk_free(t->block->worker, c);
    cpu_fail(cudaErrorLaunchFailure, "%s: %s (thread %u of block %llu)", t->block->launch->name,
             why, t->id, (unsigned long long)t->block->number);
    cpu_kill(t);
}

/* shared: what it goes to, or comes from, in the block's shared memory or that of another block of
 * its cluster. */
static struct bulk *new_copy(uint64_t *object, const void *shared, uintptr_t site)
{
    struct thread *t = cpu_thread();
    struct block *to = object ? cluster_owner(t->block, (uintptr_t)shared) : NULL;
    struct bulk *c = bulk_new(t->block->worker);

    c->thread = t;
    c->block = to ? to : t->block;
    c->site = site;
    c->object = (uintptr_t)object;
    return c;
}

/* From the start of the block's shared memory; UINT32_MAX: it is not there. */
static uint32_t shared_offset(const struct block *b, const void *p)
{
    uintptr_t offset = (uintptr_t)p - (uintptr_t)b->shared;

    return offset < SHARED_BYTES ? (uint32_t)offset : UINT32_MAX;
}

/* The tools know of its accesses. */
static void go(struct bulk *c)
{
    struct thread *t = c->thread;
    struct block *b = c->block;
    uint64_t *object = (uint64_t *)c->object;

    bulk_begin(c);
    if (!object)
        return;
    object_wake(b, (uintptr_t)object); /* who sleeps for it is who lets it arrive */
    if (cpu_random_order && cpu_random(&t->block->worker->random) % 4 == 0)
        object_copies_arrive(t, b, object);
}

static void begin(struct bulk *c)
{
    struct thread *t = c->thread;
    unsigned flags = ACCESS_ASYNC | ACCESS_BULK | ACCESS_UNALIGNED;
    unsigned of_global = c->object ? flags : flags | ACCESS_WRITE;
    unsigned of_shared = c->object ? flags | ACCESS_WRITE : flags;

    for (unsigned i = 0; i < c->pieces; i++) {
        const struct bulk_piece *p = &c->piece[i];

        if (p->global)
            access_observe(t, (const void *)p->global, p->bytes, of_global, c->site);
        access_observe(t, c->block->shared + p->shared, p->bytes, of_shared, c->site);
    }
    go(c);
}

static const char *mistake_in_object(const struct bulk *c)
{
    if (c->object % OBJECT_BYTES)
        return "a barrier object lies at an address that is no multiple of 8";
    if (c->object && cluster_blocks(c->thread->block->launch) > 1 &&
        c->object - (uintptr_t)c->block->shared >= SHARED_BYTES)
        return "a copy goes to another block's shared memory than its barrier object is in";
    return NULL;
}

/* Begins what `copy` makes of `to` and `object`, once for each block of the mask, where they are in
 * that block. */
#define TO_BLOCKS(mask, to, object, copy)                                                          \
    for (unsigned rank_ = 0, mask_ = (mask); mask_; rank_++, mask_ >>= 1)                          \
        if (mask_ & 1) {                                                                           \
            void *to_rank = cpu_cluster_map(to, rank_);                                            \
            uint64_t *object_rank = cpu_cluster_map(object, rank_);                                \
                                                                                                   \
            copy;                                                                                  \
        }

/* --- bytes that follow each other ------------------------------------------------------------- */

static const char *mistake_in(const struct bulk *c, const void *global, uint32_t shared,
                              uint32_t bytes)
{
    const struct block *b = c->block;

    if ((uintptr_t)global % BULK_PIECE || shared % BULK_PIECE)
        return "cp.async.bulk of an address that is no multiple of 16";
    if (!bytes || bytes % BULK_PIECE)
        return "cp.async.bulk of a number of bytes that is no multiple of 16";
    if (shared + (size_t)bytes > b->shared_used + b->shared_gaps)
        return "cp.async.bulk leads out of the block's shared memory";
    return mistake_in_object(c);
}

static void copy_bytes(struct bulk *c, const void *global, const void *in_shared, uint32_t bytes)
{
    uint32_t shared = shared_offset(c->block, in_shared);
    const char *mistake = mistake_in(c, global, shared, bytes);

    if (mistake)
        fail(c, mistake);
    c->element = sizeof(uint32_t); /* nobody says */
    c->bytes = bytes;
    for (uint32_t i = 0; i < bytes; i += BULK_PIECE)
        bulk_add(c, (uintptr_t)global + i, shared + i, BULK_PIECE);
    begin(c);
}

void cpu_bulk_load(void *to, const void *from, uint32_t bytes, uint64_t *object, uint32_t mask)
{
    uintptr_t site = HERE;

    if (!mask)
        copy_bytes(new_copy(object, to, site), from, to, bytes);
    TO_BLOCKS(mask, to, object,
              copy_bytes(new_copy(object_rank, to_rank, site), from, to_rank, bytes))
}

void cpu_bulk_store(void *to, const void *from, uint32_t bytes)
{
    copy_bytes(new_copy(NULL, from, HERE), to, from, bytes);
}

void cpu_bulk_send(void *to, const void *from, uint32_t bytes, uint64_t *object)
{
    struct bulk *c = new_copy(object, to, HERE);
    const struct block *b = c->thread->block;
    uint32_t source = shared_offset(b, from);

    if (source == UINT32_MAX || source + (size_t)bytes > b->shared_used + b->shared_gaps)
        fail(c, "cp.async.bulk to another block of what is not in the block's shared memory");
    copy_bytes(c, from, to, bytes);
}

/* st.async: a copy of a value that the thread brings. */
void cpu_store_async(void *to, const void *value, uint32_t bytes, uint64_t *object)
{
    struct bulk *c = new_copy(object, to, HERE);
    uint32_t shared = shared_offset(c->block, to);
    const char *mistake = mistake_in_object(c);

    if (shared == UINT32_MAX ||
        shared + (size_t)bytes > c->block->shared_used + c->block->shared_gaps)
        mistake = "st.async leads out of the block's shared memory";
    else if (shared % bytes)
        mistake = "st.async to an address that is no multiple of its bytes";
    if (mistake)
        fail(c, mistake);
    c->element = c->bytes = bytes;
    bulk_add(c, 0, shared, bytes);
    memcpy(c->seen[0], value, bytes);
    access_observe(c->thread, to, bytes, ACCESS_ASYNC | ACCESS_BULK | ACCESS_WRITE, c->site);
    c->piece[0].global = (uintptr_t)c->seen[0];
    go(c);
}

/* --- boxes of tensors ------------------------------------------------------------------------- */

static void copy_box(struct bulk *c, const void *map, unsigned rank, const int *at,
                     const void *shared)
{
    const char *mistake;

    access_judge(c->thread, (uintptr_t)map, 1, 0, c->site);
    mistake = tensor_map_add(c, map, rank, at, shared_offset(c->block, shared), c->object);
    if (!mistake)
        mistake = mistake_in_object(c);
    if (mistake)
        fail(c, mistake);
    begin(c);
}

void cpu_tensor_load(void *to, const void *map, uint64_t *object, uint32_t mask, unsigned rank,
                     int x0, int x1, int x2, int x3, int x4)
{
    const int at[TENSOR_RANK] = {x0, x1, x2, x3, x4};
    uintptr_t site = HERE;

    if (!mask)
        copy_box(new_copy(object, to, site), map, rank, at, to);
    TO_BLOCKS(mask, to, object,
              copy_box(new_copy(object_rank, to_rank, site), map, rank, at, to_rank))
}

void cpu_tensor_store(const void *map, const void *from, unsigned rank, int x0, int x1, int x2,
                      int x3, int x4)
{
    const int at[TENSOR_RANK] = {x0, x1, x2, x3, x4};

    copy_box(new_copy(NULL, from, HERE), map, rank, at, from);
}

/* --- waits ------------------------------------------------------------------------------------ */

void cpu_bulk_commit(void)
{
    bulk_commit(cpu_thread());
}

void cpu_bulk_wait(uint64_t prior, bool read_only)
{
    bulk_wait(cpu_thread(), prior, read_only);
}
