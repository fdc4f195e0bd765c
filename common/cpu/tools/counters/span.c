/*
 * Span: of each block the longest chain of steps of which each waits for the one before, by what it waits
 * for. A warp's steps come one after the other; at a block barrier all its warps go on from the longest
 * chain. The loads of a warp that are in flight together are one step: loads at different places in the
 * code, until the first of these comes again, or the warp stores, meets, or does an atomic operation. (So
 * much is known without the compiler's machine code: it does not let loads pass a store or a barrier, and
 * what is loaded in a loop is needed in that round.)
 *
 * Of two chains the longer is the one with more time, if a trip to global memory, an atomic or a fence take
 * 20 times a step in shared memory, a shuffle or a barrier. That is so of GPUs of ten years, and the
 * counters themselves are numbers of steps.
 *
 * Traffic: a block's part of the multiprocessor's cache is kept as lines in order of allocation, so that
 * what a block loads again is told apart. Loads are looked for there in the order of requests; stores and
 * atomics pass it.
 */
#include <stdlib.h>
#include <string.h>
#include "cpu/tools/counters/groups.h"
#include "cpu/tools/counters/model.h"
#include "cpu/tools/counters/span.h"
#include "cpu/tools/grow.h"

/* --- chains ---------------------------------------------------------------------------------- */

static uint64_t weight(const struct chain *c)
{
    static const unsigned dear[STEPS] = {20, 1, 1, 1, 1, 20, 20};
    uint64_t sum = 0;

    for (int i = 0; i < STEPS; i++)
        sum += dear[i] * c->steps[i];
    return sum;
}

bool span_longer(const struct chain *a, const struct chain *b)
{
    return weight(a) > weight(b);
}

static void end_batch(struct span *s)
{
    s->in_batch = 0;
}

static void add_step(struct span *s, enum step step)
{
    end_batch(s);
    s->chain.steps[step]++;
}

/* A load that is in flight with others, or begins a step of its own. */
static void add_load(struct span *s, uint64_t key, enum step step)
{
    bool again = s->in_batch == TOGETHER, shared = step == STEP_SHARED;

    for (unsigned i = 0; i < s->in_batch; i++)
        again |= s->batch[i] == key;
    if (again || (s->in_batch && shared != (s->batch_step == STEP_SHARED)))
        end_batch(s);
    if (!s->in_batch) {
        s->batch_step = step;
        s->chain.steps[step]++;
    } else if (s->batch_step == STEP_CACHE && step == STEP_GLOBAL) {
        s->chain.steps[STEP_CACHE]--; /* one of them goes further */
        s->chain.steps[STEP_GLOBAL]++;
        s->batch_step = STEP_GLOBAL;
    }
    s->batch[s->in_batch++] = key;
}

void span_meet(struct span *s)
{
    add_step(s, STEP_WARP);
    s->fence_lane = WARP;
}

/* Of a warp's lanes the first alone counts: they fence together. */
void span_fence(struct span *s, unsigned lane)
{
    if (lane <= s->fence_lane)
        add_step(s, STEP_FENCE);
    s->fence_lane = lane;
}

void span_arrived(struct span *s)
{
    if (s->copying)
        add_step(s, STEP_GLOBAL);
    s->copying = false;
}

static const struct chain *longest_of(struct span **warps, unsigned count)
{
    const struct chain *most = &warps[0]->chain;

    for (unsigned i = 1; i < count; i++)
        if (span_longer(&warps[i]->chain, most))
            most = &warps[i]->chain;
    return most;
}

void span_barrier(struct span **warps, unsigned count)
{
    struct chain most = *longest_of(warps, count);

    most.steps[STEP_BARRIER]++;
    for (unsigned i = 0; i < count; i++) {
        warps[i]->chain = most;
        warps[i]->fence_lane = WARP;
        end_batch(warps[i]);
    }
}

/* --- what has been touched -------------------------------------------------------------------- */

enum { REGION = 1 << 16, REGION_SECTORS = REGION / SECTOR, REGION_WORDS = REGION_SECTORS / 64 };

struct region {
    uint64_t number; /* address / REGION + 1; 0: an empty slot */
    uint64_t *read, *written;
};

struct hot {
    uint64_t line; /* + 1 */
    uint64_t lanes, passes;
};

struct touched {
    struct region *region;
    size_t regions, region_slots;
    struct hot *hot;
    size_t hots, hot_slots;
    struct region *last;
};

static size_t slot_of(uint64_t key, size_t slots)
{
    return (key * 0x9e3779b97f4a7c15) >> 20 & (slots - 1);
}

static void *allot(size_t count, size_t size)
{
    void *p = calloc(count, size);

    if (!p)
        tools_out_of_memory();
    return p;
}

static struct region *find_region(struct region *table, size_t slots, uint64_t number)
{
    size_t i = slot_of(number, slots);

    while (table[i].number && table[i].number != number)
        i = (i + 1) & (slots - 1);
    return &table[i];
}

static struct region *region_of(struct touched *t, uint64_t number)
{
    struct region *r;

    if (t->last && t->last->number == number)
        return t->last;
    if (2 * t->regions >= t->region_slots) {
        size_t slots = t->region_slots ? 2 * t->region_slots : 64;
        struct region *table = allot(slots, sizeof(*table));

        for (size_t i = 0; i < t->region_slots; i++)
            if (t->region[i].number)
                *find_region(table, slots, t->region[i].number) = t->region[i];
        free(t->region);
        t->region = table;
        t->region_slots = slots;
    }
    r = find_region(t->region, t->region_slots, number);
    if (!r->number) {
        r->number = number;
        r->read = allot(2 * REGION_WORDS, sizeof(*r->read));
        r->written = r->read + REGION_WORDS;
        t->regions++;
    }
    t->last = r;
    return r;
}

static void touch(struct touched *t, uint64_t sector, bool write)
{
    struct region *r = region_of(t, sector / REGION_SECTORS + 1);
    unsigned at = sector % REGION_SECTORS;

    (write ? r->written : r->read)[at / 64] |= (uint64_t)1 << at % 64;
}

static struct hot *find_hot(struct hot *table, size_t slots, uint64_t line)
{
    size_t i = slot_of(line, slots);

    while (table[i].line && table[i].line != line)
        i = (i + 1) & (slots - 1);
    return &table[i];
}

static void heat(struct touched *t, uint64_t line, uint64_t lanes, uint64_t passes)
{
    struct hot *h;

    if (2 * t->hots >= t->hot_slots) {
        size_t slots = t->hot_slots ? 2 * t->hot_slots : 64;
        struct hot *table = allot(slots, sizeof(*table));

        for (size_t i = 0; i < t->hot_slots; i++)
            if (t->hot[i].line)
                *find_hot(table, slots, t->hot[i].line) = t->hot[i];
        free(t->hot);
        t->hot = table;
        t->hot_slots = slots;
    }
    h = find_hot(t->hot, t->hot_slots, line + 1);
    t->hots += !h->line;
    h->line = line + 1;
    h->lanes += lanes;
    h->passes += passes;
}

/* What others have touched, too. */
static void merge(struct touched *to, const struct touched *from)
{
    for (size_t i = 0; i < from->region_slots; i++) {
        const struct region *r = &from->region[i];
        struct region *mine = r->number ? region_of(to, r->number) : NULL;

        for (int w = 0; mine && w < 2 * REGION_WORDS; w++)
            mine->read[w] |= r->read[w];
    }
    for (size_t i = 0; i < from->hot_slots; i++)
        if (from->hot[i].line)
            heat(to, from->hot[i].line - 1, from->hot[i].lanes, from->hot[i].passes);
}

static void forget(struct touched *t)
{
    for (size_t i = 0; t && i < t->region_slots; i++)
        free(t->region[i].read);
    if (t) {
        free(t->region);
        free(t->hot);
    }
    free(t);
}

static struct footprint sum_up(const struct touched *t)
{
    struct footprint f = {0};

    for (size_t i = 0; i < t->region_slots; i++)
        for (int w = 0; t->region[i].number && w < REGION_WORDS; w++) {
            uint64_t read = t->region[i].read[w], written = t->region[i].written[w];

            f.read += (uint64_t)__builtin_popcountll(read);
            f.written += (uint64_t)__builtin_popcountll(written);
            f.any += (uint64_t)__builtin_popcountll(read | written);
        }
    for (size_t i = 0; i < t->hot_slots; i++)
        if (t->hot[i].passes > f.hot_passes ||
            (t->hot[i].passes == f.hot_passes && t->hot[i].lanes > f.hot_lanes)) {
            f.hot_passes = t->hot[i].passes;
            f.hot_lanes = t->hot[i].lanes;
        }
    return f;
}

struct footprint span_footprint(struct traffic **t, unsigned count)
{
    struct touched *all = NULL;
    struct footprint f = {0};

    for (unsigned i = 0; i < count; i++) {
        if (!t[i]->touched)
            continue;
        if (!all) {
            all = t[i]->touched;
        } else {
            merge(all, t[i]->touched);
            forget(t[i]->touched);
        }
        t[i]->touched = NULL;
    }
    if (all)
        f = sum_up(all);
    forget(all);
    return f;
}

void span_clear(struct traffic *t)
{
    forget(t->touched);
    memset(t, 0, sizeof(*t));
}

/* --- requests -------------------------------------------------------------------------------- */

/* The sectors of a request, each once, in order of the lanes, and which of their bytes it touches. */
struct request {
    unsigned sectors;
    uint64_t sector[WARP * 2];
    uint32_t bytes[WARP * 2];
};

static unsigned find_sector(struct request *r, uint64_t sector)
{
    for (unsigned i = r->sectors; i > 0; i--)
        if (r->sector[i - 1] == sector)
            return i - 1;
    r->sector[r->sectors] = sector;
    r->bytes[r->sectors] = 0;
    return r->sectors++;
}

static void look_at(struct request *r, uint32_t lanes, const uint64_t *address, unsigned bytes)
{
    r->sectors = 0;
    for (; lanes; lanes &= lanes - 1) {
        uint64_t a = address[__builtin_ctz(lanes)], end = a + bytes;

        while (a < end) {
            uint64_t sector = a / SECTOR,
                     stop = (sector + 1) * SECTOR < end ? (sector + 1) * SECTOR : end;
            unsigned at = find_sector(r, sector);

            r->bytes[at] |= (uint32_t)(((uint64_t)1 << (stop - a)) - 1) << a % SECTOR;
            a = stop;
        }
    }
}

static unsigned lines_of(const struct request *r)
{
    uint64_t seen[WARP * 2];
    unsigned lines = 0;

    for (unsigned i = 0; i < r->sectors; i++) {
        uint64_t line = r->sector[i] * SECTOR / CACHE_LINE;
        unsigned j = lines;

        while (j > 0 && seen[j - 1] != line)
            j--;
        if (j == 0)
            seen[lines++] = line;
    }
    return lines;
}

/* Is the sector there? It is from now on. */
static bool cached(struct cache *c, uint64_t sector)
{
    uint64_t line = sector * SECTOR / CACHE_LINE + 1;
    unsigned set = (unsigned)(slot_of(line, CACHE_SETS * 64) % c->sets), way;
    unsigned char bit = (unsigned char)(1u << sector % (CACHE_LINE / SECTOR));
    bool hit;

    for (way = 0; way < CACHE_WAYS && c->line[set][way] != line; way++)
        ;
    if (way == CACHE_WAYS) {
        way = c->next[set];
        c->next[set] = (unsigned char)((way + 1) % CACHE_WAYS);
        c->line[set][way] = line;
        c->sectors[set][way] = 0;
    }
    hit = c->sectors[set][way] & bit;
    c->sectors[set][way] |= bit;
    return hit;
}

static enum step load(struct cache *c, struct traffic *t, const struct request *r, bool uncached)
{
    unsigned hits = 0;

    for (unsigned i = 0; i < r->sectors; i++) {
        if (!uncached && cached(c, r->sector[i]))
            hits++;
        touch(t->touched, r->sector[i], false);
    }
    t->cache_sectors += hits;
    return hits == r->sectors ? STEP_CACHE : STEP_GLOBAL;
}

static void store(struct traffic *t, const struct request *r)
{
    for (unsigned i = 0; i < r->sectors; i++) {
        t->partial += r->bytes[i] != ~0u;
        touch(t->touched, r->sector[i], true);
    }
}

/* Of one warp at one line: whole sectors go together; of others each goes for itself, and as often as
 * lanes share a word of it. */
static void add_to_line(struct traffic *t, uint64_t line, uint32_t lanes, const uint64_t *address)
{
    uint64_t count = (uint64_t)__builtin_popcount(lanes), passes = 0;
    bool whole = true;

    for (uint32_t left = lanes; left;) {
        uint64_t sector = address[__builtin_ctz(left)] / SECTOR;
        uint32_t same = 0;
        unsigned most;

        for (uint32_t rest = left; rest; rest &= rest - 1)
            if (address[__builtin_ctz(rest)] / SECTOR == sector)
                same |= rest & -rest;
        most = model_same_address(address, same);
        whole &= most == 1 && __builtin_popcount(same) == SECTOR / 4;
        passes += most;
        left &= ~same;
    }
    heat(t->touched, line, whole ? count : 0, whole ? 0 : passes);
}

static void add_atomic(struct traffic *t, uint32_t lanes, const uint64_t *address)
{
    while (lanes) {
        uint64_t line = address[__builtin_ctz(lanes)] / CACHE_LINE;
        uint32_t same = 0;

        for (uint32_t rest = lanes; rest; rest &= rest - 1)
            if (address[__builtin_ctz(rest)] / CACHE_LINE == line)
                same |= rest & -rest;
        add_to_line(t, line, same, address);
        lanes &= ~same;
    }
}

void span_access(struct span *s, struct cache *c, struct traffic *t, uint64_t key, uint32_t lanes,
                 const uint64_t *address)
{
    enum kind kind = key_kind(key);
    struct request r;

    if (kind == SHARED_LOAD) {
        add_load(s, key, STEP_SHARED);
        return;
    }
    if (kind == SHARED_STORE) {
        end_batch(s);
        return;
    }
    if (kind == SHARED_ATOMIC) {
        if (key & KEY_QUIET)
            end_batch(s);
        else
            add_step(s, STEP_SHARED);
        return;
    }
    if (!t->touched)
        t->touched = allot(1, sizeof(*t->touched));
    look_at(&r, lanes, address, key_bytes(key));
    t->lines += lines_of(&r);
    switch (kind) {
    case GLOBAL_LOAD:
        if (key & KEY_QUIET) {
            load(c, t, &r, true);
            s->copying = true;
        } else {
            add_load(s, key, load(c, t, &r, key_is_volatile(key)));
        }
        break;
    case GLOBAL_STORE:
        store(t, &r);
        end_batch(s);
        break;
    default:
        for (unsigned i = 0; i < r.sectors; i++)
            touch(t->touched, r.sector[i], true);
        add_atomic(t, lanes, address);
        if (key & KEY_QUIET)
            end_batch(s);
        else
            add_step(s, STEP_ATOMIC);
        break;
    }
}

/* --- blocks ---------------------------------------------------------------------------------- */

/* A multiprocessor of compute capability 9.0: its cache and shared memory together, and its threads. */
enum { TOGETHER_BYTES = 256 * 1024 };

void span_block_begin(struct cache *c, unsigned threads, size_t shared)
{
    unsigned blocks = MODEL_THREADS_PER_SM / (threads ? threads : 1);
    size_t each;

    if (blocks > MODEL_BLOCKS_PER_SM)
        blocks = MODEL_BLOCKS_PER_SM;
    if (blocks * (shared + MODEL_SHARED_RESERVED) > MODEL_SHARED_PER_SM)
        blocks = (unsigned)(MODEL_SHARED_PER_SM / (shared + MODEL_SHARED_RESERVED));
    each = TOGETHER_BYTES / (blocks ? blocks : 1);
    each =
        each > shared + MODEL_SHARED_RESERVED ? each - shared - MODEL_SHARED_RESERVED : CACHE_LINE;
    memset(c, 0, sizeof(*c));
    c->sets = (unsigned)(each / CACHE_LINE / CACHE_WAYS);
    if (c->sets > CACHE_SETS)
        c->sets = CACHE_SETS;
    if (!c->sets)
        c->sets = 1;
}

void span_block_end(struct traffic *t, struct span **warps, unsigned count, size_t shared)
{
    const struct chain *most = longest_of(warps, count);

    for (int i = 0; i < STEPS; i++)
        t->sum.steps[i] += most->steps[i];
    if (span_longer(most, &t->longest))
        t->longest = *most;
    t->blocks++;
    if (shared > t->shared)
        t->shared = shared;
}
