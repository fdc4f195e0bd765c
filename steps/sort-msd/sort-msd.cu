/*
 * sort-msd: the highest digit first, until a block can sort the rest alone
 *
 * Idea      Move the keys by their upper bits first. No other key belongs among those with the
 *           same ones, a segment. With 4000 keys it fits a block's shared memory, and is finished.
 * Since     sort-onesweep moved all keys once per digit: 4 times for 32 bits. Here they move by
 *           two digits, and once more. Any place in a segment will do, so an atomic gives it out.
 * Expect    7 passes over memory instead of 9, and no waiting for other tiles. Where keys crowd in
 *           few segments, they are sorted by the lowest digit first instead.
 * Source    Stehle and Jacobsen, "A Memory Bandwidth-Efficient Hybrid Radix Sort on GPUs", 2017;
 *           Adinets and Merrill, "Onesweep", 2022, for what is sorted by the lowest digit first.
 */
#include <math.h>
#include "families/sort/in_order.h"

typedef unsigned long long u64;

#define COUNTERS 1024 /* threads that count the upper bits, or scan the counts */
#define ROWS 8        /* keys that each of them has in flight */
#define MOST_BITS 16  /* of the segments: what shared memory has counters for */
#define CROWD 64      /* keys in one bin: from here on comparing them takes too long */
#define SMALL 9       /* keys of a thread, of a segment of a usual array, */
#define LARGE 17      /* and of a large one, which is finished by twice as many threads */
#define BIN_BITS(threads) ((threads) == THREADS ? 13 : 14) /* 16 bins per thread */
#define BIN_MASK(threads) ((1u << BIN_BITS(threads)) - 1)

/* What has the same upper bits. There are less than 2^32 keys. */
struct segments {
    unsigned *counts;     /* keys of each, 2^bits of them */
    unsigned *begin;      /* where it begins; behind the last: n */
    unsigned *next;       /* where its next key goes */
    unsigned *digits;     /* where the next key of each digit of the first level goes */
    unsigned *tiles;      /* tiles before each of these digits; behind the last: all */
    unsigned *crowded;    /* whether one has too many keys */
    unsigned bits, first; /* bits of all, and of the first level */
    unsigned capacity;    /* the most keys that one may have */
};

/* Count `by` keys in a counter of 16 bits, two in a word. A full one hands 65536 over to the
 * counts and goes on from 0. The lower one then has carried 1 into the upper one, which its count
 * makes good. */
static __device__ void count_in(unsigned *counters, unsigned *counts, unsigned bin, unsigned by)
{
    unsigned shift = bin % 2 * 16, old = atomicAdd(&counters[bin / 2], by << shift);

    if ((old >> shift & 0xffff) + by <= 0xffff)
        return;
    atomicAdd(&counts[bin], 65536u);
    if (shift == 0)
        atomicAdd(&counts[bin + 1], (old >> 16 == 0xffff ? 65536u : 0) - 1);
}

/* Kernel 1: how many keys each segment will have. Two counters in a word: 2^16 fit in shared
 * memory. */
static __global__ void __launch_bounds__(COUNTERS)
count_upper(unsigned *counts, const element *x, size_t n, struct field f)
{
    extern __shared__ element4 memory[];
    unsigned *counters = (unsigned *)memory, words = (1u << f.bits) / 2;

    for (unsigned k = threadIdx.x; k < words; k += COUNTERS)
        counters[k] = 0;
    __syncthreads();
    for (size_t base = (size_t)blockIdx.x * COUNTERS * ROWS; base < n;
         base += (size_t)gridDim.x * COUNTERS * ROWS) {
        bool full = base + COUNTERS * ROWS <= n, all = full;
        unsigned bin[ROWS], one;

#pragma unroll
        for (int k = 0; k < ROWS; k++) {
            size_t i = base + k * COUNTERS + threadIdx.x;

            bin[k] = full || i < n ? (unsigned)field_of(x[i], f) : ~0u;
        }
        one = __shfl_sync(WARP, bin[0], 0);
#pragma unroll
        for (int k = 0; k < ROWS; k++)
            all = all && bin[k] == one;
        if (__all_sync(WARP, all)) { /* one counter for all: one addition */
            if (threadIdx.x % 32 == 0)
                count_in(counters, counts, one, 32 * ROWS);
            continue;
        }
#pragma unroll
        for (int k = 0; k < ROWS; k++) {
            if (full || bin[k] != ~0u)
                count_in(counters, counts, bin[k], 1);
        }
    }
    __syncthreads();
    for (unsigned k = threadIdx.x; k < words; k += COUNTERS) {
        if (counters[k] & 0xffff)
            atomicAdd(&counts[2 * k], counters[k] & 0xffff);
        if (counters[k] >> 16)
            atomicAdd(&counts[2 * k + 1], counters[k] >> 16);
    }
}

/* Kernel 2: where each segment begins, by a block per 1024 of them, which sums what is before
 * itself. */
static __global__ void __launch_bounds__(COUNTERS)
scan_upper(struct segments s, size_t n)
{
    unsigned all = 1u << s.bits, i = blockIdx.x * COUNTERS + threadIdx.x, under = s.bits - s.first;
    unsigned own = i < all ? s.counts[i] : 0, part = 0, before, sum, begin;

    for (unsigned k = threadIdx.x; k < blockIdx.x * COUNTERS; k += COUNTERS)
        part += s.counts[k];
    sum_before(part, &before);
    begin = before + sum_before(own, &sum);
    if (i >= all)
        return;
    s.begin[i] = begin;
    s.next[i] = begin;
    if (i % (1u << under) == 0)
        s.digits[i >> under] = begin;
    if (own > s.capacity)
        tell_crowded(s.crowded);
    if (i == all - 1)
        s.begin[all] = (unsigned)n;
}

/* Kernel 3, where there are two levels: how many tiles the digits of the first one make, by one
 * block. */
static __global__ void count_tiles(struct segments s)
{
    unsigned d = threadIdx.x, under = s.bits - s.first, own = 0, all, before;

    if (d < 1u << s.first)
        own = (s.begin[(d + 1) << under] - s.begin[d << under] + TILE - 1) / TILE;
    before = sum_before(own, &all);
    if (d < 1u << s.first)
        s.tiles[d] = before;
    if (d == 0)
        s.tiles[1u << s.first] = all;
}

/* The piece that is tile number `tile`. */
static __device__ struct piece piece_of(size_t tile, const struct segments *s, unsigned level,
                                        size_t n)
{
    __shared__ unsigned found;
    unsigned under = s->bits - s->first;
    struct piece p = {tile * TILE, 0, 0, 0};
    size_t end = n;

    if (level > 0) {
        if (tile >= s->tiles[1u << s->first])
            return p;
        __syncthreads(); /* all have read what was found for the tile before */
        for (unsigned d = threadIdx.x; d < 1u << s->first; d += THREADS) {
            if (s->tiles[d] <= tile && tile < s->tiles[d + 1])
                found = d;
        }
        __syncthreads();
        p.digit = found;
        p.first = s->tiles[p.digit];
        p.begin = s->begin[p.digit << under] + (tile - p.first) * TILE;
        end = s->begin[(p.digit + 1) << under];
    }
    if (p.begin < end)
        p.here = end - p.begin < TILE ? (unsigned)(end - p.begin) : TILE;
    return p;
}

/* Ranks of a thread's keys among those of their digits, in any order: counts are the tile's. FULL:
 * all threads have all keys. */
template <bool FULL>
static __device__ __forceinline__ void rank_any(unsigned *rank, const element *key,
                                                unsigned *counts, unsigned here, struct field f)
{
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        bool mine = FULL || k * THREADS + threadIdx.x < here;
        unsigned d = mine ? (unsigned)field_of(key[k], f) : DIGITS;
        int same;

        __match_all_sync(WARP, d, &same);
        if (same && (FULL || mine)) { /* one addition for the warp, as for sorted keys */
            unsigned first = threadIdx.x % 32 == 0 ? atomicAdd(&counts[d], 32) : 0;

            rank[k] = __shfl_sync(WARP, first, 0) + threadIdx.x % 32;
        } else
            rank[k] = mine ? atomicAdd(&counts[d], 1) : 0;
    }
}

/* Move a piece by a digit: next[d] is where the digit's next key goes. */
template <bool FULL>
static __device__ __forceinline__ void move_piece_any(element *y, const element *x, unsigned *next,
                                                      unsigned here, struct field f)
{
    extern __shared__ element4 memory[];
    __shared__ unsigned counts[DIGITS], begin[DIGITS], shift[DIGITS];
    element key[ITEMS], *keys = (element *)memory;
    unsigned rank[ITEMS], own, all, before, to;

    if (threadIdx.x < DIGITS)
        counts[threadIdx.x] = 0;
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ITEMS; k++)
        key[k] = FULL || k * THREADS + threadIdx.x < here ? x[k * THREADS + threadIdx.x] : 0;
    rank_any<FULL>(rank, key, counts, here, f);
    __syncthreads();
    own = threadIdx.x < DIGITS ? counts[threadIdx.x] : 0;
    to = own > 0 ? atomicAdd(&next[threadIdx.x], own) : 0;
    before = sum_before(own, &all);
    if (threadIdx.x < DIGITS) {
        begin[threadIdx.x] = before;
        shift[threadIdx.x] = to - before;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        if (FULL || k * THREADS + threadIdx.x < here)
            keys[begin[field_of(key[k], f)] + rank[k]] = key[k];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        unsigned i = k * THREADS + threadIdx.x;

        if (FULL || i < here) {
            element own_key = keys[i];

            y[shift[field_of(own_key, f)] + i] = own_key;
        }
    }
}

/* Kernel 4, for keys alone: any place among the keys of the digit will do, so an atomic gives it
 * out. */
static __global__ void __launch_bounds__(THREADS, 2)
move_any(element *y, const element *x, struct segments s, unsigned level, size_t n, struct field f)
{
    struct piece p;
    unsigned *next = s.digits;

    if (is_crowded(s.crowded))
        return;
    p = piece_of(blockIdx.x, &s, level, n);
    if (level > 0)
        next = s.next + (p.digit << f.bits);
    if (p.here == TILE)
        move_piece_any<true>(y, x + p.begin, next, TILE, f);
    else if (p.here > 0)
        move_piece_any<false>(y, x + p.begin, next, p.here, f);
}

/* All tiles of a level. Its blocks are all resident, so those that are waited for run. */
template <bool VALUES> static __global__ void __launch_bounds__(THREADS, 2)
move_in_order(struct arrays a, struct segments s, unsigned level, unsigned *words, size_t n,
              struct field f)
{
    size_t tiles = (n + TILE - 1) / TILE;

    if (is_crowded(s.crowded))
        return;
    if (level > 0)
        tiles = s.tiles[1u << s.first];
    for (size_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        struct piece p = piece_of(tile, &s, level, n);

        move_piece<unsigned, VALUES>(a, p, tile, words,
                                     level > 0 ? s.begin + (p.digit << f.bits) : s.digits, f);
    }
}

/* A segment in shared memory, for a block of T threads with up to ITEMS_HERE keys each. */
template <int ITEMS_HERE, int T> struct room {
    element keys[ITEMS_HERE * T]; /* by their bins */
    uint4 bins4[2 * T + 1]; /* two bins per word: at first how many keys, then where they begin */
    unsigned tags[ITEMS_HERE * T]; /* the values, and where the keys came from: left out where */
    unsigned short from[ITEMS_HERE * T]; /* the order of equal keys does not show */
};

/* What keys of a segment are compared by: the bits of the field; where equal keys may change their
 * places all bits, of which the upper ones are the same in a segment. */
template <bool KEEP> static __device__ __forceinline__ number number_in(element key, struct field f)
{
    return KEEP ? field_of(key, f) : number_of(key) ^ (number)f.flip;
}

/* The bits in which the numbers of the block's threads differ: those are of `own` where a thread's
 * numbers do. */
static __device__ number differing(number own)
{
    __shared__ number all;

    if (threadIdx.x == 0)
        all = 0;
    for (int far = 16; far > 0; far /= 2)
        own |= __shfl_xor_sync(WARP, own, far);
    __syncthreads();
    if (threadIdx.x % 32 == 0 && own != 0)
        atomicOr(&all, own);
    __syncthreads();
    return all;
}

/* The bins' counts become where they begin, 16 of them per thread. */
static __device__ void begin_bins(uint4 *bins)
{
    unsigned words[8], sum = 0, all;

    for (int k = 0; k < 2; k++) {
        uint4 four = bins[threadIdx.x * 2 + k];

        words[4 * k] = four.x;
        words[4 * k + 1] = four.y;
        words[4 * k + 2] = four.z;
        words[4 * k + 3] = four.w;
    }
#pragma unroll
    for (int k = 0; k < 8; k++)
        sum += (words[k] & 0xffff) + (words[k] >> 16);
    sum = sum_before(sum, &all);
#pragma unroll
    for (int k = 0; k < 8; k++) {
        unsigned next = sum + (words[k] & 0xffff), high = words[k] >> 16;

        words[k] = sum | next << 16;
        sum = next + high;
    }
    for (int k = 0; k < 2; k++)
        bins[threadIdx.x * 2 + k] =
            make_uint4(words[4 * k], words[4 * k + 1], words[4 * k + 2], words[4 * k + 3]);
    if (threadIdx.x == blockDim.x - 1)
        bins[threadIdx.x * 2 + 2].x = sum;
    __syncthreads();
}

/* How many bits lie below the highest one that is set, and it. */
static __device__ __forceinline__ unsigned width_of(number bits)
{
    return sizeof(bits) == 8 ? 64 - __clzll((long long)bits) : 32 - __clz((int)bits);
}

/* Kernel 5: sort each segment by the bits that are left. The upper 13 or 14 of those that differ
 * give a bin. There are more bins than keys, so that few keys share one, and those are compared. */
template <int ITEMS_HERE, int T, bool KEEP>
static __global__ void __launch_bounds__(T, KEEP || T > THREADS ? 1024 / T : 3)
finish(struct arrays a, struct segments s, size_t n, struct field f)
{
    extern __shared__ element4 memory[];
    struct room<ITEMS_HERE, T> *r = (struct room<ITEMS_HERE, T> *)memory;
    unsigned *bins = (unsigned *)r->bins4, width, shift, crowd = 0;
    unsigned short *begin = (unsigned short *)bins;
    unsigned base = s.bits > 0 ? s.begin[blockIdx.x] : 0;
    unsigned here = (s.bits > 0 ? s.begin[blockIdx.x + 1] : (unsigned)n) - base;
    unsigned rank[ITEMS_HERE]; /* in the lower half; in the upper one the bin */
    element key[ITEMS_HERE];
    unsigned tag[KEEP ? ITEMS_HERE : 1];
    bool exact, again = false; /* exact: keys of a bin are equal, and nobody sees which is which */
    number differ = (number)f.mask;

    if (is_crowded(s.crowded) || here == 0)
        return;
#pragma unroll
    for (int k = 0; k < ITEMS_HERE; k++)
        key[k] = k * T + threadIdx.x < here ? a.x[base + k * T + threadIdx.x] : a.x[base];
#pragma unroll
    for (int k = 0; KEEP && k < ITEMS_HERE; k++)
        tag[k] = a.values && k * T + threadIdx.x < here ? a.values[base + k * T + threadIdx.x] : 0;
    for (;; again = true) {
        width = width_of(differ);
        shift = width > BIN_BITS(T) ? width - BIN_BITS(T) : 0;
        exact = !KEEP && (differ & (((number)1 << shift) - 1)) == 0;
        crowd = 0;
        for (unsigned k = threadIdx.x; k < 2 * T + 1; k += T)
            r->bins4[k] = make_uint4(0, 0, 0, 0);
        __syncthreads();
#pragma unroll
        for (int k = 0; k < ITEMS_HERE; k++) {
            unsigned bin = (unsigned)(number_in<KEEP>(key[k], f) >> shift) & BIN_MASK(T),
                     high = bin % 2 * 16;

            rank[k] = bin << 16;
            if (k * T + threadIdx.x < here)
                rank[k] |= atomicAdd(&bins[bin / 2], 1u << high) >> high & 0xffff;
            crowd |= (rank[k] & 0xffff) >= CROWD;
        }
        if (!__syncthreads_or(crowd && !exact))
            break;
        if (again) { /* all is left to sort_crowded */
            if (threadIdx.x == 0)
                tell_crowded(s.crowded);
            return;
        }
        differ = 0; /* some bits are the same in all keys: take those that differ */
#pragma unroll
        for (int k = 0; k < ITEMS_HERE; k++)
            differ |= number_in<KEEP>(key[k], f) ^ number_in<KEEP>(a.x[base], f);
        differ = differing(differ);
    }
    begin_bins(r->bins4);
#pragma unroll
    for (int k = 0; k < ITEMS_HERE; k++) {
        if (k * T + threadIdx.x < here) {
            unsigned place = begin[rank[k] >> 16] + (rank[k] & 0xffff);

            r->keys[place] = key[k];
            if (KEEP)
                r->from[place] = (unsigned short)(k * T + threadIdx.x);
            if (KEEP)
                r->tags[place] = tag[k];
        }
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < here; i += T) {
        element own = r->keys[i];
        number mine = number_in<KEEP>(own, f);
        unsigned bin = (unsigned)(mine >> shift) & BIN_MASK(T), place = begin[bin],
                 last = begin[bin + 1];

        if (exact)
            place = i;
        else if (last - place > 1) {
            for (unsigned k = place; k < last; k++) {
                number other = number_in<KEEP>(r->keys[k], f);

                place +=
                    other < mine || (other == mine && (KEEP ? r->from[k] < r->from[i] : k < i));
            }
        }
        a.y[base + place] = own;
        if (KEEP && a.values)
            a.y_values[base + place] = r->tags[i];
    }
}

/* The dynamic shared memory of the kernels, in bytes. */
#define MOVED_BYTES (TILE * sizeof(element))
#define KEPT_BYTES(values)                                                                         \
    (TILE * (sizeof(element) + ((values) ? sizeof(unsigned) : 0))) /* the counts need less */

template <int ITEMS_HERE, int T> static size_t finish_bytes(bool keep)
{
    typedef struct room<ITEMS_HERE, T> room;

    return keep ? sizeof(room) : offsetof(room, tags);
}

/* Allow a kernel its shared memory. How many of its blocks are resident at once; 0: none. */
template <typename F> static int allow(F kernel, int threads, size_t bytes)
{
    int sms = 0, of_one = 0;

    if (cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes) ==
        cudaSuccess) {
        cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&of_one, kernel, threads, bytes);
    }
    cudaGetLastError(); /* too large for this device is no error */
    return sms * of_one;
}

/* How many blocks of each kernel are resident at once; [1]: with values, or where equal keys keep
 * their order. */
struct resident {
    int count, order[2], crowded[2], far[2], small[2], large[2];
};

static const struct resident *resident(void)
{
    static struct resident r;

    if (r.count > 0)
        return &r;
    allow(move_any, THREADS, MOVED_BYTES);
    r.order[0] = allow(move_in_order<false>, THREADS, KEPT_BYTES(false));
    r.order[1] = allow(move_in_order<true>, THREADS, KEPT_BYTES(true));
    r.crowded[0] = allow(sort_crowded<unsigned, false>, THREADS, KEPT_BYTES(false));
    r.crowded[1] = allow(sort_crowded<unsigned, true>, THREADS, KEPT_BYTES(true));
    r.far[0] = allow(sort_crowded<u64, false>, THREADS, KEPT_BYTES(false));
    r.far[1] = allow(sort_crowded<u64, true>, THREADS, KEPT_BYTES(true));
    r.small[0] = allow(finish<SMALL, THREADS, false>, THREADS, finish_bytes<SMALL, THREADS>(false));
    r.small[1] = allow(finish<SMALL, THREADS, true>, THREADS, finish_bytes<SMALL, THREADS>(true));
    r.large[0] = allow(finish<LARGE, 2 * THREADS, false>, 2 * THREADS,
                       finish_bytes<LARGE, 2 * THREADS>(false));
    r.large[1] = allow(finish<LARGE, 2 * THREADS, true>, 2 * THREADS,
                       finish_bytes<LARGE, 2 * THREADS>(true));
    r.count = allow(count_upper, COUNTERS, sizeof(unsigned) << (MOST_BITS - 1));
    return &r;
}

/* How many upper bits make segments that a block can finish: with a mean of m keys, of uniform
 * ones, almost none has more than m + 8 sqrt(m). More than needed, if that gives more of the
 * device something to do. */
static unsigned bits_for(size_t n, unsigned capacity)
{
    unsigned bits = 0;

    for (double mean = (double)n; mean + 8 * sqrt(mean) > capacity; mean /= 2)
        bits++;
    while (bits > 0 && bits < DIGIT_BITS && n >> bits > 1024)
        bits++;
    return bits;
}

/* How the work is cut. */
struct cut {
    struct segments s;
    void *totals, *words; /* of sort_crowded; and of what is moved in order */
    bool keep, large; /* equal keys keep their order; segments are finished by twice the threads */
    bool crowded;     /* from the beginning */
};

static struct cut cut_of(const struct work *w)
{
    const struct resident *r = resident();
    struct cut c = {};
    size_t room;

    c.keep = w->values || w->field.bits < 8 * sizeof(element) || (element)0.5 != 0;
    c.s.capacity = SMALL * THREADS;
    c.s.bits = bits_for(w->n, c.s.capacity);
    if (c.s.bits > MOST_BITS && r->large[c.keep] > 0) {
        c.large = true;
        c.s.capacity = LARGE * 2 * THREADS;
        c.s.bits = bits_for(w->n, c.s.capacity);
    }
    c.crowded = c.s.bits > MOST_BITS || w->field.bits <= MOST_BITS || r->count == 0 ||
                r->small[c.keep] == 0 || (c.keep && w->n >> 30);
    if (c.crowded)
        c.s.bits = 0;
    c.s.first = c.s.bits > DIGIT_BITS ? (c.s.bits + 1) / 2 : c.s.bits;
    room = (size_t)1 << c.s.bits;
    c.totals = w->counters;
    c.s.crowded = (unsigned *)(w->counters + 8 * DIGITS);
    c.s.digits = (unsigned *)(w->counters + 9 * DIGITS);
    c.s.tiles = c.s.digits + DIGITS;
    c.s.counts = c.s.tiles + 2 * DIGITS;
    c.s.begin = c.s.counts + room;
    c.s.next = c.s.begin + room + 1;
    c.words = w->counters + (c.s.bits > DIGIT_BITS ? 2 * (size_t)65536 : 16 * DIGITS);
    return c;
}

static void order(const struct work *w, const struct cut *c, struct arrays a, unsigned level,
                  struct field f)
{
    size_t first = sort_tiles_of(w->n, TILE), tiles = first + (level > 0 ? DIGITS : 0);
    size_t most = resident()->order[w->values != NULL];
    unsigned *words = (unsigned *)c->words + (level > 0 ? first * DIGITS : 0);
    void *arguments[] = {&a, (void *)&c->s, &level, &words, (void *)&w->n, &f};

    cudaMemsetAsync(words, 0, tiles * DIGITS * sizeof(*words), 0);
    cudaLaunchCooperativeKernel(w->values ? move_in_order<true> : move_in_order<false>,
                                dim3((unsigned)(tiles < most ? tiles : most)), dim3(THREADS),
                                arguments, KEPT_BYTES(w->values != NULL), 0);
}

static void move_level(const struct work *w, const struct cut *c, struct arrays a, unsigned level,
                       struct field f)
{
    size_t tiles = sort_tiles_of(w->n, TILE) + (level > 0 ? DIGITS : 0);

    if (c->keep)
        order(w, c, a, level, f);
    else
        move_any<<<(unsigned)tiles, THREADS, MOVED_BYTES>>>(a.y, a.x, c->s, level, w->n, f);
}

/* Kernels 1 to 4: what has the same upper bits lies together. Where it does. */
static struct arrays gather(const struct work *w, const struct cut *c)
{
    unsigned bits = c->s.bits;
    struct field f = w->field;
    struct arrays a = {w->other, w->other_values, w->x, w->values};
    size_t most = resident()->count, needed = sort_tiles_of(w->n, COUNTERS * ROWS);

    if (bits == 0)
        return a;
    cudaMemsetAsync(c->s.counts, 0, sizeof(*c->s.counts) << bits, 0);
    count_upper<<<(unsigned)(needed < most ? needed : most), COUNTERS,
                  sizeof(unsigned) << (bits - 1)>>>(c->s.counts, w->x, w->n,
                                                    field_digit(f, f.bits - bits, bits));
    scan_upper<<<((1u << bits) + COUNTERS - 1) / COUNTERS, COUNTERS>>>(c->s, w->n);
    if (bits > c->s.first) {
        count_tiles<<<1, DIGITS>>>(c->s);
        a.y = w->y;
        a.y_values = w->y_values;
        move_level(w, c, a, 0, field_digit(f, f.bits - c->s.first, c->s.first));
        a = (struct arrays){w->other, w->other_values, w->y, w->y_values};
        move_level(w, c, a, 1, field_digit(f, f.bits - bits, bits - c->s.first));
    } else
        move_level(w, c, a, 0, field_digit(f, f.bits - bits, bits));
    a.x = w->other;
    a.values = w->other_values;
    return a;
}

template <int ITEMS_HERE, int T>
static void finish_all(const struct work *w, const struct cut *c, struct arrays a)
{
    struct field f = field_digit(w->field, 0, w->field.bits - c->s.bits);

    if (c->keep)
        finish<ITEMS_HERE, T, true>
            <<<1u << c->s.bits, T, finish_bytes<ITEMS_HERE, T>(true)>>>(a, c->s, w->n, f);
    else
        finish<ITEMS_HERE, T, false>
            <<<1u << c->s.bits, T, finish_bytes<ITEMS_HERE, T>(false)>>>(a, c->s, w->n, f);
}

/* The kernel for what is crowded, or was. */
static void leave(const struct work *w, struct cut *c)
{
    bool values = w->values != NULL, far = w->n >> 30 != 0;
    size_t tiles = sort_tiles_of(w->n, TILE);
    size_t most = far ? resident()->far[values] : resident()->crowded[values];
    struct arrays y = {w->y, w->y_values, w->x, w->values};
    struct arrays other = {w->other, w->other_values, w->x, w->values};
    void *arguments[] = {&y,        &other,        &c->s.crowded,    &c->totals,
                         &c->words, (void *)&w->n, (void *)&w->field};
    dim3 grid((unsigned)(tiles < most ? tiles : most)), block(THREADS);

    if (far)
        cudaLaunchCooperativeKernel(values ? sort_crowded<u64, true> : sort_crowded<u64, false>,
                                    grid, block, arguments, KEPT_BYTES(values), 0);
    else
        cudaLaunchCooperativeKernel(values ? sort_crowded<unsigned, true>
                                           : sort_crowded<unsigned, false>,
                                    grid, block, arguments, KEPT_BYTES(values), 0);
}

static void launch(struct work *w)
{
    struct cut c = cut_of(w);
    struct arrays a;

    if (w->n == 0)
        return;
    cudaMemsetAsync(c.totals, 0, 8 * DIGITS * sizeof(u64) + sizeof(*c.s.crowded), 0);
    if (c.crowded)
        cudaMemsetAsync(c.s.crowded, 1, sizeof(*c.s.crowded), 0);
    else {
        a = gather(w, &c);
        a.y = w->y;
        a.y_values = w->y_values;
        if (c.large)
            finish_all<LARGE, 2 * THREADS>(w, &c, a);
        else
            finish_all<SMALL, THREADS>(w, &c, a);
    }
    leave(w, &c);
}

static const struct variant variants[] = {
    {"msd", "moved by the highest bits first, finished by a block per segment", launch,
     GRID_BY_SIZE | WAITS, NULL, NULL, NULL, NULL, THREADS},
};

STEP("sort-msd", sort_family, variants);
