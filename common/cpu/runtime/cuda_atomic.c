/*
 * The atomic operations of cuda::atomic and atomic_ref: on 1, 2, 4 or 8 bytes, whose value comes
 * and goes as bits. A load or store is told to the tools as what volatile accesses are, a change as
 * an atomic; see atomic_functions.c for how a thread that spins gives way.
 */
#include <string.h>
#include "cpu/abi.h"
#include "cpu/runtime/access.h"

static uint64_t load(const void *p, unsigned bytes)
{
    switch (bytes) {
    case 1:
        return __atomic_load_n((const uint8_t *)p, __ATOMIC_SEQ_CST);
    case 2:
        return __atomic_load_n((const uint16_t *)p, __ATOMIC_SEQ_CST);
    case 4:
        return __atomic_load_n((const uint32_t *)p, __ATOMIC_SEQ_CST);
    default:
        return __atomic_load_n((const uint64_t *)p, __ATOMIC_SEQ_CST);
    }
}

#define COMPARE(T)                                                                                 \
    {                                                                                              \
        T old = (T)*expected;                                                                      \
        bool done = __atomic_compare_exchange_n((T *)p, &old, (T)value, 0, __ATOMIC_SEQ_CST,       \
                                                __ATOMIC_SEQ_CST);                                 \
                                                                                                   \
        *expected = old;                                                                           \
        return done;                                                                               \
    }

static bool compare(void *p, uint64_t *expected, uint64_t value, unsigned bytes)
{
    switch (bytes) {
    case 1:
        COMPARE(uint8_t)
    case 2:
        COMPARE(uint16_t)
    case 4:
        COMPARE(uint32_t)
    default:
        COMPARE(uint64_t)
    }
}

static int64_t as_signed(uint64_t bits, unsigned bytes)
{
    unsigned shift = 64 - 8 * bytes;

    return (int64_t)(bits << shift) >> shift;
}

static uint64_t next_f32(enum cpu_atomic_op op, uint64_t old, uint64_t value)
{
    float a, b;

    memcpy(&a, &old, sizeof(a));
    memcpy(&b, &value, sizeof(b));
    a = op == CPU_ATOMIC_ADD_F32 ? a + b : (op == CPU_ATOMIC_MIN_F32) == (b < a) ? b : a;
    old = 0;
    memcpy(&old, &a, sizeof(a));
    return old;
}

static uint64_t next_f64(enum cpu_atomic_op op, uint64_t old, uint64_t value)
{
    double a, b;

    memcpy(&a, &old, sizeof(a));
    memcpy(&b, &value, sizeof(b));
    a = op == CPU_ATOMIC_ADD_F64 ? a + b : (op == CPU_ATOMIC_MIN_F64) == (b < a) ? b : a;
    memcpy(&old, &a, sizeof(a));
    return old;
}

static uint64_t next(enum cpu_atomic_op op, uint64_t old, uint64_t value, unsigned bytes)
{
    switch (op) {
    case CPU_ATOMIC_EXCHANGE:
        return value;
    case CPU_ATOMIC_ADD:
        return old + value;
    case CPU_ATOMIC_AND:
        return old & value;
    case CPU_ATOMIC_OR:
        return old | value;
    case CPU_ATOMIC_XOR:
        return old ^ value;
    case CPU_ATOMIC_MIN_S:
        return as_signed(value, bytes) < as_signed(old, bytes) ? value : old;
    case CPU_ATOMIC_MAX_S:
        return as_signed(value, bytes) > as_signed(old, bytes) ? value : old;
    case CPU_ATOMIC_MIN_U:
        return value < old ? value : old;
    case CPU_ATOMIC_MAX_U:
        return value > old ? value : old;
    case CPU_ATOMIC_ADD_F32:
    case CPU_ATOMIC_MIN_F32:
    case CPU_ATOMIC_MAX_F32:
        return next_f32(op, old, value);
    default:
        return next_f64(op, old, value);
    }
}

static void after(const void *p, uint64_t old, bool changed, uintptr_t site)
{
    struct thread *t = cpu_thread();

    if (!t)
        return;
    if (changed)
        cpu_progress();
    cpu_poll(t, site, cpu_polled(p, old));
}

uint64_t cpu_atomic_load(const void *p, unsigned bytes)
{
    struct thread *t = cpu_thread();
    uint64_t value;

    if (t)
        access_observe(t, p, bytes, access_scope(t, ACCESS_ATOMIC | ACCESS_VOLATILE), HERE);
    value = load(p, bytes);
    if (t)
        cpu_poll(t, HERE, cpu_polled(p, value));
    return value;
}

void cpu_atomic_store(void *p, uint64_t value, unsigned bytes)
{
    struct thread *t = cpu_thread();
    uint64_t old = load(p, bytes);

    if (t) {
        access_late(t, HERE);
        access_observe(t, p, bytes, access_scope(t, ACCESS_ATOMIC | ACCESS_VOLATILE | ACCESS_WRITE),
                       HERE);
    }
    while (!compare(p, &old, value, bytes))
        ;
    if (t)
        cpu_progress();
}

uint64_t cpu_atomic_update(void *p, enum cpu_atomic_op op, uint64_t value, unsigned bytes)
{
    struct thread *t = cpu_thread();
    unsigned sum = op == CPU_ATOMIC_ADD ? ACCESS_SUM : 0;
    uint64_t old, wanted;

    if (t) /* its instruction has a result, though nobody takes it */
        access_observe(t, p, bytes,
                       access_scope(t, ACCESS_ATOMIC | ACCESS_WRITE | sum) & ~ACCESS_QUIET, HERE);
    old = load(p, bytes);
    do {
        wanted = next(op, old, value, bytes);
    } while (!compare(p, &old, wanted, bytes));
    after(p, old, old != wanted, HERE);
    return old;
}

uint64_t cpu_atomic_compare(void *p, uint64_t expected, uint64_t value, unsigned bytes)
{
    struct thread *t = cpu_thread();
    uint64_t old = expected;
    bool done;

    if (t)
        access_observe(t, p, bytes, access_scope(t, ACCESS_ATOMIC | ACCESS_WRITE | ACCESS_COMPARE),
                       HERE);
    done = compare(p, &old, value, bytes);
    after(p, old, done && value != expected, HERE);
    return old;
}
