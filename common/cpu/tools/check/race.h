/* What the checks of global and of shared memory have in common. See race.c. */
#ifndef CPU_TOOLS_CHECK_RACE_H
#define CPU_TOOLS_CHECK_RACE_H

#include "cpu/tools/check/vector_clock.h"
#include "cpu/tools/check/sites.h"

/* Byte `offset` of the place is accessed, and was before by what its shadow kept. old_access: what
 * a fence would have to order; NULL: none would. */
void race_report(const struct access *a, const struct place *p, size_t offset,
                 struct shadow_cell old, int which, enum finding_kind kind,
                 const struct target *old_access);

unsigned race_flags(access_id id, int which); /* enum access_flag of what was kept */

/* An access that was kept, of the first word of this one. */
struct target race_target(const struct access *a, struct shadow_cell k, int which);
struct finding race_finding(const struct access *a, const struct place *p, size_t offset,
                            struct shadow_cell old, int which, enum finding_kind kind);
bool race_in_order(const struct thread *t, const struct check_block *cb, const struct target *old);

/* What the shadow keeps of how it was done: enum id_kind. */
static inline unsigned race_kind(const struct access *a)
{
    return (a->flags & ACCESS_ATOMIC ? ID_ATOMIC : 0) |
           (a->flags & ACCESS_VOLATILE ? ID_VOLATILE : 0) |
           (a->flags & (ACCESS_ATOMIC | ACCESS_VOLATILE) && a->bytes > 4 ? ID_WIDE : 0) |
           (a->flags & (ACCESS_BLOCK_SCOPE | ACCESS_READ_ONLY) ||
                    (a->flags & ACCESS_BULK && a->flags & ACCESS_WRITE && a->space == SPACE_SHARED)
                ? ID_SPECIAL
                : 0);
}

/* The thread has been there since the last barrier. */
static inline void race_note_site(const struct check_block *cb, struct check_thread *ct,
                                  unsigned site)
{
    if (ct->sites_base != cb->base) {
        ct->sites_base = cb->base;
        ct->sites = 0;
    }
    ct->sites |= site_bit(site);
}

/* The access as the shadow keeps it, without its bytes; and it is noted where the thread has
 * been. */
static inline struct shadow_cell race_now(const struct access *a, struct check_block *cb,
                                          unsigned kind)
{
    struct check_thread *ct = &cb->thread[a->thread->id];
    unsigned site = site_number(a->site);

    race_note_site(cb, ct, site);
    if (__builtin_expect(cb->passed & ct->sites, 0))
        sync_passed(a);
    return (struct shadow_cell){id_make(cb->serial, a->thread->id, site, kind),
                                check_epoch(cb, ct)};
}

#endif
