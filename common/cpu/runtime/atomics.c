/*
 * Atomic operations on global and shared memory, and asynchronous copies.
 *
 * Each tells the tools of its access, does the operation with the CPU's own atomics (blocks run on
 * several cores), and gives way when the caller seems to spin on it. Nothing between reading the old
 * value and writing the new one lets another GPU thread run. Outside of a kernel it is the operation
 * alone.
 */
#include <string.h>
#include "cpu/abi.h"
#include "cpu/runtime/access.h"

#define HERE ((uintptr_t)__builtin_return_address(0))

/* What an atomic access is besides: of block scope, where that was said before it. */
static inline unsigned scope_of(struct thread *t)
{
    bool block = t->block_scope;

    t->block_scope = false;
    return block ? ACCESS_BLOCK_SCOPE : 0;
}

static inline void before(const void *p, unsigned bytes, uintptr_t site)
{
    struct thread *t = cpu_thread();

    if (t)
        access_observe(t, p, bytes, ACCESS_ATOMIC | ACCESS_WRITE | scope_of(t), site);
}

/* A sum that adds nothing is no spin while it goes from address to address. */
static inline void after(const void *p, uint64_t old_bits, bool changed, uintptr_t site)
{
    if (!cpu_thread())
        return;
    if (changed)
        cpu_progress();
    cpu_poll(cpu_thread(), site, cpu_polled(p, old_bits));
}

/* Integers: T name(T *p, T v), next computed from old and v. */
#define INTEGER(name, T, next)                                                                     \
    T name(T *p, T v)                                                                              \
    {                                                                                              \
        T old, wanted;                                                                             \
                                                                                                   \
        before(p, sizeof(T), HERE);                                                                \
        old = __atomic_load_n(p, __ATOMIC_RELAXED);                                                \
        do {                                                                                       \
            wanted = (next);                                                                       \
        } while (                                                                                  \
            !__atomic_compare_exchange_n(p, &old, wanted, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)); \
        after(p, (uint64_t)old, old != wanted, HERE);                                              \
        return old;                                                                                \
    }

#define INTEGERS(suffix, T)                                                                        \
    INTEGER(cpu_atomic_exchange_##suffix, T, v)                                                    \
    INTEGER(cpu_atomic_min_##suffix, T, old < v ? old : v)                                         \
    INTEGER(cpu_atomic_max_##suffix, T, old > v ? old : v)                                         \
    INTEGER(cpu_atomic_and_##suffix, T, old &v)                                                    \
    INTEGER(cpu_atomic_or_##suffix, T, old | v)                                                    \
    INTEGER(cpu_atomic_xor_##suffix, T, old ^ v)                                                   \
    T cpu_atomic_cas_##suffix(T *p, T expected, T v)                                               \
    {                                                                                              \
        T old = expected;                                                                          \
        bool done;                                                                                 \
                                                                                                   \
        before(p, sizeof(T), HERE);                                                                \
        done = __atomic_compare_exchange_n(p, &old, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);     \
        after(p, (uint64_t)old, done &&v != expected, HERE);                                       \
        return old;                                                                                \
    }

INTEGERS(i32, int32_t)
INTEGERS(u32, uint32_t)
INTEGERS(u64, uint64_t)
INTEGERS(i64, int64_t)
INTEGER(cpu_atomic_add_u32, uint32_t, old + v)
INTEGER(cpu_atomic_add_u64, uint64_t, old + v)
INTEGER(cpu_atomic_inc_u32, uint32_t, old >= v ? 0 : old + 1)
INTEGER(cpu_atomic_dec_u32, uint32_t, old == 0 || old > v ? v : old - 1)

/* Floats go through their bits, so that NaN compares as itself. */
#define FLOATING(name, T, BITS)                                                                    \
    T name(T *p, T v)                                                                              \
    {                                                                                              \
        BITS *bits = (BITS *)(void *)p;                                                            \
        BITS old, wanted;                                                                          \
        T sum;                                                                                     \
                                                                                                   \
        before(p, sizeof(T), HERE);                                                                \
        old = __atomic_load_n(bits, __ATOMIC_RELAXED);                                             \
        do {                                                                                       \
            memcpy(&sum, &old, sizeof(sum));                                                       \
            sum += v;                                                                              \
            memcpy(&wanted, &sum, sizeof(wanted));                                                 \
        } while (!__atomic_compare_exchange_n(bits, &old, wanted, 0, __ATOMIC_SEQ_CST,             \
                                              __ATOMIC_RELAXED));                                  \
        after(p, old, old != wanted, HERE);                                                        \
        memcpy(&sum, &old, sizeof(sum));                                                           \
        return sum;                                                                                \
    }

FLOATING(cpu_atomic_add_f32, float, uint32_t)
FLOATING(cpu_atomic_add_f64, double, uint64_t)

void cpu_atomic_scope(enum cpu_scope scope)
{
    if (cpu_thread())
        cpu_thread()->block_scope = scope == CPU_SCOPE_BLOCK;
}

/* Loads and stores of cuda::atomic_ref. They read and write memory as volatile accesses do. */
uint64_t cpu_atomic_load(const void *p, unsigned bytes)
{
    struct thread *t = cpu_thread();
    uint64_t value;

    if (t)
        access_observe(t, p, bytes, ACCESS_ATOMIC | ACCESS_VOLATILE | scope_of(t), HERE);
    value = bytes == 4 ? __atomic_load_n((const uint32_t *)p, __ATOMIC_SEQ_CST)
                       : __atomic_load_n((const uint64_t *)p, __ATOMIC_SEQ_CST);
    if (t)
        cpu_poll(t, HERE, cpu_polled(p, value));
    return value;
}

void cpu_atomic_store(void *p, uint64_t value, unsigned bytes)
{
    struct thread *t = cpu_thread();

    if (t)
        access_observe(t, p, bytes, ACCESS_ATOMIC | ACCESS_VOLATILE | ACCESS_WRITE | scope_of(t),
                       HERE);
    if (bytes == 4)
        __atomic_store_n((uint32_t *)p, (uint32_t)value, __ATOMIC_SEQ_CST);
    else
        __atomic_store_n((uint64_t *)p, value, __ATOMIC_SEQ_CST);
    if (t)
        cpu_progress();
}

/* A load and a store, of which the tools are told as such; marked, since on a GPU the store is no
 * instruction. */
void cpu_copy_async(void *to, const void *from, unsigned bytes)
{
    struct thread *t = cpu_thread();

    if (t) {
        access_observe(t, from, bytes, ACCESS_ASYNC, HERE);
        access_observe(t, to, bytes, ACCESS_ASYNC | ACCESS_WRITE, HERE);
    }
    memcpy(to, from, bytes);
}
