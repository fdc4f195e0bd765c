/*
 * Atomic operations on global and shared memory.
 *
 * Each tells the tools of its access, does the operation with the CPU's own atomics (blocks run on
 * several cores), and gives way when the caller seems to spin on it. Nothing between reading the
 * old value and writing the new one lets another GPU thread run. Outside of a kernel it is the
 * operation alone.
 */
#include <string.h>
#include "cpu/abi.h"
#include "cpu/runtime/access.h"

static inline void before_as(const void *p, unsigned bytes, unsigned more, uintptr_t site)
{
    struct thread *t = cpu_thread();

    if (!t)
        return;
    access_late(t, site);
    access_observe(t, p, bytes, ACCESS_ATOMIC | ACCESS_WRITE | access_scope(t, more), site);
}

static inline void before(const void *p, unsigned bytes, uintptr_t site)
{
    before_as(p, bytes, 0, site);
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

static inline void after_swap(const void *p, uint64_t old, uint64_t now, uintptr_t site)
{
    struct thread *t = cpu_thread();

    if (t && old != now)
        OBSERVE(swapped, t, (uintptr_t)p, old, now);
    after(p, old, old != now, site);
}

/* Integers: T name(T *p, T v), next computed from old and v; more: enum access_flag. */
#define INTEGER(name, T, next) INTEGER_AS(name, T, 0, next)
#define INTEGER_AS(name, T, more, next)                                                            \
    T name(T *p, T v)                                                                              \
    {                                                                                              \
        T old, wanted;                                                                             \
                                                                                                   \
        before_as(p, sizeof(T), more, HERE);                                                       \
        old = __atomic_load_n(p, __ATOMIC_RELAXED);                                                \
        do {                                                                                       \
            wanted = (next);                                                                       \
        } while (                                                                                  \
            !__atomic_compare_exchange_n(p, &old, wanted, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)); \
        if ((more)&ACCESS_EXCHANGE)                                                                \
            after_swap(p, (uint64_t)old, (uint64_t)wanted, HERE);                                  \
        else                                                                                       \
            after(p, (uint64_t)old, old != wanted, HERE);                                          \
        return old;                                                                                \
    }

#define INTEGERS(suffix, T)                                                                        \
    INTEGER_AS(cpu_atomic_exchange_##suffix, T, ACCESS_EXCHANGE, v)                                \
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
        before_as(p, sizeof(T), ACCESS_SWAP, HERE);                                                \
        done = __atomic_compare_exchange_n(p, &old, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);     \
        after_swap(p, (uint64_t)old, (uint64_t)(done ? v : old), HERE);                            \
        return old;                                                                                \
    }

INTEGERS(i32, int32_t)
INTEGERS(u32, uint32_t)
INTEGERS(u64, uint64_t)
INTEGERS(i64, int64_t)
INTEGER_AS(cpu_atomic_add_u32, uint32_t, ACCESS_SUM, old + v)
INTEGER_AS(cpu_atomic_count_u32, uint32_t, ACCESS_COUNT | ACCESS_SUM, old + v)
INTEGER_AS(cpu_atomic_add_u64, uint64_t, ACCESS_LOOP | ACCESS_SUM, old + v)
INTEGER(cpu_atomic_inc_u32, uint32_t, old >= v ? 0 : old + 1)
INTEGER(cpu_atomic_dec_u32, uint32_t, old == 0 || old > v ? v : old - 1)

/* A compare-and-swap of an unsigned short; it is one of the few atomics of 2 bytes. */
uint16_t cpu_atomic_cas_u16(uint16_t *p, uint16_t expected, uint16_t v)
{
    uint16_t old = expected;
    bool done;

    before_as(p, sizeof(*p), ACCESS_SWAP, HERE);
    done = __atomic_compare_exchange_n(p, &old, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    after_swap(p, old, done ? v : old, HERE);
    return old;
}

/* Half precision and bfloat16: each is exact in a double, and so is the sum of two halves; that of
 * two bfloat16 has bits enough to be rounded twice. */
static uint16_t sum_f16(uint16_t a, uint16_t b)
{
    return cpu_f16_of_f64((double)cpu_f32_of_f16(a) + cpu_f32_of_f16(b), CPU_TO_NEAREST);
}

static uint16_t sum_bf16(uint16_t a, uint16_t b)
{
    return cpu_bf16_of_f64((double)cpu_f32_of_bf16(a) + cpu_f32_of_bf16(b), CPU_TO_NEAREST);
}

#define HIGH(v) ((uint16_t)((v) >> 16))
#define PAIR(low, high) ((uint32_t)(high) << 16 | (low))
INTEGER(cpu_atomic_add_f16, uint16_t, sum_f16(old, v))
INTEGER(cpu_atomic_add_bf16, uint16_t, sum_bf16(old, v))
INTEGER(cpu_atomic_add_f16x2, uint32_t,
        PAIR(sum_f16((uint16_t)old, (uint16_t)v), sum_f16(HIGH(old), HIGH(v))))
INTEGER(cpu_atomic_add_bf16x2, uint32_t,
        PAIR(sum_bf16((uint16_t)old, (uint16_t)v), sum_bf16(HIGH(old), HIGH(v))))

/* Floats go through their bits, so that NaN compares as itself. */
#define FLOATING(name, T, BITS, next)                                                              \
    T name(T *p, T v)                                                                              \
    {                                                                                              \
        BITS *bits = (BITS *)(void *)p;                                                            \
        BITS old, wanted;                                                                          \
        T was, sum;                                                                                \
                                                                                                   \
        before_as(p, sizeof(T), ACCESS_LOOP | ACCESS_FLOAT, HERE);                                 \
        old = __atomic_load_n(bits, __ATOMIC_RELAXED);                                             \
        do {                                                                                       \
            memcpy(&was, &old, sizeof(was));                                                       \
            sum = (next);                                                                          \
            memcpy(&wanted, &sum, sizeof(wanted));                                                 \
        } while (!__atomic_compare_exchange_n(bits, &old, wanted, 0, __ATOMIC_SEQ_CST,             \
                                              __ATOMIC_RELAXED));                                  \
        after(p, old, old != wanted, HERE);                                                        \
        memcpy(&was, &old, sizeof(was));                                                           \
        return was;                                                                                \
    }

FLOATING(cpu_atomic_add_f32, float, uint32_t, was + v)
FLOATING(cpu_atomic_add_f64, double, uint64_t, was + v)
FLOATING(cpu_atomic_exchange_f32, float, uint32_t, v)

/* Vectors: one access, and an addition for each element. */
#define VECTOR(name, T, N)                                                                         \
    struct T name(float *p, struct T v)                                                            \
    {                                                                                              \
        struct T was;                                                                              \
        bool changed = false;                                                                      \
        uint32_t first = 0;                                                                        \
                                                                                                   \
        before(p, sizeof(v), HERE);                                                                \
        for (int i = 0; i < N; i++) {                                                              \
            uint32_t old = add_element(&p[i], v.v[i], &changed);                                   \
                                                                                                   \
            memcpy(&was.v[i], &old, sizeof(old));                                                  \
            first = i ? first : old;                                                               \
        }                                                                                          \
        after(p, first, changed, HERE);                                                            \
        return was;                                                                                \
    }

static uint32_t add_element(float *p, float v, bool *changed)
{
    uint32_t *bits = (uint32_t *)(void *)p, old = __atomic_load_n(bits, __ATOMIC_RELAXED), wanted;
    float sum;

    do {
        memcpy(&sum, &old, sizeof(sum));
        sum += v;
        memcpy(&wanted, &sum, sizeof(wanted));
    } while (
        !__atomic_compare_exchange_n(bits, &old, wanted, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
    *changed |= old != wanted;
    return old;
}

VECTOR(cpu_atomic_add_f32x2, cpu_f32x2, 2)
VECTOR(cpu_atomic_add_f32x4, cpu_f32x4, 4)

void cpu_atomic_scope(enum cpu_scope scope)
{
    struct thread *t = cpu_thread();

    if (!t)
        return;
    t->block_scope = scope == CPU_SCOPE_BLOCK;
    t->system_scope = scope == CPU_SCOPE_SYSTEM;
}

void cpu_atomic_takes_nothing(void)
{
    if (cpu_thread())
        cpu_thread()->takes_nothing = true;
}
