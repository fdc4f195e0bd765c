/*
 * What groups of lanes are made of: where a thread is in its block and warp, and shuffles of values
 * of any size. A value of more than 8 bytes travels in pieces of 8, a warp operation each.
 */
#ifndef COOPERATIVE_GROUPS_LANES_H
#define COOPERATIVE_GROUPS_LANES_H

#include <type_traits>

namespace cooperative_groups
{
namespace details
{
template <typename T>
using plain = typename std::remove_cv<typename std::remove_reference<T>::type>::type;

static CPU_INLINE unsigned rank_in_block()
{
    return cpu_linear_thread();
}
static CPU_INLINE unsigned block_threads()
{
    const dim3 d = cpu_blockDim();

    return d.x * d.y * d.z;
}
static CPU_INLINE unsigned lane()
{
    return rank_in_block() % 32;
}
static CPU_INLINE unsigned lanes_below()
{
    return (1u << lane()) - 1;
}

/* The lane of the mask's n-th bit that is set, from 0; 32 or more: there is none. */
static CPU_INLINE unsigned nth_lane(unsigned mask, unsigned n)
{
    for (; n && mask; n--)
        mask &= mask - 1;
    return mask ? (unsigned)__builtin_ctz(mask) : 32;
}

/* Bit r of the result is the bit of the mask's r-th lane. */
static CPU_INLINE unsigned pack(unsigned bits, unsigned mask)
{
    unsigned packed = 0;

    for (unsigned rank = 0; mask; mask &= mask - 1, rank++)
        packed |= (bits >> __builtin_ctz(mask) & 1) << rank;
    return packed;
}

template <unsigned long OFFSET, typename T>
static CPU_INLINE void shuffle_piece(enum cpu_warp_op op, unsigned mask, T *out, const T *in,
                                     unsigned lane, unsigned width)
{
    constexpr unsigned long bytes = sizeof(T) - OFFSET < 8 ? sizeof(T) - OFFSET : 8;
    uint64_t bits = 0;

    __builtin_memcpy(&bits, (const char *)in + OFFSET, bytes);
    bits = cpu_shuffle(op, mask, bits, lane, width);
    __builtin_memcpy((char *)out + OFFSET, &bits, bytes);
    if constexpr (OFFSET + 8 < sizeof(T))
        shuffle_piece<OFFSET + 8>(op, mask, out, in, lane, width);
}

template <typename T>
static CPU_INLINE T shuffle(enum cpu_warp_op op, unsigned mask, T value, unsigned lane,
                            unsigned width)
{
    static_assert(std::is_trivially_destructible<T>::value && sizeof(T) <= 256,
                  "a shuffle takes values that can be copied byte for byte");
    T result = value;

    shuffle_piece<0>(op, mask, &result, &value, lane, width);
    return result;
}
} // namespace details
} // namespace cooperative_groups

#endif
