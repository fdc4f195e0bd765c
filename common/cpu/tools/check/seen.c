/*
 * What threads have seen of each other through atomic and volatile words, in order or not: it says
 * what a missing fence would have put in order, and where it belongs.
 */
#include <string.h>
#include "cpu/tools/check/past.h"
#include "cpu/tools/check/vector_clock.h"

void seen_add(const struct access *a, const struct target *writer, uintptr_t site)
{
    struct check_block *cb = check_of(a->thread->block);
    struct check_thread *ct = &cb->thread[a->thread->id];
    struct seen_write s = {.word = a->address,
                           .bytes = a->bytes,
                           .serial = writer->serial,
                           .epoch = writer->epoch,
                           .thread = writer->thread,
                           .written = site,
                           .read = a->site,
                           .fences = ct->fences,
                           .device_fences = ct->device_fences};

    if (ct->seen[0].word != a->address)
        memmove(&ct->seen[1], &ct->seen[0], (SEEN_WRITES - 1) * sizeof(s));
    ct->seen[0] = s;
}

/* Would a thread of the block have the access in order, but for a fence behind what it read? */
static bool is_pending(struct block *b, unsigned id, const struct target *old)
{
    struct check_thread *ct = &check_of(b)->thread[id];

    if (ct->polled)
        order_resolve(&b->thread[id]);
    return ct->pending && vector_clock_covers(ct->pending, NULL, old);
}

/* What thread `id` of the block saw of the other block, the better the more it says of the access;
 * 0: nothing. */
static unsigned best_seen(const struct check_block *cb, unsigned id, const struct target *old,
                          const struct seen_write **best)
{
    unsigned score = 0;

    for (int i = 0; i < SEEN_WRITES; i++) {
        const struct seen_write *s = &cb->thread[id].seen[i];
        unsigned this = !s->word                   ? 0
                        : s->serial != old->serial ? 1
                        : s->epoch < old->epoch    ? 1
                        : s->thread == old->thread ? 3
                                                   : 2;

        if (this > score) {
            score = this;
            *best = s;
        }
    }
    return score;
}

static void set_hint(struct hint *h, enum missing missing, const struct check_thread *ct,
                     const struct seen_write *s)
{
    h->missing = missing;
    if (!s)
        return;
    h->written = s->written;
    h->read = s->read;
    h->too_small = ct->fences > s->fences && ct->device_fences == s->device_fences;
}

/* Of an atomic it is noted before it happens what stands there: a writer in between is known as one
 * that it must have seen, and not by its own line. */
static struct seen_write last_poll(const struct check_thread *ct)
{
    return (struct seen_write){
        .read = ct->poll_site, .fences = ct->poll_fences, .device_fences = ct->poll_device_fences};
}

void seen_hint(const struct access *a, const struct target *old, struct hint *hint)
{
    struct block *b = a->thread->block;
    struct check_block *cb = check_of(b);
    const struct seen_write *s = NULL, *other = NULL;
    struct target any = *old;
    unsigned best = 0, who = a->thread->id;
    struct past past;

    if (old->serial == cb->serial)
        return;
    hint->devices =
        b->launch->beside && past_find(old->serial, &past) && past.device != b->launch->device;
    for (unsigned n = 0; n < b->threads; n++) {
        unsigned id = (a->thread->id + n) % b->threads, score;

        if (!(cb->aware[id / 64] >> id % 64 & 1))
            continue;
        score = best_seen(cb, id, old, &other);
        if (is_pending(b, id, old)) {
            struct seen_write polled = last_poll(&cb->thread[id]);

            set_hint(hint, MISSING_ACQUIRE, &cb->thread[id], score ? other : &polled);
            return;
        }
        if (score > best) {
            best = score;
            s = other;
            who = id;
        }
    }
    any.any_scope = true;
    if (vector_clock_covers(cb->thread[a->thread->id].acquired, cb->common, &any))
        set_hint(hint, MISSING_SCOPE, &cb->thread[who], s);
    else if (s)
        set_hint(hint,
                 cb->thread[who].device_fences == s->device_fences ? MISSING_BOTH : MISSING_RELEASE,
                 &cb->thread[who], s);
}
