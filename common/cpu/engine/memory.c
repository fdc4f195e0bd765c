/*
 * Memory that kernels may touch: one reserved range of addresses, handed out in rising order with
 * gaps between allocations, so that any address tells which allocation it is in, or next to. The
 * first gaps are wider than an index of 32 bits reaches. What
 * the host may touch too has a part of the range to itself, so that one comparison tells it from
 * what the host must not. Of the rest each device has so many stripes of its own, and memory_device
 * alone says which. The system backs only the pages that are touched; freed pages go back to it.
 *
 * The table of allocations is owned here and grows only: an entry keeps its number for the whole
 * program, freed or not, but the table may move. It changes under the lock, by calls of the host;
 * kernels read it (memory_find) without, since none runs while the host allocates. The kernels'
 * heap of a device is one allocation that stands in no table.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include "cpu/engine/device_set.h"
#include "cpu/engine/images.h"
#include "cpu/engine/machine_memory.h"
#include "cpu/engine/memory.h"
#include "cpu/engine/observer.h"

enum {
    GAP = 4096, /* bytes of nobody's memory behind each allocation, at least */
    LARGE = 64 << 20,
    FAR_UNIT = 2 << 20, /* a wider gap is a multiple of it, and */
    FAR_SHARE = 32,     /* such a part of what half of the device's part has left */
};

uintptr_t memory_base = (uintptr_t)1 << 63;
size_t memory_registered;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uintptr_t next_device[MAX_DEVICES], next_shared;
static struct allocation *table; /* in order of address */
static size_t count, room, used[MAX_DEVICES];
static unsigned numbers;
static struct allocation heap[MAX_DEVICES];

size_t memory_total(void)
{
    return machine_memory() / 4 * 3 / 4096 * 4096 / (size_t)cpu_devices;
}

/* So many bytes would not be there if they were touched: the system would end the program. A small
 * piece is not worth the look. */
static bool is_too_much(size_t bytes)
{
    return bytes > LARGE && bytes > machine_memory_available();
}

size_t memory_used(int device)
{
    return used[device];
}

/* --- the parts of the range ------------------------------------------------------------------- */

enum {
    HEAP_STRIPE = MEMORY_HEAP_AT / MEMORY_STRIPE, /* the first */
    SHARED_STRIPE = MEMORY_SHARED_AT / MEMORY_STRIPE,
    HEAP_STRIPES = SHARED_STRIPE - HEAP_STRIPE,
    STRIPES = MEMORY_RANGE / MEMORY_STRIPE,
};

/* Equal shares of a part, also for devices that there are not yet. */
static int device_of_stripe(int stripe)
{
    if (stripe >= SHARED_STRIPE)
        return ALL_DEVICES;
    return stripe < HEAP_STRIPE ? stripe / (HEAP_STRIPE / MAX_DEVICES)
                                : (stripe - HEAP_STRIPE) / (HEAP_STRIPES / MAX_DEVICES);
}

_Static_assert(HEAP_STRIPE % MAX_DEVICES == 0 && HEAP_STRIPES % MAX_DEVICES == 0,
               "each device has whole stripes");

int memory_device(uintptr_t address)
{
    uintptr_t at = address - memory_base;

    return at < MEMORY_RANGE ? device_of_stripe((int)(at / MEMORY_STRIPE)) : ALL_DEVICES;
}

uint64_t memory_stripes(uint32_t devices)
{
    uint64_t stripes = 0;

    for (int i = 0; i < STRIPES; i++) {
        int device = device_of_stripe(i);

        if (device == ALL_DEVICES || device >= cpu_devices || devices >> device & 1)
            stripes |= (uint64_t)1 << i;
    }
    return stripes;
}

void memory_open_part(int device, uint64_t stripes, uintptr_t *from, size_t *bytes)
{
    int first = 0, end;

    while (device_of_stripe(first) != device)
        first++;
    for (end = first; end < STRIPES && stripes >> end & 1; end++)
        ;
    while (first > 0 && stripes >> (first - 1) & 1)
        first--;
    *from = memory_base + (uintptr_t)first * MEMORY_STRIPE;
    *bytes = (size_t)(end - first) * MEMORY_STRIPE;
}

/* --- the program's variables, and those of its modules ---------------------------------------- */

extern char __executable_start[], __data_start[], _end[]; /* set by the linker */

bool memory_is_program(uintptr_t address)
{
    const struct image *i;

    if (address >= (uintptr_t)__data_start && address < (uintptr_t)_end)
        return true;
    i = image_of(address);
    return i && address >= i->data;
}

bool memory_is_image(uintptr_t address)
{
    const struct image *i;

    if (address >= (uintptr_t)__executable_start && address < (uintptr_t)__data_start)
        return true;
    i = image_of(address);
    return i && address < i->data;
}

/* By the linker too, where a program has a section of that name: see __constant__. */
extern char __start_cpu_constant[] __attribute__((weak));
extern char __stop_cpu_constant[] __attribute__((weak));

uintptr_t memory_constants(size_t *bytes)
{
    *bytes = (size_t)(__stop_cpu_constant - __start_cpu_constant);
    return (uintptr_t)__start_cpu_constant;
}

bool memory_is_constant(uintptr_t address)
{
    const struct image *i;

    if (address >= (uintptr_t)__start_cpu_constant && address < (uintptr_t)__stop_cpu_constant)
        return true;
    i = image_of(address);
    return i && image_part_holds(i->parts->constant, address);
}

/* The same of __device__ and of __managed__; and where some of these could not be placed there. */
extern char __start_cpu_device[] __attribute__((weak));
extern char __stop_cpu_device[] __attribute__((weak));
extern char __start_cpu_managed[] __attribute__((weak));
extern char __stop_cpu_managed[] __attribute__((weak));
extern char cpu_unplaced __attribute__((weak));

bool memory_is_placed(uintptr_t address)
{
    const struct image *i;

    if ((address >= (uintptr_t)__start_cpu_device && address < (uintptr_t)__stop_cpu_device) ||
        (address >= (uintptr_t)__start_cpu_managed && address < (uintptr_t)__stop_cpu_managed) ||
        memory_is_constant(address))
        return true;
    i = image_of(address);
    return i && (image_part_holds(i->parts->device, address) ||
                 image_part_holds(i->parts->managed, address));
}

bool memory_is_variable(uintptr_t address)
{
    const struct image *i = image_of(address);

    return memory_is_placed(address) ||
           ((i ? i->parts->unplaced : &cpu_unplaced != NULL) && memory_is_program(address));
}

/* --- allocations ------------------------------------------------------------------------------ */

/* The wide gap from there on. One half of a part is for the gaps, the other one for memory, however
 * many allocations there are. */
static size_t far_gap(uintptr_t next)
{
    int stripe = (int)((next - memory_base) / MEMORY_STRIPE), first = stripe, end = stripe;
    uintptr_t half;

    while (first > 0 && first != SHARED_STRIPE &&
           device_of_stripe(first - 1) == device_of_stripe(stripe))
        first--;
    while (end < STRIPES && end != HEAP_STRIPE && device_of_stripe(end) == device_of_stripe(stripe))
        end++;
    half = memory_base + (uintptr_t)(first + end) * MEMORY_STRIPE / 2;
    return next < half ? (half - next) / FAR_SHARE / FAR_UNIT * FAR_UNIT : 0;
}

/* At one place in each run: what a cache holds depends on addresses, and counters are to be the
 * same each time. */
static bool reserve(void)
{
    void *p = mmap((void *)MEMORY_PLACE, MEMORY_RANGE, PROT_NONE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

    if (p == MAP_FAILED)
        return false;
    memory_base = (uintptr_t)p;
    for (int stripe = SHARED_STRIPE - 1; stripe >= 0; stripe--) { /* so that the first one stays */
        uintptr_t base = (uintptr_t)p + (size_t)stripe * MEMORY_STRIPE;
        int device = device_of_stripe(stripe);

        if (stripe < HEAP_STRIPE)
            next_device[device] = base + GAP + far_gap(base);
        else
            heap[device] = (struct allocation){.base = base,
                                               .bytes = MEMORY_HEAP_BYTES,
                                               .kind = MEMORY_HEAP,
                                               .device = device,
                                               .number = MEMORY_HEAP_NUMBER};
    }
    next_shared = (uintptr_t)p + MEMORY_SHARED_AT;
    next_shared += GAP + far_gap(next_shared);
    return true;
}

/* How many entries have a base that is not above the address. */
static size_t entries_below(uintptr_t address)
{
    size_t low = 0, high = count;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (table[middle].base <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct allocation *memory_find(uintptr_t address)
{
    size_t below = entries_below(address);

    if (address - memory_base - MEMORY_HEAP_AT < MEMORY_SHARED_AT - MEMORY_HEAP_AT) {
        struct allocation *h = &heap[memory_device(address)];

        if (address - h->base < h->bytes)
            return h;
    }
    return below ? &table[below - 1] : NULL;
}

/* A new entry of the table; NULL: out of memory. */
static struct allocation *add(uintptr_t base, size_t bytes, enum memory_kind kind, int device)
{
    size_t at = entries_below(base);

    if (count == room) {
        size_t more = room ? 2 * room : 64;
        struct allocation *bigger = realloc(table, more * sizeof(*table));

        if (!bigger)
            return NULL;
        table = bigger;
        room = more;
    }
    memmove(&table[at + 1], &table[at], (count - at) * sizeof(*table));
    table[at] = (struct allocation){
        .base = base, .bytes = bytes, .kind = kind, .device = device, .number = ++numbers};
    count++;
    return &table[at];
}

/* All of these bytes are in the part of the range that such memory of the device has. */
static bool in_part(uintptr_t base, size_t bytes, bool own, int device)
{
    uintptr_t last = base + bytes - 1;

    return own ? last - memory_base < MEMORY_HEAP_AT && memory_device(last) == device
               : last - memory_base < MEMORY_RANGE;
}

cudaError_t memory_allocate(void **pointer, size_t bytes, enum memory_kind kind, int device)
{
    bool own = kind == MEMORY_DEVICE || kind == MEMORY_VARIABLES;
    uintptr_t *next = own ? &next_device[device] : &next_shared;
    size_t pages = ((bytes + 255) / 256 * 256 + GAP + 4095) / 4096 * 4096;
    cudaError_t error = cudaErrorMemoryAllocation;
    struct allocation *a;

    if (!pointer)
        return cudaErrorInvalidValue;
    *pointer = NULL;
    if (!bytes)
        return cudaSuccess;
    pthread_mutex_lock(&lock);
    if ((!next_shared && !reserve()) || bytes > memory_total() ||
        used[device] + bytes > memory_total() || is_too_much(bytes) ||
        !in_part(*next, pages, own, device))
        goto out;
    if (mprotect((void *)(*next & ~(uintptr_t)4095), pages, PROT_READ | PROT_WRITE))
        goto out;
    a = add(*next, bytes, kind, device);
    if (!a)
        goto out;
    OBSERVE(allocated, a);
    *pointer = (void *)a->base;
    *next += pages;
    *next += far_gap(*next);
    used[device] += bytes;
    error = cudaSuccess;
out:
    pthread_mutex_unlock(&lock);
    return error;
}

void memory_set_guard(void *allocation, size_t bytes)
{
    struct allocation *a;

    pthread_mutex_lock(&lock);
    a = memory_find((uintptr_t)allocation);
    if (a && a->base == (uintptr_t)allocation && !a->freed && bytes < a->bytes) {
        a->guard = bytes;
        OBSERVE(guarded, a);
    }
    pthread_mutex_unlock(&lock);
}

static void free_entry(struct allocation *a)
{
    OBSERVE(freed, a);
    a->freed = true;
    used[a->device] -= a->bytes;
    madvise((void *)a->base, a->bytes, MADV_DONTNEED);
}

void memory_free_all(int device)
{
    pthread_mutex_lock(&lock);
    for (size_t i = 0; i < count; i++)
        if (!table[i].freed && table[i].device == device && table[i].kind != MEMORY_REGISTERED &&
            table[i].kind != MEMORY_VARIABLES)
            free_entry(&table[i]);
    pthread_mutex_unlock(&lock);
}

cudaError_t memory_free(void *pointer, bool device)
{
    cudaError_t error = cudaSuccess;
    struct allocation *a;

    if (!pointer)
        return cudaSuccess;
    pthread_mutex_lock(&lock);
    a = memory_find((uintptr_t)pointer);
    if (!a || a->base != (uintptr_t)pointer || a->freed ||
        (device ? a->kind != MEMORY_DEVICE && a->kind != MEMORY_MANAGED
                : a->kind != MEMORY_PINNED)) {
        error = cudaErrorInvalidValue;
    } else {
        free_entry(a);
    }
    pthread_mutex_unlock(&lock);
    return error;
}

/* --- the host's own memory -------------------------------------------------------------------- */

bool memory_is_registered(uintptr_t address)
{
    struct allocation *a = memory_find(address);

    return a && a->kind == MEMORY_REGISTERED && !a->freed && address - a->base < a->bytes;
}

cudaError_t memory_register(void *pointer, size_t bytes)
{
    uintptr_t base = (uintptr_t)pointer;
    cudaError_t error = cudaSuccess;
    size_t below;

    if (!pointer || !bytes || base - memory_base < MEMORY_RANGE)
        return cudaErrorInvalidValue;
    pthread_mutex_lock(&lock);
    below = entries_below(base + bytes - 1);
    if (below && !table[below - 1].freed && table[below - 1].base + table[below - 1].bytes > base)
        error = cudaErrorHostMemoryAlreadyRegistered;
    else if (!add(base, bytes, MEMORY_REGISTERED, cpu_current_device))
        error = cudaErrorMemoryAllocation;
    else
        memory_registered++;
    pthread_mutex_unlock(&lock);
    return error;
}

/* The entry goes, since the host may give the same address to something else. */
cudaError_t memory_unregister(void *pointer)
{
    cudaError_t error = cudaErrorHostMemoryNotRegistered;
    size_t below;

    pthread_mutex_lock(&lock);
    below = entries_below((uintptr_t)pointer);
    if (below && table[below - 1].base == (uintptr_t)pointer &&
        table[below - 1].kind == MEMORY_REGISTERED) {
        OBSERVE(freed, &table[below - 1]);
        memmove(&table[below - 1], &table[below], (count - below) * sizeof(*table));
        count--;
        memory_registered--;
        error = cudaSuccess;
    }
    pthread_mutex_unlock(&lock);
    return error;
}

uintptr_t memory_of_host(size_t *bytes)
{
    pthread_mutex_lock(&lock);
    if (!next_shared)
        reserve();
    pthread_mutex_unlock(&lock);
    *bytes = -MEMORY_SHARED_AT;
    return memory_base + MEMORY_SHARED_AT;
}

/* --- the kernels' heap ------------------------------------------------------------------------ */

uintptr_t memory_heap(int device)
{
    pthread_mutex_lock(&lock);
    if (!next_shared)
        reserve();
    pthread_mutex_unlock(&lock);
    return heap[device].base;
}

bool memory_heap_use(int device, size_t end)
{
    static size_t usable[MAX_DEVICES]; /* under the lock of the heap's own, in heap.c */

    if (end > MEMORY_HEAP_BYTES)
        return false;
    if (end > usable[device]) {
        size_t more = (end - usable[device] + 0xfffff) & ~(size_t)0xfffff;

        if (mprotect((void *)(heap[device].base + usable[device]), more, PROT_READ | PROT_WRITE))
            return false;
        usable[device] += more;
    }
    return true;
}
