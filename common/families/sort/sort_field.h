/*
 * What keys are compared by. Each key has a number, an unsigned integer of its width, and the
 * numbers have the keys' order:
 *
 *     u32, u64  the key itself
 *     i32       the key with its sign bit turned, so that negative ones come first
 *     f32       the bits with the sign bit turned, all bits turned if it was set: -inf is before
 *               all finite floats, those before +inf. -0 has the number of +0. A NaN is behind
 *               +inf, or before -inf if its sign bit is set. That is the order of CUB's radix sort.
 *
 * The field of a key is bits FIRST to LAST - 1 of its number (--bits), all of them turned first for
 * the descending order. Keys are sorted by their fields, and those with the same field keep their
 * order. A field of all bits is the usual sort.
 */
#ifndef SORT_FIELD_H
#define SORT_FIELD_H

#include <string.h>

#include "harness/kit/element.h"
#include "harness/kit/sums.h" /* HOST_DEVICE */

/* Which bits of the number are compared. mask has as many ones as there are bits. */
struct field {
    unsigned first, bits;          /* 1 to 64 bits from this one on */
    unsigned long long flip, mask; /* flip: ones to turn all bits, else 0 */
};

HOST_DEVICE static inline unsigned field_number_u32(uint32_t bits)
{
    return bits;
}

HOST_DEVICE static inline unsigned field_number_i32(uint32_t bits)
{
    return bits ^ 0x80000000u;
}

HOST_DEVICE static inline unsigned field_number_f32(uint32_t bits)
{
    if (bits == 0x80000000u)
        bits = 0;
    return bits ^ (bits >> 31 ? 0xffffffffu : 0x80000000u);
}

HOST_DEVICE static inline unsigned long long field_number_u64(uint64_t bits)
{
    return bits;
}

#ifdef __cplusplus
extern "C" {
#endif

extern const struct type type_u64;

/* What --bits says of keys of this type, NULL for all their bits, and whether the order is
 * descending. 0, or BAD_USAGE after one line. */
int field_parse(struct field *, const char *bits, const char *order, const struct type *);

#ifdef __cplusplus
}
#endif

/* A digit of a field: at most so many of its bits from this one on. */
static inline struct field field_digit(struct field f, unsigned from, unsigned bits)
{
    f.first += from;
    f.bits = f.bits - from < bits ? f.bits - from : bits;
    f.mask &= f.bits < 64 ? (1ull << f.bits) - 1 : ~0ull;
    return f;
}
#endif
