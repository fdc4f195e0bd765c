/*
 * What memory behind a request has to move. A block's part of the multiprocessor's cache is kept as
 * lines in order of allocation: loads are looked for there in the order of requests; stores and
 * atomics pass it. Called by the worker of the block alone.
 */
#include <string.h>
#include "cpu/engine/state.h"
#include "cpu/tools/counters/groups.h"
#include "cpu/tools/counters/model.h"
#include "cpu/tools/counters/traffic.h"

/* The sectors of a request, each once, in order of the lanes, and which of their bytes it
 * touches. */
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
    unsigned set = (unsigned)((line * 0x9e3779b97f4a7c15 >> 40) % c->sets), way;
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

/* Has the cache all of it? What it lacks fills it, four sectors in a cycle. */
static bool load(struct cache *c, struct traffic *t, const struct request *r, bool uncached)
{
    struct request missing;

    missing.sectors = 0;
    for (unsigned i = 0; i < r->sectors; i++) {
        touched_sector(t->touched, r->sector[i], false);
        if (!uncached && cached(c, r->sector[i]))
            continue;
        missing.sector[missing.sectors++] = r->sector[i];
        if (!uncached)
            touched_missing(t->touched, r->sector[i], c->block);
    }
    t->cache_sectors += r->sectors - missing.sectors;
    t->missed += lines_of(&missing);
    t->quarters += missing.sectors;
    return missing.sectors == 0;
}

static void store(struct traffic *t, const struct request *r, unsigned lines)
{
    unsigned partial = 0;

    for (unsigned i = 0; i < r->sectors; i++) {
        partial += r->bytes[i] != ~0u;
        touched_sector(t->touched, r->sector[i], true);
    }
    t->partial += partial;
    t->partial_lines += partial < lines ? partial : lines;
}

/* Of one warp at one line: whole sectors go together; of others each goes for itself, and as
 * often as lanes share a word of it. */
static void add_to_line(struct traffic *t, uint64_t line, uint64_t key, uint32_t lanes,
                        const uint64_t *address)
{
    uint64_t count = (uint64_t)__builtin_popcount(lanes), passes = 0, sectors = 0;
    bool whole = true, floats = key & KEY_FLOAT;
    uint32_t words = 0;

    for (uint32_t left = lanes; left;) {
        uint64_t sector = address[__builtin_ctz(left)] / SECTOR;
        uint32_t same = 0;
        unsigned most;

        for (uint32_t rest = left; rest; rest &= rest - 1)
            if (address[__builtin_ctz(rest)] / SECTOR == sector)
                same |= rest & -rest;
        for (uint32_t rest = same; rest; rest &= rest - 1)
            words |= 1u << address[__builtin_ctz(rest)] % CACHE_LINE / 4;
        most = model_same_address(address, same);
        whole &= most == 1 && __builtin_popcount(same) == SECTOR / 4;
        passes += most;
        sectors++;
        left &= ~same;
    }
    if (whole) {
        touched_by_atomics(t->touched, line, (struct line_atomics){.lanes = count});
        return;
    }
    *(key & KEY_QUIET ? &t->added : &t->answered) += sectors;
    touched_by_atomics(t->touched, line,
                       (struct line_atomics){.sectors = sectors,
                                             .words = words,
                                             .passes = floats ? passes : 0,
                                             .integers = floats ? 0 : passes});
}

static void add_atomic(struct traffic *t, uint64_t key, uint32_t lanes, const uint64_t *address)
{
    while (lanes) {
        uint64_t line = address[__builtin_ctz(lanes)] / CACHE_LINE;
        uint32_t same = 0;

        for (uint32_t rest = lanes; rest; rest &= rest - 1)
            if (address[__builtin_ctz(rest)] / CACHE_LINE == line)
                same |= rest & -rest;
        add_to_line(t, line, key, same, address);
        lanes &= ~same;
    }
}

bool traffic_request(struct traffic *t, struct cache *c, uint64_t key, uint32_t lanes,
                     const uint64_t *address)
{
    enum kind kind = key_kind(key);
    struct request r;
    unsigned lines;

    if (!t->touched)
        t->touched = touched_create();
    look_at(&r, lanes, address, key_bytes(key));
    lines = lines_of(&r);
    t->lines += lines;
    t->quarters += kind == GLOBAL_LOAD ? model_load_quarters(lines, address, lanes, key_bytes(key))
                                       : 4 * lines;
    if (kind == GLOBAL_LOAD)
        return load(c, t, &r, key & KEY_QUIET || key_is_volatile(key));
    if (kind == GLOBAL_STORE) {
        store(t, &r, lines);
        return false;
    }
    for (unsigned i = 0; i < r.sectors; i++)
        touched_sector(t->touched, r.sector[i], true);
    add_atomic(t, key, lanes, address);
    return false;
}

/* A multiprocessor of compute capability 9.0: its cache and shared memory together, and its
 * threads. */
enum { TOGETHER_BYTES = 256 * 1024 };

unsigned traffic_resident(unsigned threads, size_t shared)
{
    unsigned blocks = MODEL_THREADS_PER_SM / (threads ? threads : 1);

    if (blocks > MODEL_BLOCKS_PER_SM)
        blocks = MODEL_BLOCKS_PER_SM;
    if (blocks * (shared + MODEL_SHARED_RESERVED) > MODEL_SHARED_PER_SM)
        blocks = (unsigned)(MODEL_SHARED_PER_SM / (shared + MODEL_SHARED_RESERVED));
    return blocks ? blocks : 1;
}

void cache_begin(struct cache *c, uint32_t block, unsigned threads, size_t shared)
{
    size_t each = TOGETHER_BYTES / traffic_resident(threads, shared);

    each =
        each > shared + MODEL_SHARED_RESERVED ? each - shared - MODEL_SHARED_RESERVED : CACHE_LINE;
    memset(c, 0, sizeof(*c));
    c->block = block;
    c->sets = (unsigned)(each / CACHE_LINE / CACHE_WAYS);
    if (c->sets > CACHE_SETS)
        c->sets = CACHE_SETS;
    if (!c->sets)
        c->sets = 1;
}
