/*
 * Copies in bulk between global and shared memory: cp.async.bulk and cp.async.bulk.tensor. When
 * they arrive is the engine's matter (engine/bulk_copies.c), what a box is that of tensor_maps.c.
 *
 * The tools are told of loads and stores when the copy begins, marked, because on a GPU no
 * instruction does them; and of the copy itself when it begins and when it is done.
 */
#include "cpu/abi.h"
#include "cpu/engine/bulk_copies.h"
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

static struct bulk *new_copy(uint64_t *object, uintptr_t site)
{
    struct thread *t = cpu_thread();
    struct bulk *c = bulk_new(t->block->worker);

    c->thread = t;
    c->site = site;
    c->object = (uintptr_t)object;
    return c;
}

/* From the start of shared memory; UINT32_MAX: it is not there. */
static uint32_t shared_offset(const struct thread *t, const void *p)
{
    uintptr_t offset = (uintptr_t)p - (uintptr_t)t->block->shared;

    return offset < SHARED_BYTES ? (uint32_t)offset : UINT32_MAX;
}

static void begin(struct bulk *c)
{
    struct thread *t = c->thread;
    unsigned flags = ACCESS_ASYNC | ACCESS_BULK | ACCESS_UNALIGNED;
    unsigned of_global = c->object ? flags : flags | ACCESS_WRITE;
    unsigned of_shared = c->object ? flags | ACCESS_WRITE : flags;
    uint64_t *object = (uint64_t *)c->object;

    for (unsigned i = 0; i < c->pieces; i++) {
        const struct bulk_piece *p = &c->piece[i];

        if (p->global)
            access_observe(t, (const void *)p->global, p->bytes, of_global, c->site);
        access_observe(t, t->block->shared + p->shared, p->bytes, of_shared, c->site);
    }
    bulk_begin(c);
    if (!object)
        return;
    object_wake(t->block, (uintptr_t)object); /* who sleeps for it is who lets it arrive */
    if (cpu_random_order && cpu_random(&t->block->worker->random) % 4 == 0)
        object_copies_arrive(t, object);
}

/* --- bytes that follow each other ------------------------------------------------------------- */

static const char *mistake_in(const struct bulk *c, const void *global, uint32_t shared,
                              uint32_t bytes)
{
    const struct block *b = c->thread->block;

    if ((uintptr_t)global % BULK_PIECE || shared % BULK_PIECE)
        return "cp.async.bulk of an address that is no multiple of 16";
    if (!bytes || bytes % BULK_PIECE)
        return "cp.async.bulk of a number of bytes that is no multiple of 16";
    if (shared + (size_t)bytes > b->shared_used + b->shared_gaps)
        return "cp.async.bulk leads out of the block's shared memory";
    if (c->object % OBJECT_BYTES)
        return "a barrier object lies at an address that is no multiple of 8";
    return NULL;
}

static void copy_bytes(struct bulk *c, const void *global, const void *in_shared, uint32_t bytes)
{
    uint32_t shared = shared_offset(c->thread, in_shared);
    const char *mistake = mistake_in(c, global, shared, bytes);

    if (mistake)
        fail(c, mistake);
    c->element = sizeof(uint32_t); /* nobody says */
    c->bytes = bytes;
    for (uint32_t i = 0; i < bytes; i += BULK_PIECE)
        bulk_add(c, (uintptr_t)global + i, shared + i, BULK_PIECE);
    begin(c);
}

void cpu_bulk_load(void *to, const void *from, uint32_t bytes, uint64_t *object)
{
    copy_bytes(new_copy(object, HERE), from, to, bytes);
}

void cpu_bulk_store(void *to, const void *from, uint32_t bytes)
{
    copy_bytes(new_copy(NULL, HERE), to, from, bytes);
}

/* --- boxes of tensors ------------------------------------------------------------------------- */

static void copy_box(struct bulk *c, const void *map, unsigned rank, const int *at,
                     const void *shared)
{
    const char *mistake;

    access_judge(c->thread, (uintptr_t)map, 1, 0, c->site);
    mistake = tensor_map_add(c, map, rank, at, shared_offset(c->thread, shared), c->object);
    if (!mistake && c->object % OBJECT_BYTES)
        mistake = "a barrier object lies at an address that is no multiple of 8";
    if (mistake)
        fail(c, mistake);
    begin(c);
}

void cpu_tensor_load(void *to, const void *map, uint64_t *object, unsigned rank, int x0, int x1,
                     int x2, int x3, int x4)
{
    const int at[TENSOR_RANK] = {x0, x1, x2, x3, x4};

    copy_box(new_copy(object, HERE), map, rank, at, to);
}

void cpu_tensor_store(const void *map, const void *from, unsigned rank, int x0, int x1, int x2,
                      int x3, int x4)
{
    const int at[TENSOR_RANK] = {x0, x1, x2, x3, x4};

    copy_box(new_copy(NULL, HERE), map, rank, at, from);
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
