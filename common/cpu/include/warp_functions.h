/*
 * Warp operations: shuffles, votes, matches and reductions, for the types that CUDA has them for;
 * a smaller integer becomes an int, as in CUDA.
 */
#ifndef WARP_FUNCTIONS_H
#define WARP_FUNCTIONS_H

#include <type_traits>
#include "cpu/abi.h"
#include "vector_types.h"

/* A value of up to 8 bytes as abi.h carries it, and back. */
template <typename T> static CPU_INLINE uint64_t cpu_bits(T value)
{
    static_assert(sizeof(T) <= 8, "warp operations take values of up to 8 bytes");
    uint64_t bits = 0;

    __builtin_memcpy(&bits, &value, sizeof(T));
    return bits;
}

template <typename T> static CPU_INLINE T cpu_value(uint64_t bits)
{
    T value;

    __builtin_memcpy((void *)&value, &bits, sizeof(T));
    return value;
}

static CPU_INLINE void __syncwarp(unsigned mask = 0xffffffff)
{
    cpu_syncwarp(mask);
}

#define CPU_SHUFFLE(NAME, T, OP, ARGUMENT)                                                         \
    static CPU_INLINE T NAME(unsigned mask, T value, ARGUMENT lane, int width = 32)                \
    {                                                                                              \
        return cpu_value<T>(                                                                       \
            cpu_shuffle(OP, mask, cpu_bits(value), (unsigned)lane, (unsigned)width));              \
    }

/* Of anything else, with a message: chosen last, for a class that is none of CUDA's. */
#define CPU_NO_SHUFFLE(NAME)                                                                       \
    template <typename T, typename = typename std::enable_if<std::is_class<T>::value>::type>       \
    static CPU_INLINE T NAME(unsigned, T value, ...)                                               \
    {                                                                                              \
        static_assert(sizeof(T) == 0, "shuffles take numbers of 4 or 8 bytes, and halves");        \
        return value;                                                                              \
    }
CPU_NO_SHUFFLE(__shfl_sync)
CPU_NO_SHUFFLE(__shfl_up_sync)
CPU_NO_SHUFFLE(__shfl_down_sync)
CPU_NO_SHUFFLE(__shfl_xor_sync)

#define CPU_SHUFFLES(T)                                                                            \
    CPU_SHUFFLE(__shfl_sync, T, CPU_WARP_SHFL, int)                                                \
    CPU_SHUFFLE(__shfl_up_sync, T, CPU_WARP_SHFL_UP, unsigned)                                     \
    CPU_SHUFFLE(__shfl_down_sync, T, CPU_WARP_SHFL_DOWN, unsigned)                                 \
    CPU_SHUFFLE(__shfl_xor_sync, T, CPU_WARP_SHFL_XOR, int)
#define CPU_MATCHES(T)                                                                             \
    static CPU_INLINE unsigned __match_any_sync(unsigned mask, T value)                            \
    {                                                                                              \
        return (unsigned)cpu_vote(CPU_WARP_MATCH_ANY, mask, cpu_bits(value));                      \
    }                                                                                              \
    static CPU_INLINE unsigned __match_all_sync(unsigned mask, T value, int *predicate)            \
    {                                                                                              \
        return (unsigned)cpu_match_all(mask, cpu_bits(value), predicate);                          \
    }
#define CPU_SHUFFLES_AND_MATCHES(T)                                                                \
    CPU_SHUFFLES(T)                                                                                \
    CPU_MATCHES(T)
CPU_SHUFFLES_AND_MATCHES(int)
CPU_SHUFFLES_AND_MATCHES(unsigned)
CPU_SHUFFLES_AND_MATCHES(long)
CPU_SHUFFLES_AND_MATCHES(unsigned long)
CPU_SHUFFLES_AND_MATCHES(long long)
CPU_SHUFFLES_AND_MATCHES(unsigned long long)
CPU_SHUFFLES_AND_MATCHES(float)
CPU_SHUFFLES_AND_MATCHES(double)

static CPU_INLINE unsigned __ballot_sync(unsigned mask, int predicate)
{
    return (unsigned)cpu_vote(CPU_WARP_BALLOT, mask, predicate != 0);
}
static CPU_INLINE int __any_sync(unsigned mask, int predicate)
{
    return (int)cpu_vote(CPU_WARP_ANY, mask, predicate != 0);
}
static CPU_INLINE int __all_sync(unsigned mask, int predicate)
{
    return (int)cpu_vote(CPU_WARP_ALL, mask, predicate != 0);
}
static CPU_INLINE unsigned __activemask(unsigned line = __builtin_LINE())
{
    return cpu_activemask(line);
}

/* Those of before CUDA 9, with the full mask: nvcc has them up to compute capability 6. */
#define CPU_SHUFFLE_WITHOUT_MASK(NAME, ARGUMENT)                                                   \
    template <typename T> static CPU_INLINE T NAME(T value, ARGUMENT lane, int width = 32)         \
    {                                                                                              \
        cpu_without_mask();                                                                        \
        return NAME##_sync(~0u, value, lane, width);                                               \
    }
CPU_SHUFFLE_WITHOUT_MASK(__shfl, int)
CPU_SHUFFLE_WITHOUT_MASK(__shfl_up, unsigned)
CPU_SHUFFLE_WITHOUT_MASK(__shfl_down, unsigned)
CPU_SHUFFLE_WITHOUT_MASK(__shfl_xor, int)

#define CPU_VOTE_WITHOUT_MASK(T, NAME)                                                             \
    static CPU_INLINE T NAME(int predicate)                                                        \
    {                                                                                              \
        cpu_without_mask();                                                                        \
        return NAME##_sync(~0u, predicate);                                                        \
    }
CPU_VOTE_WITHOUT_MASK(unsigned, __ballot)
CPU_VOTE_WITHOUT_MASK(int, __any)
CPU_VOTE_WITHOUT_MASK(int, __all)

#define CPU_FOLD(NAME, T, OP)                                                                      \
    static CPU_INLINE T NAME(unsigned mask, T value)                                               \
    {                                                                                              \
        return (T)cpu_vote(OP, mask, (uint32_t)value);                                             \
    }
CPU_FOLD(__reduce_add_sync, unsigned, CPU_WARP_ADD)
CPU_FOLD(__reduce_add_sync, int, CPU_WARP_ADD)
CPU_FOLD(__reduce_min_sync, int, CPU_WARP_MIN_S)
CPU_FOLD(__reduce_max_sync, int, CPU_WARP_MAX_S)
CPU_FOLD(__reduce_min_sync, unsigned, CPU_WARP_MIN_U)
CPU_FOLD(__reduce_max_sync, unsigned, CPU_WARP_MAX_U)
CPU_FOLD(__reduce_and_sync, unsigned, CPU_WARP_AND)
CPU_FOLD(__reduce_or_sync, unsigned, CPU_WARP_OR)
CPU_FOLD(__reduce_xor_sync, unsigned, CPU_WARP_XOR)

#endif
