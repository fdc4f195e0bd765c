/*
 * The atomic operations of C++ (std::atomic, reference counts), which -fsanitize=thread makes calls
 * of. They are the host's: kernels have CUDA's own (atomic_functions.c). All are sequentially
 * consistent here.
 */
#include <stdint.h>

void __tsan_atomic_thread_fence(int order);
void __tsan_atomic_signal_fence(int order);

void __tsan_atomic_thread_fence(int order)
{
    (void)order;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void __tsan_atomic_signal_fence(int order)
{
    (void)order;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

#define FETCH(BITS, T, NAME)                                                                       \
    T __tsan_atomic##BITS##_fetch_##NAME(volatile T *p, T v, int order);                           \
    T __tsan_atomic##BITS##_fetch_##NAME(volatile T *p, T v, int order)                            \
    {                                                                                              \
        (void)order;                                                                               \
        return __atomic_fetch_##NAME(p, v, __ATOMIC_SEQ_CST);                                      \
    }

#define COMPARE(BITS, T, NAME)                                                                     \
    int __tsan_atomic##BITS##_compare_exchange_##NAME(volatile T *p, T *expected, T v, int order,  \
                                                      int fails);                                  \
    int __tsan_atomic##BITS##_compare_exchange_##NAME(volatile T *p, T *expected, T v, int order,  \
                                                      int fails)                                   \
    {                                                                                              \
        (void)order, (void)fails;                                                                  \
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
    T __tsan_atomic##BITS##_compare_exchange_val(volatile T *p, T old, T v, int order, int fails); \
    T __tsan_atomic##BITS##_compare_exchange_val(volatile T *p, T old, T v, int order, int fails)  \
    {                                                                                              \
        (void)order, (void)fails;                                                                  \
        __atomic_compare_exchange_n(p, &old, v, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);            \
        return old;                                                                                \
    }                                                                                              \
    COMPARE(BITS, T, strong)                                                                       \
    COMPARE(BITS, T, weak)                                                                         \
    FETCH(BITS, T, add)                                                                            \
    FETCH(BITS, T, sub)                                                                            \
    FETCH(BITS, T, and)                                                                            \
    FETCH(BITS, T, or)                                                                             \
    FETCH(BITS, T, xor)                                                                            \
    FETCH(BITS, T, nand)

ATOMICS(8, uint8_t)
ATOMICS(16, uint16_t)
ATOMICS(32, uint32_t)
ATOMICS(64, uint64_t)
