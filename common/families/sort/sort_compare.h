/*
 * The verdict on a sort, without a second sort. Each two neighbours of y must be in order. That y
 * has the keys of x, each as often, is seen in one of two ways:
 *
 *  keys alone  Two sums over all keys, modulo 2^64, of two functions that turn a key into random
 *              bits: of x and of y they are the same. Other keys give the same sums with a
 *              probability of about 2^-128, because no sort knows the functions' seed, which is
 *              that of the input.
 *  pairs       A value tells where its key was: y[i] must be the key there, bit for bit, and where
 *              two neighbours have the same field, the first one must have been before the second.
 *              So no place comes twice, and with n places of n keys y is x in its stable order.
 *
 * On a GPU the comparison is a kernel, one thread per span; on the CPU device a loop of the host.
 * Both run the functions below.
 */
#ifndef SORT_COMPARE_H
#define SORT_COMPARE_H

#include "families/sort/sort_input.h"
#include "harness/kit/buffer.h"

#define SORT_SPAN ((size_t)512) /* keys that are compared one after the other */

/* What is compared. */
struct comparison {
    struct buffer *x, *y, *values; /* values: those of y; NULL: keys alone */
    size_t n, bytes;               /* keys, and bytes of one */
    struct field field;
    char type;     /* the first letter of the type's name */
    unsigned salt; /* of the values */
    uint64_t seed; /* of the sums */
};

/* The arrays, in the memory that the comparison runs over. */
struct compared_arrays {
    const void *x, *y;
    const unsigned *values;
};

/* What is wrong. */
struct disorder {
    unsigned long long count;   /* keys that are not in order, or not where their value says */
    unsigned long long first;   /* the first of them, in y */
    unsigned long long sums[2]; /* of x less those of y */
};

#ifdef __cplusplus
extern "C" {
#endif

/* Compare. 0, or BAD_DEVICE after one line. */
int sort_compare(const struct comparison *, struct disorder *);

#ifdef __cplusplus
}
#endif

HOST_DEVICE static inline uint64_t compared_bits(const struct comparison *c, const void *keys,
                                                 size_t i)
{
    return c->bytes == 8 ? ((const uint64_t *)keys)[i] : ((const uint32_t *)keys)[i];
}

HOST_DEVICE static inline uint64_t compared_field(const struct comparison *c, uint64_t bits)
{
    uint64_t number = bits;

    if (c->type == 'i')
        number = field_number_i32((uint32_t)bits);
    if (c->type == 'f')
        number = field_number_f32((uint32_t)bits);
    return ((number ^ c->field.flip) >> c->field.first) & c->field.mask;
}

/* The finalizer of SplitMix64, as in kit/input.c. */
HOST_DEVICE static inline uint64_t scrambled(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Whether the key at i is not where it belongs, as far as it and the one before can tell. */
HOST_DEVICE static inline bool out_of_order(const struct comparison *c,
                                            const struct compared_arrays *a, size_t i)
{
    uint64_t bits = compared_bits(c, a->y, i), own = compared_field(c, bits), before;
    unsigned place = a->values ? sort_place_of(a->values[i], c->salt) : 0;

    if (a->values && (place >= c->n || compared_bits(c, a->x, place) != bits))
        return true;
    if (i == 0)
        return false;
    before = compared_field(c, compared_bits(c, a->y, i - 1));
    return before > own ||
           (a->values && before == own && sort_place_of(a->values[i - 1], c->salt) >= place);
}

HOST_DEVICE static inline void compare_span(struct disorder *d, const struct comparison *c,
                                            const struct compared_arrays *a, size_t begin,
                                            size_t end)
{
    for (size_t i = begin; i < end; i++) {
        if (out_of_order(c, a, i) && d->count++ == 0)
            d->first = i;
        for (int k = 0; !a->values && k < 2; k++)
            d->sums[k] += scrambled(compared_bits(c, a->x, i) + c->seed + (uint64_t)k) -
                          scrambled(compared_bits(c, a->y, i) + c->seed + (uint64_t)k);
    }
}

#endif
