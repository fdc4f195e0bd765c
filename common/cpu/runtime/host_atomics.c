/*
 * Atomic operations of host code: of C++'s std::atomic, and of the guard of a static variable that is
 * set up when control first comes by it, as an array of float4 is.
 *
 * The compiler calls these in place of the operations, because kernels and host code are compiled
 * alike (hooks.c). No tool wants them: a kernel has atomics of its own. Every order is the strongest.
 */
#include <stdint.h>

#define FETCH(BITS, T, NAME)                                                                       \
    T __tsan_atomic##BITS##_fetch_##NAME(volatile T *p, T v, int order);                           \
    T __tsan_atomic##BITS##_fetch_##NAME(volatile T *p, T v, int order)                            \
    {                                                                                              \
        (void)order;                                                                               \
        return __atomic_fetch_##NAME(p, v, __ATOMIC_SEQ_CST);                                      \
    }
#define COMPARE(BITS, T, NAME)                                                                     \
    int __tsan_atomic##BITS##_compare_exchange_##NAME(volatile T *p, T *expected, T v, int order,  \
                                                      int failed);                                 \
    int __tsan_atomic##BITS##_compare_exchange_##NAME(volatile T *p, T *expected, T v, int order,  \
                                                      int failed)                                  \
    {                                                                                              \
        (void)order;                                                                               \
        (void)failed;                                                                              \
        return __atomic_compare_exchange_n(p, expected, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST); \
    }
#define ATOMICS(BITS, T)                                                                           \
    T __tsan_atomic##BITS##_load(const volatile T *p, int order);                                  \
    T __tsan_atomic##BITS##_load(const volatile T *p, int order)                                   \
    {                                                                                              \
        (void)order;                                                                               \
        return __atomic_load_n(p, __ATOMIC_SEQ_CST);                                               \
    }                                                                                              \
    void __tsan_atomic##BITS##_store(volatile T *p, T v, int order);                               \
    void __tsan_atomic##BITS##_store(volatile T *p, T v, int order)                                \
    {                                                                                              \
        (void)order;                                                                               \
        __atomic_store_n(p, v, __ATOMIC_SEQ_CST);                                                  \
    }                                                                                              \
    T __tsan_atomic##BITS##_exchange(volatile T *p, T v, int order);                               \
    T __tsan_atomic##BITS##_exchange(volatile T *p, T v, int order)                                \
    {                                                                                              \
        (void)order;                                                                               \
        return __atomic_exchange_n(p, v, __ATOMIC_SEQ_CST);                                        \
    }                                                                                              \
    FETCH(BITS, T, add)                                                                            \
    FETCH(BITS, T, sub)                                                                            \
    FETCH(BITS, T, and)                                                                            \
    FETCH(BITS, T, or)                                                                             \
    FETCH(BITS, T, xor)                                                                            \
    FETCH(BITS, T, nand)                                                                           \
    COMPARE(BITS, T, strong)                                                                       \
    COMPARE(BITS, T, weak)

ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_thread_fence(int order)
{
    (void)order;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void __tsan_atomic_signal_fence(int order);
void __tsan_atomic_signal_fence(int order)
{
    (void)order;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
