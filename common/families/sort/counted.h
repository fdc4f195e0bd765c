/*
 * Segments of keys alone that differ in their lowest 16 bits: how often each of the 65536 values
 * stands there is counted, and the keys are written from the counts. They do not move. Device code.
 */
#ifndef SORT_COUNTED_H
#define SORT_COUNTED_H

#include "families/sort/in_order.h"

#define COUNTERS 1024 /* threads that count, or scan the counts */
#define ROWS 8        /* keys that each of them has in flight */
#define VALUES_LEFT 65536u
#define WORDS_LEFT                                                                                 \
    (VALUES_LEFT / 2)    /* two counters of 16 bits in a word: they fit in shared memory */
#define PIECE (1u << 20) /* the most keys that one block counts at a time */
#define NO_TABLE ~0u

/* A part of a segment, for a block. */
struct task {
    unsigned segment, part; /* the latter in PIECEs */
    unsigned table;         /* where the segment's parts are added up; NO_TABLE: it has one */
};

struct tasks {
    unsigned *made;   /* how many there are; */
    unsigned *shared; /* tables that several parts have; */
    unsigned *taken;  /* tasks that blocks have taken: all three begin as zeros */
    struct task *list;
    unsigned *tables; /* VALUES_LEFT counters each: one per block for what overflows, then those */
};

/* A segment is left to be counted. */
static __device__ void make_tasks(const struct tasks *t, unsigned segment, unsigned keys)
{
    unsigned parts = keys / PIECE + (keys % PIECE != 0), at = atomicAdd(t->made, parts);
    unsigned table = parts > 1 ? atomicAdd(t->shared, 1) : NO_TABLE;

    for (unsigned part = 0; part < parts; part++)
        t->list[at + part] = (struct task){segment, part, table};
}

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
};

/* How often the lane's two values of a row of 64 are there: .x the lower one. */
static __device__ uint2 two_of(const struct counted *c, unsigned row)
{
    unsigned at = row * 32 + threadIdx.x % 32, word = c->counters ? c->counters[at] : 0;
    uint2 two = make_uint2(word & 0xffff, word >> 16);

    if (c->table) {
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

    for (unsigned k = 0; k < 32; k++) {
        uint2 two = two_of(c, threadIdx.x / 32 * 32 + k);
        unsigned sum = __shfl_sync(WARP, sum_of_lanes(two.x + two.y), 31);

        if (threadIdx.x % 32 == k)
            own = sum;
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

/* Count and write all tasks. begins: where the segments do, and behind the last. x has their keys.
 * Its blocks are all resident. */
static __global__ void __launch_bounds__(COUNTERS)
count_segments(element *y, const element *x, const unsigned *begins, struct tasks t,
               const unsigned *minus, const element *input, size_t n, struct field f)
{
    extern __shared__ element4 memory[];
    __shared__ unsigned begin[COUNTERS], next;
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    unsigned *counters = (unsigned *)memory, made = *t.made;
    unsigned *own = t.tables + (size_t)blockIdx.x * VALUES_LEFT;
    unsigned *shared = t.tables + (size_t)gridDim.x * VALUES_LEFT;
    struct field low = f;

    if (made == 0 && !((element)0.5 != 0 && *minus))
        return;
    low.mask = VALUES_LEFT - 1;
    for (size_t k = (size_t)blockIdx.x * COUNTERS + threadIdx.x;
         k < (size_t)*t.shared * VALUES_LEFT; k += (size_t)gridDim.x * COUNTERS)
        shared[k] = 0;
    grid.sync();
    for (;;) {
        struct task task;
        unsigned at, here, *table = own;

        if (threadIdx.x == 0)
            next = atomicAdd(t.taken, 1);
        __syncthreads();
        if (next >= made)
            break;
        task = t.list[next];
        at = begins[task.segment] + task.part * PIECE;
        here = begins[task.segment + 1] - at < PIECE ? begins[task.segment + 1] - at : PIECE;
        if (task.table != NO_TABLE)
            table = shared + (size_t)task.table * VALUES_LEFT;
        for (unsigned k = threadIdx.x; k < WORDS_LEFT; k += COUNTERS)
            counters[k] = 0;
        for (unsigned k = threadIdx.x; table == own && here > 65535 && k < VALUES_LEFT;
             k += COUNTERS)
            own[k] = 0;
        __syncthreads();
        count_keys(counters, table, x + at, 0, COUNTERS * ROWS, here, low);
        __syncthreads();
        if (table != own)
            add_counters(table, counters, WORDS_LEFT);
        else {
            struct counted c = {counters, here > 65535 ? own : NULL, begin};

            write_counted(y + at, &c, 0, here, (number)task.segment * VALUES_LEFT, f);
        }
    }
    grid.sync();
    for (unsigned k = blockIdx.x; k < made; k += gridDim.x) {
        struct task task = t.list[k];
        struct counted c = {NULL, shared + (size_t)task.table * VALUES_LEFT, begin};
        unsigned from = task.part * PIECE, to = begins[task.segment + 1] - begins[task.segment];

        if (task.table != NO_TABLE)
            write_counted(y + begins[task.segment], &c, from, to - from < PIECE ? to : from + PIECE,
                          (number)task.segment * VALUES_LEFT, f);
    }
    if ((element)0.5 != 0 && *minus) {
        grid.sync();
        order_zeros(grid, y, input, n, (unsigned *)t.list, f);
    }
}

#endif
