/*
 * The functions that the compiler calls under -fsanitize=thread, in place of that sanitizer's
 * runtime: each load and store of memory that is not a private variable arrives here, before it
 * is done. Also the fences, and static shared memory.
 */
#define _GNU_SOURCE
#include <string.h>
#include <time.h>
#include "cpu.h"
#include "runtime.h"

#define HERE ((uintptr_t)__builtin_return_address(0))

static inline void plain(const void *address, unsigned bytes, unsigned flags, uintptr_t site)
{
    struct thread *t;

    if (__builtin_expect(!cpu_tools, 1))
        return;
    t = cpu_thread();
    if (t)
        observe_access(t, (uintptr_t)address, bytes, flags, site);
}

static void volatile_read(const void *address, unsigned bytes, uintptr_t site)
{
    struct thread *t = cpu_thread();
    uint64_t value = 0;

    if (!t)
        return;
    if (cpu_tools)
        observe_access(t, (uintptr_t)address, bytes, ACCESS_VOLATILE, site);
    memcpy(&value, address, bytes < 8 ? bytes : 8);
    cpu_poll(t, site, cpu_polled(address, value));
}

static void volatile_write(const void *address, unsigned bytes, uintptr_t site)
{
    struct thread *t = cpu_thread();

    if (!t)
        return;
    if (cpu_tools)
        observe_access(t, (uintptr_t)address, bytes, ACCESS_VOLATILE | ACCESS_WRITE, site);
    cpu_progress();
}

void __tsan_init(void);
void __tsan_func_entry(void *);
void __tsan_func_exit(void);
void __tsan_vptr_update(void **, void *);
void __tsan_vptr_read(void **);
void __tsan_read_range(void *, unsigned long);
void __tsan_write_range(void *, unsigned long);

void __tsan_init(void) {}
void __tsan_func_entry(void *caller) { (void)caller; }
void __tsan_func_exit(void) {}
void __tsan_vptr_update(void **p, void *v) { (void)p, (void)v; }
void __tsan_vptr_read(void **p) { (void)p; }

#define HOOKS(n)                                                                                   \
    void __tsan_read##n(void *);                                                                   \
    void __tsan_write##n(void *);                                                                  \
    void __tsan_unaligned_read##n(void *);                                                         \
    void __tsan_unaligned_write##n(void *);                                                        \
    void __tsan_volatile_read##n(void *);                                                          \
    void __tsan_volatile_write##n(void *);                                                         \
    void __tsan_unaligned_volatile_read##n(void *);                                                \
    void __tsan_unaligned_volatile_write##n(void *);                                               \
    void __tsan_read##n(void *p) { plain(p, n, 0, HERE); }                                         \
    void __tsan_write##n(void *p) { plain(p, n, ACCESS_WRITE, HERE); }                             \
    void __tsan_unaligned_read##n(void *p) { plain(p, n, ACCESS_UNALIGNED, HERE); }                \
    void __tsan_unaligned_write##n(void *p)                                                        \
    {                                                                                              \
        plain(p, n, ACCESS_UNALIGNED | ACCESS_WRITE, HERE);                                        \
    }                                                                                              \
    void __tsan_volatile_read##n(void *p) { volatile_read(p, n, HERE); }                           \
    void __tsan_volatile_write##n(void *p) { volatile_write(p, n, HERE); }                         \
    void __tsan_unaligned_volatile_read##n(void *p) { volatile_read(p, n, HERE); }                 \
    void __tsan_unaligned_volatile_write##n(void *p) { volatile_write(p, n, HERE); }

HOOKS(1)
HOOKS(2)
HOOKS(4)
HOOKS(8)
HOOKS(16)

void __tsan_read_range(void *p, unsigned long bytes)
{
    plain(p, (unsigned)bytes, ACCESS_UNALIGNED, HERE);
}

void __tsan_write_range(void *p, unsigned long bytes)
{
    plain(p, (unsigned)bytes, ACCESS_UNALIGNED | ACCESS_WRITE, HERE);
}

enum space space_of(struct thread *t, uintptr_t address)
{
    uintptr_t shared = (uintptr_t)t->block->shared;

    if (memory_is_device(address))
        return SPACE_GLOBAL;
    if (address - shared < MODEL_SHARED_OPTIN + 1024)
        return SPACE_SHARED;
    if (fiber_holds(t->fiber, address))
        return SPACE_LOCAL;
    if (cpu_is_program_data(address)) /* __device__ and __constant__ variables */
        return SPACE_GLOBAL;
    return SPACE_OTHER;
}

extern char __data_start[], _end[];

bool cpu_is_program_data(uintptr_t address)
{
    return address >= (uintptr_t)__data_start && address < (uintptr_t)_end;
}

void cpu_fence(int scope)
{
    struct thread *t = cpu_thread();

    atomic_thread_fence(memory_order_seq_cst);
    if (t && cpu_tools)
        observe_fence(t, scope);
}

void *cpu_dynamic_shared(void)
{
    return cpu_thread()->block->shared;
}

/* A __shared__ variable: the same place for all threads of the block, found by its declaration. */
void *cpu_static_shared(const void *key, size_t bytes, size_t alignment)
{
    struct thread *t = cpu_thread();
    struct block *b = t->block;
    struct static_shared *s;
    unsigned i;

    for (i = 0; i < b->statics; i++)
        if (b->static_slot[i].key == key)
            return b->shared + b->static_slot[i].offset;
    s = &b->static_slot[i];
    if (alignment < 16)
        alignment = 16;
    s->offset = (b->shared_used + alignment - 1) & ~(alignment - 1);
    if (i == sizeof(b->static_slot) / sizeof(b->static_slot[0]) ||
        s->offset + bytes > MODEL_SHARED_OPTIN) {
        cpu_fail(cudaErrorLaunchOutOfResources, "%s: more than %d bytes of shared memory a block",
                 b->launch->name, MODEL_SHARED_OPTIN);
        cpu_kill(t);
    }
    s->key = key;
    s->bytes = bytes;
    b->shared_used = s->offset + bytes;
    b->statics++;
    cpu_note_static(b->launch->kernel, b->shared_used - b->launch->dynamic_shared);
    return b->shared + s->offset;
}

struct cpu_dim cpu_thread_index(void)
{
    return cpu_thread()->index;
}

struct cpu_dim cpu_block_index(void)
{
    return cpu_thread()->block->index;
}

struct cpu_dim cpu_block_dim(void)
{
    return cpu_thread()->block->launch->dim;
}

struct cpu_dim cpu_grid_dim(void)
{
    return cpu_thread()->block->launch->grid;
}

/* Nanoseconds. A thread that watches the clock will stop by itself, so it is not stuck. */
long long cpu_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    if (cpu_thread())
        cpu_progress();
    return (long long)now.tv_sec * 1000000000 + now.tv_nsec;
}
