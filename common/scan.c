/*
 * The scan family's side of the harness: its memory, its reference, its verdict.
 *
 * Every element of the result is compared. Its reference is the prefix of x in double with
 * compensation (see verify.h), carried on from the prefix at the start of a chunk, so that chunks
 * are compared in parallel. Its bound is that of a sum of as many terms as the prefix has: if no
 * element passes through more than d additions on its way into a prefix, then prefix i of m terms
 * is off by at most
 *
 *     gamma_min(d, m - 1) * (|x[0]| + ... + |x[m - 1]|),
 *
 * since a scan in float is, for each i, one way to add those m terms, and to add 0 for an idle
 * thread or an element past the end is exact. Scans only add: no prefix meets an element behind
 * it, so a NaN or an infinity must show from its place on, and nowhere before it.
 *
 * The depths. A tile of t elements in ceil(lg t) rounds, or twice that up and down a tree; where
 * tiles are scanned, then their sums, then added, each level has a round more, for adding. In the
 * single pass, an element meets 3 additions in its quad, 5 between the lanes, 4 to carry over
 * quads and 1 to add that, as many as there are warps, 1 for prefix + warps before, 1 in the last
 * addition. Between tiles, whichever way look-back goes, one hop over m tiles adds at most m
 * times: a tile in the way costs 1, for its prefix + sum; more at a time cost min(5, ceil(lg m))
 * in a warp, 1 a window beyond the first and 1 for prefix + sum, which is no more than m. So a
 * chain has at most as many as tiles. In the tree a sum climbs at most lg(tiles) nodes, at each 5
 * in a warp and 1 for its own sum, and 5 more.
 */
#include "scan.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "device.h"
#include "message.h"
#include "options.h"
#include "parallel.h"
#include "verify.h"

#define ELEMENT_BYTES 4 /* both types */
#define WORD_BYTES 8
#define GUARD 64 /* elements behind the result that must stay as they were */

/* What memory is filled with before a run, where a result is awaited: for floats a NaN that no
 * computation gives, for ints a number. */
#define POISON_F32 0xff
#define POISON_I32 0xa5

struct scan {
    struct work work; /* first: the launch functions get this part */
    struct shape shape;
    void *input, *output;      /* on the host, all of them; the output with its guard */
    char *device_x, *device_y; /* on the device, from their aligned starts */
    element *x, *y;
    size_t capacity;            /* elements of input and output */
    size_t sums, words;         /* how many there is room for */
    struct accumulator *starts; /* the sum of all before each chunk, for floats */
    uint32_t *starts_i32;       /* for ints */
};

/* --- shapes, depths and counts ---------------------------------------------------------------- */

static double levels(double count)
{
    double rounds = 0;

    for (double reach = 1; reach < count; reach *= 2)
        rounds++;
    return rounds;
}

static void shape_for(struct shape *s, int items)
{
    size_t full, tiles;

    if (s->threads == 0)
        s->threads = 256;
    if (s->blocks > 0)
        return;
    full = (size_t)device_full_grid(s->threads);
    tiles = scan_tiles_of(s->n, (size_t)s->threads * (size_t)items);
    s->blocks = (int)(tiles < full ? tiles : full);
    if (s->blocks == 0)
        s->blocks = 1;
}

static void default_shape(struct shape *s)
{
    shape_for(s, 1);
}

void scan_shape_blelloch(struct shape *s)
{
    shape_for(s, BLELLOCH_ITEMS);
}

void scan_shape_lookback(struct shape *s)
{
    shape_for(s, LOOKBACK_ITEMS);
}

/* Over all levels of tiles, tiles of sums and so on: what one tile costs, and one adding. */
static double over_levels(const struct shape *s, size_t tile, double a_tile, double rounds,
                          double *additions)
{
    double depth = rounds;
    size_t n = s->n;

    *additions = 0;
    for (;; depth += rounds + 1) {
        size_t tiles = scan_tiles_of(n, tile);

        *additions += (double)tiles * a_tile;
        if (tiles <= 1 || tile < 2)
            return depth;
        *additions += (double)(n - tile);
        n = tiles;
    }
}

static double hillis(const struct shape *s, double *additions)
{
    double a_tile = 0;

    for (int k = 1; k < s->threads; k *= 2)
        a_tile += s->threads - k;
    return over_levels(s, (size_t)s->threads, a_tile, levels(s->threads), additions);
}

/* Up and down, one addition a pair: 2 (tile - 1). */
static double blelloch(const struct shape *s, double *additions)
{
    double tile = (double)BLELLOCH_ITEMS * s->threads;

    return over_levels(s, (size_t)tile, 2 * (tile - 1), 2 * levels(tile), additions);
}

double scan_depth_hillis(const struct shape *s)
{
    double additions;

    return hillis(s, &additions);
}

double scan_flops_hillis(const struct shape *s)
{
    double additions;

    hillis(s, &additions);
    return additions;
}

double scan_depth_blelloch(const struct shape *s)
{
    double additions;

    return blelloch(s, &additions);
}

double scan_flops_blelloch(const struct shape *s)
{
    double additions;

    blelloch(s, &additions);
    return additions;
}

double scan_depth_blelloch_inclusive(const struct shape *s)
{
    return scan_depth_blelloch(s) + 1;
}

double scan_flops_blelloch_inclusive(const struct shape *s)
{
    return scan_flops_blelloch(s) + (double)s->n;
}

static double lookback_tiles(const struct shape *s)
{
    return (double)scan_tiles_of(s->n, (size_t)s->threads * LOOKBACK_ITEMS);
}

static double lookback_tile_depth(const struct shape *s)
{
    return 3 + 5 + LOOKBACK_ITEMS / 4 + 1 + s->threads / 32 + 1 + 1;
}

double scan_depth_chain(const struct shape *s)
{
    return lookback_tile_depth(s) + lookback_tiles(s);
}

double scan_depth_tree(const struct shape *s)
{
    return lookback_tile_depth(s) + 6 * levels(lookback_tiles(s)) + 5;
}

/* A thread: 3 in each quad, 5 rounds between lanes (all but the first 1, 2, 4, 8, 16 add), 4 to add
 * what stands before it, 4 for the prefix, the carries; then the warps' sums, by every thread. */
double scan_flops_lookback(const struct shape *s)
{
    double quads = LOOKBACK_ITEMS / 4, threads = s->threads, warps = threads / 32;
    double a_warp = quads * (3 * 32 + (5 * 32 - 31) + 31 + 4 * 32 + 4 * 32 + 32);

    return lookback_tiles(s) * (warps * a_warp + threads * (warps + 1));
}

/* --- memory ----------------------------------------------------------------------------------- */

static bool refuse(const struct shape *s, const struct variant *v, char *why, size_t room)
{
    bool each = v->rules & ELEMENT_A_THREAD;
    struct shape own = {.n = s->n};

    if (v->rules & OWN_THREADS) {
        v->default_shape(&own);
        if (s->threads == own.threads)
            return false;
        snprintf(why, room, "a block has %d threads, each warp with a part of its own; got %d",
                 own.threads, s->threads);
        return true;
    }
    if (each && v->rules & ONE_BLOCK && s->n > (size_t)s->threads)
        snprintf(why, room, "one block of %d threads takes at most %d elements; got %zu",
                 s->threads, s->threads, s->n);
    else if (each && s->threads < 2 && s->n > 1)
        snprintf(why, room,
                 "threads must be at least 2, or there are as many sums as elements; got %d",
                 s->threads);
    else
        return false;
    return true;
}

static void destroy(struct work *work)
{
    struct scan *s = (struct scan *)work;

    device_free(s->device_x);
    device_free(s->device_y);
    device_free(work->sums);
    device_free(work->words);
    free(s->input);
    free(s->output);
    free(s->starts);
    free(s->starts_i32);
    free(s);
}

static void sum_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
    struct scan *s = context;

    if (s->shape.type == TYPE_F32) {
        struct accumulator sum = {0};

        for (size_t i = begin; i < end; i++)
            accumulate(&sum, ((const float *)s->input)[i]);
        s->starts[chunk] = sum;
    } else {
        uint32_t sum = 0;

        for (size_t i = begin; i < end; i++)
            sum += ((const uint32_t *)s->input)[i];
        s->starts_i32[chunk] = sum;
    }
}

/* The chunks' sums, and from them those of all chunks before each: the same for every n. */
static void sum_chunks(struct scan *s)
{
    struct accumulator before = {0};
    uint32_t before_i32 = 0;

    parallel_for(s->capacity, sum_chunk, s);
    for (size_t chunk = 0; chunk < parallel_chunks(s->capacity); chunk++) {
        struct accumulator sum = s->starts[chunk];
        uint32_t sum_i32 = s->starts_i32[chunk];

        s->starts[chunk] = before;
        s->starts_i32[chunk] = before_i32;
        accumulate_other(&before, &sum);
        before_i32 += sum_i32;
    }
}

static int fill(struct scan *s, const struct options *o)
{
    size_t bytes = (s->capacity + GUARD) * ELEMENT_BYTES,
           offset = (size_t)o->offset * ELEMENT_BYTES;
    size_t chunks = parallel_chunks(s->capacity) + 1;
    int status = device_alloc((void **)&s->device_x, bytes + offset, "the input");

    if (status == 0)
        status = device_alloc((void **)&s->device_y, bytes + offset, "the result");
    if (status != 0)
        return status;
    s->x = (element *)(s->device_x + offset);
    s->y = (element *)(s->device_y + offset);
    s->input = malloc(bytes);
    s->output = malloc(bytes);
    s->starts = calloc(chunks, sizeof(*s->starts));
    s->starts_i32 = calloc(chunks, sizeof(*s->starts_i32));
    if (!s->input || !s->output || !s->starts || !s->starts_i32)
        return complain(BAD_DEVICE,
                        "no %.1f MiB of memory left for input and result on the host; use a "
                        "smaller --size",
                        2 * (double)bytes / 1048576);
    s->shape.type = o->type;
    input_fill(s->input, s->capacity, o->type, o->input, o->seed);
    sum_chunks(s);
    return device_check(
        cudaMemcpy(s->x, s->input, s->capacity * ELEMENT_BYTES, cudaMemcpyHostToDevice));
}

static struct work *create(const struct options *o, const struct shape *largest)
{
    struct scan *s = calloc(1, sizeof(*s));

    if (!s) {
        complain(BAD_DEVICE, "no memory left on the host");
        return NULL;
    }
    s->capacity = largest->n;
    if (fill(s, o) != 0) {
        destroy(&s->work);
        return NULL;
    }
    return &s->work;
}

/* Room for the sums and words of this shape: more threads need less, so the largest cannot tell. */
static int reserve(struct scan *s)
{
    size_t tile = s->shape.threads > 2 ? (size_t)s->shape.threads : 2, sums = 0;
    size_t words = scan_tiles_of(s->shape.n, (size_t)s->shape.threads) + 1;
    int status = 0;

    for (size_t n = s->shape.n; n > 1; sums += n)
        n = scan_tiles_of(n, tile);
    if (!s->work.sums || sums > s->sums) {
        device_free(s->work.sums);
        s->work.sums = NULL;
        status = device_alloc((void **)&s->work.sums, sums * ELEMENT_BYTES, "the block sums");
        s->sums = sums;
    }
    if (status == 0 && (!s->work.words || words > s->words)) {
        device_free(s->work.words);
        s->work.words = NULL;
        status = device_alloc((void **)&s->work.words, words * WORD_BYTES, "the tiles' words");
        if (status == 0)
            status = device_check(cudaMemset(s->work.words, 0, words * WORD_BYTES));
        s->words = words;
    }
    return status;
}

static int set(struct work *work, const struct shape *shape)
{
    struct scan *s = (struct scan *)work;

    s->shape = *shape;
    work->n = shape->n;
    work->blocks = shape->blocks;
    work->threads = shape->threads;
    return reserve(s);
}

static int prepare(struct work *work, const struct variant *variant)
{
    struct scan *s = (struct scan *)work;
    int poison = s->shape.type == TYPE_F32 ? POISON_F32 : POISON_I32;
    size_t bytes = work->n * ELEMENT_BYTES;
    int status = device_check(cudaMemsetAsync(s->y, poison, bytes + GUARD * ELEMENT_BYTES, 0));

    work->x = variant->rules & IN_PLACE ? s->y : s->x;
    work->y = s->y;
    if (status == 0 && s->sums > 0)
        status = device_check(cudaMemsetAsync(work->sums, poison, s->sums * ELEMENT_BYTES, 0));
    if (status == 0 && variant->rules & IN_PLACE && bytes > 0)
        status = device_check(cudaMemcpyAsync(s->y, s->x, bytes, cudaMemcpyDeviceToDevice, 0));
    return status;
}

/* --- the verdict ------------------------------------------------------------------------------ */

/* The element that is furthest off: the first wrong one, else that with the largest part of its
 * bound used up, else the last. */
struct worst {
    size_t at, wrong; /* wrong: how many are */
    double part;      /* error / bound; below 0: none seen yet */
    double value, reference, error, bound;
};

struct comparison {
    const struct scan *scan;
    bool exclusive;
    double depth;
    struct worst worst;
    pthread_mutex_t lock;
};

static bool is_poison(float y)
{
    uint32_t bits;

    memcpy(&bits, &y, sizeof(bits));
    return bits == 0xffffffff;
}

/* One element; least is a bound not larger than its own, 0 for none. */
static void compare_f32(struct worst *w, size_t i, float y, const struct accumulator *sum,
                        double depth, double *least, bool last)
{
    struct result result;
    struct reference reference;
    double part;

    /* Bounds grow with i: if the error is a smaller part of an earlier one, it is of its own. */
    if (!last && !sum->nans && !sum->plus_infinities && !sum->minus_infinities &&
        fabs(y - (sum->sum + sum->carry)) <= w->part * *least)
        return;
    reference = accumulated(sum);
    verify_sum_f32(&result, y, &reference, depth);
    result.verified &= !is_poison(y);
    *least = isnan(result.bound) ? 0 : result.bound;
    part = result.bound > 0 ? result.error / result.bound : 0;
    if (!result.verified && w->wrong++ > 0)
        return;
    if (result.verified && (w->wrong > 0 || part < w->part))
        return;
    *w = (struct worst){i,           w->wrong, part, result.value, result.reference, result.error,
                        result.bound};
}

static void compare_chunk_f32(struct worst *w, const struct comparison *c, size_t chunk,
                              size_t begin, size_t end)
{
    const float *x = c->scan->input, *y = c->scan->output;
    struct accumulator sum = c->scan->starts[chunk];
    double least = 0;

    for (size_t i = begin; i < end; i++) {
        if (c->exclusive)
            compare_f32(w, i, y[i], &sum, c->depth, &least, i == end - 1);
        accumulate(&sum, x[i]);
        if (!c->exclusive)
            compare_f32(w, i, y[i], &sum, c->depth, &least, i == end - 1);
    }
}

static void compare_chunk_i32(struct worst *w, const struct comparison *c, size_t chunk,
                              size_t begin, size_t end)
{
    const uint32_t *x = c->scan->input, *y = c->scan->output;
    uint32_t sum = c->scan->starts_i32[chunk];

    for (size_t i = begin; i < end; i++) {
        uint32_t inclusive = sum + x[i], expected = c->exclusive ? sum : inclusive;

        sum = inclusive;
        if (y[i] != expected && w->wrong++ > 0)
            continue;
        if (y[i] != expected || (w->wrong == 0 && i == end - 1)) {
            struct result r;

            verify_i32(&r, (int32_t)y[i], (int32_t)expected);
            *w = (struct worst){i, w->wrong, 0, r.value, r.reference, r.error, r.bound};
        }
    }
}

static void compare_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
    struct comparison *c = context;
    struct worst own = {.part = -1}, *all = &c->worst;
    size_t wrong;

    (c->scan->shape.type == TYPE_F32 ? compare_chunk_f32 : compare_chunk_i32)(&own, c, chunk, begin,
                                                                              end);
    pthread_mutex_lock(&c->lock);
    wrong = all->wrong + own.wrong;
    if (all->part < 0 || (own.wrong > 0 && (all->wrong == 0 || own.at < all->at)) ||
        (wrong == 0 && (own.part > all->part || (own.part == all->part && own.at > all->at))))
        *all = own;
    all->wrong = wrong;
    pthread_mutex_unlock(&c->lock);
}

/* How many elements behind the result were written to. */
static size_t overwritten(const struct scan *s)
{
    uint32_t poison = s->shape.type == TYPE_F32 ? 0xffffffff : 0xa5a5a5a5;
    const uint32_t *guard = (const uint32_t *)s->output + s->shape.n;
    size_t count = 0;

    for (size_t i = 0; i < GUARD; i++)
        count += guard[i] != poison;
    return count;
}

static int verify(struct work *work, const struct variant *variant, struct result *result)
{
    struct scan *s = (struct scan *)work;
    struct comparison c = {
        .scan = s,
        .exclusive = variant->rules & EXCLUSIVE,
        .depth = (variant->depth ? variant->depth : scan_depth_hillis)(&s->shape),
        .worst = {.part = -1},
        .lock = PTHREAD_MUTEX_INITIALIZER,
    };
    int status = device_check(
        cudaMemcpy(s->output, s->y, (work->n + GUARD) * ELEMENT_BYTES, cudaMemcpyDeviceToHost));
    size_t beyond;

    if (status != 0)
        return status;
    parallel_for(work->n, compare_chunk, &c);
    pthread_mutex_destroy(&c.lock);
    beyond = overwritten(s);
    *result = (struct result){
        .verified = c.worst.wrong == 0 && beyond == 0,
        .has_value = work->n > 0,
        .value = c.worst.value,
        .reference = c.worst.reference,
        .error = c.worst.error, /* without elements 0, as the bound */
        .bound = c.worst.bound,
    };
    if (c.worst.wrong > 0)
        snprintf(result->note, sizeof(result->note), "%zu elements, first y[%zu]", c.worst.wrong,
                 c.worst.at);
    else if (beyond > 0)
        snprintf(result->note, sizeof(result->note), "%zu elements behind y", beyond);
    return 0;
}

static double bytes(const struct shape *s)
{
    return 2.0 * (double)s->n * ELEMENT_BYTES;
}

static void remark(struct work *work, const struct variant *variant)
{
    const struct shape *s = &((struct scan *)work)->shape;
    double n = (double)s->n, lg = levels(n);

    if (variant->flops && variant->depth)
        printf("    work %.4g additions: %.3g n (n lg n = %.4g); steps, the longest chain of them: "
               "%.0f (lg n = %.0f)\n",
               variant->flops(s), n > 0 ? variant->flops(s) / n : 0, n * lg, variant->depth(s), lg);
}

static const struct family family = {
    .name = "scan",
    .options = OPTION_INPUT | OPTION_BLOCKS | OPTION_OFFSET,
    .default_shape = default_shape,
    .refuse = refuse,
    .create = create,
    .destroy = destroy,
    .set = set,
    .prepare = prepare,
    .verify = verify,
    .bytes = bytes,
    .remark = remark,
};

int scan_main_typed(int argc, char **argv, const char *step, const struct variant *variants,
                    size_t count, enum type compiled_type)
{
    return harness_main(argc, argv, step, &family, variants, count, compiled_type);
}
