/*
 * The shadow of a block's shared memory: three accesses of each word, as in global memory. All are
 * of the block, and those before its last barrier are in order, so that one comparison with the
 * epoch of that barrier settles most of them. Touched by the worker of the block alone.
 *
 * A word is split when a part of it is accessed: its bytes then have three accesses each, until
 * the whole word is accessed and these are all before the last barrier.
 *
 * Two readers are enough where barriers of the block alone put threads in order: any writer since
 * the last one is in order with none of them. Where threads tell each other by flags or barrier
 * objects, one of many readers may be the only one that a writer is not in order with. So one that
 * is in order before the next reader makes place for it. Of three that are not in order two stay:
 * other ones in each 16 bytes, and in each order of execution.
 */
#include <stdio.h>
#include <stdlib.h>
#include "cpu/engine/schedule.h"
#include "cpu/tools/check/race.h"

/* Another thread did this since the last barrier. Returns whether that is a race, and reported. */
static __attribute__((noinline)) bool is_race(const struct access *a, struct check_block *cb,
                                              shared_cell old, shared_cell now, int which,
                                              size_t offset)
{
    struct shadow_cell before = cell_of_shared(old, cb->serial);
    struct target target;

    /* Volatile orders nothing: the lanes of a warp are no longer in step. */
    if (old & now & SHARED_CELL_ATOMIC && !((old ^ now) & SHARED_CELL_WIDE))
        return false;
    target = race_target(a, before, which);
    if (race_in_order(a->thread, cb, &target))
        return false;
    race_report(a, &(struct place){.offset = offset}, offset, before, which, FOUND_RACE_SHARED,
                &target);
    return true;
}

/* How far behind others the reader of that cell stands when two are chosen. */
static uint32_t rank_of(shared_cell cell, size_t offset)
{
    uint64_t what = (uint64_t)(shared_cell_thread(cell) / WARP) << 32 | offset / 16;

    return (uint32_t)((what ^ cpu_random_seed << 40) * 0x9e3779b97f4a7c15 >> 32);
}

/* The word has two readers of two other warps. */
static __attribute__((noinline)) void keep_third_reader(const struct thread *t, shared_cell *cell,
                                                        shared_cell now, size_t offset)
{
    struct check_block *cb = check_of(t->block);
    int last = READER;

    for (int i = READER; i <= OTHER_READER; i++) {
        struct target target =
            race_target(&(struct access){0}, cell_of_shared(cell[i], cb->serial), i);

        if (race_in_order(t, cb, &target)) {
            cell[i] = now;
            return;
        }
    }
    if (rank_of(cell[OTHER_READER], offset) > rank_of(cell[READER], offset))
        last = OTHER_READER;
    if (rank_of(cell[last], offset) > rank_of(now, offset))
        cell[last] = now;
}

static inline void keep_reader(const struct thread *t, shared_cell *cell, shared_cell now,
                               shared_cell floor, size_t offset)
{
    shared_cell first = cell[READER], other = cell[OTHER_READER];
    unsigned me = shared_cell_thread(now);

    if (first < floor || shared_cell_thread(first) == me)
        cell[READER] = now;
    else if (other < floor || shared_cell_thread(other) == me ||
             shared_cell_thread(other) / WARP == shared_cell_thread(first) / WARP)
        cell[OTHER_READER] = now;
    else if (vector_clock_any())
        keep_third_reader(t, cell, now, offset);
}

static inline __attribute__((always_inline)) void check_word(const struct access *a,
                                                             struct check_block *cb,
                                                             shared_cell *cell, shared_cell now,
                                                             size_t offset)
{
    shared_cell floor = (uint64_t)cb->base << SHARED_CELL_EPOCH_SHIFT;
    unsigned me = shared_cell_thread(now);
    bool found = cell[WRITER] >= floor && shared_cell_thread(cell[WRITER]) != me &&
                 is_race(a, cb, cell[WRITER], now, WRITER, offset);

    if (a->flags & ACCESS_WRITE) {
        for (int i = READER; i <= OTHER_READER && !found; i++)
            found = cell[i] >= floor && shared_cell_thread(cell[i]) != me &&
                    is_race(a, cb, cell[i], now, i, offset);
        /* A plain write still counts after an atomic one of the same thread. */
        if (!(now & SHARED_CELL_ATOMIC && !(cell[WRITER] & SHARED_CELL_ATOMIC) &&
              cell[WRITER] >= floor && shared_cell_thread(cell[WRITER]) == me))
            cell[WRITER] = now;
        cell[READER] = cell[OTHER_READER] = 0;
        return;
    }
    if (!(a->flags & ACCESS_LASTING))
        keep_reader(a->thread, cell, now, floor, offset);
}

static void set_all(struct shadow_word *w, shared_cell cell)
{
    for (int i = 0; i < SHADOW_CELLS; i++)
        w->cell[i] = cell;
}

/* What the bytes of the word have, which was one, or is one again if `whole`. */
static struct shadow_word *split(struct check_block *cb, size_t word, bool whole)
{
    struct shadow_word *w = &cb->shadow[word], *bytes;
    shared_cell floor = (uint64_t)cb->base << SHARED_CELL_EPOCH_SHIFT;
    bool old = whole;

    if (!cb->bytes && !(cb->bytes = calloc(SHARED_BYTES, sizeof(*cb->bytes)))) {
        fprintf(stderr, "--check: out of memory\n");
        exit(3);
    }
    bytes = cb->bytes + word * 4;
    for (int i = 0; i < 4; i++)
        if (w->cell[WRITER] != SHARED_CELL_SPLIT)
            bytes[i] = *w;
        else
            for (int k = 0; k < SHADOW_CELLS; k++)
                old &= bytes[i].cell[k] < floor;
    set_all(w, old ? 0 : SHARED_CELL_SPLIT);
    return old ? NULL : bytes;
}

static __attribute__((noinline)) void check_bytes(const struct access *a, struct check_block *cb,
                                                  shared_cell now, size_t from, size_t to)
{
    struct shadow_word *bytes = split(cb, from / 4, to - from == 4);

    if (!bytes) {
        check_word(a, cb, cb->shadow[from / 4].cell, now, from);
        return;
    }
    for (size_t byte = from; byte < to; byte++)
        check_word(a, cb, bytes[byte % 4].cell, now, byte);
}

static void check_words(const struct access *a, struct check_block *cb, shared_cell now,
                        size_t offset)
{
    size_t word = offset / 4, end = offset + a->bytes;

    for (; word * 4 < end; word++) {
        size_t from = word * 4 < offset ? offset - word * 4 : 0;
        size_t to = end - word * 4 < 4 ? end - word * 4 : 4;

        if (to - from < 4 || cb->shadow[word].cell[WRITER] == SHARED_CELL_SPLIT)
            check_bytes(a, cb, now, word * 4 + from, word * 4 + to);
        else
            check_word(a, cb, cb->shadow[word].cell, now, word * 4);
    }
}

void shadow_shared_check(const struct access *a, size_t offset)
{
    struct check_block *cb = check_of(a->thread->block);

    check_words(a, cb, shared_cell_of(race_now(a, cb, race_kind(a))), offset);
}

struct shadow_cell shadow_shared_writer(const struct check_block *cb, size_t offset, unsigned bytes)
{
    shared_cell last = 0;

    for (size_t at = offset; at < offset + bytes; at++) {
        shared_cell cell = cb->shadow[at / 4].cell[WRITER];

        if (!(cb->written[at / 32] >> at % 32 & 1))
            continue;
        if (cell == SHARED_CELL_SPLIT)
            cell = cb->bytes[at].cell[WRITER];
        last = cell > last ? cell : last;
    }
    return last ? cell_of_shared(last, cb->serial) : (struct shadow_cell){0, 0};
}

/* Does this cell say that there is nothing to look at: an access before the last barrier, or of the
 * same thread? */
static inline bool is_harmless(shared_cell cell, shared_cell floor, unsigned me)
{
    return cell < floor || shared_cell_thread(cell) == me;
}

bool shadow_shared_check_quickly(struct thread *t, size_t offset, unsigned flags, uintptr_t site)
{
    struct check_block *cb = check_of(t->block);
    struct check_thread *ct = &cb->thread[t->id];
    shared_cell floor = (uint64_t)cb->base << SHARED_CELL_EPOCH_SHIFT, now;
    shared_cell *cell = cb->shadow[offset / 4].cell;
    unsigned me = t->id, number;

    if (cb->flights || cb->products || (~cb->written[offset / 32] >> offset % 32 & 15) ||
        !is_harmless(cell[WRITER], floor, me) ||
        (flags & ACCESS_WRITE &&
         (!is_harmless(cell[READER], floor, me) || !is_harmless(cell[OTHER_READER], floor, me))))
        return false;
    number = site_number(site);
    race_note_site(cb, ct, number);
    now = shared_cell_of(
        (struct shadow_cell){id_make(cb->serial, me, number, 0), check_epoch(cb, ct)});
    if (flags & ACCESS_WRITE) {
        cell[WRITER] = now;
        cell[READER] = cell[OTHER_READER] = 0;
    } else {
        keep_reader(t, cell, now, floor, offset);
    }
    return true;
}

bool shadow_shared_check_plain(const struct access *a)
{
    struct block *b = a->thread->block;
    struct check_block *cb = check_of(b);
    size_t offset = a->address - (uintptr_t)b->shared;
    uint32_t want = (uint32_t)(((uint64_t)1 << a->bytes) - 1) << offset % 32;
    shared_cell now;

    /* What is written is inside of an array, and so is all that lies beside it in an aligned word:
     * arrays begin at multiples of 16. */
    if (cb->flights || cb->products || cb->thread[a->thread->id].holding.lock ||
        a->flags & ~(unsigned)(ACCESS_WRITE | ACCESS_VOLATILE | ACCESS_UNALIGNED) ||
        a->bytes > 16 || a->bytes & (a->bytes - 1) || a->address & (a->bytes - 1) ||
        (cb->written[offset / 32] & want) != want)
        return false;
    now = shared_cell_of(race_now(a, cb, a->flags & ACCESS_VOLATILE ? ID_VOLATILE : 0));
    check_words(a, cb, now, offset);
    return true;
}
