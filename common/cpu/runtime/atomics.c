/*
 * Atomic operations on global and shared memory.
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

static inline void before(const void *p, unsigned bytes, uintptr_t site)
{
    struct thread *t = cpu_thread();

    if (t)
        access_observe(t, p, bytes, ACCESS_ATOMIC | ACCESS_WRITE, site);
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
