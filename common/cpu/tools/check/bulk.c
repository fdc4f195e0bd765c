/*
 * Copies in bulk that nobody has waited for.
 *
 * To shared memory: from the call to the wait nobody may touch the place, as with other
 * asynchronous copies (async.c). When it arrives, its store counts as done then by the thread that
 * began it, and the barrier object makes that known to who waits for it: what that thread did
 * besides, it does not.
 *
 * To global memory: from the call to the wait for its group nobody may write what it reads
 * (products.c has the same of products). It reads through another proxy than loads and stores: what
 * was stored, it sees behind a fence of the proxies alone.
 */
#include "cpu/engine/bulk_copies.h"
#include "cpu/tools/check/check.h"

static struct access access_of(const struct bulk *c, unsigned piece)
{
    return (struct access){.thread = c->thread,
                           .address = (uintptr_t)c->block->shared + c->piece[piece].shared,
                           .site = c->site,
                           .bytes = c->piece[piece].bytes,
                           .flags = ACCESS_ASYNC | ACCESS_BULK | (c->object ? ACCESS_WRITE : 0),
                           .space = c->block == c->thread->block ? SPACE_SHARED : SPACE_CLUSTER};
}

void bulk_check_begin(struct thread *t, const struct bulk *c)
{
    struct check_block *cb = check_of(c->block);

    (void)t;

    for (unsigned i = 0; i < c->pieces; i++) {
        struct access a = access_of(c, i);

        if (c->object)
            async_count(cb, c->piece[i].shared, c->piece[i].bytes, 1);
        else
            products_reading(cb, &a, 1);
    }
}

void bulk_check_done(struct thread *t, const struct bulk *c)
{
    struct check_block *cb = check_of(c->block);

    for (unsigned i = 0; i < c->pieces; i++) {
        struct access a = access_of(c, i);

        if (c->object)
            async_count(cb, c->piece[i].shared, c->piece[i].bytes, -1);
        else
            products_reading(cb, &a, -1);
        clusters_check_shared(&a, c->block, c->piece[i].shared);
    }
    if (c->object)
        order_copied(t, order_object_word(c->object), cb->serial);
}

/* The block ends: shared memory must not be given back while a copy is on its way. */
void bulk_check_end(struct block *b)
{
    if (check_of(b)->killed || atomic_load(&b->launch->failed))
        return;
    for (const struct bulk *c = b->bulks; c; c = c->next) {
        struct finding f = {.kind = FOUND_LEFT_BEHIND, .parties = 1};

        if (c->is_read)
            continue;
        f.party[0] = (struct party){c->site, c->thread->block->number, c->thread->id,
                                    c->object ? ACCESS_WRITE : 0};
        finding_add(&f);
    }
}
