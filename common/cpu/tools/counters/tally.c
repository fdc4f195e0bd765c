/*
 * A worker's sums, and where the source alone cannot tell what nvcc does.
 *
 * Of that there is doubt, as long as nvcc's code is not known, where a thread stores again and
 * again to one address (a register may keep the sum), where accesses lie side by side in all lanes
 * (one wide access may do both), and where a structure is copied whose alignment its address does
 * not show. What is counted here for that, gather.c judges.
 */
#include <stdlib.h>
#include <string.h>
#include "cpu/tools/counters/model.h"
#include "cpu/tools/counters/tally.h"
#include "cpu/tools/grow.h"
#include "cpu/tools/lines/lines.h"

/* Set while no kernel runs. */
static const struct nvcc_kernel *nvcc;
static bool with_trace;

void tally_begin(const struct nvcc_kernel *kernel, bool trace)
{
    nvcc = kernel;
    with_trace = trace;
}

/* --- the table ------------------------------------------------------------------------------- */

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

/* As nvcc's code has the source line, if that is known. */
static void choose_shape(struct place_sum *p)
{
    enum kind kind = key_kind(p->key);
    unsigned bytes = key_bytes(p->key);
    struct source_line s;
    struct nvcc_line line;

    if (!nvcc || (kind > SHARED_STORE && !key_is(p->key, ROUND) && !key_is(p->key, BRANCH)) ||
        key_is_volatile(p->key))
        return;
    s = lines_find(key_site(p->key));
    p->shape.file = s.file;
    p->shape.line = s.line;
    if (kind > SHARED_STORE || p->key & KEY_QUIET) /* an asynchronous copy is joined to nothing */
        return;
    line = nvcc_line(nvcc, s.file, s.line, kind);
    p->shape.widths = line.widths;
    p->shape.together = line.together;
    p->shape.once = line.outside;
    p->shape.join = nvcc_widths(nvcc, kind) >= 2 * bytes;
    p->as_nvcc = p->shape.once || p->shape.join || !(line.widths & bytes);
}

struct place_sum *tally_place(struct tally *t, access_key key)
{
    struct place_sum *p;

    if (2 * t->used >= t->slots)
        grow_table(t);
    p = find_place(t->table, t->slots, key);
    if (!p->key) {
        memset(p, 0, sizeof(*p));
        p->key = key;
        p->traffic = &t->traffic;
        t->used++;
        choose_shape(p);
        if (with_trace && trace_is_on()) {
            p->picture = calloc(1, sizeof(*p->picture));
            if (!p->picture)
                tools_out_of_memory();
        }
    }
    return p;
}

void tally_clear(struct tally *t)
{
    for (size_t i = 0; i < t->slots; i++)
        free(t->table[i].picture);
    if (t->slots)
        memset(t->table, 0, t->slots * sizeof(*t->table));
    t->used = 0;
    t->barriers = t->divergent_warps = t->local = t->bulk_copies = t->bulk_bytes =
        t->cluster_barriers = 0;
    touched_free(t->traffic.touched);
    t->traffic = (struct traffic){0};
    t->spans = (struct spans){0};
    memset(t->operations, 0, sizeof(t->operations));
    t->warp_instructions = t->tail_instructions = 0;
    t->begun = t->doubt = false;
}

/* --- doubt ----------------------------------------------------------------------------------- */

/* Some lanes' addresses: the first's, the next one's and the last's. They tell a rule from a
 * chance. */
static struct recent look_at(access_key key, const struct warp_accesses *accesses, uint32_t lanes,
                             const uint64_t *address)
{
    uint32_t others = lanes & (lanes - 1);
    uint64_t first = address[__builtin_ctz(lanes)];

    return (struct recent){key,
                           accesses->syncs,
                           lanes,
                           first,
                           others ? address[__builtin_ctz(others)] : first,
                           address[31 - __builtin_clz(lanes)]};
}

/* Do they lie side by side in one block of twice the width? */
static bool are_adjacent(const struct recent *a, const struct recent *b, unsigned bytes)
{
    return (a->first ^ b->first) == bytes && (a->second ^ b->second) == bytes &&
           (a->last ^ b->last) == bytes && a->lanes == b->lanes;
}

/*
 * Side by side in shared memory, whose addresses nvcc knows, also counts for one place's accesses
 * in turn, as in a loop; and more, unless a single lane does them, as at the end of a tree. In
 * global memory nvcc knows of two places at most, by their type, that they are aligned.
 */
static void look_for_doubt(struct place_sum *p, struct warp_accesses *accesses, uint32_t lanes,
                           const uint64_t *address)
{
    enum kind kind = key_kind(p->key);
    unsigned bytes = key_bytes(p->key);
    struct recent now = look_at(p->key, accesses, lanes, address);
    bool adjacent = false, again = false;

    for (unsigned i = 0; i < RECENT; i++) {
        const struct recent *r = &accesses->recent[i];

        if (key_kind(r->key) != kind || key_bytes(r->key) != bytes || r->syncs != accesses->syncs)
            continue;
        again |= r->key == p->key && r->first == now.first && kind & 1; /* a store */
        if (bytes < 16 && (r->key != p->key || kind >= SHARED_LOAD))
            adjacent |= are_adjacent(r, &now, bytes);
    }
    p->again += again;
    p->adjacent += adjacent * (kind >= SHARED_LOAD && lanes & (lanes - 1) ? 4 : 1);
    accesses->recent[accesses->next_recent++ % RECENT] = now;
}

/* --- sums ------------------------------------------------------------------------------------ */

static unsigned atomic_passes(access_key key, uint32_t lanes, const uint64_t *address)
{
    enum atomic_form form = key & KEY_SWAP    ? ATOMIC_SWAP
                            : key & KEY_COUNT ? ATOMIC_COUNT
                                              : ATOMIC_ANY;

    return key_kind(key) == GLOBAL_ATOMIC
               ? model_atomic_sectors(address, lanes, key_bytes(key))
               : model_atomic_wavefronts(address, lanes, key_bytes(key), form);
}

/* As the block's own shared memory: on a GPU its warps wait longer. */
static void add_remote(struct place_sum *p, struct warp_accesses *accesses, uint32_t lanes,
                       const uint64_t *address)
{
    static const enum kind own[] = {SHARED_LOAD, SHARED_STORE, SHARED_ATOMIC};
    enum remote remote = key_remote(p->key);
    unsigned bytes = key_bytes(p->key), ideal;
    access_key key = key_of(key_site(p->key), bytes, own[remote]);

    p->units += remote == REMOTE_ATOMIC ? model_atomic_wavefronts(address, lanes, bytes, ATOMIC_ANY)
                                        : model_wavefronts(address, lanes, bytes, &ideal);
    p->requests++;
    p->lanes += (unsigned)__builtin_popcount(lanes);
    span_access(&accesses->span, accesses->cache, p->traffic, key, p->shape, lanes, address);
    if (lanes != accesses->warp->lanes)
        accesses->diverged = true;
}

/* A condition of a warp: it executes what stands under it, what stands under else, or both. */
static void add_branch(struct place_sum *p, uint32_t lanes, const uint64_t *address)
{
    uint32_t taken = 0;

    for (uint32_t rest = lanes; rest; rest &= rest - 1)
        if (address[__builtin_ctz(rest)])
            taken |= rest & -rest;
    p->units += taken != 0;
    p->ideal += taken != lanes;
}

void tally_add(struct place_sum *p, struct warp_accesses *accesses, uint32_t lanes,
               const uint64_t *address)
{
    unsigned bytes = key_bytes(p->key), ideal = 1, same;
    enum kind kind = key_kind(p->key);

    if (kind == REMOTE) {
        add_remote(p, accesses, lanes, address);
        return;
    }
    if (kind == OTHER) {
        p->requests++;
        p->units += key_is(p->key, CONSTANT) ? model_constant_reads(address, lanes) : 0;
        if (key_is(p->key, BRANCH))
            add_branch(p, lanes, address);
        return;
    }
    switch (kind) {
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
        p->passes += atomic_passes(p->key, lanes, address);
        same = model_same_address(address, lanes);
        p->units += same;
        p->ideal += 1;
        if (same > p->same_address)
            p->same_address = same;
        break;
    }
    span_access(&accesses->span, accesses->cache, p->traffic, p->key, p->shape, lanes, address);
    p->requests++;
    p->lanes += (unsigned)__builtin_popcount(lanes);
    if (!nvcc && kind <= SHARED_STORE && !key_is_volatile(p->key))
        look_for_doubt(p, accesses, lanes, address);
    if (lanes != accesses->warp->lanes)
        accesses->diverged = true;
    if (p->picture)
        trace_offer(p->picture, accesses, p->key, lanes, address);
}
