/*
 * Races in global memory, whose words any worker touches, under the lock of their line.
 */
#include "cpu/tools/check/ended.h"
#include "cpu/tools/check/past.h"
#include "cpu/tools/check/race.h"
#include "cpu/tools/check/shadow_global.h"

enum { COUNTERS = sizeof(((struct check_block *)0)->counter) / sizeof(struct counter) };

static void note_counter(struct check_block *cb, const struct access *a, uint32_t epoch)
{
    struct counter now = {a->address & ~(uintptr_t)3, epoch, a->thread->id};

    for (unsigned i = 0; i < COUNTERS; i++)
        if (cb->counter[i].word == now.word) {
            cb->counter[i] = now;
            return;
        }
    cb->counter[cb->counters++ % COUNTERS] = now;
}

/*
 * The block that drew the last ticket resets the counter by a plain store. No other atomic can
 * come after, and the word itself keeps its order, so that is right without a fence. (One that
 * does come after is found there.) Here the last atomic may seem to be another block's: blocks
 * run in parallel, and each atomic is noted a moment before it is done. Of its own block it is the
 * store of a thread that the block's last atomic is in order with.
 */
static bool is_reset(const struct access *a, const struct check_block *cb, access_id old)
{
    unsigned atomic = ID_ATOMIC | (a->bytes > 4 ? ID_WIDE : 0); /* of the same size */

    if (!(a->flags & ACCESS_WRITE) || a->flags & ACCESS_ATOMIC || id_kind(old) != atomic ||
        id_serial(old) == cb->serial)
        return false;
    for (unsigned i = 0; i < COUNTERS; i++) {
        const struct counter *c = &cb->counter[i];
        struct target last = {.serial = cb->serial, .thread = c->thread, .epoch = c->epoch};

        if (c->word == (a->address & ~(uintptr_t)3))
            return race_in_order(a->thread, cb, &last);
    }
    return false;
}

/* Is it in order, because another operation did it before this launch, or this one before a grid
 * barrier? */
static bool is_past_slowly(const struct thread *t, const struct check_block *cb, uint32_t serial)
{
    const struct launch *l = t->block->launch;
    struct past p;

    if (!past_find(serial, &p))
        return true;
    return (p.stream == l->stream && p.number == l->number) || past_in_order(&p, l->after) ||
           serial - cb->first_serial < l->blocks;
}

static inline bool is_past(const struct thread *t, const struct check_block *cb, uint32_t serial)
{
    const struct launch *l = t->block->launch;

    if (serial - cb->first_serial < l->blocks)
        return false;
    return serial < cb->floor || !l->beside || is_past_slowly(t, cb, serial);
}

static inline bool is_block_scope(access_id id)
{
    return (id_kind(id) & (ID_SPECIAL | ID_ATOMIC)) == (ID_SPECIAL | ID_ATOMIC);
}

/* A volatile access that is no atomic has the system's, too. */
static bool is_system_scope(access_id id)
{
    return !(id_kind(id) & ID_ATOMIC) ||
           atomic_load_explicit(&site_systems[id_site(id)], memory_order_relaxed);
}

/* Of another device than this block's? */
static bool is_of_other_device(const struct thread *t, const struct check_block *cb, access_id id)
{
    const struct launch *l = t->block->launch;
    struct past p;

    return l->beside && id_serial(id) - cb->first_serial >= l->blocks &&
           past_find(id_serial(id), &p) && p.device != l->device;
}

static inline bool is_same_size(access_id a, access_id b)
{
    return !((id_kind(a) ^ id_kind(b)) & ID_WIDE);
}

/* Two accesses of kinds in quiet are no race: but only if they are of one size, since of a word in
 * two halves either may be seen alone; of block scope only in one block, and of device scope only
 * on one device. old: of another thread. */
static inline bool are_quiet(const struct thread *t, const struct check_block *cb, access_id old,
                             access_id id, unsigned quiet)
{
    if (!(id_kind(old) & quiet && id_kind(id) & quiet) || !is_same_size(old, id))
        return false;
    if (is_block_scope(old) || is_block_scope(id))
        return id_serial(old) == id_serial(id);
    return (is_system_scope(old) && is_system_scope(id)) || !is_of_other_device(t, cb, old);
}

/*
 * Volatile is no way to order threads. Two accesses that are quiet, one of them a write, are wrong
 * where nothing orders them and
 *
 *   - both are writes, one of them volatile and no atomic: the last writer wins; or
 *   - a volatile write has no fence before it: it is no flag that tells of what was written before.
 *
 * A flag, behind a fence and read before one, is what CUDA's model asks for. What it protects is
 * checked by itself.
 */
static bool is_bare(access_id a, bool a_writes, access_id b, bool b_writes)
{
    unsigned x = id_kind(a), y = id_kind(b), w = a_writes ? x : y;

    if (a_writes && b_writes)
        return !(x & ID_ATOMIC) || !(y & ID_ATOMIC);
    return !(w & (ID_ATOMIC | ID_SPECIAL));
}

static inline bool is_read_only(access_id id)
{
    return (id_kind(id) & (ID_SPECIAL | ID_ATOMIC | ID_VOLATILE)) == ID_SPECIAL;
}

static bool is_of_launch(const struct thread *t, const struct check_block *cb, uint32_t serial)
{
    const struct launch *l = t->block->launch;
    struct past p;

    if (serial < cb->launch_serial || !l->beside)
        return serial >= cb->launch_serial;
    return past_find(serial, &p) && p.stream == l->stream && p.number == l->number;
}

/* What a launch reads through the read-only path nobody may write in it, in whatever order. */
static void check_read_only(const struct access *a, const struct place *p,
                            const struct check_block *cb, const struct shadow_cell *cells,
                            size_t offset)
{
    bool write = a->flags & ACCESS_WRITE;

    for (int i = write ? READER : WRITER; i <= (write ? OTHER_READER : WRITER); i++)
        if (cells[i].id && is_of_launch(a->thread, cb, id_serial(cells[i].id)) &&
            (!write || is_read_only(cells[i].id))) {
            race_report(a, p, offset, cells[i], i, FOUND_READ_ONLY, NULL);
            return;
        }
}

/*
 * An atomic access meets another thread's atomic write. No race; but if the thread has seen, in
 * another word, something that the other wrote later, it reads here what was handed over behind
 * that flag: with nothing between the two that orders them. A place that polls is left out: what it
 * reads says by itself whether it is there.
 */
static bool check_seen(const struct access *a, const struct place *p, struct check_block *cb,
                       struct shadow_cell old, const struct target *writer, access_id id,
                       size_t offset)
{
    const struct check_thread *ct = &cb->thread[a->thread->id];
    unsigned kind = id_kind(old.id);
    uintptr_t site = site_of[id_site(old.id)];
    bool found = false;

    if (ct->seen[0].word == a->address && ct->seen[0].read == a->site)
        atomic_store_explicit(&site_polls[id_site(id)], true, memory_order_relaxed);
    else if (!atomic_load_explicit(&site_polls[id_site(id)], memory_order_relaxed) &&
             kind & ID_VOLATILE && (a->flags & (ACCESS_VOLATILE | ACCESS_WRITE)) == ACCESS_VOLATILE)
        for (int i = 0; i < SEEN_WRITES; i++) {
            const struct seen_write *s = &ct->seen[i];

            if (s->word && s->serial == writer->serial && s->thread == writer->thread &&
                s->epoch >= writer->epoch && s->read != a->site &&
                (a->address >= s->word + s->bytes || a->address + a->bytes <= s->word) &&
                !race_in_order(a->thread, cb, writer)) {
                race_report(a, p, offset, old, WRITER, FOUND_HANDED, writer);
                found = true;
                break;
            }
        }
    if (!(a->flags & ACCESS_WRITE && a->flags & ACCESS_VOLATILE))
        seen_add(a, writer, site);
    return found;
}

/*
 * A compare-and-swap of what this thread has just read by a plain access: the read was a guess,
 * which the swap checks, as in the loop by which the CUDA C++ Programming Guide makes atomics of
 * its own. That other threads' atomics meet it is no race: see is_guess in findings.c.
 */
static void note_guess(const struct shadow_cell *cells, access_id id)
{
    for (int i = READER; i <= OTHER_READER; i++)
        if (id_same_thread(cells[i].id, id) && !id_kind(cells[i].id))
            atomic_store_explicit(&site_guesses[id_site(cells[i].id)], true, memory_order_relaxed);
}

/* Two accesses that must be in order. Returns whether they are not, which is a finding. */
static bool check_order(const struct access *a, const struct place *p, struct check_block *cb,
                        struct shadow_cell old, int which, const struct target *target,
                        size_t offset, enum finding_kind kind)
{
    if (!race_in_order(a->thread, cb, target)) {
        if (which == WRITER &&
            (is_reset(a, cb, old.id) || (kind == FOUND_VOLATILE && section_gives_back(a, target))))
            return false;
        race_report(a, p, offset, old, which, kind, kind == FOUND_VOLATILE ? NULL : target);
        return true;
    }
    if (!sections_any())
        return false;
    if (section_by_luck(a, target)) {
        race_report(a, p, offset, old, which, FOUND_LUCK, NULL);
        return true;
    }
    if (cb->thread[a->thread->id].holding.lock) {
        struct finding f = race_finding(a, p, offset, old, which, FOUND_LUCK);

        section_suspect(a, target, &f);
    }
    return false;
}

/* What the word's shadow keeps against this access; two accesses of a kind in quiet are no race. */
static void check_cells(const struct access *a, const struct place *p, struct check_block *cb,
                        const struct shadow_cell *cells, access_id id, size_t offset)
{
    const unsigned quiet = ID_ATOMIC | ID_VOLATILE;
    bool write = a->flags & ACCESS_WRITE;

    if (write ? is_read_only(cells[READER].id) || is_read_only(cells[OTHER_READER].id)
              : is_read_only(id))
        check_read_only(a, p, cb, cells, offset);
    if (a->flags & ACCESS_SWAP)
        note_guess(cells, id);
    for (int i = WRITER; i <= (write ? OTHER_READER : WRITER); i++) {
        access_id old = cells[i].id;
        struct target target;

        if (!old || id_same_thread(old, id) || is_past(a->thread, cb, id_serial(old)))
            continue;
        target = race_target(a, cells[i], i);
        if (are_quiet(a->thread, cb, old, id, quiet)) {
            bool handed = i == WRITER && check_seen(a, p, cb, cells[i], &target, id, offset);

            if (handed)
                continue;
            if (is_bare(id, write, old, i == WRITER))
                check_order(a, p, cb, cells[i], i, &target, offset, FOUND_VOLATILE);
            else if (((id_kind(id) | id_kind(old)) & ~ID_WIDE) == (ID_VOLATILE | ID_SPECIAL) &&
                     section_left_out(a, &target))
                race_report(a, p, offset, cells[i], i, FOUND_LEFT_OUT, NULL);
            continue;
        }
        if (check_order(a, p, cb, cells[i], i, &target, offset,
                        id_kind(old) & id_kind(id) & ID_ATOMIC && !is_same_size(old, id)
                            ? FOUND_SIZES
                            : FOUND_RACE))
            break;
    }
}

static void keep_write(struct shadow_global *s, int plane, const struct check_block *cb,
                       size_t word, const struct shadow_cell *cells, struct shadow_cell now)
{
    const unsigned quiet = ID_ATOMIC | ID_VOLATILE;
    access_id old = cells[WRITER].id;

    /* A plain write still counts after an atomic one of the same thread: they do not clash with
     * the same accesses of others. */
    if (!(id_same_thread(old, now.id) && id_kind(now.id) & quiet && !(id_kind(old) & quiet) &&
          cells[WRITER].epoch >= cb->base))
        shadow_global_put(s, plane, WRITER, word, now, cb->floor);
    if (cells[READER].id)
        shadow_global_drop(s, plane, READER, word);
    if (cells[OTHER_READER].id)
        shadow_global_drop(s, plane, OTHER_READER, word);
}

/* Serial numbers from there on may matter. */
static uint32_t first_that_counts(const struct check_block *cb)
{
    return cb->floor < cb->launch_serial ? cb->floor : cb->first_serial;
}

static void keep_read(struct shadow_global *s, int plane, const struct check_block *cb, size_t word,
                      const struct shadow_cell *cells, struct shadow_cell now)
{
    access_id first = cells[READER].id, other = cells[OTHER_READER].id;
    int mine = READER;

    if (is_read_only(other) && !is_read_only(now.id) && id_serial(other) >= cb->launch_serial)
        return; /* that one is told of any write */
    if (is_read_only(now.id) ||
        (first && !id_same_thread(first, now.id) && id_serial(first) >= first_that_counts(cb) &&
         !(id_serial(first) == cb->serial && cells[READER].epoch < cb->base)))
        mine = OTHER_READER;
    shadow_global_put(s, plane, mine, word, now, cb->floor);
}

static bool same_cells(const struct shadow_cell *a, const struct shadow_cell *b)
{
    for (int i = 0; i < SHADOW_CELLS; i++)
        if (a[i].id != b[i].id || (a[i].id && a[i].epoch != b[i].epoch))
            return false;
    return true;
}

/* Of one word, `bytes` from that one on. Of bytes that one access did, one is looked at. */
static void check_word(const struct access *a, const struct place *p, struct check_block *cb,
                       struct shadow_cell now, size_t byte, size_t bytes)
{
    struct shadow_global *s = &p->region->shadow;
    struct planes planes = shadow_global_planes(s, byte, bytes);
    struct shadow_cell cells[2][SHADOW_CELLS];

    for (int plane = planes.from; plane < planes.to; plane++) {
        struct shadow_cell *of = cells[plane % 2], *before = cells[(plane + 1) % 2];

        for (int i = WRITER; i < SHADOW_CELLS; i++)
            of[i] = shadow_global_get(s, plane, i, byte / 4);
        if (plane == planes.from || !same_cells(of, before))
            check_cells(a, p, cb, of, now.id, byte + (size_t)(plane - planes.from));
        if (a->flags & ACCESS_WRITE)
            keep_write(s, plane, cb, byte / 4, of, now);
        else
            keep_read(s, plane, cb, byte / 4, of, now);
    }
}

static void check_words(const struct access *a, const struct place *p, struct check_block *cb,
                        struct shadow_cell now)
{
    struct shadow_global *s = &p->region->shadow;
    size_t end = p->offset + a->bytes, locked = SIZE_MAX;
    bool write = a->flags & ACCESS_WRITE;

    for (size_t word = p->offset / 4; word * 4 < end; word++) {
        size_t from = word * 4 < p->offset ? p->offset - word * 4 : 0;
        size_t to = end - word * 4 < 4 ? end - word * 4 : 4;

        if (word / SHADOW_LINE_WORDS != locked) {
            if (locked != SIZE_MAX)
                shadow_global_unlock(s, locked);
            locked = word / SHADOW_LINE_WORDS;
            shadow_global_lock(s, locked);
        }
        check_word(a, p, cb, now, word * 4 + from, to - from);
        if (write && !p->region->complete)
            s->written[word / 8] |= ((1u << to) - (1u << from)) << word % 8 * 4;
    }
    if (locked != SIZE_MAX)
        shadow_global_unlock(s, locked);
}

void race_global_check(const struct access *a, const struct place *p)
{
    struct check_block *cb = check_of(a->thread->block);
    unsigned kind = race_kind(a);
    struct shadow_cell now;

    if (kind == ID_VOLATILE && a->flags & ACCESS_WRITE && order_released(a->thread))
        kind |= ID_SPECIAL;
    now = race_now(a, cb, kind);
    if (a->flags & ACCESS_SYSTEM_SCOPE)
        atomic_store_explicit(&site_systems[id_site(now.id)], true, memory_order_relaxed);
    if ((a->flags & (ACCESS_ATOMIC | ACCESS_VOLATILE)) == ACCESS_ATOMIC)
        note_counter(cb, a, now.epoch);
    check_words(a, p, cb, now);
}

bool race_global_read_quickly(struct thread *t, uintptr_t address, uintptr_t site)
{
    struct check_block *cb = check_of(t->block);
    struct check_thread *ct = &cb->thread[t->id];
    struct region *r = place_recent(address);
    struct shadow_cell cells[SHADOW_CELLS], now;
    struct shadow_global *s;
    size_t word, line;
    bool quiet;

    if (!r || !r->complete || !r->shadow.lock || r->bytes - (address - r->base) < 4)
        return false;
    s = &r->shadow;
    word = (address - r->base) / 4;
    line = word / SHADOW_LINE_WORDS;
    now =
        (struct shadow_cell){id_make(cb->serial, t->id, site_number(site), 0), check_epoch(cb, ct)};
    shadow_global_lock(s, line);
    cells[WRITER] = shadow_global_get(s, PLANE_WORDS, WRITER, word);
    quiet = !shadow_global_is_split(s, word) &&
            (!cells[WRITER].id || id_same_thread(cells[WRITER].id, now.id) ||
             is_past(t, cb, id_serial(cells[WRITER].id)));
    if (quiet) {
        cells[READER] = shadow_global_get(s, PLANE_WORDS, READER, word);
        cells[OTHER_READER] = shadow_global_get(s, PLANE_WORDS, OTHER_READER, word);
        keep_read(s, PLANE_WORDS, cb, word, cells, now);
    }
    shadow_global_unlock(s, line);
    if (quiet)
        race_note_site(cb, ct, id_site(now.id));
    return quiet;
}

/* The thread has read what it polled by now: it has seen whoever wrote that, also a moment after
 * the read was noted and before it was done. */
static void see_late(struct thread *t)
{
    struct check_block *cb = check_of(t->block);
    struct check_thread *ct = &cb->thread[t->id];
    struct access a = {.thread = t,
                       .address = ct->poll_address,
                       .site = ct->poll_site,
                       .bytes = ct->poll_bytes,
                       .space = SPACE_GLOBAL};
    struct shadow_global *s = &ct->poll_region->shadow;
    size_t word = ct->poll_offset / 4;
    struct shadow_cell cell;
    struct target writer;

    if (!s->lock)
        return;
    shadow_global_lock(s, word / SHADOW_LINE_WORDS);
    cell = shadow_global_get(s, shadow_global_plane(s, ct->poll_offset), WRITER, word);
    shadow_global_unlock(s, word / SHADOW_LINE_WORDS);
    if (!cell.id || is_past(t, cb, id_serial(cell.id)) || id_serial(cell.id) == cb->serial ||
        !(id_kind(cell.id) & (ID_ATOMIC | ID_VOLATILE)))
        return;
    writer = race_target(&a, cell, WRITER);
    seen_add(&a, &writer, site_of[id_site(cell.id)]);
}

void race_global_settle(struct thread *t, const struct access *next)
{
    struct check_thread *ct = &check_of(t->block)->thread[t->id];

    if (!ct->polled)
        return;
    if (ct->poll_region &&
        (!next || next->address != ct->poll_address || next->site != ct->poll_site))
        see_late(t);
    order_resolve(t);
}

void race_global_by_host(const struct access *a, const struct place *p)
{
    const struct shadow_global *s = &p->region->shadow;
    bool write = a->flags & ACCESS_WRITE;

    for (size_t byte = p->offset; byte < p->offset + a->bytes; byte++)
        for (int i = WRITER; i <= (write ? READER : WRITER); i++) {
            struct shadow_cell k = shadow_global_get(s, shadow_global_plane(s, byte), i, byte / 4);
            struct finding f = {.kind = FOUND_BY_HOST, .parties = 2};
            struct past past;

            if (!k.id || !past_find(id_serial(k.id), &past) || past_in_order(&past, cpu_host_after))
                continue;
            f.party[0] = (struct party){a->site, 0, 0, a->flags, 0};
            f.party[1] =
                (struct party){site_of[id_site(k.id)], 0, id_thread(k.id), race_flags(k.id, i), 0};
            if (finding_is_new(&f))
                f.party[1].of = past_keep(&past);
            region_tell(p->region, &f);
            f.memory.offset = byte;
            finding_add_host(&f);
            return;
        }
}

/* --- other operations of streams -------------------------------------------------------------- */

static void report_by_stream(const struct stream_access *a, struct place *p, size_t offset,
                             uint32_t serial, struct shadow_cell k, int which,
                             const struct past *past)
{
    struct finding f = {.kind = FOUND_RACE, .parties = 2};
    struct past own;

    f.party[0] = (struct party){a->site, 0, 0, a->write ? ACCESS_WRITE : 0, 0};
    f.party[1] = (struct party){site_of[id_site(k.id)], id_serial(k.id) - past->from,
                                id_thread(k.id), race_flags(k.id, which), 0};
    region_tell(p->region, &f);
    f.memory.offset = offset;
    f.address = p->region->base + offset;
    if (!finding_is_new(&f))
        return;
    if (past_find(serial, &own))
        f.party[0].of = past_keep(&own);
    f.party[1].of = past_keep(past);
    finding_add_operation(&f);
}

/* Is that access in order by what is behind a kernel that has acquired it? */
static bool is_acquired(struct vector_clock *acquired, const struct place *p, size_t byte,
                        struct shadow_cell k, int which)
{
    const struct access at = {.address = p->region->base + byte};
    const struct target target = race_target(&at, k, which);

    return acquired && (k.epoch == EPOCH_MAX || vector_clock_covers(acquired, NULL, &target));
}

/* Of one word, or a byte of it; a race is told once per operation. */
static bool check_by_stream(const struct stream_access *a, struct place *p, int plane, size_t byte,
                            uint32_t serial, struct vector_clock *acquired)
{
    const struct shadow_global *s = &p->region->shadow;

    for (int i = WRITER; i <= (a->write ? OTHER_READER : WRITER); i++) {
        struct shadow_cell k = shadow_global_get(s, plane, i, byte / 4);
        struct past past;

        if (!k.id || id_serial(k.id) == serial || !past_find(id_serial(k.id), &past) ||
            past_in_order(&past, a->after) || is_acquired(acquired, p, byte, k, i))
            continue;
        report_by_stream(a, p, byte, serial, k, i, &past);
        return true;
    }
    return false;
}

static bool is_empty(const struct shadow_global *s, int plane, size_t word)
{
    for (int i = WRITER; i < SHADOW_CELLS; i++) {
        const struct shadow_line *line = &s->plane[plane].line[i][word / SHADOW_LINE_WORDS];

        if (atomic_load_explicit(&s->plane[plane].used[i], memory_order_relaxed) &&
            (line->is_expanded || line->mask))
            return false;
    }
    return true;
}

void race_global_by_stream(const struct stream_access *a, uint32_t serial)
{
    struct access first = {.address = a->address, .site = a->site, .bytes = 1};
    struct shadow_cell now = {0, 1};
    struct place p;
    uint64_t floor = past_floor(a->after);
    struct vector_clock *acquired = ended_before(a->after);
    struct shadow_global *s;
    bool told = false;
    size_t end;

    if (!place_of_host(&first, &p))
        return;
    s = &p.region->shadow;
    end =
        p.offset + (a->bytes < p.region->bytes - p.offset ? a->bytes : p.region->bytes - p.offset);
    now.id = id_make(serial, 0, site_number(a->site), 0);
    for (size_t byte = p.offset, next; byte < end; byte = next) {
        struct planes planes;

        next = (byte / 4 + 1) * 4 < end ? (byte / 4 + 1) * 4 : end;
        planes = shadow_global_planes(s, byte, next - byte);
        for (int plane = planes.from; plane < planes.to; plane++) {
            if (!told && !is_empty(s, plane, byte / 4))
                told = check_by_stream(a, &p, plane, byte + (size_t)(plane - planes.from), serial,
                                       acquired);
            shadow_global_put(s, plane, a->write ? WRITER : OTHER_READER, byte / 4, now,
                              floor < serial ? (uint32_t)floor : serial);
            if (a->write) {
                shadow_global_drop(s, plane, READER, byte / 4);
                shadow_global_drop(s, plane, OTHER_READER, byte / 4);
            }
        }
    }
}
