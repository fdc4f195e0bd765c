/*
 * Products of warpgroups (wgmma) that nobody has waited for, and what must stand before one.
 *
 * From its call to the wait a product may read its operands in shared memory and write its sums. So
 * nobody may write the first: how many products read a chunk of 16 bytes stands in `multiplying`,
 * and a product counts as a read at its call and again when it is done. And its thread may not
 * touch the second. Before a product that comes first, or whose sums were written by other code,
 * must be a wgmma.fence.
 *
 * A product reads shared memory through another proxy than loads and stores. What was stored, or
 * copied by cp.async, it sees behind a fence.proxy.async alone: of the thread that stored, behind
 * that, or of the one that multiplies, behind the barrier that put the two in order.
 */
#include <string.h>
#include "cpu/engine/async_products.h"
#include "cpu/engine/bulk_copies.h"
#include "cpu/tools/check/check.h"
#include "cpu/tools/check/race.h"

static struct party party_of(const struct thread *t, uintptr_t site, unsigned flags)
{
    return (struct party){site, t->block->number, t->id, flags};
}

static struct access read_of(struct thread *t, const struct product *p, unsigned chunk,
                             unsigned flags)
{
    return (struct access){.thread = t,
                           .address = (uintptr_t)t->block->shared + p->offset[chunk],
                           .site = p->site,
                           .bytes = CHUNK_BYTES,
                           .flags = flags,
                           .space = SPACE_SHARED};
}

/* Through which warps learn of each other what their products have read. */
static uintptr_t object_of(const struct thread *t)
{
    return (uintptr_t)&t->block->warp[t->id / WARP / GROUP_WARPS * GROUP_WARPS];
}

static void found_sums(struct thread *t, const struct product *p, uintptr_t site, unsigned flags)
{
    struct finding f = {.kind = FOUND_SUM, .parties = 2};

    f.party[0] = party_of(t, site, flags);
    f.party[1] = party_of(t, p->site, 0);
    finding_add(&f);
}

void products_local(const struct access *a)
{
    struct thread *t = a->thread;
    const struct product *p;
    struct sum_range *r;

    if (!warp_of(t)->products)
        return;
    p = async_product_at(t, a->address, a->bytes);
    if (p)
        found_sums(t, p, a->site, a->flags & ACCESS_WRITE);
    else if (a->flags & ACCESS_WRITE && (r = async_sum_range(t, a->address)))
        r->written = a->site;
}

bool products_still_read(const struct access *a, const struct place *p)
{
    struct block *b = a->thread->block;
    const struct check_block *cb = check_of(b);
    size_t first = p->offset / CHUNK_BYTES, last = (p->offset + a->bytes - 1) / CHUNK_BYTES;
    struct finding f = {.kind = FOUND_STILL_READ, .parties = 2};
    const struct bulk *bulk;

    if (!(a->flags & ACCESS_WRITE) || !(cb->multiplying[first] | cb->multiplying[last]))
        return false;
    f.party[0] = party_of(a->thread, a->site, ACCESS_WRITE);
    for (unsigned i = 0; i < b->warps && f.parties == 2 && !f.party[1].site; i++)
        for (const struct product *one = b->warp[i].products ? b->warp[i].products->first : NULL;
             one && !f.party[1].site; one = one->next)
            for (unsigned j = 0; j < one->chunks && !one->is_read; j++)
                if (one->offset[j] / CHUNK_BYTES >= first && one->offset[j] / CHUNK_BYTES <= last) {
                    f.party[1] = (struct party){one->site, b->number, b->warp[i].first, 0};
                    break;
                }
    if (!f.party[1].site && (bulk = bulk_at(b, a->address, a->bytes, false)))
        f.party[1] = (struct party){bulk->site, b->number, bulk->thread->id, ACCESS_BULK};
    if (!f.party[1].site) /* of these 16 bytes others alone */
        return false;
    place_tell_shared(b, p->offset, &f);
    f.address = a->address;
    f.bytes = a->bytes;
    finding_add(&f);
    return true;
}

/* Is a fence missing between other accesses to registers and this product? */
static void check_fence(struct thread *t, const struct product *p)
{
    struct warp *w = warp_of(t);
    struct block *b = t->block;
    struct finding f = {.kind = FOUND_NOT_FENCED, .parties = 1};

    for (unsigned lane = 0; lane < WARP; lane++) {
        struct thread *each = &b->thread[w->first + lane];

        if (!p->sum[lane][0])
            continue;
        f.party[0] = party_of(each, p->site, 0);
        if (!(w->products->fenced >> lane & 1)) {
            finding_add(&f);
            continue;
        }
        for (unsigned i = 0; i < p->columns / 2; i++) {
            struct sum_range *r = async_sum_range(each, (uintptr_t)p->sum[lane][i]);

            if (!r || !r->written)
                continue;
            f.parties = 2;
            f.party[1] = party_of(each, r->written, ACCESS_WRITE);
            finding_add(&f);
            f.parties = 1;
            f.party[1] = (struct party){0};
            break;
        }
    }
}

/* What was stored there last by no copy in bulk, behind which no fence of the proxies stands. */
static void check_proxy(struct thread *t, const struct access *a, const struct place *p)
{
    struct check_block *cb = check_of(t->block);
    struct shadow_cell last = cb->clustered ? clusters_shared_writer(cb, p->offset, a->bytes)
                                            : shadow_shared_writer(cb, p->offset, a->bytes);
    struct finding f = {.kind = FOUND_PROXY, .parties = 2};

    if (!last.id || id_kind(last.id) == ID_SPECIAL ||
        cb->thread[id_thread(last.id)].proxy_clock > last.epoch ||
        cb->thread[t->id].proxy_base > last.epoch)
        return;
    f.party[0] = party_of(t, a->site, a->flags & ACCESS_BULK);
    f.party[1] = (struct party){site_of[id_site(last.id)], t->block->number, id_thread(last.id),
                                ACCESS_WRITE};
    place_tell_shared(t->block, p->offset, &f);
    f.address = a->address;
    f.bytes = a->bytes;
    finding_add(&f);
}

void products_reading(struct check_block *cb, const struct access *a, int change)
{
    struct place place;

    cb->products += (unsigned)change;
    cb->multiplying[(a->address - (uintptr_t)a->thread->block->shared) / CHUNK_BYTES] +=
        (uint16_t)change;
    if (change > 0 && place_find(a, &place))
        check_proxy(a->thread, a, &place);
}

void products_begin(struct thread *t, const struct product *p)
{
    struct check_block *cb = check_of(t->block);

    check_fence(t, p);
    cb->products++;
    for (unsigned i = 0; i < p->chunks; i++) {
        struct access a = read_of(t, p, i, ACCESS_LASTING);
        struct place place;

        cb->multiplying[p->offset[i] / CHUNK_BYTES]++;
        if (!place_find(&a, &place) || (cb->flights && async_in_flight(&a, &place)))
            continue;
        place_check_written(&a, &place);
        check_proxy(t, &a, &place); /* before the shadow forgets whose the bytes of words were */
        shadow_shared_check(&a, place.offset);
    }
}

void products_done(struct thread *t, const struct product *p)
{
    struct check_block *cb = check_of(t->block);

    cb->products--;
    for (unsigned i = 0; i < p->chunks; i++) {
        struct access a = read_of(t, p, i, 0);

        cb->multiplying[p->offset[i] / CHUNK_BYTES]--;
        clusters_check_shared(&a, t->block, p->offset[i]);
    }
    order_copied(t, object_of(t), cb->serial);
}

/* It is behind what its warpgroup's products have read, whichever warp waited first. */
void products_waited(struct thread *t)
{
    struct access a = {.thread = t,
                       .address = object_of(t),
                       .bytes = 4,
                       .flags = ACCESS_ATOMIC,
                       .space = SPACE_SHARED};

    race_global_settle(t, NULL);
    order_poll(&a, NULL);
    order_acquire(t, CPU_SCOPE_BLOCK);
}

void products_proxy_fence(struct thread *t)
{
    struct check_block *cb = check_of(t->block);
    struct check_thread *ct = &cb->thread[t->id];

    order_tick(cb, ct);
    ct->proxy_clock = ct->epoch;
    ct->proxy_base = cb->base;
}

void products_forget(struct block *b)
{
    struct check_block *cb = check_of(b);

    if (cb->products)
        memset(cb->multiplying, 0, sizeof(cb->multiplying));
    cb->products = 0;
}

/* Have all four warps of each warpgroup multiplied as often? */
void products_end(struct block *b)
{
    for (unsigned i = 0; i + 1 < b->warps && !check_of(b)->killed; i++) {
        const struct warp_products *one = b->warp[i].products, *next = b->warp[i + 1].products;
        struct finding f = {.kind = FOUND_UNEVEN, .parties = 2};

        if (i % GROUP_WARPS == GROUP_WARPS - 1 ||
            (one ? one->begun : 0) == (next ? next->begun : 0))
            continue;
        f.party[0] = party_of(&b->thread[b->warp[i].first], b->thread[b->warp[i].first].site, 0);
        f.party[1] =
            party_of(&b->thread[b->warp[i + 1].first], b->thread[b->warp[i + 1].first].site, 0);
        finding_add(&f);
        return;
    }
}
