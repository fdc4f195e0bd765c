/*
 * Asynchronous copies that have not arrived, and what barrier objects put in order.
 *
 * From the call that begins a copy to the wait for it nobody may touch the place that it goes to:
 * neither another thread nor the one that began it. How many copies are on their way to a word
 * stands in `flying`; which they are, the engine knows (engine/async_copies.h). When a copy arrives
 * that its thread has waited for, its store counts as done then, so a thread that a barrier before
 * that wait put behind the call alone is not in order with it.
 *
 * An object, be it a barrier or a tile of several warps, orders as a flag in shared memory would
 * that is written after a fence and read before one.
 */
#include <string.h>
#include "cpu/engine/async_copies.h"
#include "cpu/engine/bulk_copies.h"
#include "cpu/tools/check/check.h"

enum { FULL_SEARCHES = 256 }; /* of a block: which copy it was is not looked up more often */

static bool goes_to_shared(const struct block *b, const struct copy *c)
{
    return (uintptr_t)c->to - (uintptr_t)b->shared < SHARED_BYTES;
}

/* Adds one to, or takes one from, the copies on their way to these bytes. */
void async_count(struct check_block *cb, size_t offset, unsigned bytes, int change)
{
    for (size_t word = offset / 4; word * 4 < offset + bytes; word++)
        cb->flying[word] = (uint8_t)(cb->flying[word] + change);
    cb->flights += (unsigned)change;
}

void async_copy(struct thread *t, const struct copy *c)
{
    if (goes_to_shared(t->block, c))
        async_count(check_of(t->block), (size_t)((char *)c->to - t->block->shared), c->bytes, 1);
}

void async_copied(struct thread *t, const struct copy *c)
{
    struct check_block *cb = check_of(t->block);
    size_t offset = (size_t)((char *)c->to - t->block->shared);
    struct access a = {.thread = t,
                       .address = (uintptr_t)c->to,
                       .site = c->site,
                       .bytes = c->bytes,
                       .flags = ACCESS_ASYNC | ACCESS_WRITE,
                       .space = SPACE_SHARED};

    if (!goes_to_shared(t->block, c))
        return;
    async_count(cb, offset, c->bytes, -1);
    if (!c->object)
        shadow_shared_check(&a, offset);
}

/* A copy on its way to these bytes, and whose it is. */
static const struct copy *find(struct block *b, uintptr_t address, unsigned bytes, unsigned *thread)
{
    for (unsigned i = 0; i < WORDS; i++)
        for (uint64_t rest = b->copying[i]; rest; rest &= rest - 1) {
            *thread = i * 64 + (unsigned)__builtin_ctzll(rest);
            for (const struct copy *c = b->thread[*thread].copies; c; c = c->next)
                if ((uintptr_t)c->to < address + bytes && address < (uintptr_t)c->to + c->bytes)
                    return c;
        }
    return NULL;
}

bool async_in_flight(const struct access *a, const struct place *p)
{
    struct block *b = a->thread->block;
    struct check_block *cb = check_of(b);
    struct finding f = {.kind = FOUND_IN_FLIGHT, .parties = 2};
    const struct bulk *bulk = NULL;
    const struct copy *c = NULL;
    unsigned thread = 0;

    for (size_t word = p->offset / 4; !c && !bulk && word * 4 < p->offset + a->bytes; word++) {
        if (cb->flying[word] && cb->flight_hits >= FULL_SEARCHES)
            return true;
        if (cb->flying[word] && !(c = find(b, a->address, a->bytes, &thread)))
            bulk = bulk_at(b, a->address, a->bytes, true);
    }
    if (!c && !bulk)
        return false;
    cb->flight_hits++;
    f.party[0] = (struct party){a->site, b->number, a->thread->id, a->flags};
    f.party[1] = (struct party){c ? c->site : bulk->site, b->number, c ? thread : bulk->thread->id,
                                ACCESS_WRITE | (c ? 0 : ACCESS_BULK)};
    place_tell_shared(b, p->offset, &f);
    f.address = a->address;
    f.bytes = a->bytes;
    finding_add(&f);
    return true;
}

void async_forget(struct check_block *cb)
{
    if (cb->flights)
        memset(cb->flying, 0, sizeof(cb->flying));
    cb->flights = cb->flight_hits = 0;
}

/* --- objects ---------------------------------------------------------------------------------- */

static struct access word_of(struct thread *t, uintptr_t object, unsigned flags)
{
    return (struct access){.thread = t,
                           .address = object,
                           .bytes = 4,
                           .flags = flags | ACCESS_ATOMIC,
                           .space = SPACE_SHARED};
}

void async_arrive(struct thread *t, uintptr_t object)
{
    struct access a = word_of(t, object, ACCESS_WRITE);

    race_global_settle(t, NULL);
    section_widen(&check_of(t->block)->thread[t->id]);
    order_fence(t, CPU_SCOPE_BLOCK);
    order_publish(&a, false);
}

void async_pass(struct thread *t, uintptr_t object)
{
    struct access a = word_of(t, object, 0);

    order_poll(&a, NULL);
    order_fence(t, CPU_SCOPE_BLOCK);
}
