/*
 * The counters. Each access of a thread goes to its warp's log (groups.c); a complete warp-level
 * access is added to a table of its worker's, one entry for each place in the code. At the end of a
 * launch the workers' tables are added up, so the sums do not depend on how many workers there are.
 *
 * A warp's log hangs on the warp and is kept as long as its block's memory. The tallies are made
 * when a launch begins, one for each worker, and touched in it by that worker alone; between launches
 * they are empty and hold nothing but room. `gathered` changes between launches only.
 */
#include <stdlib.h>
#include <string.h>
#include "cpu/engine/memory.h"
#include "cpu/tools/counters/counters.h"
#include "cpu_device.h"
#include "cpu/tools/counters/model.h"
#include "cpu/tools/counters/nvcc.h"
#include "cpu/tools/counters/recast.h"
#include "cpu/tools/grow.h"
#include "cpu/tools/lines/lines.h"
#include "cpu/tools/trace/trace.h"

/* One place in the code. */
struct place_sum {
    access_key key; /* 0: an empty slot */
    struct recipe how;
    bool recast; /* its accesses go by the recipe */
    uint64_t requests, units, ideal, lanes, same_address;
    struct picture *picture; /* of the trace, if wanted */
};

/* A worker's part. The table has a power of two slots; its room is kept from launch to launch. */
struct tally {
    struct place_sum *table;
    size_t slots, used;
    uint64_t barriers, divergent_warps, local;
} __attribute__((aligned(64)));

struct gathered gathered;
static struct tally *tallies;
static unsigned tally_count;

static bool by_launch, by_line, with_trace; /* what is gathered */

void counters_gather(bool launches, bool lines, bool trace)
{
    by_launch = launches;
    by_line = lines;
    with_trace = trace;
}

/* --- one access of one thread ----------------------------------------------------------------- */

enum { NOT_COUNTED = KINDS };

/* A load or store of an atomic type is a load or store; only read-modify-write is an atomic. Of an
 * asynchronous copy the load alone is an instruction, of a barrier object neither. */
static inline unsigned kind_of(const struct access *a)
{
    static const unsigned char kinds[2][8] = {
        {GLOBAL_LOAD, GLOBAL_STORE, GLOBAL_ATOMIC, GLOBAL_ATOMIC, GLOBAL_LOAD, GLOBAL_STORE,
         GLOBAL_LOAD, GLOBAL_STORE},
        {SHARED_LOAD, SHARED_STORE, SHARED_ATOMIC, SHARED_ATOMIC, SHARED_LOAD, SHARED_STORE,
         SHARED_LOAD, SHARED_STORE},
    };

    if (a->flags & ACCESS_OBJECT || (a->flags & ACCESS_ASYNC && a->flags & ACCESS_WRITE))
        return NOT_COUNTED;
    if (a->space == SPACE_GLOBAL && !memory_is_device(a->address) && memory_is_constant(a->address))
        return NOT_COUNTED; /* it has a cache of its own */
    return a->space <= SPACE_SHARED ? kinds[a->space][a->flags & 7] : NOT_COUNTED;
}

/* A copy of a structure: in the widest pieces that its address and size allow, as nvcc does when
 * the structure is so aligned. One of 2, 4, 8 or 16 bytes is less aligned than these, and than 8, or
 * else the compiler would have said that it copies a number. */
static void add_pieces(struct log *g, unsigned lane, const struct access *a, enum kind kind)
{
    unsigned piece = a->bytes & (a->bytes - 1) || a->bytes > 16 ? 16
                     : a->bytes < 8                             ? a->bytes / 2
                                                                : 4;

    while ((a->address | a->bytes) & (piece - 1))
        piece /= 2;
    for (unsigned done = 0; done < a->bytes; done += piece)
        groups_add(g, lane, key_of(a->site, piece, kind), a->address + done);
}

enum { AHEAD = 64 }; /* accesses */

static bool is_ahead(const struct thread *t)
{
    const struct block *b = t->block;
    unsigned warp = t->id / WARP;

    return groups_ahead(b->warp[warp].counters, t->id % WARP, set_of_warp(b->ready, warp)) > AHEAD;
}

static bool count_access(const struct access *a)
{
    struct warp *w = warp_of(a->thread);
    unsigned kind = kind_of(a), lane = a->thread->id % WARP;

    if (kind == NOT_COUNTED) {
        if (a->space == SPACE_LOCAL)
            tallies[a->thread->block->worker->number].local++;
        return true;
    }
    if (a->bytes <= 16 && (!(a->flags & ACCESS_UNALIGNED) || a->bytes == 1))
        groups_add(w->counters, lane, key_of(a->site, a->bytes, kind), a->address);
    else
        add_pieces(w->counters, lane, a, kind);
    return true;
}

/* --- one access of a warp --------------------------------------------------------------------- */

static struct place_sum *find_place(struct place_sum *table, size_t slots, access_key key)
{
    size_t i = (key * 0x9e3779b97f4a7c15) >> 32 & (slots - 1);

    while (table[i].key && table[i].key != key)
        i = (i + 1) & (slots - 1);
    return &table[i];
}

static void grow_table(struct tally *t)
{
    size_t slots = t->slots ? 2 * t->slots : 64;
    struct place_sum *table = calloc(slots, sizeof(*table));

    if (!table)
        tools_out_of_memory();
    for (size_t i = 0; i < t->slots; i++)
        if (t->table[i].key)
            *find_place(table, slots, t->table[i].key) = t->table[i];
    free(t->table);
    t->table = table;
    t->slots = slots;
}

/* What is known of the kernel that runs; set while none does. */
static const struct nvcc_kernel *nvcc;

/* As nvcc's code has the source line, if that is known. */
static void choose_recipe(struct place_sum *p)
{
    enum kind kind = key_kind(p->key);
    unsigned bytes = key_bytes(p->key);
    struct source_line s;
    struct nvcc_line line;

    if (!nvcc || kind > SHARED_STORE)
        return;
    s = lines_find(key_site(p->key));
    line = nvcc_line(nvcc, s.file, s.line, kind);
    p->how.widths = line.widths;
    p->how.once = line.outside;
    p->how.join = nvcc_widths(nvcc, kind) >= 2 * bytes;
    p->recast = p->how.once || p->how.join || !(line.widths & bytes);
}

static struct place_sum *place_sum(struct tally *t, access_key key)
{
    struct place_sum *p;

    if (2 * t->used >= t->slots)
        grow_table(t);
    p = find_place(t->table, t->slots, key);
    if (!p->key) {
        memset(p, 0, sizeof(*p));
        p->key = key;
        t->used++;
        choose_recipe(p);
        if (with_trace && trace_is_on()) {
            p->picture = calloc(1, sizeof(*p->picture));
            if (!p->picture)
                tools_out_of_memory();
        }
    }
    return p;
}

static void count_at(struct place_sum *p, struct log *log, access_key key, uint32_t lanes,
                     const uint64_t *address)
{
    unsigned bytes = key_bytes(key), ideal = 1, same;

    switch (key_kind(key)) {
    case GLOBAL_LOAD:
    case GLOBAL_STORE:
        same = model_sectors(address, lanes, bytes);
        ideal = model_ideal_sectors(lanes, bytes);
        p->units += same;
        p->ideal += ideal < same ? ideal : same; /* lanes that share bytes may need fewer */
        break;
    case SHARED_LOAD:
    case SHARED_STORE:
        p->units += model_wavefronts(address, lanes, bytes, &ideal);
        p->ideal += ideal;
        break;
    default:
        same = model_same_address(address, lanes);
        p->units += same;
        p->ideal += 1;
        if (same > p->same_address)
            p->same_address = same;
        break;
    }
    p->requests++;
    p->lanes += (unsigned)__builtin_popcount(lanes);
    if (lanes != log->warp->lanes)
        log->diverged = true;
    if (p->picture)
        trace_offer(p->picture, log, key, lanes, address);
}

static void count_recast(struct log *log, access_key key, uint32_t lanes, const uint64_t *address)
{
    count_at(place_sum(&tallies[log->block->worker->number], key), log, key, lanes, address);
}

static void count_group(struct log *log, access_key key, uint32_t lanes, const uint64_t *address)
{
    struct place_sum *p = place_sum(&tallies[log->block->worker->number], key);

    if (!p->recast) {
        count_at(p, log, key, lanes, address);
        return;
    }
    if (!log->recast) {
        log->recast = recast_create();
        if (!log->recast)
            tools_out_of_memory();
    }
    recast_add(log->recast, log, p->how, key, lanes, address, count_recast);
}

/* --- what happens to warps, blocks and launches ---------------------------------------------- */

/* All lanes have met, or have ended. */
static void flush(struct log *log)
{
    groups_flush(log);
    if (log->recast)
        recast_flush(log->recast, log, count_recast);
}

static void block_begin(struct block *b)
{
    for (unsigned i = 0; i < b->warps; i++) {
        struct warp *w = &b->warp[i];

        if (!w->counters) {
            w->counters = groups_create(count_group);
            if (!w->counters)
                tools_out_of_memory();
        }
        groups_reset(w->counters, b, w);
        if (((struct log *)w->counters)->recast)
            recast_reset(((struct log *)w->counters)->recast);
    }
}

static void thread_end(struct thread *t)
{
    struct warp *w = warp_of(t);

    if ((w->ended | 1u << t->id % WARP) == w->lanes)
        flush(w->counters);
}

static void warp_done(struct block *b, struct warp *w, uint32_t mask)
{
    (void)b;
    if (mask == (w->lanes & ~w->ended))
        flush(w->counters);
    else
        groups_meet(w->counters, mask);
}

/* A block or grid barrier: an instruction of each warp, or as many as there are places where its
 * lanes wait. */
static void count_barrier(struct block *b)
{
    struct tally *t = &tallies[b->worker->number];

    for (unsigned i = 0; i < b->warps; i++) {
        struct warp *w = &b->warp[i];
        struct log *log = w->counters;
        uint32_t waiting = w->lanes & ~w->ended;

        flush(log);
        if (waiting != w->lanes)
            log->diverged = waiting ? true : log->diverged;
        while (waiting) {
            uintptr_t site = b->thread[w->first + (unsigned)__builtin_ctz(waiting)].site;
            uint32_t here = 0;

            for (uint32_t rest = waiting; rest; rest &= rest - 1)
                if (b->thread[w->first + (unsigned)__builtin_ctz(rest)].site == site)
                    here |= rest & -rest;
            if (here != waiting)
                log->diverged = true;
            waiting &= ~here;
            t->barriers++;
        }
    }
}

static void block_end(struct block *b)
{
    struct tally *t = &tallies[b->worker->number];

    for (unsigned i = 0; i < b->warps; i++)
        t->divergent_warps += ((struct log *)b->warp[i].counters)->diverged;
}

void counters_free_block(struct block *b)
{
    for (unsigned i = 0; i < MAX_WARPS; i++) {
        if (b->warp[i].counters)
            free(((struct log *)b->warp[i].counters)->recast);
        free(b->warp[i].counters);
    }
}

static void launch_begin(struct launch *l)
{
    nvcc = nvcc_kernel(lines_kernel(l->kernel, "?"));
    if (l->workers <= tally_count)
        return;
    for (unsigned i = 0; i < tally_count; i++)
        free(tallies[i].table); /* between launches they hold nothing but room */
    free(tallies);
    tallies = aligned_alloc(sizeof(*tallies), l->workers * sizeof(*tallies));
    if (!tallies)
        tools_out_of_memory();
    memset(tallies, 0, l->workers * sizeof(*tallies));
    tally_count = l->workers;
}

static const char *phase = ""; /* see cpu_device_set_phase */

void cpu_device_set_phase(const char *word)
{
    phase = word;
}

static bool same_launch(const struct launch_record *r, const struct launch *l, const char *name,
                        const struct counts *c)
{
    return !strcmp(r->name, name) && !strcmp(r->phase, phase) &&
           !memcmp(&r->grid, &l->grid, sizeof(r->grid)) &&
           !memcmp(&r->dim, &l->dim, sizeof(r->dim)) && !memcmp(&r->counts, c, sizeof(*c));
}

static void record_launch(const struct launch *l, const char *name, const struct counts *c)
{
    struct launch_record *r;

    for (size_t i = 0; i < gathered.launches; i++)
        if (same_launch(&gathered.launch[i], l, name, c)) {
            gathered.launch[i].launches++;
            return;
        }
    gathered.launch =
        tools_grow(gathered.launch, gathered.launches, &gathered.launch_room, sizeof(*r));
    gathered.launch[gathered.launches++] = (struct launch_record){
        .name = name, .phase = phase, .grid = l->grid, .dim = l->dim, .launches = 1, .counts = *c};
}

static void record_line(const char *name, const struct place_sum *p)
{
    struct source_line s = lines_find(key_site(p->key));
    enum kind kind = key_kind(p->key);
    struct line_record *r = NULL;

    for (size_t i = 0; i < gathered.lines && !r; i++) {
        struct line_record *other = &gathered.line[i];

        if (other->line == s.line && other->kind == kind && other->file == s.file &&
            !strcmp(other->name, name))
            r = other;
    }
    if (!r) {
        gathered.line = tools_grow(gathered.line, gathered.lines, &gathered.line_room, sizeof(*r));
        r = &gathered.line[gathered.lines++];
        *r = (struct line_record){.name = name, .file = s.file, .line = s.line, .kind = kind};
    }
    r->requests += p->requests;
    r->units += p->units;
    r->ideal += p->ideal;
}

static void add_place(struct counts *c, const struct place_sum *p)
{
    enum kind kind = key_kind(p->key);

    c->requests[kind] += p->requests;
    c->units[kind] += p->units;
    c->ideal[kind] += p->ideal;
    c->lanes += p->lanes;
    if (p->same_address > c->same_address)
        c->same_address = p->same_address;
}

static void launch_end(struct launch *l)
{
    const char *name = lines_kernel(l->kernel, l->name);
    struct counts c = {0};

    for (unsigned i = 0; i < l->workers; i++) {
        struct tally *t = &tallies[i];

        c.barriers += t->barriers;
        c.divergent_warps += t->divergent_warps;
        c.local += t->local;
        for (size_t j = 0; j < t->slots; j++) {
            struct place_sum *p = &t->table[j];

            if (!p->key)
                continue;
            add_place(&c, p);
            if (by_line)
                record_line(name, p);
            if (p->picture)
                trace_keep(p->picture);
            free(p->picture);
            p->picture = NULL;
        }
        if (t->slots)
            memset(t->table, 0, t->slots * sizeof(*t->table));
        t->used = 0;
        t->barriers = t->divergent_warps = t->local = 0;
    }
    if (by_launch)
        record_launch(l, name, &c);
    if (with_trace)
        trace_print();
}

const struct observer counters_observer = {
    .access = count_access,
    .is_ahead = is_ahead,
    .barrier = count_barrier,
    .warp_done = warp_done,
    .thread_end = thread_end,
    .block_begin = block_begin,
    .block_end = block_end,
    .launch_begin = launch_begin,
    .launch_end = launch_end,
};
