/*
 * The text of a finding, on standard error unless it goes elsewhere: a line that says what is
 * wrong, and one for each thread that took part. Called between launches, or at the end of one, by
 * one thread at a time.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "cpu/engine/device_set.h"
#include "cpu/engine/memory.h"
#include "cpu/engine/variables.h"
#include "cpu/tools/check/describe.h"
#include "cpu/tools/check/past.h"
#include "cpu/tools/lines/lines.h"

/* Streams that a program has made are counted from 1. */
enum { FIRST_STREAM = MAX_DEVICES - 1 };

static FILE *out; /* where the text goes */

/* Of the launch, for names of threads and blocks. */
static const char *launch_kernel;
static struct cpu_dim launch_grid, launch_dim;
static const struct launch *launch; /* its parameters, while it ends */

__attribute__((constructor)) static void begin(void)
{
    out = stderr;
}

void describe_to(FILE *to)
{
    out = to;
}

void describe_launch(const struct launch *l)
{
    launch = l;
    if (!l)
        return;
    launch_kernel = l->name;
    launch_grid = l->grid;
    launch_dim = l->dim;
}

static const char *group_of(enum finding_kind kind)
{
    if (kind >= FOUND_IN_FLIGHT)
        return "async";
    if (kind <= FOUND_MISALIGNED)
        return "memory";
    if (kind <= FOUND_READ_ONLY)
        return "race";
    return kind <= FOUND_UNWRITTEN_SHARED ? "init" : "sync";
}

static const char *index_text(char *text, size_t room, uint64_t i, struct cpu_dim d)
{
    unsigned long long x = i % d.x, y = i / d.x % d.y, z = i / d.x / d.y;

    if (d.z > 1)
        snprintf(text, room, "(%llu, %llu, %llu)", x, y, z);
    else if (d.y > 1)
        snprintf(text, room, "(%llu, %llu)", x, y);
    else
        snprintf(text, room, "%llu", x);
    return text;
}

static const char *line_text(char *text, size_t room, uintptr_t site)
{
    struct source_line s = site ? lines_find(site) : (struct source_line){0};

    if (!site)
        snprintf(text, room, "the kernel's end");
    else if (s.file && s.line)
        snprintf(text, room, "%s:%d", s.file, s.line);
    else /* describe_end says why, if it is so of all */
        snprintf(text, room, "%#" PRIxPTR, site);
    return text;
}

/* "stream 2 of device 1": their default streams have the devices' numbers. */
static const char *stream_text(char *text, size_t room, const struct past *p)
{
    if (p->stream == (uint32_t)p->device)
        snprintf(text, room, "the default stream of device %d", p->device);
    else
        snprintf(text, room, "stream %u of device %d", p->stream - FIRST_STREAM, p->device);
    return text;
}

/* What another operation than the launch that is told of did. */
static void print_past(const char *verb, const struct party *p)
{
    char line[160], thread[64], block[64], stream[64];

    line_text(line, sizeof(line), p->site);
    stream_text(stream, sizeof(stream), p->of);
    if (p->of->is_kernel)
        fprintf(out, "    %-9s %-24s thread %s of block %s of %s, in %s\n", verb, line,
                index_text(thread, sizeof(thread), p->thread, p->of->dim),
                index_text(block, sizeof(block), p->block, p->of->grid), p->of->name, stream);
    else
        fprintf(out, "    %-9s %-24s %s, in %s\n", verb, line, p->of->name, stream);
}

static void print_party(const char *verb, const struct party *p)
{
    char line[160], thread[64], block[64];

    if (p->of) {
        print_past(verb, p);
        return;
    }

    fprintf(out, "    %-9s %-24s thread %s of block %s\n", verb,
            line_text(line, sizeof(line), p->site),
            index_text(thread, sizeof(thread), p->thread, launch_dim),
            index_text(block, sizeof(block), p->block, launch_grid));
}

static const char *verb_of(const struct party *p, bool past)
{
    if (p->flags & ACCESS_ATOMIC)
        return p->flags & ACCESS_WRITE ? (past ? "atomic" : "atomic") : "reads";
    if (p->flags & ACCESS_WRITE)
        return past ? "wrote" : "writes";
    return past ? "read" : "reads";
}

static const char *memory_text(char *text, size_t room, const struct finding *f)
{
    if (f->memory.number == MEMORY_HEAP_NUMBER)
        snprintf(text, room, "the heap of malloc and new");
    else if (f->memory.number)
        snprintf(text, room, "allocation %u (%zu bytes)", f->memory.number, f->memory.bytes);
    else if (f->memory.of_program)
        snprintf(text, room, "the variable %s (%zu bytes)", f->memory.of_program->name,
                 f->memory.of_program->bytes);
    else
        snprintf(text, room, "the program's variables");
    return text;
}

/* An array as the kernel has it: what a parameter points to, or a variable in shared memory. */
struct array {
    const char *name;
    int characters; /* of the name */
    const struct cpu_shared_variable *variable;
    size_t element;  /* bytes */
    size_t elements; /* from there to the end of the allocation */
    long long index; /* of the access, or of where it would be */
    size_t rest;     /* bytes behind the start of that element */
};

/* The element at so many bytes behind the array's start, or before it. */
static void set_element(struct array *a, long long apart, size_t element, size_t bytes)
{
    long long size = (long long)element;

    a->element = element;
    a->elements = bytes / element;
    a->index = apart / size - (apart % size < 0);
    a->rest = (size_t)(apart - a->index * size);
}

static bool find_shared(const struct finding *f, uintptr_t address, struct array *array)
{
    const struct cpu_shared_variable *v = f->memory.variable;

    if (!v)
        return false;
    *array = (struct array){.name = v->name, .characters = (int)strlen(v->name), .variable = v};
    set_element(array, (long long)(address - f->memory.base - f->memory.start), v->element,
                f->memory.bytes);
    return true;
}

/* The parameter that points into the finding's allocation, and nearest below the address. */
static bool find_parameter(const struct finding *f, uintptr_t address, struct array *array)
{
    bool whole = f->memory.number && f->memory.number != MEMORY_HEAP_NUMBER; /* one array */
    const char *name = launch && whole ? launch->parameter_names : NULL;
    uintptr_t best = 0;

    for (unsigned i = 0; name && *name && i < launch->parameters; i++) {
        const struct cpu_parameter *p = &launch->parameter[i];
        uintptr_t at = (uintptr_t)p->pointer;
        int characters = (int)strcspn(name, ",");

        if (p->element && *name != '?' && at - f->memory.base < f->memory.bytes &&
            (!best || (at <= address ? best > address || at > best : at < best))) {
            best = at;
            *array = (struct array){.name = name, .characters = characters};
            set_element(array, (long long)(address - at), p->element,
                        f->memory.base + f->memory.bytes - at);
        }
        name += characters;
        name += strspn(name, ", ");
    }
    return best;
}

static bool find_array(const struct finding *f, uintptr_t address, struct array *array)
{
    return f->memory.shared ? find_shared(f, address, array) : find_parameter(f, address, array);
}

/* "256 elements", or "32 x 33 elements". */
static const char *elements_text(char *text, size_t room, const struct array *a)
{
    size_t used = 0;

    if (!a->variable || a->variable->lengths < 2)
        snprintf(text, room, "%zu element%s", a->elements, a->elements == 1 ? "" : "s");
    else
        for (unsigned i = 0; i < a->variable->lengths && used < room; i++)
            used += (size_t)snprintf(text + used, room - used, "%zu%s", a->variable->length[i],
                                     i + 1 < a->variable->lengths ? " x " : " elements");
    return text;
}

/* "s[3]", or "tile[0][32]"; a variable that is no array has its name alone. */
static const char *element_text(char *text, size_t room, const struct array *a)
{
    unsigned lengths = a->variable ? a->variable->lengths : 1;
    long long rest = a->index, whole = 1;
    size_t used = (size_t)snprintf(text, room, "%.*s", a->characters, a->name);

    for (unsigned i = 1; i < lengths; i++)
        whole *= (long long)a->variable->length[i];
    for (unsigned i = 0; i < lengths && used < room; i++) {
        long long index = rest / whole - (rest % whole < 0);

        used += (size_t)snprintf(text + used, room - used, "[%lld]", index);
        rest -= index * whole;
        if (i + 1 < lengths)
            whole /= (long long)a->variable->length[i + 1];
    }
    return text;
}

static const char *shared_text(char *text, size_t room, const struct finding *f)
{
    if (f->memory.number)
        snprintf(text, room, "static shared array %u (%zu bytes)", f->memory.number,
                 f->memory.bytes);
    else
        snprintf(text, room, "the dynamic shared memory (%zu bytes)", f->memory.bytes);
    return text;
}

/* Of the allocation, or of the array, that the finding is of. */
static const char *whole_text(char *text, size_t room, const struct finding *f)
{
    char elements[96];
    struct array a;

    if (find_array(f, f->address, &a))
        snprintf(text, room, "%.*s (%s)", a.characters, a.name,
                 elements_text(elements, sizeof(elements), &a));
    else
        (f->memory.shared ? shared_text : memory_text)(text, room, f);
    return text;
}

/* The place at the address: the element of an array, or the byte of an allocation. */
static const char *place_text(char *text, size_t room, const struct finding *f, uintptr_t address)
{
    char name[200], elements[96];
    const char *in = f->memory.shared ? " in shared memory" : "";
    struct array a;

    if (!find_array(f, address, &a)) {
        snprintf(text, room, "byte %zu of %s", (size_t)(address - f->memory.base),
                 f->memory.shared ? "shared memory" : memory_text(name, sizeof(name), f));
        return text;
    }
    element_text(name, sizeof(name), &a);
    elements_text(elements, sizeof(elements), &a);
    if (a.variable && !a.variable->lengths)
        elements[0] = '\0';
    if (a.rest)
        snprintf(text, room, "byte %zu of %s%s%s%s", a.rest, name, *elements ? " of " : "",
                 elements, in);
    else
        snprintf(text, room, "%s%s%s%s", name, *elements ? " of " : "", elements, in);
    return text;
}

static const char *distance_text(char *text, size_t room, const struct finding *f)
{
    if (f->memory.before)
        snprintf(text, room, "%zu bytes before the start of", f->memory.distance);
    else if (f->memory.distance)
        snprintf(text, room, "%zu bytes past the end of", f->memory.distance);
    else
        snprintf(text, room, f->memory.across ? "across the end of" : "just past the end of");
    return text;
}

/* Outside of an allocation, or of a variable in shared memory. */
static void print_outside(const struct finding *f)
{
    char name[200], distance[64], elements[96];
    struct array a;

    if (f->memory.none) {
        fprintf(out, "at %#" PRIxPTR ", where nothing is allocated", f->address);
        return;
    }
    distance_text(distance, sizeof(distance), f);
    if (find_array(f, f->address, &a))
        fprintf(out, "at %s, %s its %s%s", element_text(name, sizeof(name), &a), distance,
                elements_text(elements, sizeof(elements), &a),
                f->memory.shared ? " in shared memory" : "");
    else
        fprintf(out, "%s %s", distance,
                (f->memory.shared ? shared_text : memory_text)(name, sizeof(name), f));
}

static void print_memory(const struct finding *f)
{
    const char *does = f->party[0].flags & ACCESS_WRITE ? "write" : "read";
    char name[256];

    fprintf(out, "%s of %u bytes ", does, f->bytes);
    switch (f->kind) {
    case FOUND_OUTSIDE:
        print_outside(f);
        break;
    case FOUND_FREED:
        fprintf(out, "at %s, which is freed", place_text(name, sizeof(name), f, f->address));
        break;
    case FOUND_OUTSIDE_SHARED:
        if (f->memory.none)
            fprintf(out, "of shared memory, of which the launch asked none");
        else
            print_outside(f);
        break;
    case FOUND_NULL:
        fprintf(out, "through a null pointer (address %#" PRIxPTR ")", f->address);
        break;
    case FOUND_HOST:
        fprintf(out,
                "of host memory (address %#" PRIxPTR "): a pointer that cudaMalloc did "
                "not give",
                f->address);
        break;
    case FOUND_PEER:
        fprintf(out, "of device %d's memory, without peer access (cudaDeviceEnablePeerAccess)",
                memory_device(f->address));
        break;
    case FOUND_BLOCK_EARLY:
    case FOUND_BLOCK_ENDED:
        fprintf(out, "in another block of the cluster, of rank %u, at %s, which may %s", f->other,
                place_text(name, sizeof(name), f, f->memory.base + f->memory.offset),
                f->kind == FOUND_BLOCK_EARLY
                    ? "not have begun: no barrier of the cluster stands before it"
                    : "have ended: nothing makes it wait, as a barrier of the cluster would");
        break;
    case FOUND_CONSTANT:
        fprintf(out, "of a __constant__ variable, which the host alone may write");
        break;
    default:
        fprintf(out, "misaligned: byte %zu of %s is no multiple of %u",
                f->memory.offset - f->memory.start, whole_text(name, sizeof(name), f), f->bytes);
    }
}

static void print_race(const struct finding *f)
{
    const struct party *now = &f->party[0], *before = &f->party[1];
    bool both_write = now->flags & before->flags & ACCESS_WRITE;
    char name[256];

    if (f->kind == FOUND_READ_ONLY)
        fprintf(out, "a read through the read-only path (__ldg) of what the same launch writes,");
    else if (both_write)
        fprintf(out, before->of ? "two operations write" : "two threads write");
    else
        fprintf(out, before->of ? "one operation reads what another writes,"
                                : "one thread reads what another writes,");
    fprintf(out, " %s", place_text(name, sizeof(name), f, f->memory.base + f->memory.offset));
    if (f->kind == FOUND_READ_ONLY)
        return;
    if (f->kind == FOUND_VOLATILE && both_write)
        fprintf(out, ", and nothing orders them: the last one wins, and volatile does not help");
    else if (f->kind == FOUND_VOLATILE)
        fprintf(out, ", volatile, and nothing orders them: no fence stands before the write");
    else if (f->kind == FOUND_LUCK)
        fprintf(out, ", and only the order in which they took a lock kept them apart: in another "
                     "order nothing does");
    else if (f->kind == FOUND_LEFT_OUT)
        fprintf(out, ", volatile, under a lock, and this write is outside of the lock");
    else if (f->kind == FOUND_SIZES)
        fprintf(out, ", by atomics of different sizes, which are not atomic to one another");
    else if (f->kind == FOUND_HANDED)
        fprintf(out, ", behind a flag, and no fence orders the two words");
    else if (before->of && now->flags & before->flags & ACCESS_ATOMIC)
        fprintf(out, ", and an atomic of device scope orders nothing between two devices");
    else if (before->of)
        fprintf(out, ", and nothing orders the two: no event, fence or flag");
    else if (now->block != before->block && now->flags & before->flags & ACCESS_ATOMIC)
        fprintf(out, ", and an atomic of block scope orders nothing between two blocks");
    else if (now->block != before->block)
        fprintf(out, ", and nothing orders the two blocks");
    else if (now->thread / WARP == before->thread / WARP)
        fprintf(out, ", with no barrier or __syncwarp between");
    else
        fprintf(out, ", with no barrier between");
}

/* By how a lane takes no part: see sync_lane_missing. */
static const char *const lane_fate[] = {"is not in its mask", "has ended; the mask is",
                                        "the block does not have; the mask is"};

static void print_sync(const struct finding *f)
{
    char name[256];

    switch (f->kind) {
    case FOUND_TWO_BARRIERS:
        fprintf(out, "threads of one block wait at different barriers");
        break;
    case FOUND_BARRIER_MISSED:
        fprintf(out, "a barrier that not all threads of the block reach");
        break;
    case FOUND_CLUSTER_AROUND:
        fprintf(out, "a barrier of the cluster that threads of it go around, to the kernel's end");
        break;
    case FOUND_BARRIER_AROUND:
        fprintf(out, "a barrier that threads of the block go around, to the kernel's end: it may "
                     "work on a GPU, and CUDA promises it nowhere");
        break;
    case FOUND_NOT_IN_MASK:
        fprintf(out, "a lane calls a warp operation with a mask (0x%08x) that does not name it",
                f->mask);
        break;
    case FOUND_LANE_ENDED:
        fprintf(out, "the mask 0x%08x of a warp operation names lanes that have ended: 0x%08x",
                f->mask, f->lanes);
        break;
    case FOUND_LANE_ABSENT:
        fprintf(out,
                "the mask 0x%08x of a warp operation names lanes that the block does not "
                "have: 0x%08x",
                f->mask, f->lanes);
        break;
    case FOUND_IN_FLIGHT:
        fprintf(out,
                "%s of %s, where an asynchronous copy may still arrive: no wait for its %s comes "
                "before",
                f->party[0].flags & ACCESS_WRITE ? "write" : "read",
                place_text(name, sizeof(name), f, f->memory.base + f->memory.offset),
                f->party[1].flags & ACCESS_BULK ? "barrier object" : "group");
        break;
    case FOUND_LEFT_BEHIND:
        fprintf(out, "the block ends while a copy of cp.async.bulk still %s shared memory",
                f->party[0].flags & ACCESS_WRITE ? "writes" : "reads");
        break;
    case FOUND_STILL_READ:
        fprintf(out, "write of %s, which %s may still read: no wait for its group comes before",
                place_text(name, sizeof(name), f, f->memory.base + f->memory.offset),
                f->party[1].flags & ACCESS_BULK ? "cp.async.bulk" : "a product of a warpgroup");
        break;
    case FOUND_SUM:
        fprintf(out,
                "%s of a sum that a product of a warpgroup may still change: no wait for its group "
                "comes before",
                f->party[0].flags & ACCESS_WRITE ? "write" : "read");
        break;
    case FOUND_NOT_FENCED:
        fprintf(out, f->parties == 2
                         ? "a product of a warpgroup adds to what the thread has written, with no "
                           "wgmma.fence between"
                         : "the first product of a warpgroup, with no wgmma.fence before it");
        break;
    case FOUND_PROXY:
        fprintf(out, "%s reads %s, which was stored with no fence.proxy.async behind",
                f->party[0].flags & ACCESS_BULK ? "cp.async.bulk" : "a product of a warpgroup",
                place_text(name, sizeof(name), f, f->memory.base + f->memory.offset));
        break;
    case FOUND_UNEVEN:
        fprintf(out, "the four warps of a warpgroup have not multiplied (wgmma) as often");
        break;
    case FOUND_LANE_READ:
        fprintf(out, "a shuffle of lane %u reads lane %u, which %s 0x%08x",
                f->party[0].thread % WARP, f->lane, lane_fate[f->lanes], f->mask);
        break;
    case FOUND_NO_GRID:
        fprintf(out, "a barrier of the grid in a launch that is not cooperative");
        break;
    case FOUND_OLD_WARP:
        fprintf(out, "a warp operation without _sync: since compute capability 7.0 no GPU has "
                     "it; here it has the full mask");
        break;
    case FOUND_APART:
        fprintf(stderr, "lanes of a warp are at different calls of what all 32 do together (mma, "
                        "ldmatrix and the like)");
        break;
    default:
        fprintf(out, "deadlock: all threads that have not ended wait");
    }
}

/* Which fence is missing, and where. */
static void print_missing(const struct hint *h)
{
    const char *fence = h->devices ? "__threadfence_system" : "__threadfence";
    char line[160];

    if (h->written && (h->missing == MISSING_RELEASE || h->missing == MISSING_BOTH))
        fprintf(out, "    missing   %-24s %s() before this, behind what it tells of\n",
                line_text(line, sizeof(line), h->written), fence);
    if (h->read && (h->missing == MISSING_ACQUIRE || h->missing == MISSING_BOTH))
        fprintf(out, "    missing   %-24s %s() after this, before what it waits for%s\n",
                line_text(line, sizeof(line), h->read), fence,
                h->too_small ? "; the fence there has block scope" : "");
    if (h->missing == MISSING_ACQUIRE && !h->read)
        fprintf(
            out,
            "    missing   %s() behind the atomic or volatile read that says that it is there\n",
            fence);
    if (h->missing == MISSING_SCOPE)
        fprintf(out, h->devices
                         ? "    missing   system scope: a fence or atomic between the two devices "
                           "has device or block scope (__threadfence_system)\n"
                         : "    missing   device scope: a fence or atomic between the two has "
                           "block scope\n");
}

static void print_value(const struct finding *f)
{
    uint64_t bits = 0;
    double d;
    float s;

    memcpy(&bits, f->value, f->bytes < 8 ? f->bytes : 8);
    memcpy(&s, &bits, sizeof(s));
    memcpy(&d, &bits, sizeof(d));
    fprintf(out, "    value     ");
    if (f->bytes == 4)
        fprintf(out, "0x%08" PRIx64 " (int %d, float %g)", bits, (int)bits, (double)s);
    else if (f->bytes == 8)
        fprintf(out, "0x%016" PRIx64 " (int %" PRId64 ", double %g)", bits, (int64_t)bits, d);
    else
        for (unsigned i = 0; i < f->bytes; i++)
            fprintf(out, "%s%02x", i ? " " : "", f->value[i]);
    fprintf(out, ", before the second of the two\n");
}

void describe_wait(const struct finding *f)
{
    static const char *const where[] = {
        [RUNNING] = "runs",     [AT_BARRIER] = "barrier", [AT_WARP] = "warp op", [AT_GRID] = "grid",
        [AT_OBJECT] = "object", [AT_CLUSTER] = "cluster", [SPINNING] = "polls",  [ENDED] = "ended"};
    unsigned long more = f->count - 1;

    print_party(where[f->wait], &f->party[0]);
    if (f->wait == AT_WARP && f->lanes)
        fprintf(out, "              for lanes 0x%08x of its mask 0x%08x\n", f->lanes, f->mask);
    if (more)
        fprintf(out, "              and %lu more thread%s here\n", more, more == 1 ? "" : "s");
}

void describe_finding(const struct finding *f)
{
    char name[256];

    fprintf(out, "--check: %s: ", group_of(f->kind));
    if (f->kind <= FOUND_MISALIGNED)
        print_memory(f);
    else if (f->kind <= FOUND_READ_ONLY)
        print_race(f);
    else if (f->kind == FOUND_UNWRITTEN)
        fprintf(out, "read of %u bytes that nobody wrote, at %s", f->bytes,
                place_text(name, sizeof(name), f, f->address));
    else if (f->kind == FOUND_UNWRITTEN_SHARED)
        fprintf(out, "read of %u bytes that no thread of the block wrote, at %s", f->bytes,
                place_text(name, sizeof(name), f, f->memory.base + f->memory.offset));
    else
        print_sync(f);
    fprintf(out, " (%s", f->party[0].of ? f->party[0].of->name : launch_kernel);
    if (f->order)
        fprintf(out, ", --schedule=random:%u", f->order);
    fprintf(out, ")\n");
}

static const char *async_verb(const struct party *p)
{
    return p->flags & ACCESS_BULK ? "copies" : "product";
}

void describe_details(const struct finding *f)
{
    if (f->kind >= FOUND_TWO_BARRIERS && f->kind <= FOUND_BARRIER_AROUND) {
        print_party("waits", &f->party[0]);
        print_party(f->kind == FOUND_TWO_BARRIERS     ? "waits"
                    : f->kind >= FOUND_CLUSTER_AROUND ? "ended"
                                                      : "is past",
                    &f->party[1]);
    } else if (f->kind > FOUND_IN_FLIGHT) {
        bool touched = f->kind == FOUND_STILL_READ || f->kind == FOUND_SUM;

        print_party(touched                        ? verb_of(&f->party[0], false)
                    : f->kind == FOUND_UNEVEN      ? "last at"
                    : f->kind == FOUND_LEFT_BEHIND ? "copies"
                                                   : async_verb(&f->party[0]),
                    &f->party[0]);
        if (f->parties == 2)
            print_party(touched                   ? async_verb(&f->party[1])
                        : f->kind == FOUND_UNEVEN ? "last at"
                                                  : "wrote",
                        &f->party[1]);
    } else if (f->kind > FOUND_UNWRITTEN_SHARED && f->kind != FOUND_IN_FLIGHT) {
        print_party("calls", &f->party[0]);
        if (f->kind == FOUND_APART)
            print_party("calls", &f->party[1]);
    } else {
        print_party(verb_of(&f->party[0], false), &f->party[0]);
        if (f->parties == 2)
            print_party(f->kind == FOUND_IN_FLIGHT ? "copies" : verb_of(&f->party[1], true),
                        &f->party[1]);
    }
    print_missing(&f->hint);
    if (f->has_value && f->kind != FOUND_READ_ONLY)
        print_value(f);
    if (f->count > 1)
        fprintf(out, "    ... and %lu more like it\n", f->count - 1);
}

void describe_host(const struct finding *f)
{
    bool write = f->party[0].flags & ACCESS_WRITE, wrote = f->party[1].flags & ACCESS_WRITE;
    bool kernel = !f->party[1].of || f->party[1].of->is_kernel;
    char name[96], line[160];

    fprintf(out,
            "--check: race: the host %s what %s %s, byte %zu of %s, and has not waited for %s "
            "(cudaDeviceSynchronize)\n",
            write ? "writes" : "reads", kernel ? "a kernel" : f->party[1].of->name,
            wrote ? "wrote" : "read", f->memory.offset, memory_text(name, sizeof(name), f),
            kernel ? "the kernel" : "that");
    fprintf(out, "    %-9s %-24s the host\n", write ? "writes" : "reads",
            line_text(line, sizeof(line), f->party[0].site));
    if (kernel)
        fprintf(out, "    %-9s %-24s thread %u of its block\n", wrote ? "wrote" : "read",
                line_text(line, sizeof(line), f->party[1].site), f->party[1].thread);
    else
        print_past(wrote ? "wrote" : "read", &f->party[1]);
}

void describe_end(void)
{
    if (!lines_known)
        fprintf(out, "    (addresses: line unknown: built without libdw)\n");
}
