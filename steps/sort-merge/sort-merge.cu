/*
 * sort-merge: merge two sorted runs by all threads
 *
 * Idea      The k-th key of two merged runs ends a path through them: of its first k keys a come from
 *           the first run and k - a from the second. A binary search finds a, so every block, and in it
 *           every thread, can begin anywhere, and each merges as many keys as the others.
 * Since     A network compares the same pairs whatever the keys are: log n times more often than needed.
 * Expect    n log n comparisons, and after the tiles are sorted each pass reads and writes all keys
 *           once: 2^28 keys in tiles of 2048 are 17 passes. Equal keys of the first run go first: stable.
 * Source    Green, McColl, Bader, "GPU Merge Path", 2012; Satish, Harris, Garland, 2009.
 */
#include "families/sort/sort.h"
#include "harness/kit/device.h"

/* A key with its value. */
struct pair {
    element key;
    unsigned value;
};

/* Two sorted runs that are merged: places in arrays of keys and, unless NULL, of values. */
struct runs {
    const element *keys;
    const unsigned *values;
    size_t a, b;             /* where they begin */
    size_t a_count, b_count; /* keys of each */
};

/* How many of the first k merged keys come from run a. Of equal keys those of a are first. */
static __device__ size_t search_path(const struct runs *r, size_t k, struct field f)
{
    size_t low = k > r->b_count ? k - r->b_count : 0, high = k < r->a_count ? k : r->a_count;

    while (low < high) {
        size_t middle = (low + high) / 2;

        if (field_of(r->keys[r->b + k - 1 - middle], f) < field_of(r->keys[r->a + middle], f))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static __device__ struct pair pair_at(const struct runs *r, size_t i)
{
    struct pair p = {r->keys[i], r->values ? r->values[i] : 0};

    return p;
}

/* The SORT_ITEMS merged pairs from the k-th on, fewer at the end. */
static __device__ void merge_some(struct pair *out, const struct runs *r, size_t k, struct field f)
{
    size_t a = search_path(r, k, f), b = k - a;

    for (int i = 0; i < SORT_ITEMS && a + b < r->a_count + r->b_count; i++) {
        bool first = b >= r->b_count || (a < r->a_count && field_of(r->keys[r->a + a], f) <=
                                                               field_of(r->keys[r->b + b], f));

        out[i] = pair_at(r, first ? r->a + a : r->b + b);
        a += first;
        b += !first;
    }
}

/* Exchange neighbours that are not in order, SORT_ITEMS times: only the first `count` are keys. */
static __device__ void sort_thread(struct pair *p, int count, struct field f)
{
    for (int round = 0; round < SORT_ITEMS; round++) {
        for (int i = round % 2; i + 1 < SORT_ITEMS; i += 2) {
            if (i + 1 < count && field_of(p[i + 1].key, f) < field_of(p[i].key, f)) {
                struct pair swap = p[i];

                p[i] = p[i + 1];
                p[i + 1] = swap;
            }
        }
    }
}

/* The runs of `half` keys around the key at i, in an array of n. */
static __device__ struct runs runs_around(const element *keys, const unsigned *values, size_t i,
                                          size_t half, size_t n)
{
    size_t a = i / (2 * half) * 2 * half, b = a + half < n ? a + half : n;
    struct runs r = {keys, values, a, b, b - a, (n - b < half ? n - b : half)};

    return r;
}

/* Sort each tile of blockDim.x * SORT_ITEMS keys: each thread its own, then runs that double. */
__global__ void sort_tiles(element *y, unsigned *y_values, const element *x, const unsigned *values,
                           size_t n, struct field f)
{
    extern __shared__ element4 memory[];
    unsigned size = blockDim.x * SORT_ITEMS, mine = threadIdx.x * SORT_ITEMS;
    element *keys = (element *)memory;
    unsigned *tags = values ? (unsigned *)(keys + size) : NULL;

    for (size_t base = (size_t)blockIdx.x * size; base < n; base += (size_t)gridDim.x * size) {
        unsigned here = n - base < size ? (unsigned)(n - base) : size;
        int own = here <= mine ? 0 : here - mine < SORT_ITEMS ? here - mine : SORT_ITEMS;
        struct pair p[SORT_ITEMS];

        for (unsigned i = threadIdx.x; i < here; i += blockDim.x) {
            keys[i] = x[base + i];
            if (tags)
                tags[i] = values[base + i];
        }
        __syncthreads();
        for (int i = 0; i < own; i++) {
            p[i].key = keys[mine + i];
            p[i].value = tags ? tags[mine + i] : 0;
        }
        sort_thread(p, own, f);
        for (unsigned half = SORT_ITEMS;; half *= 2) {
            __syncthreads();
            for (int i = 0; i < own; i++) {
                keys[mine + i] = p[i].key;
                if (tags)
                    tags[mine + i] = p[i].value;
            }
            __syncthreads();
            if (half >= here)
                break;
            if (own > 0) {
                struct runs r = runs_around(keys, tags, mine, half, here);

                merge_some(p, &r, mine - r.a, f);
            }
        }
        for (unsigned i = threadIdx.x; i < here; i += blockDim.x) {
            y[base + i] = keys[i];
            if (tags)
                y_values[base + i] = tags[i];
        }
        __syncthreads(); /* before the next tile is read over this one */
    }
}

/* Merge runs of `half` keys. A block makes a tile of the result: thread 0 and the last one find which
 * parts of the two runs it needs, all bring them to shared memory, and merge there. */
__global__ void merge_tiles(element *y, unsigned *y_values, const element *x,
                            const unsigned *values, size_t n, size_t half, struct field f)
{
    extern __shared__ element4 memory[];
    __shared__ size_t ends[2];
    unsigned size = blockDim.x * SORT_ITEMS, mine = threadIdx.x * SORT_ITEMS;
    element *keys = (element *)memory;
    unsigned *tags = values ? (unsigned *)(keys + size) : NULL;

    for (size_t base = (size_t)blockIdx.x * size; base < n; base += (size_t)gridDim.x * size) {
        unsigned here = n - base < size ? (unsigned)(n - base) : size;
        struct runs far = runs_around(x, values, base, half, n), near;
        size_t a, b;
        struct pair p[SORT_ITEMS];
        int own = here <= mine ? 0 : here - mine < SORT_ITEMS ? here - mine : SORT_ITEMS;

        for (unsigned end = threadIdx.x; end < 2; end += blockDim.x)
            ends[end] = search_path(&far, base - far.a + (end ? here : 0), f);
        __syncthreads();
        a = ends[0];
        b = base - far.a - a;
        near = {keys, tags, 0, (unsigned)(ends[1] - a), ends[1] - a, here - (ends[1] - a)};
        for (unsigned i = threadIdx.x; i < here; i += blockDim.x) {
            size_t from = i < near.a_count ? far.a + a + i : far.b + b + (i - near.a_count);

            keys[i] = x[from];
            if (tags)
                tags[i] = values[from];
        }
        __syncthreads();
        if (own > 0)
            merge_some(p, &near, mine, f);
        __syncthreads();
        for (int i = 0; i < own; i++) {
            keys[mine + i] = p[i].key;
            if (tags)
                tags[mine + i] = p[i].value;
        }
        __syncthreads();
        for (unsigned i = threadIdx.x; i < here; i += blockDim.x) {
            y[base + i] = keys[i];
            if (tags)
                y_values[base + i] = tags[i];
        }
        __syncthreads(); /* before the next tile is read over this one */
    }
}

/* A block may have more dynamic shared memory than 48 KiB if that is asked for. */
static void allow(const void *kernel, size_t bytes)
{
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes);
}

static bool refuse(const struct shape *s, char *why, size_t room)
{
    size_t item = s->type->bytes + s->axis[SORT_VALUES];

    return device_lacks_shared((size_t)s->threads * SORT_ITEMS * item, why, room);
}

static void launch(struct work *w)
{
    size_t size = (size_t)w->threads * SORT_ITEMS, passes = 0;
    size_t bytes = size * (sizeof(element) + (w->values ? sizeof(unsigned) : 0));
    int grid = sort_grid(w, sort_tiles_of(w->n, size));

    if (w->n == 0)
        return;
    allow((const void *)sort_tiles, bytes);
    allow((const void *)merge_tiles, bytes);
    for (size_t half = size; half < w->n; half *= 2)
        passes++;
    for (size_t pass = 0; pass <= passes; pass++) {
        bool even = (passes - pass) % 2 == 0; /* the last pass writes y */
        element *to = even ? w->y : w->other, *from = even ? w->other : w->y;
        unsigned *to_values = even ? w->y_values : w->other_values;
        unsigned *from_values = even ? w->other_values : w->y_values;

        timeline_begin("pass", pass, 0);
        if (pass == 0)
            sort_tiles<<<grid, w->threads, bytes>>>(to, to_values, w->x, w->values, w->n, w->field);
        else
            merge_tiles<<<grid, w->threads, bytes>>>(to, to_values, from, from_values, w->n,
                                                     size << (pass - 1), w->field);
        timeline_end(0);
    }
}

static const struct variant variants[] = {
    {"path", "tiles sorted by each block, then runs merged pass by pass", launch, 0, NULL, NULL,
     NULL, NULL, 0, NULL, NULL, NULL, refuse},
};

static const struct launches launches[] = {
    {RECORD | GPU_ONLY, {"-n 2^28 -v path -r 3 -w 1 --timeline"}},
    {0},
};

STEP("sort-merge", sort_family, variants, launches);
