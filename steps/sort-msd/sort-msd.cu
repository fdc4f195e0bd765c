/*
 * sort-msd: the highest digit first, until a block can sort the rest alone
 *
 * Idea      Move the keys by their upper bits first. No other key belongs among those with the
 *           same ones, a segment. With 4000 keys it fits a block's shared memory, and is finished.
 * Since     sort-onesweep moved all keys once per digit: 4 times for 32 bits. Here they move by
 *           two digits, and once more. Any place in a segment will do, so an atomic gives it out.
 * Expect    7 passes over memory instead of 9, and no waiting for other tiles. What crowds in few
 *           segments is counted if 16 bits are left, or sorted by the lowest digit first.
 * Source    Stehle and Jacobsen, "A Memory Bandwidth-Efficient Hybrid Radix Sort on GPUs", 2017;
 *           Adinets and Merrill, "Onesweep", 2022, for what is sorted by the lowest digit first.
 */
#include <math.h>
#include "families/sort/segments_in_order.h"

typedef unsigned long long u64;

#define FLAGS 5                  /* words: crowded, minus, and the numbers of tasks */
#define MOST_BITS 16             /* of the segments: what shared memory has counters for */
#define FEWEST ((size_t)1 << 20) /* keys, of which more bits than needed may be the segments' */
#define SMALL 9                  /* keys of a thread, of a segment of a usual array, */
#define LARGE 17 /* and of a large one, which is finished by twice as many threads */
#define BLOCKS_OF(threads) ((threads) > THREADS ? 1 : sizeof(number) > 4 ? 2 : 3)

/* Kernel 1: how many keys each segment will have. */
static __global__ void __launch_bounds__(COUNTERS)
count_upper(struct segments s, const element *x, size_t n, struct field f)
{
    extern __shared__ element4 memory[];
    unsigned *counters = (unsigned *)memory, words = (1u << f.bits) / 2;

    for (unsigned k = threadIdx.x; k < words; k += COUNTERS)
        counters[k] = 0;
    __syncthreads();
    if (count_keys(counters, s.counts, x, (size_t)blockIdx.x * COUNTERS * ROWS,
                   (size_t)gridDim.x * COUNTERS * ROWS, n, f))
        tell(s.minus);
    __syncthreads();
    add_counters(s.counts, counters, words);
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
        leave_segment(&s, i, own);
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

/* Which key of its tile a thread's first one is: a warp's lie together, 32 of them in a row. */
static __device__ __forceinline__ unsigned first_of_tile(void)
{
    return threadIdx.x / 32 * 32 * ITEMS + threadIdx.x % 32;
}

static __device__ __forceinline__ void load_piece(element *key, const element *x, struct piece p)
{
    const element *from = x + p.begin + first_of_tile();

    if (p.here == TILE) {
#pragma unroll
        for (int k = 0; k < ITEMS; k++)
            key[k] = from[k * 32];
    } else {
#pragma unroll
        for (int k = 0; k < ITEMS; k++)
            key[k] = first_of_tile() + k * 32 < p.here ? from[k * 32] : 0;
    }
}

/* Ranks of a thread's keys among those of their digits, in any order, and above 16 bits the digits:
 * counts are the tile's. FULL: all threads have all keys. */
template <bool FULL>
static __device__ __forceinline__ void rank_any(unsigned *rank, const element *key,
                                                unsigned *counts, unsigned here, struct field f)
{
    unsigned one, from = first_of_tile();
    bool same = FULL;

#pragma unroll
    for (int k = 0; k < ITEMS; k++)
        rank[k] = (unsigned)field_of(key[k], f);
    one = __shfl_sync(WARP, rank[0], 0);
#pragma unroll
    for (int k = 0; k < ITEMS; k++)
        same = same && rank[k] == one;
    if (__all_sync(WARP, same)) { /* one addition for the warp, as for sorted keys */
        unsigned first = threadIdx.x % 32 == 0 ? atomicAdd(&counts[one], 32 * ITEMS) : 0;

        first = __shfl_sync(WARP, first, 0) + threadIdx.x % 32;
#pragma unroll
        for (int k = 0; k < ITEMS; k++)
            rank[k] = one << 16 | (first + k * 32);
        return;
    }
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        if (FULL || from + k * 32 < here)
            rank[k] = rank[k] << 16 | atomicAdd(&counts[rank[k]], 1);
    }
}

/* What move_any has in shared memory besides the keys. */
struct places {
    unsigned counts[DIGITS], begin[DIGITS], shift[DIGITS];
};

/* Put a piece's keys in order by a digit in shared memory. How much further the keys of the
 * thread's digit go: next[d] is where the digit's next key does. */
template <bool FULL>
static __device__ __forceinline__ unsigned order_piece(element *keys, struct places *s,
                                                       const element *key, unsigned *next,
                                                       unsigned here, struct field f)
{
    unsigned rank[ITEMS], own, all, before, to;

    rank_any<FULL>(rank, key, s->counts, here, f);
    __syncthreads();
    own = threadIdx.x < DIGITS ? s->counts[threadIdx.x] : 0;
    to = own > 0 ? atomicAdd(&next[threadIdx.x], own) : 0;
    before = sum_before(own, &all);
    if (threadIdx.x < DIGITS) {
        s->begin[threadIdx.x] = before;
        s->counts[threadIdx.x] = 0;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        if (FULL || first_of_tile() + k * 32 < here)
            keys[s->begin[rank[k] >> 16] + (rank[k] & 0xffff)] = key[k];
    }
    return to - before;
}

/* Kernel 4, for keys alone: any place among the keys of the digit will do, so an atomic gives it
 * out. The next tile's keys are on their way while those of this one are written. */
static __global__ void __launch_bounds__(THREADS, 2)
move_any(element *y, const element *x, struct segments s, unsigned level, size_t n, struct field f)
{
    extern __shared__ element4 memory[];
    __shared__ struct places places;
    element *keys = (element *)memory, key[ITEMS];
    unsigned digit = 0, tile = blockIdx.x;
    struct piece p;

    if (is_crowded(s.crowded))
        return;
    if (threadIdx.x < DIGITS)
        places.counts[threadIdx.x] = 0;
    p = piece_of(tile, &digit, &s, level, n);
    load_piece(key, x, p);
    __syncthreads();
    while (p.here > 0) {
        unsigned here = p.here, further;
        unsigned *next = level > 0 ? s.next + (p.digit << f.bits) : s.digits;

        if (here == TILE)
            further = order_piece<true>(keys, &places, key, next, here, f);
        else
            further = order_piece<false>(keys, &places, key, next, here, f);
        tile += gridDim.x;
        p = piece_of(tile, &digit, &s, level, n);
        load_piece(key, x, p);
        if (threadIdx.x < DIGITS)
            places.shift[threadIdx.x] = further;
        __syncthreads();
        if (here == TILE) {
#pragma unroll
            for (int k = 0; k < ITEMS; k++) {
                unsigned i = k * THREADS + threadIdx.x;
                element own = keys[i];

                y[places.shift[field_of(own, f)] + i] = own;
            }
        } else {
            for (unsigned i = threadIdx.x; i < here; i += THREADS)
                y[places.shift[field_of(keys[i], f)] + i] = keys[i];
        }
    }
}

/* A segment in shared memory, for a block of T threads with up to I keys each. Items are what is
 * compared: of keys alone their numbers; of pairs the bits that are left, and below them the slot
 * that the pair lies in. Behind the items there are some that are the highest. */
template <int I, int T, bool PAIRS> struct hall {
    number items[I * T + I];
    uint4 bins4[2 * T]; /* two bins per word: at first how many items, then where they begin */
    element keys[PAIRS ? I * T : 1];
    unsigned tags[PAIRS ? I * T : 1];
};

#define SLOT_BITS 13 /* of SMALL */

template <bool PAIRS>
static __device__ __forceinline__ number item_of(element key, unsigned slot, struct field f)
{
    return PAIRS ? field_of(key, f) << SLOT_BITS | slot : number_of(key) ^ (number)f.flip;
}

/* What a thread has of a segment: its keys, of which it has those k with k * T < left. */
template <int I, int T, bool PAIRS> struct load {
    element key[I];
    unsigned tag[PAIRS ? I : 1], base;
    int left;
};

template <int I, int T, bool PAIRS>
static __device__ __forceinline__ void load_segment(struct load<I, T, PAIRS> *l, struct arrays a,
                                                    const struct segments *s, unsigned segment)
{
    const element *from;

    l->base = begin_of(s, segment);
    l->left = (int)(begin_of(s, segment + 1) - l->base - threadIdx.x);
    from = a.x + l->base + threadIdx.x;
#pragma unroll
    for (int k = 0; k < I; k++)
        l->key[k] = k * T < l->left ? from[k * T] : 0;
#pragma unroll
    for (int k = 0; PAIRS && k < I; k++)
        l->tag[k] = k * T < l->left ? a.values[l->base + threadIdx.x + k * T] : 0;
}

#define ROUNDS(I) ((I) > 9 ? 7 : 5)

/* Put I items that lie together in order, if none has to go further than the rounds move it.
 * Whether they were not. */
template <int I> static __device__ __forceinline__ bool sort_window(number *items, bool ask)
{
    number own[I];
    bool unsorted = false;

#pragma unroll
    for (int k = 0; k < I; k++)
        own[k] = items[k];
    if (ask) {
#pragma unroll
        for (int k = 0; k + 1 < I; k++)
            unsorted = unsorted || own[k] > own[k + 1];
    }
#pragma unroll
    for (int round = 0; round < ROUNDS(I); round++) {
#pragma unroll
        for (int k = round % 2; k + 1 < I; k += 2) {
            number low = min(own[k], own[k + 1]);

            own[k + 1] = max(own[k], own[k + 1]);
            own[k] = low;
        }
    }
#pragma unroll
    for (int k = 0; k < I; k++)
        items[k] = own[k];
    return unsorted;
}

/* The segment from this one on, of those that are `step` apart, that a block has to finish. */
static __device__ unsigned next_segment(const struct segments *s, unsigned segment, unsigned step)
{
    unsigned all = 1u << s->bits, some = 0;

    if (segment >= all || begin_of(s, segment + 1) - begin_of(s, segment) - 1 < s->capacity)
        return segment;
    for (; segment < all && !some; segment += 32 * step) { /* a lane looks at each */
        unsigned at = segment + threadIdx.x % 32 * step;

        some = __ballot_sync(WARP,
                             at < all && begin_of(s, at + 1) - begin_of(s, at) - 1 < s->capacity);
        if (some)
            return segment + (__ffs((int)some) - 1) * step;
    }
    return all;
}

/* Count the items in bins of the upper bits that differ: ranks, and above 16 bits the bins. Whether
 * too many share one. */
template <int I, int T, bool PAIRS>
static __device__ __forceinline__ bool count_bins(unsigned *rank, struct hall<I, T, PAIRS> *r,
                                                  const number *item, int left, number differ,
                                                  bool *exact, bool *together)
{
    unsigned width = width_of(differ), most = 0, *bins = (unsigned *)r->bins4;
    unsigned shift = width > BIN_BITS(T) ? width - BIN_BITS(T) : 0;

    if (PAIRS && shift < SLOT_BITS)
        shift = SLOT_BITS;
    *exact = !PAIRS && (differ & (((number)1 << shift) - 1)) == 0;
    for (unsigned k = threadIdx.x; k < 2 * T; k += T)
        r->bins4[k] = make_uint4(0, 0, 0, 0);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < I; k++) {
        unsigned bin = (unsigned)(item[k] >> shift) & BIN_MASK(T), high = bin % 2 * 16;

        rank[k] = bin << 16;
        if (k * T < left)
            rank[k] |= atomicAdd(&bins[bin / 2], 1u << high) >> high & 0xffff;
        most = max(most, rank[k] & 0xffff);
    }
    *together = __syncthreads_or(most >= ROUNDS(I));
    return *together && !*exact && __syncthreads_or(most >= CROWD);
}

/* What of a thread's keys is compared. Pairs are laid in their slots. */
template <int I, int T, bool PAIRS>
static __device__ __forceinline__ void take_items(number *item, struct hall<I, T, PAIRS> *r,
                                                  const struct load<I, T, PAIRS> *l, struct field f)
{
#pragma unroll
    for (int k = 0; k < I; k++) {
        item[k] = item_of<PAIRS>(l->key[k], k * T + threadIdx.x, f);
        if (PAIRS) {
            r->keys[k * T + threadIdx.x] = l->key[k];
            r->tags[k * T + threadIdx.x] = l->tag[k];
        }
    }
}

/* The bits in which a segment's items differ; one: any of its items. */
template <int I, int T, bool PAIRS>
static __device__ __forceinline__ number differing_items(const number *item, int left, number one)
{
    number differ = 0;

#pragma unroll
    for (int k = 0; k < I; k++)
        differ |= k * T < left ? item[k] ^ one : 0;
    if (PAIRS)
        differ = differ >> SLOT_BITS << SLOT_BITS;
    return differing(differ);
}

/* Put the items in the order of their bins, and behind them the highest ones. */
template <int I, int T, bool PAIRS>
static __device__ __forceinline__ void place_items(struct hall<I, T, PAIRS> *r, const number *item,
                                                   const unsigned *rank, int left)
{
    const unsigned short *begin = (const unsigned short *)r->bins4;

#pragma unroll
    for (int k = 0; k < I; k++) {
        if (k * T < left)
            r->items[begin[rank[k] >> 16] + (rank[k] & 0xffff)] = item[k];
        else
            r->items[k * T + threadIdx.x] = ~(number)0;
    }
}

/* Sort what shares a bin; `together`: until no neighbours change places, because it may be many. */
template <int I> static __device__ __forceinline__ void sort_bins(number *items, bool together)
{
    bool unsorted;

    do {
        unsorted = sort_window<I>(items + threadIdx.x * I, together);
        __syncthreads();
        unsorted = sort_window<I>(items + threadIdx.x * I + I / 2, together) || unsorted;
        __syncthreads();
    } while (together && __syncthreads_or(unsorted));
}

/* Write the thread's part of a segment: base is where its first key goes. */
template <int I, int T, bool PAIRS>
static __device__ __forceinline__ void write_items(struct arrays a, unsigned base,
                                                   const struct hall<I, T, PAIRS> *r, int left,
                                                   struct field f)
{
#pragma unroll
    for (int k = 0; k < I; k++) {
        if (k * T < left) {
            number own = r->items[k * T + threadIdx.x];

            a.y[base + k * T] = PAIRS ? r->keys[own % (1u << SLOT_BITS)] : to_key(own, f);
            if (PAIRS)
                a.y_values[base + k * T] = r->tags[own % (1u << SLOT_BITS)];
        }
    }
}

/* Kernel 5: sort each segment by the bits that are left. The upper 13 or 14 of those that differ give
 * a bin. There are more bins than keys, so that few keys share one, and neighbours that are not in
 * order change places. The next segment's keys are on their way meanwhile. */
template <int I, int T, bool PAIRS>
static __global__ void __launch_bounds__(T, PAIRS ? 2 : BLOCKS_OF(T))
finish(struct arrays a, struct segments s, struct field f)
{
    extern __shared__ element4 memory[];
    struct hall<I, T, PAIRS> *r = (struct hall<I, T, PAIRS> *)memory;
    unsigned all = 1u << s.bits, segment = next_segment(&s, blockIdx.x, gridDim.x), rank[I];
    struct load<I, T, PAIRS> next;

    if (__syncthreads_or(is_crowded(s.crowded))) /* another block may say so meanwhile */
        return;
    if (threadIdx.x < I)
        r->items[I * T + threadIdx.x] = ~(number)0;
    if (segment < all)
        load_segment(&next, a, &s, segment);
    while (segment < all) {
        unsigned base = next.base + threadIdx.x;
        int left = next.left;
        bool exact, together, crowded;
        number item[I], differ = (number)f.mask << (PAIRS ? SLOT_BITS : 0);

        take_items(item, r, &next, f);
        crowded = count_bins(rank, r, item, left, differ, &exact, &together);
        if (crowded) { /* some bits are the same in all keys: take those that differ */
            differ = differing_items<I, T, PAIRS>(item, left, item_of<PAIRS>(a.x[next.base], 0, f));
            crowded = count_bins(rank, r, item, left, differ, &exact, &together);
        }
        if (crowded && threadIdx.x == 0)
            leave_segment(&s, segment, (unsigned)left);
        if (crowded)
            left = 0;
        else
            begin_bins(r->bins4);
        place_items(r, item, rank, left);
        segment = next_segment(&s, segment + gridDim.x, gridDim.x);
        if (segment < all)
            load_segment(&next, a, &s, segment);
        __syncthreads();
        if (!exact && !crowded)
            sort_bins<I>(r->items, together);
        write_items(a, base, r, left, f);
        if (PAIRS)
            __syncthreads(); /* before the next pairs take their places */
    }
}

/* The dynamic shared memory of the kernels, in bytes. */
#define COUNTED_BYTES (WORDS_LEFT * sizeof(unsigned))
#define MOVED_BYTES (TILE * sizeof(element))
#define KEPT_BYTES(values)                                                                         \
    (TILE * (sizeof(element) + ((values) ? sizeof(unsigned) : 0))) /* the counts need less */

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

/* How many blocks of each kernel are resident at once; [1]: with values. */
struct resident {
    int count, any, order[2], crowded[2], far[2], small[2], large[2], pairs, counted;
};

static const struct resident *resident(void)
{
    static struct resident r;

    if (r.count > 0)
        return &r;
    r.any = allow(move_any, THREADS, MOVED_BYTES);
    r.order[0] = allow(move_in_order<false>, THREADS, KEPT_BYTES(false));
    r.order[1] = allow(move_in_order<true>, THREADS, KEPT_BYTES(true));
    r.crowded[0] = allow(sort_crowded<unsigned, false>, THREADS, KEPT_BYTES(false));
    r.crowded[1] = allow(sort_crowded<unsigned, true>, THREADS, KEPT_BYTES(true));
    r.far[0] = allow(sort_crowded<u64, false>, THREADS, KEPT_BYTES(false));
    r.far[1] = allow(sort_crowded<u64, true>, THREADS, KEPT_BYTES(true));
    r.small[0] = allow(finish<SMALL, THREADS, false>, THREADS, sizeof(hall<SMALL, THREADS, false>));
    r.pairs = allow(finish<SMALL, THREADS, true>, THREADS, sizeof(hall<SMALL, THREADS, true>));
    r.small[1] = allow(finish_in_order<SMALL, THREADS>, THREADS, sizeof(room<SMALL, THREADS>));
    r.large[0] = allow(finish<LARGE, 2 * THREADS, false>, 2 * THREADS,
                       sizeof(hall<LARGE, 2 * THREADS, false>));
    r.large[1] =
        allow(finish_in_order<LARGE, 2 * THREADS>, 2 * THREADS, sizeof(room<LARGE, 2 * THREADS>));
    r.counted = allow(count_segments, COUNTERS, COUNTED_BYTES);
    r.count = allow(count_upper, COUNTERS, COUNTED_BYTES);
    return &r;
}

/* As many blocks as there is work for, of those that are resident at once. */
static unsigned grid_of(size_t blocks, size_t most)
{
    return (unsigned)(blocks < most ? blocks : most);
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

/* Where the counters of each kind begin. */
static void divide_counters(struct cut *c, const struct work *w)
{
    size_t room = (size_t)1 << c->s.bits;
    unsigned *flags = (unsigned *)(w->counters + 8 * DIGITS);

    c->totals = w->counters;
    c->s.crowded = flags;
    c->s.minus = flags + 1;
    c->s.digits = (unsigned *)(w->counters + 9 * DIGITS);
    c->s.tiles = c->s.digits + DIGITS;
    c->s.counts = c->s.tiles + 2 * DIGITS;
    c->s.begin = c->s.counts + room;
    c->s.next = c->s.begin + room + 1;
    c->words = w->counters + (c->s.bits > DIGIT_BITS ? 2 * (size_t)65536 : 16 * DIGITS);
    if (!c->keep && c->s.bits == MOST_BITS && sizeof(number) == 4) {
        c->s.tasks = (struct tasks){flags + 2, flags + 3, flags + 4, (struct task *)c->words, NULL};
        c->s.tasks.tables = (unsigned *)(c->s.tasks.list + room + w->n / PIECE);
    }
}

static struct cut cut_of(const struct work *w, bool counted)
{
    const struct resident *r = resident();
    struct cut c = {};

    c.s.n = (unsigned)w->n;
    c.s.capacity = SMALL * THREADS;
    c.s.bits = bits_for(w->n, c.s.capacity);
    c.keep =
        w->values || w->field.bits < 8 * sizeof(element) || ((element)0.5 != 0 && c.s.bits == 0);
    if (c.s.bits > MOST_BITS && r->large[c.keep] > 0) {
        c.large = true;
        c.s.capacity = LARGE * 2 * THREADS;
        c.s.bits = bits_for(w->n, c.s.capacity);
    }
    c.crowded = c.s.bits > MOST_BITS || w->field.bits <= MOST_BITS || r->count == 0 ||
                r->small[c.keep] == 0 || (c.keep && w->n >> 30);
    if (c.crowded)
        c.s.bits = 0;
    else if (counted && !c.keep && w->n >= FEWEST)
        c.s.bits = MOST_BITS;
    c.s.first = c.s.bits > DIGIT_BITS ? (c.s.bits + 1) / 2 : c.s.bits;
    divide_counters(&c, w);
    return c;
}

/* Kernel 4, for one level: a digit of the upper bits. */
static void move_level(const struct work *w, const struct cut *c, struct arrays a, unsigned level,
                       struct field f)
{
    bool values = w->values != NULL;
    size_t first = sort_tiles_of(w->n, TILE), tiles = first + (level > 0 ? DIGITS : 0);
    unsigned *words = (unsigned *)c->words + (level > 0 ? first * DIGITS : 0);
    void *arguments[] = {&a, (void *)&c->s, &level, &words, (void *)&w->n, &f};

    if (!c->keep) {
        move_any<<<grid_of(tiles, resident()->any), THREADS, MOVED_BYTES>>>(a.y, a.x, c->s, level,
                                                                            w->n, f);
        return;
    }
    cudaMemsetAsync(words, 0, tiles * DIGITS * sizeof(*words), 0);
    cudaLaunchCooperativeKernel(values ? move_in_order<true> : move_in_order<false>,
                                dim3(grid_of(tiles, resident()->order[values])), dim3(THREADS),
                                arguments, KEPT_BYTES(values), 0);
}

/* Kernels 1 to 4: what has the same upper bits lies together. Where it does. */
static struct arrays gather(const struct work *w, const struct cut *c)
{
    unsigned bits = c->s.bits;
    struct field f = w->field;
    struct arrays a = {w->other, w->other_values, w->x, w->values};
    unsigned grid = grid_of(sort_tiles_of(w->n, COUNTERS * ROWS), resident()->count);

    if (bits == 0)
        return a;
    cudaMemsetAsync(c->s.counts, 0, sizeof(*c->s.counts) << bits, 0);
    count_upper<<<grid, COUNTERS, sizeof(unsigned) << (bits - 1)>>>(
        c->s, w->x, w->n, field_digit(f, f.bits - bits, bits));
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

/* Kernel 5: by what must be kept, and by how many keys a segment may have. */
static void finish_all(const struct work *w, const struct cut *c, struct arrays a)
{
    const struct resident *r = resident();
    struct field f = field_digit(w->field, 0, w->field.bits - c->s.bits);
    unsigned segments = 1u << c->s.bits;
    bool fits = f.bits + SLOT_BITS <= 8 * sizeof(number) && r->pairs > 0; /* a pair an item */

    if (c->large && c->keep)
        finish_in_order<LARGE, 2 * THREADS>
            <<<segments, 2 * THREADS, sizeof(room<LARGE, 2 * THREADS>)>>>(a, c->s, f);
    else if (c->large)
        finish<LARGE, 2 * THREADS, false><<<grid_of(segments, r->large[0]), 2 * THREADS,
                                            sizeof(hall<LARGE, 2 * THREADS, false>)>>>(a, c->s, f);
    else if (w->values && fits)
        finish<SMALL, THREADS, true>
            <<<grid_of(segments, r->pairs), THREADS, sizeof(hall<SMALL, THREADS, true>)>>>(a, c->s,
                                                                                           f);
    else if (c->keep)
        finish_in_order<SMALL, THREADS>
            <<<segments, THREADS, sizeof(room<SMALL, THREADS>)>>>(a, c->s, f);
    else
        finish<SMALL, THREADS, false>
            <<<grid_of(segments, r->small[0]), THREADS, sizeof(hall<SMALL, THREADS, false>)>>>(
                a, c->s, f);
}

/* The kernel for what is crowded, or was. */
static void leave(const struct work *w, struct cut *c)
{
    bool values = w->values != NULL, far = w->n >> 30 != 0;
    size_t most = far ? resident()->far[values] : resident()->crowded[values];
    struct arrays y = {w->y, w->y_values, w->x, w->values};
    struct arrays other = {w->other, w->other_values, w->x, w->values};
    void *arguments[] = {&y,         &other,    &c->s.crowded, &c->s.minus,
                         &c->totals, &c->words, (void *)&w->n, (void *)&w->field};
    dim3 grid(grid_of(sort_tiles_of(w->n, TILE), most)), block(THREADS);

    if (far)
        cudaLaunchCooperativeKernel(values ? sort_crowded<u64, true> : sort_crowded<u64, false>,
                                    grid, block, arguments, KEPT_BYTES(values), 0);
    else
        cudaLaunchCooperativeKernel(values ? sort_crowded<unsigned, true>
                                           : sort_crowded<unsigned, false>,
                                    grid, block, arguments, KEPT_BYTES(values), 0);
}

/* The kernel for the segments that are counted. */
static void count_rest(const struct work *w, struct cut *c, struct arrays a)
{
    void *arguments[] = {&a.y,        &a.x,          &c->s.begin,   &c->s.tasks,
                         &c->s.minus, (void *)&w->x, (void *)&w->n, (void *)&w->field};

    cudaLaunchCooperativeKernel(count_segments,
                                dim3(grid_of(sort_tables(w->n), resident()->counted)),
                                dim3(COUNTERS), arguments, COUNTED_BYTES, 0);
}

static void sort_by(struct work *w, bool counted)
{
    struct cut c = cut_of(w, counted);
    struct arrays a;

    if (w->n == 0)
        return;
    cudaMemsetAsync(c.totals, 0, 8 * DIGITS * sizeof(u64) + FLAGS * sizeof(unsigned), 0);
    if (c.crowded) {
        cudaMemsetAsync(c.s.crowded, 1, sizeof(*c.s.crowded), 0);
        leave(w, &c);
        return;
    }
    a = gather(w, &c);
    a.y = w->y;
    a.y_values = w->y_values;
    finish_all(w, &c, a);
    if (c.s.tasks.list)
        count_rest(w, &c, a);
    else
        leave(w, &c);
}

static void launch(struct work *w)
{
    sort_by(w, false);
}

static void launch_counted(struct work *w)
{
    sort_by(w, true);
}

static const struct launches launches[] = {
    {COUNTED, {"-n 30011 -t 512 -v msd"}},
    {TESTED,
     {"-n 2^20 -v counted --input few", "-n 2^20 -v counted --input equal --order descending",
      "-n 1050003 -v counted --input hostile --type f32", "-n 2^20 -v counted --type f32",
      "-n 1200007 -v counted --type f32"}},
    {SANITIZED, {"-n 2^20 -v counted --input few"}},
    {0},
};

static const struct variant variants[] = {
    {"msd", "moved by the highest bits first, finished by a block per segment", launch,
     GRID_BY_SIZE | WAITS, NULL, NULL, NULL, NULL, THREADS},
    {"counted", "moved by the upper 16 bits, what crowds is counted by the others", launch_counted,
     GRID_BY_SIZE | WAITS, NULL, NULL, NULL, NULL, THREADS, NULL, NULL, "0"},
};

STEP("sort-msd", sort_family, variants, launches);
