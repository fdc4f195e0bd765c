/*
 * Segments whose equal keys keep their order, and pairs: moved by a digit as in_order.h does, and
 * finished by a block each. Device code.
 */
#ifndef SORT_SEGMENTS_IN_ORDER_H
#define SORT_SEGMENTS_IN_ORDER_H

#include "families/sort/counted.h"

/* All tiles of a level. Its blocks are all resident, so those that are waited for run. */
template <bool VALUES> static __global__ void __launch_bounds__(THREADS, 2)
move_in_order(struct arrays a, struct segments s, unsigned level, unsigned *words, size_t n,
              struct field f)
{
    size_t tiles = (n + TILE - 1) / TILE;
    unsigned digit = 0;

    if (is_crowded(s.crowded))
        return;
    if (level > 0)
        tiles = s.tiles[1u << s.first];
    for (size_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        struct piece p = piece_of((unsigned)tile, &digit, &s, level, n);

        move_piece<unsigned, VALUES>(a, p, tile, words,
                                     level > 0 ? s.begin + (p.digit << f.bits) : s.digits, f);
    }
}

/* A segment in shared memory, for a block of T threads with up to I keys each. */
template <int I, int T> struct room {
    element keys[I * T];    /* by their bins */
    uint4 bins4[2 * T + 1]; /* two bins per word: at first how many keys, then where they begin */
    unsigned tags[I * T];   /* the values, */
    unsigned short from[I * T]; /* and where the keys came from */
};

/* Kernel 5 for pairs, and where equal keys must keep their order: sort each segment by the bits
 * that are left. The upper 13 or 14 of those that differ give a bin. There are more bins than keys,
 * so that few keys share one, and those are compared. */
template <int I, int T> static __global__ void __launch_bounds__(T, 1024 / T)
finish_in_order(struct arrays a, struct segments s, struct field f)
{
    extern __shared__ element4 memory[];
    struct room<I, T> *r = (struct room<I, T> *)memory;
    unsigned *bins = (unsigned *)r->bins4, width, shift, crowd;
    unsigned short *begin = (unsigned short *)bins;
    unsigned base = begin_of<false>(&s, blockIdx.x), here = count_of<false>(&s, blockIdx.x);
    unsigned rank[I]; /* in the lower half; in the upper one the bin */
    element key[I];
    unsigned tag[I];
    bool again = false;
    number differ = (number)f.mask;

    if (__syncthreads_or(is_crowded(s.crowded)) || here == 0)
        return;
#pragma unroll
    for (int k = 0; k < I; k++)
        key[k] = k * T + threadIdx.x < here ? a.x[base + k * T + threadIdx.x] : a.x[base];
#pragma unroll
    for (int k = 0; k < I; k++)
        tag[k] = a.values && k * T + threadIdx.x < here ? a.values[base + k * T + threadIdx.x] : 0;
    for (;; again = true) {
        width = width_of(differ);
        shift = width > BIN_BITS(T) ? width - BIN_BITS(T) : 0;
        crowd = 0;
        for (unsigned k = threadIdx.x; k < 2 * T + 1; k += T)
            r->bins4[k] = make_uint4(0, 0, 0, 0);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < I; k++) {
            unsigned bin = (unsigned)(field_of(key[k], f) >> shift) & BIN_MASK(T),
                     high = bin % 2 * 16;

            rank[k] = bin << 16;
            if (k * T + threadIdx.x < here)
                rank[k] |= atomicAdd(&bins[bin / 2], 1u << high) >> high & 0xffff;
            crowd |= (rank[k] & 0xffff) >= CROWD;
        }
        if (!__syncthreads_or(crowd))
            break;
        if (again) { /* all is left to sort_crowded */
            if (threadIdx.x == 0)
                tell(s.crowded);
            return;
        }
        differ = 0; /* some bits are the same in all keys: take those that differ */
#pragma unroll
        for (int k = 0; k < I; k++)
            differ |= field_of(key[k], f) ^ field_of(a.x[base], f);
        differ = differing(differ);
    }
    begin_bins(r->bins4, true);
#pragma unroll
    for (int k = 0; k < I; k++) {
        if (k * T + threadIdx.x < here) {
            unsigned place = begin[rank[k] >> 16] + (rank[k] & 0xffff);

            r->keys[place] = key[k];
            r->from[place] = (unsigned short)(k * T + threadIdx.x);
            r->tags[place] = tag[k];
        }
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < here; i += T) {
        element own = r->keys[i];
        number mine = field_of(own, f);
        unsigned bin = (unsigned)(mine >> shift) & BIN_MASK(T), place = begin[bin],
                 last = begin[bin + 1];

        if (last - place > 1) {
            for (unsigned k = place; k < last; k++) {
                number other = field_of(r->keys[k], f);

                place += other < mine || (other == mine && r->from[k] < r->from[i]);
            }
        }
        a.y[base + place] = own;
        if (a.values)
            a.y_values[base + place] = r->tags[i];
    }
}

#endif
