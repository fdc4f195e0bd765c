/*
 * Races: two threads touch a word, one of them writes, and nothing puts them in order. Each word
 * has a shadow that keeps its last accesses; the order is that of order.c. A word that is found
 * once is found whatever the order of execution was, but only among the accesses kept.
 *
 * A cell of global memory is touched under its lock by any worker, one of shared memory by the
 * worker of its block. The numbers of code addresses are given once, for the whole program, and
 * read without a lock: a slot's number is stored before its address.
 */
#include <string.h>
#include "cpu/tools/check/know.h"

/* --- sites: code addresses as 12 bits -------------------------------------------------------- */

enum { SITES = 4096, SLOTS = 4 * SITES };

static _Atomic uintptr_t slot_site[SLOTS];
static _Atomic uint16_t slot_number[SLOTS];
static uintptr_t sites[SITES]; /* from 1; 0: one too many */
static atomic_uint site_count;
static atomic_flag site_lock = ATOMIC_FLAG_INIT;

static unsigned add_site(uintptr_t site, unsigned slot)
{
    unsigned number = 0;

    while (atomic_flag_test_and_set(&site_lock))
        ;
    while (atomic_load(&slot_site[slot]) && atomic_load(&slot_site[slot]) != site)
        slot = (slot + 1) % SLOTS;
    if (atomic_load(&slot_site[slot]) == site) {
        number = atomic_load(&slot_number[slot]);
    } else if (atomic_load(&site_count) < SITES - 1) {
        number = atomic_fetch_add(&site_count, 1) + 1;
        sites[number] = site;
        atomic_store(&slot_number[slot], (uint16_t)number);
        atomic_store(&slot_site[slot], site);
    }
    atomic_flag_clear(&site_lock);
    return number;
}

static inline unsigned site_number(uintptr_t site)
{
    unsigned slot = (unsigned)(site * 0x9e3779b97f4a7c15 >> 50) % SLOTS;
    uintptr_t found;

    for (;; slot = (slot + 1) % SLOTS) {
        found = atomic_load_explicit(&slot_site[slot], memory_order_acquire);
        if (found == site)
            return atomic_load_explicit(&slot_number[slot], memory_order_relaxed);
        if (!found)
            return add_site(site, slot);
    }
}

static atomic_bool site_polls[SITES]; /* some thread read the same word there again and again */

/* For the first sites of a launch, one bit each; the others have none. */
static _Atomic uint8_t site_bits[SITES];
static unsigned bits_used;
enum { NO_BIT = 65 };

static uint64_t add_site_bit(unsigned number)
{
    while (atomic_flag_test_and_set(&site_lock))
        ;
    if (!atomic_load(&site_bits[number]))
        atomic_store(&site_bits[number], (uint8_t)(bits_used < 64 ? ++bits_used : NO_BIT));
    atomic_flag_clear(&site_lock);
    return atomic_load(&site_bits[number]);
}

static inline uint64_t site_bit(unsigned number)
{
    uint64_t bit = atomic_load_explicit(&site_bits[number], memory_order_relaxed);

    if (!bit)
        bit = add_site_bit(number);
    return bit == NO_BIT ? 0 : (uint64_t)1 << (bit - 1);
}

void race_launch_begin(void)
{
    memset((void *)site_bits, 0, sizeof(site_bits));
    atomic_store(&site_bits[0], NO_BIT);
    bits_used = 0;
}

/* --- words ------------------------------------------------------------------------------------ */

static unsigned flags_of(access_id id, int which)
{
    unsigned kind = id_kind(id);

    return (which == WRITER ? ACCESS_WRITE : 0) | (kind & ID_ATOMIC ? ACCESS_ATOMIC : 0) |
           (kind & ID_VOLATILE ? ACCESS_VOLATILE : 0) |
           (!(kind & ID_SPECIAL) ? 0
            : (kind & ID_ATOMIC) ? ACCESS_BLOCK_SCOPE
                                 : ACCESS_READ_ONLY);
}

/* Of an access since the last grid barrier, or before it: serial numbers go on from there. */
static uint64_t block_of(const struct check_block *cb, const struct block *b, access_id id)
{
    return (id_serial(id) - cb->launch_serial) % b->launch->blocks;
}

static void report(const struct access *a, const struct place *p, size_t offset,
                   const struct cell *c, int which, enum finding_kind kind,
                   const struct target *old_access)
{
    access_id old = c->id[which];
    struct check_block *cb = check_of(a->thread->block);
    struct finding f = {.kind = kind, .parties = 2};

    f.party[0] = (struct party){a->site, a->thread->block->number, a->thread->id, a->flags, 0};
    f.party[1] = (struct party){sites[id_site(old)], block_of(cb, a->thread->block, old),
                                id_thread(old), flags_of(old, which), 0};
    if (p->region) {
        f.memory.number = p->region->number;
        f.memory.bytes = p->region->bytes;
    }
    f.memory.offset = offset;
    f.address = a->address;
    f.bytes = a->bytes;
    f.has_value = a->bytes <= sizeof(f.value);
    if (f.has_value)
        memcpy(f.value, (const void *)a->address, a->bytes);
    if (old_access && finding_is_new(&f))
        seen_hint(a, old_access, &f.hint);
    finding_add(&f);
}

/* An access that the cell keeps, of this word. */
static struct target target_of(const struct access *a, const struct cell *c, int which)
{
    access_id id = c->id[which];
    bool atomic = id_kind(id) & (ID_ATOMIC | ID_VOLATILE) && which == WRITER;

    return (struct target){.serial = id_serial(id),
                           .thread = id_thread(id),
                           .time = cell_time(c, which),
                           .word = atomic ? a->address & ~(uintptr_t)3 : 0};
}

static bool in_order(const struct thread *t, struct check_block *cb, const struct target *old)
{
    const struct check_thread *ct = &cb->thread[t->id];

    if (old->time == TIME_MAX)
        return true;
    if (old->serial == cb->serial) {
        if (old->time < cb->base || old->thread == t->id)
            return true;
        if (old->thread / WARP == t->id / WARP && ct->lanes_base == cb->base &&
            ct->lane[old->thread % WARP] >= old->time)
            return true;
    }
    return order_known(t, old);
}

static void note_counter(struct check_block *cb, uintptr_t word)
{
    for (unsigned i = 0; i < sizeof(cb->counter) / sizeof(cb->counter[0]); i++)
        if (cb->counter[i] == word)
            return;
    cb->counter[cb->counters++ % (sizeof(cb->counter) / sizeof(cb->counter[0]))] = word;
}

/*
 * The block that drew the last ticket resets the counter by a plain store. No other atomic can
 * come after, and the word itself keeps its order, so that is right without a fence. (One that
 * does come after is found there.) Here the last atomic may seem to be another block's: blocks
 * run in parallel, and each atomic is noted a moment before it is done.
 */
static bool is_reset(const struct access *a, const struct check_block *cb, access_id old)
{
    if (!(a->flags & ACCESS_WRITE) || a->flags & (ACCESS_ATOMIC | ACCESS_VOLATILE) ||
        id_kind(old) != ID_ATOMIC)
        return false;
    for (unsigned i = 0; i < sizeof(cb->counter) / sizeof(cb->counter[0]); i++)
        if (cb->counter[i] == (a->address & ~(uintptr_t)3))
            return true;
    return false;
}

static inline bool is_live(const struct check_block *cb, access_id id, bool global)
{
    return global ? id_serial(id) >= cb->first_serial : id_serial(id) == cb->serial;
}

static inline void keep(struct cell *c, int which, access_id id, uint32_t time)
{
    c->id[which] = id | time >> 16;
    c->time[which] = (uint16_t)time;
}

/* Two accesses of kinds in quiet are no race: but of block scope only in one block. */
static inline bool are_quiet(access_id a, access_id b, unsigned quiet)
{
    unsigned x = id_kind(a), y = id_kind(b);

    return x & quiet && y & quiet && (!((x | y) & ID_SPECIAL) || id_serial(a) == id_serial(b));
}

static inline bool is_read_only(access_id id)
{
    return (id_kind(id) & (ID_SPECIAL | ID_ATOMIC)) == ID_SPECIAL;
}

/* What a launch reads through the read-only path nobody may write in it, in whatever order. */
static inline void check_read_only(const struct access *a, const struct place *p,
                                   const struct check_block *cb, const struct cell *c, access_id id,
                                   size_t offset)
{
    bool write = a->flags & ACCESS_WRITE;

    for (int i = write ? READER : WRITER; i <= (write ? OTHER_READER : WRITER); i++)
        if (c->id[i] && id_serial(c->id[i]) >= cb->launch_serial &&
            id_bytes(c->id[i]) & id_bytes(id) && (!write || is_read_only(c->id[i]))) {
            report(a, p, offset, c, i, FOUND_READ_ONLY, NULL);
            return;
        }
}

/*
 * An atomic access meets another thread's atomic write. No race; but if the thread has seen, in another
 * word, something that the other wrote later, it reads here what was handed over behind that flag:
 * with nothing between the two that orders them. A place that polls is left out: what it reads says
 * by itself whether it is there.
 */
static void check_seen(const struct access *a, const struct place *p, struct check_block *cb,
                       const struct cell *c, const struct target *writer, access_id id,
                       size_t offset)
{
    const struct check_thread *ct = &cb->thread[a->thread->id];
    unsigned kind = id_kind(c->id[WRITER]);
    uintptr_t site = sites[id_site(c->id[WRITER])];

    if (ct->saw[0].word == a->address && ct->saw[0].read == a->site)
        atomic_store_explicit(&site_polls[id_site(id)], true, memory_order_relaxed);
    else if (!atomic_load_explicit(&site_polls[id_site(id)], memory_order_relaxed) &&
             kind & ID_VOLATILE && (a->flags & (ACCESS_VOLATILE | ACCESS_WRITE)) == ACCESS_VOLATILE)
        for (int i = 0; i < SAWS; i++) {
            const struct saw *s = &ct->saw[i];

            if (s->word && s->serial == writer->serial && s->thread == writer->thread &&
                s->time >= writer->time && s->read != a->site &&
                (a->address >= s->word + s->bytes || a->address + a->bytes <= s->word) &&
                !in_order(a->thread, cb, writer)) {
                report(a, p, offset, c, WRITER, FOUND_HANDED, writer);
                break;
            }
        }
    if (!(a->flags & ACCESS_WRITE && a->flags & ACCESS_VOLATILE))
        seen_write(a, writer, site);
}

/* One word. id is this access's, without the time; two accesses of a kind in quiet are no race. */
static inline void check_word(const struct access *a, const struct place *p, struct check_block *cb,
                              struct cell *c, access_id id, uint32_t time, unsigned quiet,
                              size_t offset)
{
    struct thread *t = a->thread;
    bool global = p->region != NULL;
    bool write = a->flags & ACCESS_WRITE;
    int last = write ? OTHER_READER : WRITER, mine;

    if (global && (write ? is_read_only(c->id[READER]) || is_read_only(c->id[OTHER_READER])
                         : is_read_only(id)))
        check_read_only(a, p, cb, c, id, offset);
    for (int i = WRITER; i <= last; i++) {
        access_id old = c->id[i];
        struct target target;

        if (!old || old >> 22 == id >> 22 || !is_live(cb, old, global) ||
            !(id_bytes(old) & id_bytes(id)))
            continue;
        target = target_of(a, c, i);
        if (are_quiet(old, id, quiet)) {
            if (i == WRITER && global && id_kind(id) & quiet)
                check_seen(a, p, cb, c, &target, id, offset);
            continue;
        }
        if (!in_order(t, cb, &target) && !(i == WRITER && is_reset(a, cb, old))) {
            report(a, p, offset, c, i, global ? FOUND_RACE : FOUND_RACE_SHARED, &target);
            break;
        }
    }
    if (write) {
        /* A plain write still counts after an atomic one of the same thread: they do not clash
         * with the same accesses of others. */
        if (!(c->id[WRITER] >> 22 == id >> 22 && id_kind(id) & quiet &&
              !(id_kind(c->id[WRITER]) & quiet) && cell_time(c, WRITER) >= cb->base))
            keep(c, WRITER, id, time);
        c->id[READER] = c->id[OTHER_READER] = 0;
        return;
    }
    if (is_read_only(c->id[OTHER_READER]) && !is_read_only(id) &&
        id_serial(c->id[OTHER_READER]) >= cb->launch_serial)
        return; /* that one is told of any write */
    mine = is_read_only(id) ? OTHER_READER : READER;
    if (mine == READER && c->id[READER] && c->id[READER] >> 22 != id >> 22 &&
        is_live(cb, c->id[READER], global) &&
        !(id_serial(c->id[READER]) == cb->serial && cell_time(c, READER) < cb->base))
        mine = OTHER_READER;
    keep(c, mine, id, time);
}

static inline void lock_cell(struct cell *c)
{
    while (atomic_fetch_or_explicit(&c->state, CELL_LOCKED, memory_order_acquire) & CELL_LOCKED)
        ;
}

static inline void unlock_cell(struct cell *c, unsigned written)
{
    unsigned state = atomic_load_explicit(&c->state, memory_order_relaxed);

    atomic_store_explicit(&c->state, (uint16_t)((state & ~CELL_LOCKED) | written),
                          memory_order_release);
}

void race_check(const struct access *a, const struct place *p)
{
    struct check_block *cb = check_of(a->thread->block);
    struct check_thread *ct = &cb->thread[a->thread->id];
    uint32_t time = check_time(cb, ct);
    unsigned kind = (a->flags & ACCESS_ATOMIC ? ID_ATOMIC : 0) |
                    (a->flags & ACCESS_VOLATILE ? ID_VOLATILE : 0) |
                    (a->flags & (ACCESS_BLOCK_SCOPE | ACCESS_READ_ONLY) ? ID_SPECIAL : 0);
    unsigned site = site_number(a->site);
    access_id id = (access_id)cb->serial << 32 | (access_id)a->thread->id << 22 |
                   (access_id)site << 10 | kind << 7;
    /* In shared memory volatile orders nothing: the lanes of a warp are no longer in step. */
    unsigned quiet = p->region ? ID_ATOMIC | ID_VOLATILE : ID_ATOMIC;
    size_t word = p->offset / 4, end = p->offset + a->bytes;

    if (kind & ID_ATOMIC && !(kind & ID_VOLATILE) && p->region)
        note_counter(cb, a->address & ~(uintptr_t)3);
    if (ct->sites_base != cb->base) {
        ct->sites_base = cb->base;
        ct->sites = 0;
    }
    ct->sites |= site_bit(site);
    if (cb->passed & ct->sites)
        sync_passed(a);
    for (; word * 4 < end; word++) {
        size_t from = word * 4 < p->offset ? p->offset - word * 4 : 0;
        size_t to = end - word * 4 < 4 ? end - word * 4 : 4;
        unsigned bytes = ((1u << to) - 1) & ~((1u << from) - 1);
        struct cell *c = &p->cells[word];

        if (!p->region) {
            check_word(a, p, cb, c, id | bytes << 3, time, quiet, word * 4 + from);
            continue;
        }
        lock_cell(c);
        check_word(a, p, cb, c, id | bytes << 3, time, quiet, word * 4 + from);
        unlock_cell(c, a->flags & ACCESS_WRITE ? bytes * CELL_WRITTEN : 0);
    }
}

void race_by_host(const struct access *a, const struct place *p, uint64_t waited)
{
    bool write = a->flags & ACCESS_WRITE;

    for (size_t byte = p->offset; byte < p->offset + a->bytes; byte++) {
        const struct cell *c = &p->cells[byte / 4];

        for (int i = WRITER; i <= (write ? READER : WRITER); i++) {
            struct finding f = {.kind = FOUND_BY_HOST, .parties = 2};

            if (!c->id[i] || id_serial(c->id[i]) < waited || !(id_bytes(c->id[i]) & 1u << byte % 4))
                continue;
            f.party[0] = (struct party){a->site, 0, 0, a->flags, 0};
            f.party[1] = (struct party){sites[id_site(c->id[i])], 0, id_thread(c->id[i]),
                                        flags_of(c->id[i], i), 0};
            f.memory.number = p->region->number;
            f.memory.bytes = p->region->bytes;
            f.memory.offset = byte;
            finding_add_host(&f);
            return;
        }
    }
}
