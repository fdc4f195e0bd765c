/*
 * sort-msd: the highest digit first, until a block can sort the rest alone
 *
 * Idea      Move the keys by their upper bits first. No other key belongs among those with the
 *           same ones, a segment. With 4000 keys it fits a block's shared memory, and is finished.
 * Since     sort-onesweep moved all keys once per digit: 4 times for 32 bits. Here they move by
 *           two digits, and once more. Any place in a segment will do, so an atomic gives it out.
 * Expect    7 passes over memory instead of 9, and no waiting for other tiles. A segment that has
 *           too many keys is moved by a digit more; if it still has, its values are counted.
 * Source    Stehle and Jacobsen, "A Memory Bandwidth-Efficient Hybrid Radix Sort on GPUs", 2017;
 *           Adinets and Merrill, "Onesweep", 2022, for what is sorted by the lowest digit first.
 */
#include <math.h>
#include "families/sort/segments_in_order.h"
#include "families/sort/spread.h"

typedef unsigned long long u64;

#define MOST_BITS 16 /* of the segments: what shared memory has counters for */
/* Keys, of which `counted` counts what crowds; of which what has too many for a block moves on. */
#ifdef SMALL_LIMITS
#define FEWEST ((size_t)1 << 15)
#define FEWEST_SPREAD ((size_t)1 << 16)
#else
#define FEWEST ((size_t)1 << 20)
#define FEWEST_SPREAD ((size_t)1 << 22)
#endif
#define MOST_PIECE (1u << 20) /* keys that one block counts at a time, where tables are large */
#define SMALL 9               /* keys of a thread, of a segment of a usual array, */
#define LARGE 17              /* and of a large one, which is finished by twice as many threads */
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
    if (own > s.capacity && s.spread.list)
        s.spread.list[atomicAdd(s.spread.made, 1)] = i;
    else if (own > s.capacity)
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

/* The tiles of a level: of the whole array, or of the digits of the first one. */
struct level {
    struct segments s;
    unsigned number, digit, tile;
    size_t n;
    struct field f;
    __device__ __forceinline__ struct piece take(void)
    {
        struct piece p = piece_of(tile, &digit, &s, number, n);

        tile += gridDim.x;
        return p;
    }
    __device__ __forceinline__ unsigned *next(struct piece p) const
    {
        return number > 0 ? s.next + (p.digit << f.bits) : s.digits;
    }
    __device__ __forceinline__ struct field field(struct piece) const
    {
        return f;
    }
};

/* Kernel 4, for keys alone. */
static __global__ void __launch_bounds__(THREADS, 2)
move_any(element *y, const element *x, struct segments s, unsigned number, size_t n, struct field f)
{
    struct level level = {s, number, 0, blockIdx.x, n, f};

    if (!is_crowded(s.crowded))
        move_pieces(y, x, &level);
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

template <bool SPREAD, int I, int T, bool PAIRS>
static __device__ __forceinline__ void load_segment(struct load<I, T, PAIRS> *l, struct arrays a,
                                                    const struct segments *s, unsigned segment)
{
    const element *from;

    l->base = begin_of<SPREAD>(s, segment);
    l->left = (int)(count_of<SPREAD>(s, segment) - threadIdx.x);
    from = (SPREAD && is_spread(s, segment) ? a.y : a.x) + l->base + threadIdx.x;
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
template <bool SPREAD>
static __device__ unsigned next_segment(const struct segments *s, unsigned all, unsigned segment,
                                        unsigned step)
{
    unsigned some = 0;

    if (segment >= all || count_of<SPREAD>(s, segment) - 1 < s->capacity)
        return segment;
    for (; segment < all && !some; segment += 32 * step) { /* a lane looks at each */
        unsigned at = segment + threadIdx.x % 32 * step;

        some = __ballot_sync(WARP, at < all && count_of<SPREAD>(s, at) - 1 < s->capacity);
        if (some)
            return segment + (__ffs((int)some) - 1) * step;
    }
    return all;
}

/* The item's bits where the mask has some, pushed together: the upper ones, as many as a bin has. */
template <int T> static __device__ __noinline__ unsigned gather(number item, number mask)
{
    unsigned bin = 0;

    for (unsigned k = 0; k < BIN_BITS(T) && mask != 0; k++) {
        number top = (number)1 << (width_of(mask) - 1);

        bin = bin << 1 | ((item & top) != 0);
        mask ^= top;
    }
    return bin;
}

/* Count the items in bins of the upper bits of `differ`; GATHER: others may lie between them. Ranks,
 * and above 16 bits the bins. Whether too many share one. */
template <int I, int T, bool PAIRS, bool GATHER>
static __device__ __forceinline__ bool count_bins(unsigned *rank, struct hall<I, T, PAIRS> *r,
                                                  const number *item, int left, number differ,
                                                  bool *exact, bool *together)
{
    unsigned width = width_of(differ), most = 0, *bins = (unsigned *)r->bins4;
    unsigned shift = width > BIN_BITS(T) ? width - BIN_BITS(T) : 0;
    bool between;

    if (PAIRS && shift < SLOT_BITS)
        shift = SLOT_BITS;
    between = GATHER && bits_of(differ >> shift) < width - shift;
    *exact = !PAIRS && (between ? bits_of(differ) <= BIN_BITS(T) : shift == 0);
    for (unsigned k = threadIdx.x; k < 2 * T; k += T)
        r->bins4[k] = make_uint4(0, 0, 0, 0);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < I; k++) {
        unsigned bin =
            between ? gather<T>(item[k], differ) : (unsigned)(item[k] >> shift) & BIN_MASK(T);
        unsigned high = bin % 2 * 16;

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
template <int I, int T, bool PAIRS, bool SPREAD>
static __global__ void __launch_bounds__(T, PAIRS ? 2 : BLOCKS_OF(T))
finish(struct arrays a, struct segments s, struct field f)
{
    extern __shared__ element4 memory[];
    struct hall<I, T, PAIRS> *r = (struct hall<I, T, PAIRS> *)memory;
    unsigned all = SPREAD ? all_segments(&s) : 1u << s.bits, rank[I];
    unsigned segment = next_segment<SPREAD>(&s, all, blockIdx.x, gridDim.x);
    struct load<I, T, PAIRS> next;

    if (__syncthreads_or(is_crowded(s.crowded))) /* another block may say so meanwhile */
        return;
    if (threadIdx.x < I)
        r->items[I * T + threadIdx.x] = ~(number)0;
    if (segment < all)
        load_segment<SPREAD>(&next, a, &s, segment);
    while (segment < all) {
        unsigned base = next.base + threadIdx.x;
        int left = next.left;
        bool exact, together, crowded;
        number item[I], differ = (number)f.mask << (PAIRS ? SLOT_BITS : 0);

        if (SPREAD && is_spread(&s, segment)) /* fewer bits are left */
            differ = ((number)1 << bits_left<SPREAD>(&s, segment)) - 1;
        take_items(item, r, &next, f);
        crowded = count_bins<I, T, PAIRS, false>(rank, r, item, left, differ, &exact, &together);
        if (crowded) { /* some bits are the same in all keys: take those that differ */
            element one = (SPREAD && is_spread(&s, segment) ? a.y : a.x)[next.base];

            differ = differing_items<I, T, PAIRS>(item, left, item_of<PAIRS>(one, 0, f));
            crowded = count_bins<I, T, PAIRS, true>(rank, r, item, left, differ, &exact, &together);
        }
        if (crowded && threadIdx.x == 0)
            leave_segment(&s, segment, (unsigned)left);
        if (crowded)
            left = 0;
        else
            begin_bins(r->bins4);
        place_items(r, item, rank, left);
        segment = next_segment<SPREAD>(&s, all, segment + gridDim.x, gridDim.x);
        if (segment < all)
            load_segment<SPREAD>(&next, a, &s, segment);
        __syncthreads();
        if (!exact && !crowded)
            sort_bins<I>(r->items, together);
        write_items(a, base, r, left, f);
        if (PAIRS)
            __syncthreads(); /* before the next pairs take their places */
    }
}

/* The dynamic shared memory of the kernels, in bytes. */
#define COUNTED_BYTES (MOST_WORDS * sizeof(unsigned))
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
    int count, any, spread, parts, order[2], crowded[2], far[2], small[2], large[2], pairs, counted;
};

static const struct resident *resident(void)
{
    static struct resident r;

    if (r.count > 0)
        return &r;
    r.any = allow(move_any, THREADS, MOVED_BYTES);
    r.spread = allow(spread_long, THREADS, MOVED_BYTES);
    r.order[0] = allow(move_in_order<false>, THREADS, KEPT_BYTES(false));
    r.order[1] = allow(move_in_order<true>, THREADS, KEPT_BYTES(true));
    r.crowded[0] = allow(sort_crowded<unsigned, false>, THREADS, KEPT_BYTES(false));
    r.crowded[1] = allow(sort_crowded<unsigned, true>, THREADS, KEPT_BYTES(true));
    r.far[0] = allow(sort_crowded<u64, false>, THREADS, KEPT_BYTES(false));
    r.far[1] = allow(sort_crowded<u64, true>, THREADS, KEPT_BYTES(true));
    r.small[0] =
        allow(finish<SMALL, THREADS, false, false>, THREADS, sizeof(hall<SMALL, THREADS, false>));
    r.parts =
        allow(finish<SMALL, THREADS, false, true>, THREADS, sizeof(hall<SMALL, THREADS, false>));
    r.pairs =
        allow(finish<SMALL, THREADS, true, false>, THREADS, sizeof(hall<SMALL, THREADS, true>));
    r.small[1] = allow(finish_in_order<SMALL, THREADS>, THREADS, sizeof(room<SMALL, THREADS>));
    r.large[0] = allow(finish<LARGE, 2 * THREADS, false, false>, 2 * THREADS,
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
    unsigned *none;       /* a flag that nobody sets */
    bool keep, large; /* equal keys keep their order; segments are finished by twice the threads */
    bool crowded;     /* from the beginning */
};

/* Room for so many words, from *at on. */
static unsigned *take(unsigned **at, size_t words)
{
    unsigned *begin = *at;

    *at += words;
    return begin;
}

/* Where that begins by which what crowds is counted, and long segments are moved before. */
static void divide_rest(struct cut *c, const struct work *w, unsigned *flags)
{
    size_t segments = w->n / c->s.capacity + 1, room = (size_t)1 << c->s.bits;
    unsigned *at = (unsigned *)c->words, few = c->s.left < 21 ? c->s.left - 5 : MOST_BITS;
    struct tasks *t = &c->s.tasks;

    t->made = flags + 2;
    t->shared = flags + 3;
    t->taken = flags + 4;
    if (c->s.bits == MOST_BITS) {
        t->table = 1u << c->s.left;
        t->piece = MOST_PIECE;
    } else {
        t->table = 1u << few;
        t->piece = SORT_PIECE;
        room = segments;
        c->s.spread.made = flags + 5;
        c->s.spread.list = take(&at, segments);
        c->s.spread.tiles = take(&at, segments + 1);
        c->s.spread.bits = take(&at, segments);
        c->s.spread.counts = take(&at, segments * DIGITS);
        c->s.spread.next = take(&at, segments * DIGITS);
    }
    t->list =
        (struct task *)take(&at, (room + w->n / t->piece) * sizeof(struct task) / sizeof(*at));
    t->tables = at;
}

/* Where the counters of each kind begin. Up to the segments' counts they begin as zeros. */
static void divide_counters(struct cut *c, const struct work *w)
{
    size_t room = (size_t)1 << c->s.bits;
    unsigned *flags = (unsigned *)(w->counters + 8 * DIGITS);

    c->s.left = w->field.bits - c->s.bits;
    c->totals = w->counters;
    c->s.crowded = flags;
    c->s.minus = flags + 1;
    c->none = flags + 6;
    c->s.digits = (unsigned *)(w->counters + 9 * DIGITS);
    c->s.tiles = c->s.digits + DIGITS;
    c->s.counts = c->s.tiles + 2 * DIGITS;
    c->s.begin = c->s.counts + room;
    c->s.next = c->s.begin + room + 1;
    c->words = w->counters + (c->s.bits > DIGIT_BITS ? 2 * (size_t)65536 : 16 * DIGITS);
    if (c->keep || c->large || c->crowded || sizeof(number) > 4)
        return;
    if (c->s.bits == MOST_BITS || (w->n >= FEWEST_SPREAD && c->s.left <= MOST_BITS + DIGIT_BITS))
        divide_rest(c, w, flags);
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

    timeline_begin("move", level, 0);
    if (!c->keep)
        move_any<<<grid_of(tiles, resident()->any), THREADS, MOVED_BYTES>>>(a.y, a.x, c->s, level,
                                                                            w->n, f);
    else {
        cudaMemsetAsync(words, 0, tiles * DIGITS * sizeof(*words), 0);
        cudaLaunchCooperativeKernel(values ? move_in_order<true> : move_in_order<false>,
                                    dim3(grid_of(tiles, resident()->order[values])), dim3(THREADS),
                                    arguments, KEPT_BYTES(values), 0);
    }
    timeline_end(0);
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
    timeline_begin("count", 0, 0);
    count_upper<<<grid, COUNTERS, sizeof(unsigned) << (bits - 1)>>>(
        c->s, w->x, w->n, field_digit(f, f.bits - bits, bits));
    timeline_end(0);
    timeline_begin("scan", 0, 0);
    scan_upper<<<((1u << bits) + COUNTERS - 1) / COUNTERS, COUNTERS>>>(c->s, w->n);
    if (bits > c->s.first)
        count_tiles<<<1, DIGITS>>>(c->s);
    timeline_end(0);
    if (bits > c->s.first) {
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
        finish<LARGE, 2 * THREADS, false, false>
            <<<grid_of(segments, r->large[0]), 2 * THREADS,
               sizeof(hall<LARGE, 2 * THREADS, false>)>>>(a, c->s, f);
    else if (w->values && fits)
        finish<SMALL, THREADS, true, false>
            <<<grid_of(segments, r->pairs), THREADS, sizeof(hall<SMALL, THREADS, true>)>>>(a, c->s,
                                                                                           f);
    else if (c->keep)
        finish_in_order<SMALL, THREADS>
            <<<segments, THREADS, sizeof(room<SMALL, THREADS>)>>>(a, c->s, f);
    else if (c->s.spread.list)
        finish<SMALL, THREADS, false, true>
            <<<r->parts, THREADS, sizeof(hall<SMALL, THREADS, false>)>>>(a, c->s, f);
    else
        finish<SMALL, THREADS, false, false>
            <<<grid_of(segments, r->small[0]), THREADS, sizeof(hall<SMALL, THREADS, false>)>>>(
                a, c->s, f);
}

/* The kernel for the long segments: from a.x to a.y. */
static void spread_all(const struct work *w, struct cut *c, struct arrays a)
{
    void *arguments[] = {&a.y, &a.x, &c->s, (void *)&w->field};

    timeline_begin("spread", 0, 0);
    cudaLaunchCooperativeKernel(spread_long,
                                dim3(grid_of(sort_tiles_of(w->n, TILE), resident()->spread)),
                                dim3(THREADS), arguments, MOVED_BYTES, 0);
    timeline_end(0);
}

/* The kernel for the segments that are counted. */
static void count_rest(const struct work *w, struct cut *c, struct arrays a)
{
    size_t most = c->s.spread.list ? w->n : sort_tables(w->n); /* each block has a table */
    void *arguments[] = {&a.y, &a.x, &c->s, (void *)&w->x, (void *)&w->n, (void *)&w->field};

    timeline_begin("what is left", 0, 0);
    cudaLaunchCooperativeKernel(count_segments, dim3(grid_of(most, resident()->counted)),
                                dim3(COUNTERS), arguments, COUNTED_BYTES, 0);
    timeline_end(0);
}

/* The kernel for what is crowded, or was. */
static void leave(const struct work *w, struct cut *c)
{
    bool values = w->values != NULL, far = w->n >> 30 != 0;
    size_t most = far ? resident()->far[values] : resident()->crowded[values];
    unsigned *minus = c->s.tasks.list ? c->none : c->s.minus; /* zeros are in order already */
    struct arrays y = {w->y, w->y_values, w->x, w->values};
    struct arrays other = {w->other, w->other_values, w->x, w->values};
    void *arguments[] = {&y,         &other,    &c->s.crowded, &minus,
                         &c->totals, &c->words, (void *)&w->n, (void *)&w->field};
    dim3 grid(grid_of(sort_tiles_of(w->n, TILE), most)), block(THREADS);

    timeline_begin("what is left", 1, 0);
    if (far)
        cudaLaunchCooperativeKernel(values ? sort_crowded<u64, true> : sort_crowded<u64, false>,
                                    grid, block, arguments, KEPT_BYTES(values), 0);
    else
        cudaLaunchCooperativeKernel(values ? sort_crowded<unsigned, true>
                                           : sort_crowded<unsigned, false>,
                                    grid, block, arguments, KEPT_BYTES(values), 0);
    timeline_end(0);
}

static void sort_by(struct work *w, bool counted)
{
    struct cut c = cut_of(w, counted);
    struct arrays a;

    if (w->n == 0)
        return;
    cudaMemsetAsync(w->counters, 0, (size_t)((char *)c.s.begin - (char *)w->counters), 0);
    if (c.crowded) {
        cudaMemsetAsync(c.s.crowded, 1, sizeof(*c.s.crowded), 0);
        leave(w, &c);
        return;
    }
    a = gather(w, &c);
    a.y = w->y;
    a.y_values = w->y_values;
    if (c.s.spread.list)
        spread_all(w, &c, a);
    timeline_begin("finish", 0, 0);
    finish_all(w, &c, a);
    timeline_end(0);
    if (c.s.tasks.list)
        count_rest(w, &c, a);
    if (!c.s.tasks.list || c.s.spread.list)
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
    {COUNTED, {"-n 8000 -t 512 -v msd"}}, /* one tile: no block waits */
    {RECORD | GPU_ONLY,
     {"-n 2^28 -v msd -r 3 -w 1 --timeline", "-n 2^24 --input few -r 7", "-n 2^24 --type f32 -r 7",
      "-n 2^24 --input digit -r 7", "-n 2^22 --type f32 -r 7"}},
    {TESTED,
     {"-n 2^20 -v counted --input few", "-n 2^20 -v counted --input equal --order descending",
      "-n 1050003 -v counted --input hostile --type f32", "-n 2^20 -v counted --type f32",
      "-n 1200007 -v counted --type f32", "-n 2^22 -v msd --input few",
      "-n 4200003 -v msd --input hostile --type f32", "-n 4200003 -v msd --type f32",
      "-n 2^22 -v msd --input equal --order descending --type i32",
      "-n 2^20 -v counted --input digit -r 1", "-n 2^22 -v msd --input digit"}},
    {CHECKED, {"-n 1050003 -v counted --input hostile --type f32"}}, /* zeros of both signs */
    {SANITIZED, {"-n 2^20 -v counted --input few", "-n 2^22 -v msd --input few"}},
    /* Segments that are full, or crowded; of pairs, too; several of them per block; what is counted,
     * and, from 131200 keys on, what is moved on. Of the 193701 floats one segment has 4608 keys and
     * one 4609: the most that a block finishes, and one more. The family's ask for other threads. */
    {MUTATED,
     {"-n 4608 --input equal",
      "-n 4609 --input equal",
      "-n 4609 --input few",
      "-n 5003",
      "-n 5003 --bits 0:12",
      "-n 33013 --input few",
      "-n 33013 --input equal",
      "-n 20011 --values 4",
      "-n 20011 --values 4 --input few",
      "-n 8600 --values 4 --bits 0:17 --input digit",
      "-n 40013 --values 4 --bits 10:32",
      "-n 40013 --type u64 -v msd",
      "-n 33013 --type u64 --input few -v counted",
      "-n 33013 --input hostile",
      "-n 33013 --input hostile --type f32",
      "-n 140013 -v msd --input few",
      "-n 140013 -v msd --input hostile",
      "-n 140013 -v msd --input hostile --type f32",
      "-n 193701 -v msd --type f32 --seed 104",
      "-n 1050003 -v msd",
      "-n 2^20 -v msd"}},
    {0},
};

static const struct variant variants[] = {
    {"msd", "moved by the highest bits first, finished by a block per segment", launch,
     GRID_BY_SIZE | WAITS, NULL, NULL, NULL, NULL, THREADS},
    {"counted", "moved by the upper 16 bits, what crowds is counted by the others", launch_counted,
     GRID_BY_SIZE | WAITS, NULL, NULL, NULL, NULL, THREADS, NULL, NULL, "0"},
};

STEP("sort-msd", sort_family, variants, launches);
