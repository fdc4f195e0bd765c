/*
 * scan-lookback: one pass; a tile looks back for what stands before it
 *
 * Idea      A block posts the sum of its tile in one word, and finds its prefix in the words of the
 *           tiles before, while its elements wait in registers: x is read once and y written once.
 * Since     scan-hillis and scan-blelloch read or wrote the array four times, in three phases.
 * Expect    Near the rate of a copy. `chained` waits for the tile before, one after the other;
 *           `lookback` adds up the posted sums of 32 tiles at a time until it meets a whole prefix,
 *           so the order of its float additions depends on timing; `tree` keeps sums of 2^k tiles,
 *           which are added in the same order in every run: the same bits.
 * Source    Merrill and Garland, "Single-pass Parallel Prefix Scan with Decoupled Look-back",
 *           NVIDIA NVR-2016-002; Fenwick, "A New Data Structure for Cumulative Frequency Tables",
 *           Software: Practice and Experience 24, 1994.
 */
#include <cuda/atomic>
#include "families/scan/scan.h"

/*
 * Four elements that lie together, which one access reads or writes: of the type that this file
 * is compiled for.
 */
typedef element4 quad;

#define QUADS (LOOKBACK_ITEMS / 4)
#define WARP 0xffffffffu

enum method { CHAINED, LOOKBACK, TREE };

/* What a tile tells the others: flag and value in one word, which one access reads or writes whole.
 * Nothing else is handed over, so relaxed order is enough and no fence is needed. */
enum flag { NOTHING, SUM, PREFIX }; /* NOTHING is the zero that the words start with */
union word {
    struct {
        element value;
        unsigned flag;
    } is;
    unsigned long long bits;
};

static __device__ void post(unsigned long long *p, enum flag flag, element value)
{
    union word w;

    w.is.value = value;
    w.is.flag = flag;
    cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>(*p).store(
        w.bits, cuda::memory_order_relaxed);
}

static __device__ union word peek(unsigned long long *p)
{
    union word w;

    w.bits = cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>(*p).load(
        cuda::memory_order_relaxed);
    return w;
}

/* The value of a word, once it has at least this flag. */
static __device__ element await(unsigned long long *p, unsigned flag)
{
    union word w;

    do
        w = peek(p);
    while (w.is.flag < flag);
    return w.is.value;
}

/* The same bits in every lane: each adds the same pairs. */
static __device__ element warp_sum(element v)
{
    for (int k = 16; k > 0; k /= 2)
        v += __shfl_xor_sync(WARP, v, k);
    return v;
}

static __device__ element chained(unsigned long long *words, unsigned tile, element sum)
{
    element before = tile > 0 ? await(&words[tile - 1], PREFIX) : 0;

    if (threadIdx.x == 0)
        post(&words[tile], PREFIX, before + sum);
    return before;
}

static __device__ element look_back(unsigned long long *words, unsigned tile, element sum)
{
    element before = 0;
    unsigned whole = 0;

    if (threadIdx.x == 0)
        post(&words[tile], tile > 0 ? SUM : PREFIX, sum);
    for (long long at = (long long)tile - 1 - threadIdx.x; !whole; at -= 32) {
        union word w;

        do { /* until all 32 have posted; what would lie before the first tile counts as a prefix */
            w.is.value = 0;
            w.is.flag = PREFIX;
            if (at >= 0)
                w = peek(&words[at]);
        } while (__any_sync(WARP, w.is.flag == NOTHING));
        whole = __ballot_sync(WARP, w.is.flag == PREFIX);
        /* up to the nearest prefix, or all; ffs is 1 for lane 0, and 0 for none */
        before += warp_sum((unsigned)__ffs(whole) - 1 >= threadIdx.x ? w.is.value : 0);
    }
    if (threadIdx.x == 0 && tile > 0)
        post(&words[tile], PREFIX, before + sum);
    return before;
}

/* words[t] holds the sum of the 2^k tiles that end with t, where k counts the ones at the end of t
 * in binary: a binary indexed tree. Lane k takes the node of bit k of tile: together they are its
 * prefix, and those of the ones at its end, with its own sum, make its node. */
static __device__ element tree(unsigned long long *words, unsigned tile, element sum)
{
    unsigned lane = threadIdx.x, ones = __ffs(~tile) - 1;
    unsigned long long *node = &words[(size_t)(tile >> lane << lane) - 1];
    element before = lane < ones ? await(node, SUM) : 0;
    element all = warp_sum(before) + sum;

    if (lane == 0) /* at once: the others' nodes need it */
        post(&words[tile], SUM, all);
    if (lane > ones && tile >> lane & 1)
        before = await(node, SUM);
    return warp_sum(before);
}

/* Where this thread's r-th quad begins in a tile: a warp reads 32 quads side by side. */
static __device__ size_t quad_at(int r)
{
    return (size_t)(threadIdx.x / 32 * QUADS + r) * 128 + threadIdx.x % 32 * 4;
}

static __device__ void load_tile(quad *q, const element *in, size_t base, size_t n)
{
    bool wide = base + (size_t)blockDim.x * LOOKBACK_ITEMS <= n && (size_t)in % sizeof(quad) == 0;

    for (int r = 0; r < QUADS; r++) {
        size_t i = base + quad_at(r);

        if (wide) {
            q[r] = *(const quad *)(in + i);
            continue;
        }
        q[r].x = i < n ? in[i] : 0;
        q[r].y = i + 1 < n ? in[i + 1] : 0;
        q[r].z = i + 2 < n ? in[i + 2] : 0;
        q[r].w = i + 3 < n ? in[i + 3] : 0;
    }
}

static __device__ void add_to_quad(quad *q, element v)
{
    q->x += v;
    q->y += v;
    q->z += v;
    q->w += v;
}

static __device__ void store_tile(element *out, quad *q, element before, size_t base, size_t n)
{
    for (int r = 0; r < QUADS; r++)
        add_to_quad(&q[r], before);
    if (base + (size_t)blockDim.x * LOOKBACK_ITEMS <= n && (size_t)out % sizeof(quad) == 0) {
        for (int r = 0; r < QUADS; r++)
            __stwb((quad *)(out + base + quad_at(r)), q[r]); /* an ordinary store, kept whole */
        return;
    }
    for (int r = 0; r < QUADS; r++) {
        size_t i = base + quad_at(r);

        if (i < n)
            out[i] = q[r].x;
        if (i + 1 < n)
            out[i + 1] = q[r].y;
        if (i + 2 < n)
            out[i + 2] = q[r].z;
        if (i + 3 < n)
            out[i + 3] = q[r].w;
    }
}

/* The sums over the lanes up to this one. */
static __device__ element warp_scan(element sum)
{
    for (unsigned k = 1; k < 32; k *= 2) {
        element other = __shfl_up_sync(WARP, sum, k);

        sum += threadIdx.x % 32 >= k ? other : 0;
    }
    return sum;
}

/* Scan the warp's part of the tile in registers; its sum. */
static __device__ element scan_warp(quad *q)
{
    unsigned lane = threadIdx.x % 32;
    element carry = 0;

    for (int r = 0; r < QUADS; r++) {
        element sum, before;

        q[r].y += q[r].x;
        q[r].z += q[r].y;
        q[r].w += q[r].z;
        sum = warp_scan(q[r].w);
        before = __shfl_up_sync(WARP, sum, 1);
        add_to_quad(&q[r], lane > 0 ? before + carry : carry);
        carry += __shfl_sync(WARP, sum, 31);
    }
    return carry;
}

/* Tiles are taken by ticket, so what a tile waits for is in the hands of blocks that run. */
__global__ void scan_tiles(element *out, const element *in, size_t n, unsigned long long *words,
                           enum method method)
{
    __shared__ element warps[32], prefix;
    __shared__ unsigned ticket;
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;

    for (;;) {
        quad q[QUADS];
        element before, sum;
        size_t base;

        if (threadIdx.x == 0)
            ticket = (unsigned)atomicAdd(&words[0], 1ull);
        __syncthreads();
        base = (size_t)ticket * blockDim.x * LOOKBACK_ITEMS;
        if (base >= n)
            return;
        load_tile(q, in, base, n);
        sum = scan_warp(q);
        if (threadIdx.x % 32 == 31)
            warps[warp] = sum;
        __syncthreads();
        sum = warp_scan(lane < blockDim.x / 32 ? warps[lane] : 0); /* each warp for itself */
        before = __shfl_sync(WARP, sum, warp - 1);
        before = warp > 0 ? before : 0;
        sum = __shfl_sync(WARP, sum, 31);
        if (warp == 0) {
            element p = method == CHAINED    ? chained(words + 1, ticket, sum)
                        : method == LOOKBACK ? look_back(words + 1, ticket, sum)
                                             : tree(words + 1, ticket, sum);

            if (threadIdx.x == 0)
                prefix = p;
        }
        __syncthreads();
        store_tile(out, q, prefix + before, base, n);
    }
}

static void launch(struct work *w, enum method method)
{
    size_t tiles = scan_tiles_of(w->n, (size_t)w->threads * LOOKBACK_ITEMS);

    cudaMemsetAsync(w->words, 0, (tiles + 1) * sizeof(*w->words), 0); /* no tickets, no flags */
    scan_tiles<<<w->blocks, w->threads>>>(w->y, w->x, w->n, w->words, method);
}

static void launch_chained(struct work *w)
{
    launch(w, CHAINED);
}

static void launch_lookback(struct work *w)
{
    launch(w, LOOKBACK);
}

static void launch_tree(struct work *w)
{
    launch(w, TREE);
}

static const struct variant variants[] = {
    {"chained", "each tile waits for the one before", launch_chained, WHOLE_WARPS | WAITS,
     scan_depth_chain, NULL, scan_shape_lookback, scan_flops_lookback},
    {"lookback", "32 tiles at a time; float order by timing", launch_lookback,
     WHOLE_WARPS | WAITS | UNORDERED, scan_depth_chain, NULL, scan_shape_lookback,
     scan_flops_lookback},
    {"tree", "sums of 2^k tiles; the same bits in every run", launch_tree, WHOLE_WARPS | WAITS,
     scan_depth_tree, NULL, scan_shape_lookback, scan_flops_lookback},
    {"in-place", "tree, over its own input", launch_tree, WHOLE_WARPS | WAITS | IN_PLACE,
     scan_depth_tree, NULL, scan_shape_lookback, scan_flops_lookback},
};

/* More blocks than are resident at once, each with tiles after its first. */
static const struct launches launches[] = {
    {MUTATED, {"-n 535003 -b 530 -t 32 -v chained"}},
    {0},
};

STEP("scan-lookback", scan_family, variants, launches);
