/*
 * Races: two threads touch a word, one of them writes, and nothing puts them in order. Each word
 * has a shadow that keeps its last accesses; the order is that of order.c. A word that is found
 * once is found whatever the order of execution was, but only among the accesses kept.
 *
 * Here what global and shared memory have in common; see race_global.c and shadow_shared.c.
 */
#include <string.h>
#include "cpu/tools/check/past.h"
#include "cpu/tools/check/race.h"
#include "cpu/tools/check/shadow_global.h"

unsigned race_flags(access_id id, int which)
{
    unsigned kind = id_kind(id);

    return (which == WRITER ? ACCESS_WRITE : 0) | (kind & ID_ATOMIC ? ACCESS_ATOMIC : 0) |
           (kind & ID_VOLATILE ? ACCESS_VOLATILE : 0) |
           (!(kind & ID_SPECIAL)                      ? 0
            : (kind & ID_ATOMIC)                      ? ACCESS_BLOCK_SCOPE
            : (kind & ID_VOLATILE) || which == WRITER ? 0
                                                      : ACCESS_READ_ONLY);
}

/*
 * The thread that did it, the second party of f, of this launch or of another operation. That one
 * is kept for a finding alone that will be told: a race may come a million times.
 */
static void add_party(struct finding *f, const struct check_block *cb, const struct block *b,
                      struct shadow_cell k, int which)
{
    const struct launch *l = b->launch;
    struct party *party = &f->party[1];
    struct past p;

    *party = (struct party){site_of[id_site(k.id)], 0, id_thread(k.id), race_flags(k.id, which), 0};
    /* Of an access since the last grid barrier, or before it: serial numbers go on from there. */
    party->block = (id_serial(k.id) - cb->launch_serial) % l->blocks;
    if (l->beside && past_find(id_serial(k.id), &p)) {
        party->block = id_serial(k.id) - p.from;
        if ((p.stream != l->stream || p.number != l->number) && finding_is_earliest(f))
            party->of = past_keep(&p);
    }
}

struct finding race_finding(const struct access *a, const struct place *p, size_t offset,
                            struct shadow_cell old, int which, enum finding_kind kind)
{
    struct check_block *cb = check_of(a->thread->block);
    struct finding f = {.kind = kind, .parties = 2};

    f.party[0] = (struct party){a->site, a->thread->block->number, a->thread->id, a->flags, 0};
    f.memory.offset = offset;
    if (p->owner || !p->region)
        place_tell_shared(p->owner ? p->owner : a->thread->block, offset, &f);
    else
        region_tell(p->region, &f);
    add_party(&f, cb, a->thread->block, old, which);
    f.address = a->address;
    f.bytes = a->bytes;
    f.has_value = a->bytes <= sizeof(f.value);
    if (f.has_value)
        memcpy(f.value, (const void *)a->address, a->bytes);
    return f;
}

void race_report(const struct access *a, const struct place *p, size_t offset,
                 struct shadow_cell old, int which, enum finding_kind kind,
                 const struct target *old_access)
{
    struct finding f = race_finding(a, p, offset, old, which, kind);

    if (old_access && finding_is_new(&f))
        seen_hint(a, old_access, &f.hint);
    finding_add(&f);
}

struct target race_target(const struct access *a, struct shadow_cell k, int which)
{
    bool atomic = id_kind(k.id) & (ID_ATOMIC | ID_VOLATILE) && which == WRITER;

    return (struct target){.serial = id_serial(k.id),
                           .thread = id_thread(k.id),
                           .epoch = k.epoch,
                           .word = atomic ? a->address & ~(uintptr_t)3 : 0};
}

bool race_in_order(const struct thread *t, const struct check_block *cb, const struct target *old)
{
    const struct check_thread *ct = &cb->thread[t->id];

    if (old->epoch == EPOCH_MAX)
        return true;
    if (old->serial == cb->serial) {
        if (old->epoch < cb->base || old->thread == t->id)
            return true;
        if (old->thread / WARP == t->id / WARP && ct->lanes_base == cb->base &&
            ct->lane[old->thread % WARP] >= old->epoch)
            return true;
    }
    return order_happens_before(t, old);
}
