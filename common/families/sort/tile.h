/*
 * A tile of keys that a block puts in order by a digit in shared memory, so that keys of one digit
 * are written together. Device code of the steps that sort by all digits.
 */
#ifndef SORT_TILE_H
#define SORT_TILE_H

#include "families/sort/counts.h"
#include "harness/kit/device.h"

/* What a block has of its tile, in shared memory. */
struct tile {
    unsigned digits;           /* values of the digit */
    unsigned long long *shift; /* of each, how much further its keys begin in y */
    unsigned *begin;           /* than in the tile */
    unsigned *counts;          /* of each warp, and one more: keys that are none; then masks */
    element *keys;             /* the keys by their digits, */
    unsigned *tags;            /* and the values */
};

/* What a thread has of it: a key of each row of its warp. */
struct rows {
    element key[SORT_ITEMS];
    unsigned digit[SORT_ITEMS]; /* one more than there are: no key */
    unsigned rank[SORT_ITEMS];
};

/* The dynamic shared memory that a tile needs, in bytes. */
static inline size_t bytes_of_tile(int threads, size_t key_bytes, size_t value_bytes)
{
    return (size_t)threads * SORT_ITEMS * (key_bytes + value_bytes) +
           DIGITS * (sizeof(unsigned long long) + sizeof(unsigned)) +
           2 * warp_counts(threads, DIGITS) * sizeof(unsigned);
}

static inline size_t tile_bytes(const struct work *w)
{
    return bytes_of_tile(w->threads, sizeof(element), w->values ? sizeof(unsigned) : 0);
}

/* Whether a block cannot have so much: a variant's refuse. */
static bool refuse_tile(const struct shape *s, char *why, size_t room)
{
    return device_lacks_shared(bytes_of_tile(s->threads, s->type->bytes, s->axis[SORT_VALUES]), why,
                               room);
}

static __device__ struct tile tile_in(void *memory, struct field f)
{
    struct tile t;

    t.digits = digits_of(f);
    t.keys = (element *)memory;
    t.shift = (unsigned long long *)(t.keys + blockDim.x * SORT_ITEMS);
    t.begin = (unsigned *)(t.shift + t.digits);
    t.counts = t.begin + t.digits;
    t.tags = t.counts + 2 * warp_counts(blockDim.x, t.digits);
    return t;
}

/* Where the thread's key of the first row lies in the tile. */
static __device__ unsigned first_key(void)
{
    return threadIdx.x / 32 * (32 * SORT_ITEMS) + threadIdx.x % 32;
}

/* Read the keys of a tile, `here` of them, and rank them within their warps. */
static __device__ void load_rows(struct rows *r, const struct tile *t, const element *x,
                                 unsigned here, struct field f)
{
    for (unsigned k = threadIdx.x; k < 2 * warp_counts(blockDim.x, t->digits); k += blockDim.x)
        t->counts[k] = 0; /* and the masks */
    for (int row = 0; row < SORT_ITEMS; row++) {
        unsigned i = first_key() + row * 32;

        r->key[row] = i < here ? x[i] : 0;
        r->digit[row] = i < here ? field_of(r->key[row], f) : t->digits;
    }
    __syncthreads();
    rank_rows(r->rank, t->counts, r->digit, t->digits, MASKS);
    __syncthreads();
}

/* How many keys of the tile have this digit, before begin_digits. */
static __device__ unsigned keys_of(const struct tile *t, unsigned d)
{
    unsigned sum = 0;

    for (unsigned warp = 0; warp < blockDim.x / 32; warp++)
        sum += t->counts[warp * (t->digits + 1) + d];
    return sum;
}

/* Where each digit's keys begin in the tile; the counts of the warps become the sums over the warps
 * before. */
static __device__ void begin_digits(const struct tile *t)
{
    unsigned carry = 0;

    for (unsigned base = 0; base < t->digits; base += blockDim.x) {
        unsigned d = base + threadIdx.x, own = d < t->digits ? keys_of(t, d) : 0;
        unsigned long long all, sum = scan_block(own, &all);

        if (d < t->digits)
            t->begin[d] = carry + (unsigned)sum - own;
        carry += (unsigned)all;
    }
    scan_warps(t->counts, t->digits);
}

/* Put the keys, and their values, in order by their digit, and write them to where they belong. */
static __device__ void store_rows(const struct rows *r, const struct tile *t, struct arrays a,
                                  size_t base, unsigned here, struct field f)
{
    const unsigned *own = t->counts + threadIdx.x / 32 * (t->digits + 1);

    for (int row = 0; row < SORT_ITEMS; row++) {
        unsigned d = r->digit[row], place;

        if (d == t->digits)
            continue;
        place = t->begin[d] + own[d] + r->rank[row];
        t->keys[place] = r->key[row];
        if (a.values)
            t->tags[place] = a.values[base + first_key() + row * 32];
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < here; i += blockDim.x) {
        unsigned long long place = t->shift[field_of(t->keys[i], f)] + i;

        a.y[place] = t->keys[i];
        if (a.values)
            a.y_values[place] = t->tags[i];
    }
    __syncthreads(); /* before the next tile is read over this one */
}

#endif
