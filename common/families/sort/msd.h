/*
 * The launches that sort-msd and sort-crowded share: how the work is cut, and in which order
 * kernels run. Those that finish segments are a step's own.
 */
#ifndef SORT_MSD_H
#define SORT_MSD_H

#include <math.h>
#include "families/sort/hall.h"
#include "families/sort/segments_in_order.h"
#include "families/sort/upper.h"

typedef unsigned long long u64;

#define MOST_BITS 16 /* of the segments: what shared memory has counters for */

#ifdef SMALL_LIMITS
#define MORE_BITS (DIGIT_BITS + 1)
#define RESIDENT_OF 8
#else
#define MORE_BITS DIGIT_BITS /* up to so many, segments are more than must be: one digit */
#define RESIDENT_OF 1        /* of so many blocks that could be resident one is launched */
#endif

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
    int count, any, order[2], crowded[2], far[2];
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
    r.count = allow(count_upper, COUNTERS, COUNTED_BYTES);
    return &r;
}

/* A kernel that finishes segments, and how many of its blocks are resident at once. */
struct finisher {
    void (*kernel)(struct arrays, struct segments, struct field);
    int threads, blocks;
    size_t bytes; /* of dynamic shared memory */
};

static struct finisher finisher_of(void (*kernel)(struct arrays, struct segments, struct field),
                                   int threads, size_t bytes)
{
    return {kernel, threads, allow(kernel, threads, bytes), bytes};
}

/* Those of a step: [1]: where equal keys keep their order; pairs: those whose items are unlike;
 * parts: what was moved by a digit more, if the step does that. */
struct finishing {
    struct finisher small[2], large[2], pairs, parts;
};

/* As many blocks as there is work for, of those that are resident at once. */
static unsigned grid_of(size_t blocks, size_t most)
{
    most = (most + RESIDENT_OF - 1) / RESIDENT_OF;
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
    while (bits > 0 && bits < MORE_BITS && n >> bits > 1024)
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
}

/* From so many keys on, keys alone get as many segments as can be counted. */
static struct cut cut_of(const struct work *w, const struct finishing *f, size_t most_from)
{
    struct cut c = {};

    c.s.n = (unsigned)w->n;
    c.s.capacity = SMALL * THREADS;
    c.s.bits = bits_for(w->n, c.s.capacity);
    c.keep =
        w->values || w->field.bits < 8 * sizeof(element) || ((element)0.5 != 0 && c.s.bits == 0);
    if (c.s.bits > MOST_BITS && f->large[c.keep].blocks > 0) {
        c.large = true;
        c.s.capacity = LARGE * 2 * THREADS;
        c.s.bits = bits_for(w->n, c.s.capacity);
    }
    c.crowded = c.s.bits > MOST_BITS || w->field.bits <= MOST_BITS || resident()->count == 0 ||
                f->small[c.keep].blocks == 0 || (c.keep && w->n >> 30);
    if (c.crowded)
        c.s.bits = 0;
    else if (!c.keep && w->n >= most_from)
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
static const struct finisher *choose(const struct work *w, const struct cut *c, unsigned left,
                                     const struct finishing *f)
{
    bool fits = left + SLOT_BITS <= 8 * sizeof(number) && f->pairs.blocks > 0; /* a pair an item */

    if (c->large)
        return &f->large[c->keep];
    if (w->values && fits)
        return &f->pairs;
    return !c->keep && c->s.spread.list ? &f->parts : &f->small[c->keep];
}

static void finish_all(const struct work *w, const struct cut *c, struct arrays a,
                       const struct finishing *f)
{
    struct field field = field_digit(w->field, 0, w->field.bits - c->s.bits);
    const struct finisher *by = choose(w, c, field.bits, f);
    unsigned segments = 1u << c->s.bits, grid = grid_of(segments, by->blocks);

    if (by == &f->parts) /* of which only the kernels before know how many there are */
        grid = by->blocks;
    else if (by == &f->small[1] || by == &f->large[1]) /* a block per segment */
        grid = segments;
    timeline_begin("finish", 0, 0);
    by->kernel<<<grid, by->threads, by->bytes>>>(a, c->s, field);
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

#endif
