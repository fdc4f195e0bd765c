/*
 * Segments of keys alone that differ in their lowest bits, 16 or less: how often each of the values
 * stands there is counted, and the keys are written from the counts. They do not move. Device code.
 */
#ifndef SORT_COUNTED_H
#define SORT_COUNTED_H

#include "families/sort/segments.h"

#define COUNTERS 1024 /* threads that count, or scan the counts */
#define ROWS 8        /* keys that each of them has in flight */
#define MOST_VALUES 65536u
#define MOST_WORDS                                                                                 \
    (MOST_VALUES / 2) /* two counters of 16 bits in a word: they fit in shared memory */

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

/* Whether a key is -0, which is equal to +0 and looks different. */
static __device__ __forceinline__ bool is_minus_zero(element key)
{
    unsigned bits;

    memcpy(&bits, &key, sizeof(bits));
    return (element)0.5 != 0 && bits == 1u << 31;
}

/* What a thread counts of the keys from `base` on, of which x has n. */
static __device__ __forceinline__ void load_rows(element *key, const element *x, size_t base,
                                                 size_t n)
{
#pragma unroll
    for (int k = 0; k < ROWS; k++) {
        size_t i = base + k * COUNTERS + threadIdx.x;

        key[k] = i < n ? x[i] : 0;
    }
}

/* Count x[base], and of each `step` keys from there on so many as the block has in flight, below n.
 * Whether this thread saw -0. */
static __device__ bool count_keys(unsigned *counters, unsigned *counts, const element *x,
                                  size_t base, size_t step, size_t n, struct field f)
{
    element key[ROWS];
    bool minus = false;

    load_rows(key, x, base, n);
    for (; base < n; base += step) {
        bool full = base + COUNTERS * ROWS <= n, all = full;
        unsigned bin[ROWS], one;

#pragma unroll
        for (int k = 0; k < ROWS; k++) {
            minus = minus || is_minus_zero(key[k]);
            bin[k] = (unsigned)field_of(key[k], f);
        }
        load_rows(key, x, base + step, n); /* they are on their way meanwhile */
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
            if (full || base + k * COUNTERS + threadIdx.x < n)
                count_in(counters, counts, bin[k], 1);
        }
    }
    return minus;
}

/* Add the block's counters, so many words of two, to the counts. */
static __device__ void add_counters(unsigned *counts, const unsigned *counters, unsigned words)
{
    for (unsigned k = threadIdx.x; k < words; k += COUNTERS) {
        if (counters[k] & 0xffff)
            atomicAdd(&counts[2 * k], counters[k] & 0xffff);
        if (counters[k] >> 16)
            atomicAdd(&counts[2 * k + 1], counters[k] >> 16);
    }
}

/* Where the counts of a segment are: the block's counters, a table, or both; NULL: not there. */
struct counted {
    const unsigned *counters, *table;
    unsigned *begin; /* where the keys of 64 values each begin, 1024 of them */
    unsigned rows;   /* of so many values that there are, at most 1024 */
};

/* How often the lane's two values of a row of 64 are there: .x the lower one. */
static __device__ uint2 two_of(const struct counted *c, unsigned row)
{
    unsigned at = row * 32 + threadIdx.x % 32;
    unsigned word = c->counters && row < c->rows ? c->counters[at] : 0;
    uint2 two = make_uint2(word & 0xffff, word >> 16);

    if (c->table && row < c->rows) {
        two.x += c->table[2 * at];
        two.y += c->table[2 * at + 1];
    }
    return two;
}

/* The sum over the lanes up to this one. */
static __device__ unsigned sum_of_lanes(unsigned sum)
{
    for (unsigned k = 1; k < 32; k *= 2) {
        unsigned other = __shfl_up_sync(WARP, sum, k);

        sum += threadIdx.x % 32 >= k ? other : 0;
    }
    return sum;
}

/* Where the keys of each row begin: a thread per row. */
static __device__ void begin_values(const struct counted *c)
{
    unsigned own = 0, all;

    if (threadIdx.x / 32 * 32 < c->rows) {
#pragma unroll 8
        for (unsigned k = 0; k < 32; k++) {
            uint2 two = two_of(c, threadIdx.x / 32 * 32 + k);
            unsigned sum = __shfl_sync(WARP, sum_of_lanes(two.x + two.y), 31);

            if (threadIdx.x % 32 == k)
                own = sum;
        }
    }
    c->begin[threadIdx.x] = sum_before(own, &all);
    __syncthreads();
}

/* The last row whose keys begin at this one or before. */
static __device__ unsigned row_of(const unsigned *begin, unsigned at)
{
    unsigned row = 0;

    for (unsigned step = COUNTERS / 2; step > 0; step /= 2)
        row += begin[row + step] <= at ? step : 0;
    return row;
}

/* The key of a number, as field_of has it. */
static __device__ __forceinline__ element to_key(number bits, struct field f)
{
    const number top = (number)1 << (8 * sizeof(number) - 1);
    element key;

    bits ^= (number)f.flip;
    if ((element)0.5 != 0)
        bits ^= bits & top ? top : ~(number)0;
    else if ((element)-1 < 0)
        bits ^= top;
    memcpy(&key, &bits, sizeof(key));
    return key;
}

/* Write a row's keys from `at` on, before `end`, by a warp; where the next row begins. */
static __device__ unsigned write_row(element *y, const struct counted *c, unsigned row, unsigned at,
                                     unsigned end, number upper, struct field f)
{
    uint2 two = two_of(c, row);
    unsigned sum = sum_of_lanes(two.x + two.y), first = c->begin[row] + sum - two.x - two.y;

    sum = c->begin[row] + __shfl_sync(WARP, sum, 31);
    end = sum < end ? sum : end;
    for (; at < end; at += 32) {
        unsigned place = at + threadIdx.x % 32, lane = 0, begin, low;

        for (unsigned step = 16; step > 0; step /= 2) /* the last lane that begins here or before */
            lane += __shfl_sync(WARP, first, lane + step) <= place ? step : 0;
        begin = __shfl_sync(WARP, first, lane);
        low = __shfl_sync(WARP, two.x, lane);
        if (place < end)
            y[place] = to_key(upper | (row * 64 + 2 * lane + (place - begin >= low)), f);
    }
    return end;
}

/* Write keys `from` to `to` - 1 of a segment, each warp 1024 at a time. */
static __device__ void write_counted(element *y, const struct counted *c, unsigned from,
                                     unsigned to, number upper, struct field f)
{
    begin_values(c);
    for (unsigned base = from + threadIdx.x / 32 * 1024; base < to; base += 32 * 1024) {
        unsigned end = to - base < 1024 ? to : base + 1024, at = base;

        for (unsigned row = row_of(c->begin, at); at < end; row++)
            at = write_row(y, c, row, at, end, upper, f);
    }
    __syncthreads(); /* the counters are used again */
}

/* Count and write all tasks, of keys in x or, of what was spread, in y. Its blocks are all
 * resident. */
static __global__ void __launch_bounds__(COUNTERS, 1)
count_segments(element *y, const element *x, struct segments s, const element *input, size_t n,
               struct field f)
{
    extern __shared__ element4 memory[];
    __shared__ unsigned begin[COUNTERS], next;
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    struct tasks t = s.tasks;
    unsigned *counters = (unsigned *)memory, made = *t.made;
    unsigned *own = t.tables + (size_t)blockIdx.x * t.table;
    unsigned *shared = t.tables + (size_t)(s.spread.list ? 0 : gridDim.x) * t.table;

    if (made == 0 && !((element)0.5 != 0 && *s.minus))
        return;
    for (size_t k = (size_t)blockIdx.x * COUNTERS + threadIdx.x; k < (size_t)*t.shared * t.table;
         k += (size_t)gridDim.x * COUNTERS)
        shared[k] = 0;
    grid.sync();
    for (;;) {
        struct field low = f;
        struct task task;
        unsigned at, here, values, *table = own;
        bool alone;

        if (threadIdx.x == 0)
            next = atomicAdd(t.taken, 1);
        __syncthreads();
        if (next >= made)
            break;
        task = t.list[next];
        values = 1u << bits_left<true>(&s, task.segment);
        low.mask = values - 1;
        at = task.part * t.piece;
        here = count_of<true>(&s, task.segment) - at;
        here = here < t.piece ? here : t.piece;
        at += begin_of<true>(&s, task.segment);
        alone = task.table == NO_TABLE;
        if (!alone)
            table = shared + (size_t)task.table * t.table;
        for (unsigned k = threadIdx.x; k < values / 2; k += COUNTERS)
            counters[k] = 0;
        for (unsigned k = threadIdx.x; alone && here > 65535 && k < values; k += COUNTERS)
            own[k] = 0;
        __syncthreads();
        count_keys(counters, table, (is_moved(&s, task.segment) ? y : x) + at, 0, COUNTERS * ROWS,
                   here, low);
        __syncthreads();
        if (!alone)
            add_counters(table, counters, values / 2);
        else {
            struct counted c = {counters, here > 65535 ? own : NULL, begin, (values + 63) / 64};

            write_counted(y + at, &c, 0, here, upper_of(&s, task.segment), f);
        }
    }
    grid.sync();
    for (unsigned k = blockIdx.x; k < made; k += gridDim.x) {
        struct task task = t.list[k];
        unsigned values = 1u << bits_left<true>(&s, task.segment);
        struct counted c = {NULL, shared + (size_t)task.table * t.table, begin, (values + 63) / 64};
        unsigned from = task.part * t.piece, to = count_of<true>(&s, task.segment);

        if (task.table != NO_TABLE)
            write_counted(y + begin_of<true>(&s, task.segment), &c, from,
                          to - from < t.piece ? to : from + t.piece, upper_of(&s, task.segment), f);
    }
    if ((element)0.5 != 0 && *s.minus) {
        grid.sync();
        order_zeros(grid, y, input, n, (unsigned *)t.list, f);
    }
}

#endif
