/*
 * The shadow of a block's shared memory: three accesses of each word, as in global memory. All are
 * of the block, and those before its last barrier are in order, so that one comparison with the time
 * of that barrier settles most of them. Touched by the worker of the block alone.
 */
#include "cpu/tools/check/race.h"

/* As in struct shadow_word: time, and below it what an access_id has below its serial number. */
enum { TIME_AT = 29 };
#define BELOW ((((uint64_t)1 << TIME_AT) - 1))

static inline uint64_t entry_of(struct shadow_cell k)
{
    return (uint64_t)k.time << TIME_AT | (k.id >> 3 & BELOW);
}

static inline struct shadow_cell cell_of(uint64_t entry, const struct check_block *cb)
{
    return (struct shadow_cell){(access_id)cb->serial << 32 | (entry & BELOW) << 3,
                                (uint32_t)(entry >> TIME_AT)};
}

static inline unsigned thread_in(uint64_t entry)
{
    return (unsigned)(entry >> 19) & 1023;
}

enum { ENTRY_BYTES = 15, ENTRY_ATOMIC = ID_ATOMIC << 4 };

/* Another thread did this since the last barrier. Returns whether that is a race, and reported. */
static __attribute__((noinline)) bool is_race(const struct access *a, struct check_block *cb,
                                              uint64_t old, uint64_t now, int which, size_t offset)
{
    struct shadow_cell before = cell_of(old, cb);
    struct target target;

    /* Volatile orders nothing: the lanes of a warp are no longer in step. */
    if (!(old & now & ENTRY_BYTES) || old & now & ENTRY_ATOMIC)
        return false;
    target = race_target(a, before, which);
    if (race_in_order(a->thread, cb, &target))
        return false;
    race_report(a, &(struct place){.offset = offset}, offset, before, which, FOUND_RACE_SHARED,
                &target);
    return true;
}

static inline __attribute__((always_inline)) void check_word(const struct access *a,
                                                             struct check_block *cb,
                                                             uint64_t *entry, uint64_t now,
                                                             size_t offset)
{
    uint64_t floor = (uint64_t)cb->base << TIME_AT, first, other;
    unsigned me = thread_in(now);
    bool found = entry[WRITER] >= floor && thread_in(entry[WRITER]) != me &&
                 is_race(a, cb, entry[WRITER], now, WRITER, offset);

    if (a->flags & ACCESS_WRITE) {
        for (int i = READER; i <= OTHER_READER && !found; i++)
            found = entry[i] >= floor && thread_in(entry[i]) != me &&
                    is_race(a, cb, entry[i], now, i, offset);
        /* A plain write still counts after an atomic one of the same thread. */
        if (!(now & ENTRY_ATOMIC && !(entry[WRITER] & ENTRY_ATOMIC) && entry[WRITER] >= floor &&
              thread_in(entry[WRITER]) == me))
            entry[WRITER] = now;
        entry[READER] = entry[OTHER_READER] = 0;
        return;
    }
    first = entry[READER];
    other = entry[OTHER_READER];
    if (first < floor || thread_in(first) == me)
        entry[READER] = now;
    else if (other < floor || thread_in(other) == me ||
             thread_in(other) / WARP == thread_in(first) / WARP)
        entry[OTHER_READER] = now; /* once two warps are known, they stay */
}

static void check_words(const struct access *a, struct check_block *cb, uint64_t entry,
                        size_t offset)
{
    size_t word = offset / 4, end = offset + a->bytes;

    for (; word * 4 < end; word++) {
        size_t from = word * 4 < offset ? offset - word * 4 : 0;
        size_t to = end - word * 4 < 4 ? end - word * 4 : 4;
        unsigned bytes = ((1u << to) - 1) & ~((1u << from) - 1);

        check_word(a, cb, cb->shadow[word].cell, entry | bytes, word * 4 + from);
    }
}

void shadow_shared_check(const struct access *a, size_t offset)
{
    struct check_block *cb = check_of(a->thread->block);

    check_words(a, cb, entry_of(race_now(a, cb, race_kind(a))), offset);
}

bool shadow_shared_check_plain(const struct access *a)
{
    struct block *b = a->thread->block;
    struct check_block *cb = check_of(b);
    size_t offset = a->address - (uintptr_t)b->shared;
    uint32_t want = (uint32_t)(((uint64_t)1 << a->bytes) - 1) << offset % 32;
    uint64_t entry;

    /* What is written is inside of an array, and so is all that lies beside it in an aligned word:
     * arrays begin at multiples of 16. */
    if (cb->flights || a->flags & ~(unsigned)(ACCESS_WRITE | ACCESS_VOLATILE | ACCESS_UNALIGNED) ||
        a->bytes > 16 || a->bytes & (a->bytes - 1) || a->address & (a->bytes - 1) ||
        (cb->written[offset / 32] & want) != want)
        return false;
    entry = entry_of(race_now(a, cb, a->flags & ACCESS_VOLATILE ? ID_VOLATILE : 0));
    if (a->bytes == 4)
        check_word(a, cb, cb->shadow[offset / 4].cell, entry | ENTRY_BYTES, offset);
    else
        check_words(a, cb, entry, offset);
    return true;
}
