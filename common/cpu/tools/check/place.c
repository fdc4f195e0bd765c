/*
 * Which memory an access is in: bounds, alignment, and whether the bytes were ever written. Each
 * allocation has its own shadow, reserved when it is made and backed by the system only where it
 * is used.
 *
 * A region is made at its allocation, or at the first access when the checks were off then, and
 * never freed, so a pointer to one stays good; the table of them changes under the lock. Its fields
 * change between launches only, but for the cells.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "cpu/engine/cluster.h"
#include "cpu/engine/device_set.h"
#include "cpu/engine/memory.h"
#include "cpu/engine/images.h"
#include "cpu/engine/variables.h"
#include "cpu/tools/check/shadow_global.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct region **regions; /* in order of address */
static size_t region_count, region_room;
static struct region **programs; /* of variables: the program's own, and those of its modules */
static size_t program_count;

extern char __data_start[], _end[];

static struct region *new_region(uintptr_t base, size_t bytes, unsigned number)
{
    struct region *r = calloc(1, sizeof(*r));

    if (!r)
        return NULL;
    r->base = base;
    r->bytes = bytes;
    r->number = number;
    shadow_global_make(&r->shadow, bytes);
    return r;
}

/* How many regions start at or below the address. */
static size_t regions_below(uintptr_t address)
{
    size_t low = 0, high = region_count;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (regions[middle]->base <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct region *add_region(struct allocation *a)
{
    struct region *r = new_region(a->base, a->bytes - a->guard, a->number);
    size_t at = regions_below(a->base);

    if (!r)
        return NULL;
    if (region_count == region_room) {
        size_t more = region_room ? 2 * region_room : 64;
        struct region **bigger = realloc(regions, more * sizeof(*regions));

        if (!bigger) {
            free(r);
            return NULL;
        }
        regions = bigger;
        region_room = more;
    }
    memmove(&regions[at + 1], &regions[at], (region_count - at) * sizeof(*regions));
    regions[at] = r;
    region_count++;
    r->freed = a->freed;
    r->complete = a->kind != MEMORY_DEVICE; /* nobody sees what the host writes there */
    a->check = r;
    return r;
}

void place_allocated(struct allocation *a)
{
    pthread_mutex_lock(&lock);
    add_region(a);
    pthread_mutex_unlock(&lock);
}

void place_guarded(struct allocation *a)
{
    struct region *r = a->check;

    if (r)
        r->bytes = a->bytes - a->guard;
}

void place_freed(struct allocation *a)
{
    struct region *r = a->check;

    if (!r)
        return;
    r->freed = true;
    shadow_global_free(&r->shadow);
}

/* The region at or below the address; made now when the checks were off at its allocation. */
static struct region *find_region(uintptr_t address)
{
    struct region *r;
    size_t below;

    pthread_mutex_lock(&lock);
    below = regions_below(address);
    r = below ? regions[below - 1] : NULL;
    if (!r || address - r->base >= r->bytes) {
        struct allocation *a = memory_find(address);

        if (a && !a->check && address - a->base < a->bytes && (r = add_region(a)))
            r->complete = true; /* nobody knows */
    }
    pthread_mutex_unlock(&lock);
    return r;
}

/* The region of variables that holds the address; NULL: none is known. Called with the lock
 * held. */
static struct region *known_program(uintptr_t address)
{
    for (size_t i = program_count; i-- > 0;)
        if (address - programs[i]->base < programs[i]->bytes)
            return programs[i];
    return NULL;
}

static struct region *add_program(uintptr_t from, uintptr_t to)
{
    uintptr_t base = from & ~(uintptr_t)15;
    struct region **more = realloc(programs, (program_count + 1) * sizeof(struct region *));
    struct region *r = more ? new_region(base, to - base, 0) : NULL;

    programs = more ? more : programs;
    if (r) {
        r->complete = true;
        programs[program_count++] = r;
    }
    return r;
}

static struct region *program_region(uintptr_t address)
{
    const struct image *i = image_of(address);
    struct region *r;

    pthread_mutex_lock(&lock);
    r = known_program(address);
    if (!r && i)
        r = add_program(i->data, i->end);
    else if (!r)
        r = add_program((uintptr_t)__data_start, (uintptr_t)_end);
    pthread_mutex_unlock(&lock);
    return r;
}

void place_forget_accesses(void)
{
    for (size_t i = 0; i < region_count; i++)
        shadow_global_forget(&regions[i]->shadow);
    for (size_t i = 0; i < program_count; i++)
        shadow_global_forget(&programs[i]->shadow);
}

/* --- places ----------------------------------------------------------------------------------- */

static struct finding about(const struct access *a, enum finding_kind kind)
{
    struct finding f = {.kind = kind, .parties = 1, .address = a->address, .bytes = a->bytes};

    f.party[0] = (struct party){a->site, a->thread->block->number, a->thread->id, a->flags};
    return f;
}

static void found_outside(const struct access *a, struct region *r)
{
    struct finding f = about(a, FOUND_OUTSIDE);
    size_t below;

    if (r && r->freed && a->address - r->base < r->bytes) {
        f.kind = FOUND_FREED;
    } else {
        struct region *above;
        size_t after = r ? a->address - r->base - r->bytes : SIZE_MAX;

        if (r && a->address - r->base < r->bytes) /* it begins inside */
            after = 0, f.memory.across = true;
        pthread_mutex_lock(&lock);
        below = regions_below(a->address);
        above = below < region_count ? regions[below] : NULL;
        pthread_mutex_unlock(&lock);
        f.memory.distance = after;
        if (above && above->base - a->address < after) {
            r = above;
            f.memory.distance = above->base - a->address;
            f.memory.before = true;
        }
    }
    f.memory.none = !r;
    if (r) {
        region_tell(r, &f);
        f.memory.offset = a->address - r->base;
    }
    atomic_store(&finding_of_memory, true);
    finding_add(&f);
}

/* Between the program's variables is a gap, as far as they are listed. */
static bool in_variable(const struct access *a)
{
    const struct variable *v = variable_near(a->address);
    struct finding f;

    if (!v || (a->address - v->at < v->bytes && a->bytes <= v->bytes - (a->address - v->at)))
        return true;
    f = about(a, FOUND_OUTSIDE);
    f.memory.of_program = v;
    f.memory.before = a->address < v->at;
    f.memory.across = a->address - v->at < v->bytes;
    f.memory.distance = f.memory.before   ? v->at - a->address
                        : f.memory.across ? 0
                                          : a->address - v->at - v->bytes;
    atomic_store(&finding_of_memory, true);
    finding_add(&f);
    return false;
}

enum { RECENT = 4 }; /* regions that a worker looks at first */
static __thread struct region *recent[RECENT];

struct region *place_recent(uintptr_t address)
{
    for (unsigned i = 0; i < RECENT && recent[i]; i++)
        if (address - recent[i]->base < recent[i]->bytes && !recent[i]->freed)
            return recent[i];
    return NULL;
}

static bool place_global(const struct access *a, struct place *p)
{
    static __thread unsigned next;
    struct region *r = place_recent(a->address);

    if (!r) {
        r = memory_is_device(a->address) ? find_region(a->address) : program_region(a->address);
        if (r)
            recent[next++ % RECENT] = r;
    }
    if (!r || r->freed || a->address - r->base >= r->bytes ||
        a->bytes > r->bytes - (a->address - r->base)) {
        found_outside(a, r);
        return false;
    }
    if (!r->number && !in_variable(a))
        return false;
    p->owner = NULL;
    p->region = r;
    p->offset = a->address - r->base;
    p->shadow = (const void *)r->shadow.lock;
    return true;
}

/* A variable of a block's shared memory by its number: 0 the dynamic one, then the static ones. */
static const struct cpu_shared_variable *variable_of(const struct block *b, unsigned number,
                                                     size_t *start, size_t *bytes)
{
    const struct static_shared *s = &b->static_slot[number - 1];

    *start = number ? s->offset : 0;
    *bytes = number ? s->bytes : b->launch->dynamic_shared;
    return number ? s->variable : b->dynamic && *b->dynamic->name ? b->dynamic : NULL;
}

static void tell_variable(const struct block *b, unsigned number, size_t offset, struct finding *f)
{
    f->memory.shared = true;
    f->memory.base = (uintptr_t)b->shared;
    f->memory.offset = offset;
    f->memory.number = number;
    f->memory.variable = variable_of(b, number, &f->memory.start, &f->memory.bytes);
}

void place_tell_shared(const struct block *b, size_t offset, struct finding *f)
{
    f->memory.shared = true;
    f->memory.offset = offset;
    for (unsigned i = 0; i <= b->statics; i++) {
        size_t start, bytes;

        variable_of(b, i, &start, &bytes);
        if (offset - start < bytes)
            tell_variable(b, i, offset, f);
    }
}

static bool place_shared(const struct access *a, struct place *p)
{
    struct block *own = a->thread->block,
                 *b = a->space == SPACE_SHARED ? own : cluster_owner(own, a->address);
    size_t offset = a->address - (uintptr_t)b->shared, end = offset + a->bytes;
    struct finding f;

    p->owner = b;
    p->region = check_of(b)->clustered ? check_of(b)->region : NULL;
    p->offset = offset;
    p->shadow = check_of(b)->shadow;
    if (end <= b->launch->dynamic_shared)
        return true;
    for (unsigned i = 0; i < b->statics; i++)
        if (offset >= b->static_slot[i].offset &&
            end <= b->static_slot[i].offset + b->static_slot[i].bytes)
            return true;
    f = about(a, FOUND_OUTSIDE_SHARED);
    /* The nearest array that ends at or before the access, or else the next one. */
    f.memory.shared = true;
    f.memory.distance = SIZE_MAX;
    for (unsigned i = 0; i <= b->statics; i++) {
        size_t start, bytes, distance;

        variable_of(b, i, &start, &bytes);
        distance = offset >= start + bytes ? offset - start - bytes
                   : offset < start        ? start - offset
                                           : 0;
        if (bytes && distance < f.memory.distance) {
            tell_variable(b, i, offset, &f);
            f.memory.distance = distance;
            f.memory.before = offset < start;
            f.memory.across = offset >= start && offset < start + bytes;
        }
    }
    f.memory.none = f.memory.distance == SIZE_MAX;
    atomic_store(&finding_of_memory, true);
    finding_add(&f);
    return false;
}

static void tell_place(const struct place *p, struct finding *f)
{
    f->memory.offset = p->offset;
    if (p->owner)
        place_tell_shared(p->owner, p->offset, f);
    else
        region_tell(p->region, f);
}

static bool found_wrong_memory(const struct access *a, enum finding_kind kind)
{
    struct finding f = about(a, kind);

    atomic_store(&finding_of_memory, true);
    finding_add(&f);
    return false;
}

bool place_find(const struct access *a, struct place *p)
{
    struct finding f;

    p->shadow = NULL;
    if (a->space == SPACE_OTHER)
        return (!(a->flags & ACCESS_WRITE) && memory_is_image(a->address)) ||
               found_wrong_memory(a, a->address < 65536                         ? FOUND_NULL
                                     : memory_device(a->address) != ALL_DEVICES ? FOUND_PEER
                                                                                : FOUND_HOST);
    if (a->space == SPACE_GLOBAL && a->flags & ACCESS_WRITE && memory_is_constant(a->address))
        return found_wrong_memory(a, FOUND_CONSTANT);
    if (a->space == SPACE_GLOBAL ? !place_global(a, p) : !place_shared(a, p))
        return false;
    if (!(a->flags & ACCESS_UNALIGNED) && a->bytes <= 16 && !(a->bytes & (a->bytes - 1)) &&
        a->address & (a->bytes - 1)) {
        f = about(a, FOUND_MISALIGNED);
        tell_place(p, &f);
        atomic_store(&finding_of_memory, true);
        finding_add(&f);
        return false;
    }
    return true;
}

bool place_of_host(const struct access *a, struct place *p)
{
    struct region *r;

    if (memory_is_device(a->address)) {
        r = find_region(a->address);
    } else {
        pthread_mutex_lock(&lock);
        r = known_program(a->address);
        pthread_mutex_unlock(&lock);
    }
    if (!r || r->freed || !r->shadow.lock || a->address - r->base >= r->bytes ||
        a->bytes > r->bytes - (a->address - r->base))
        return false;
    *p = (struct place){.region = r, .offset = a->address - r->base};
    return true;
}

/* --- was it written? -------------------------------------------------------------------------- */

void place_host_write(uintptr_t address, size_t bytes)
{
    struct region *r = find_region(address);
    size_t from, to;
    unsigned i;

    if (!r || r->complete || address - r->base >= r->bytes)
        return;
    from = address - r->base;
    to = from + bytes;
    for (i = 0; i < r->ranges; i++)
        if (from <= r->range[i].to && to >= r->range[i].from)
            break;
    if (i < r->ranges) {
        r->range[i].from = from < r->range[i].from ? from : r->range[i].from;
        r->range[i].to = to > r->range[i].to ? to : r->range[i].to;
    } else if (i < sizeof(r->range) / sizeof(r->range[0])) {
        r->range[i].from = from;
        r->range[i].to = to;
        r->ranges++;
    } else if (r->shadow.written) {
        for (size_t byte = from; byte < to; byte++)
            r->shadow.written[byte / 32] |= 1u << byte % 32;
        return;
    }
    if (r->range[i].from == 0 && r->range[i].to >= r->bytes)
        r->complete = true;
}

static bool byte_written(const struct check_block *cb, const struct place *p, size_t byte)
{
    struct region *r = p->region;

    if (!r)
        return cb->written[byte / 32] >> byte % 32 & 1;
    for (unsigned i = 0; i < r->ranges; i++)
        if (byte >= r->range[i].from && byte < r->range[i].to)
            return true;
    return r->shadow.written[byte / 32] >> byte % 32 & 1;
}

static void mark_shared(struct check_block *cb, size_t from, unsigned bytes)
{
    if (from % 32 + bytes <= 32)
        cb->written[from / 32] |= (uint32_t)(((uint64_t)1 << bytes) - 1) << from % 32;
    else
        for (size_t byte = from; byte < from + bytes; byte++)
            cb->written[byte / 32] |= 1u << byte % 32;
}

static bool all_written(const struct check_block *cb, const struct place *p, unsigned bytes)
{
    if (!p->region && p->offset % 32 + bytes <= 32) {
        uint32_t want = (uint32_t)(((uint64_t)1 << bytes) - 1) << p->offset % 32;

        return (cb->written[p->offset / 32] & want) == want;
    }
    for (unsigned i = 0; i < bytes; i++)
        if (!byte_written(cb, p, p->offset + i))
            return false;
    return true;
}

void place_check_written(const struct access *a, const struct place *p)
{
    struct check_block *cb = check_of(a->thread->block);
    const unsigned unseen = ACCESS_EXCHANGE | ACCESS_QUIET; /* nobody takes the old value */
    bool only_writes =
        a->flags & ACCESS_WRITE && (!(a->flags & ACCESS_ATOMIC) || a->flags & ACCESS_VOLATILE ||
                                    (a->flags & unseen) == unseen);

    if (p->region && (p->region->complete || only_writes))
        return; /* of global memory the race check marks what is written */
    if (!only_writes && !all_written(cb, p, a->bytes)) {
        struct finding f = about(a, p->owner ? FOUND_UNWRITTEN_SHARED : FOUND_UNWRITTEN);

        tell_place(p, &f);
        if (!cb->killed && !atomic_load(&finding_of_memory))
            finding_add(&f);
    }
    if (!p->region && a->flags & ACCESS_WRITE)
        mark_shared(cb, p->offset, a->bytes);
}
