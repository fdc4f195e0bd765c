/*
 * The sort family: y holds the n keys of x in order, and with --values 4 each key has a value of
 * 32 bits that goes with it. What the order is stands in sort_field.h. Keys that are equal there
 * keep their order: the sort is stable, which shows where values tell them apart.
 */
#ifndef SORT_H
#define SORT_H

#ifdef __cplusplus
#include <cuda_runtime.h>

#include "harness/kit/timeline.h"

typedef unsigned long long element_u64;
typedef struct { /* CUDA's own has another alignment in each version */
    unsigned long long x, y, z, w;
} element4_u64;
#endif
#include "families/sort/sort_field.h"

#ifdef __cplusplus
/* The type of a key's number, by element type. */
typedef unsigned number_u32;
typedef unsigned number_i32;
typedef unsigned number_f32;
typedef unsigned long long number_u64;
typedef ELEMENT_NAME(number_) number;
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum { SORT_N, SORT_VALUES }; /* the axes */

/* Rules of this family's variants, beside enum rule. */
enum sort_rule {
    ONE_DIGIT = FAMILY_RULE, /* sorts by the lowest DIGIT_BITS bits of the field alone */
};

/* Where keys, and their values, are written and read; NULL for no values. */
struct arrays {
    element *y;
    unsigned *y_values;
    const element *x;
    const unsigned *values;
};

#define DIGIT_BITS 8
#define DIGITS 256 /* values of a digit */

/* What a launch function gets. All pointers are device memory. What is not input holds anything
 * when a run begins. */
struct work {
    element *y;                   /* n keys, the result; poisoned before each run */
    const element *x;             /* n keys */
    element *other;               /* room for n keys */
    unsigned *y_values;           /* n values, the other result; NULL: keys alone */
    const unsigned *values;       /* those of x */
    unsigned *other_values;       /* room for n values */
    unsigned long long *counters; /* room for sort_room() of them */
    struct field field;           /* what is compared */
    size_t n;                     /* keys, 0 and up */
    int blocks;                   /* grid size, at least 1 */
    int threads;                  /* threads per block, 1 to 1024 */
};

/* How many tiles of so many keys n keys make. */
static inline size_t sort_tiles_of(size_t n, size_t tile)
{
    return n / tile + (n % tile != 0);
}

#define SORT_ITEMS 8 /* keys that a thread takes at a time */

#define SORT_TABLES 256 /* the most blocks that count values of 16 bits, each in its own table */

/* How many such blocks there may be: one per 2^18 keys. */
static inline size_t sort_tables(size_t n)
{
    size_t blocks = (n >> 18) + 1;

    return blocks < SORT_TABLES ? blocks : SORT_TABLES;
}

#define SORT_PIECE 57344u /* keys whose counters of 16 bits cannot overflow, in whole loads */
#define SORT_PIECES 150   /* in tables of 2^16: of more keys fewer bits are left */

/* How many pieces of an array may be counted apart. */
static inline size_t sort_pieces(size_t n)
{
    size_t pieces = n / SORT_PIECE + 2;

    return pieces < SORT_PIECES ? pieces : SORT_PIECES;
}

/* Counters for so many keys: DIGITS per tile of SORT_ITEMS keys per thread, and an eighth, and for
 * 18 more; 5 for each value of 16 bits, and a half more per table and piece. */
static inline size_t sort_room(size_t n, int threads)
{
    size_t tiles = sort_tiles_of(n, SORT_ITEMS * (size_t)threads);

    return DIGITS * (tiles + tiles / 8 + 18) +
           (10 + sort_tables(n) + sort_pieces(n)) * (size_t)32768;
}

/* The grid for so many tiles: the launch's blocks, but none that would have nothing to do. */
static inline int sort_grid(const struct work *w, size_t tiles)
{
    return tiles < (size_t)w->blocks ? (int)tiles : w->blocks;
}

/* Default shape: at most a device full of blocks, of which each thread takes SORT_ITEMS keys. */
void sort_shape_items(struct shape *);

#ifdef __cplusplus
}

/* The number of a key, for the element type that the caller is compiled for. */
static __device__ __forceinline__ number number_of(element key)
{
    number bits;

    memcpy(&bits, &key, sizeof(bits));
    return ELEMENT_NAME(field_number_)(bits);
}

/* What a key is compared by. */
static __device__ __forceinline__ number field_of(element key, struct field f)
{
    return ((number_of(key) ^ (number)f.flip) >> f.first) & (number)f.mask;
}

/* How many values a digit of so many bits has, at most DIGITS. */
static __host__ __device__ __forceinline__ unsigned digits_of(struct field digit)
{
    return 1u << digit.bits;
}
#endif
#endif
