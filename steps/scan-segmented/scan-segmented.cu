/*
 * scan-segmented: sums that begin anew at each head flag
 *
 * Idea      Scan pairs (flag, sum) instead of sums: to add a pair to one behind it that holds a head
 *           changes nothing there. This operator is associative, so that every scan so far works
 *           with it, in as many steps: many arrays of any lengths are scanned as one.
 * Since     The scans before this one sum over everything. A block per segment would wait for the
 *           longest segment, and a thread per segment too.
 * Expect    The bytes of a scan, and one more per element for its flag, or an eighth. A tile with a head
 *           needs nothing of the tiles before: to the others it is what a prefix is in a scan, so that
 *           the look-back of short segments ends at the tile before.
 * Source    Parallel algorithms; Sengupta, Harris, Zhang, Owens, "Scan Primitives for GPU
 *           Computing", Graphics Hardware 2007; Schwartz, "Ultracomputers", ACM TOPLAS 2, 1980;
 *           Merrill and Garland, NVR-2016-002.
 */
#include <cuda/atomic>
#include "families/segmented/segmented.h"

#define WARP 0xffffffffu

/* The sum since the last head in some elements, or of all, and whether there is a head. */
struct pair {
    element value;
    unsigned head;
};

/* The operator: a stands before b, and goes into its sum if b has no head. */
static __device__ struct pair join(struct pair a, struct pair b)
{
    b.value = b.head ? b.value : a.value + b.value;
    b.head |= a.head;
    return b;
}

/* --- Hillis and Steele's scan, with pairs ---------------------------------------------------- */

/* The segmented scan of each tile of blockDim.x elements. If there are more tiles, the tile's pair, and
 * how many elements stand open: before its first head. in == out is allowed. */
__global__ void scan_blocks(element *out, const element *in, const unsigned char *flags, size_t n,
                            element *sums, unsigned char *heads, unsigned *open)
{
    extern __shared__ element values[]; /* two buffers of them, and two of their flags */
    unsigned t = threadIdx.x, T = blockDim.x, *flagged = (unsigned *)(values + 2 * T);

    for (size_t tile = blockIdx.x; tile * T < n; tile += gridDim.x) {
        size_t i = tile * T + t;
        unsigned from = 0, before;
        struct pair own = {0, 0};

        if (i < n)
            own = {in[i], flags[i]};
        values[t] = own.value;
        flagged[t] = own.head;
        __syncthreads();
        for (unsigned k = 1; k < T; k *= 2) {
            if (t >= k)
                own = join({values[from + t - k], flagged[from + t - k]}, own);
            from = T - from; /* the other buffer */
            values[from + t] = own.value;
            flagged[from + t] = own.head;
            __syncthreads();
        }
        if (i < n)
            out[i] = own.value;
        before = __syncthreads_count(!own.head);
        if (sums && t == T - 1) {
            sums[tile] = own.value;
            heads[tile] = own.head;
            open[tile] = before;
        }
    }
}

/* What stands open in a tile adds the sum that reaches it. */
__global__ void add_sums(element *out, const element *sums, const unsigned *open, size_t n)
{
    for (size_t tile = blockIdx.x + 1; tile * blockDim.x < n; tile += gridDim.x) {
        size_t i = tile * blockDim.x + threadIdx.x;

        if (i < n && threadIdx.x < open[tile])
            out[i] += sums[tile - 1];
    }
}

static size_t shared_of(const struct work *w)
{
    return 2 * w->threads * (sizeof(element) + sizeof(unsigned));
}

/* The pairs of the tiles are flags and values again, T times fewer: scanned in the same way. */
static void scan_array(const struct work *w, element *out, const element *in,
                       const unsigned char *flags, size_t n, size_t used)
{
    size_t tiles = segmented_tiles_of(n, w->threads), shared = shared_of(w);
    int grid = segmented_grid(w, tiles);
    element *sums = w->sums + used;
    unsigned char *heads = w->heads + used;

    scan_blocks<<<grid, w->threads, shared>>>(out, in, flags, n, tiles > 1 ? sums : NULL, heads,
                                              w->open + used);
    if (tiles <= 1)
        return;
    scan_array(w, sums, sums, heads, tiles, used + tiles);
    add_sums<<<grid, w->threads>>>(out, sums, w->open + used, n);
}

static void array(struct work *w)
{
    scan_array(w, w->y, w->x, w->flags, w->n, 0);
}

static void block(struct work *w)
{
    scan_blocks<<<1, w->threads, shared_of(w)>>>(w->y, w->x, w->flags, w->n, NULL, NULL, NULL);
}

/* --- A warp's part of a tile, in registers: rows of 32 quads ----------------------------------- */

typedef element4 quad; /* four elements that lie together, which one access reads or writes */
#define QUADS (LOOKBACK_ITEMS / 4)

/* What holds the flags of the quad at i: four bytes, or 32 bits. */
static __device__ unsigned flags_at(const void *flags, bool packed, size_t i)
{
    return ((const unsigned *)flags)[packed ? i / 32 : i / 4];
}

/* And of these those of the quad: bit k is element k's. */
static __device__ unsigned heads_in(unsigned word, bool packed)
{
    /* four bytes of 0 or 1: the product has them side by side in its highest byte */
    return packed ? word >> threadIdx.x % 8 * 4 & 15 : (word * 0x01020408u) >> 24;
}

/* Load QUADS rows from begin on, and their flags; 0 past the end. */
static __device__ void load(quad *q, unsigned *words, const element *in, const void *flags,
                            bool packed, size_t begin, size_t n)
{
    bool wide = begin + QUADS * 128 <= n && (size_t)in % sizeof(quad) == 0;

#pragma unroll
    for (int r = 0; r < QUADS; r++) {
        size_t i = begin + r * 128 + threadIdx.x % 32 * 4;

        words[r] = i < n ? flags_at(flags, packed, i) : 0;
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

/* Add v to the first `count` elements, which may be below 0 or above 4. */
static __device__ void add_to_first(quad *q, element v, int count)
{
    q->x = count > 0 ? v + q->x : q->x;
    q->y = count > 1 ? v + q->y : q->y;
    q->z = count > 2 ? v + q->z : q->z;
    q->w = count > 3 ? v + q->w : q->w;
}

/* Add base to the first `open` elements of the part, and store it. */
static __device__ void store(element *out, const quad *from, element base, int open, size_t begin,
                             size_t n)
{
    bool wide = begin + QUADS * 128 <= n && (size_t)out % sizeof(quad) == 0;

#pragma unroll
    for (int r = 0; r < QUADS; r++) {
        int at = r * 128 + threadIdx.x % 32 * 4;
        size_t i = begin + at;
        quad q = from[r];

        add_to_first(&q, base, open - at);
        if (wide) {
            __stwb((quad *)(out + i), q); /* an ordinary store, kept whole */
            continue;
        }
        if (i < n)
            out[i] = q.x;
        if (i + 1 < n)
            out[i + 1] = q.y;
        if (i + 2 < n)
            out[i + 2] = q.z;
        if (i + 3 < n)
            out[i + 3] = q.w;
    }
}

/* How many lanes before this one belong to its segment, if `with` has the lanes with heads. */
static __device__ unsigned reach(unsigned with)
{
    unsigned lane = threadIdx.x % 32, back = __clz(with << (31 - lane)); /* 32: none up to here */

    return back < lane ? back : lane;
}

/* The pairs over the lanes up to this one. */
static __device__ struct pair scan_lanes(struct pair own)
{
    unsigned with = __ballot_sync(WARP, own.head), most = reach(with);

    for (unsigned k = 1; k < 32; k *= 2) {
        element other = __shfl_up_sync(WARP, own.value, k);

        own.value = k <= most ? other + own.value : own.value;
    }
    own.head = with << (31 - threadIdx.x % 32) != 0;
    return own;
}

static __device__ struct pair pair_of_lane(struct pair p, unsigned lane)
{
    return {__shfl_sync(WARP, p.value, lane), __shfl_sync(WARP, p.head, lane)};
}

/* Scan the warp's part of the tile: its pair, and how many elements stand open. */
static __device__ struct pair scan_part(quad *q, const unsigned *words, bool packed, unsigned *open)
{
    unsigned lane = threadIdx.x % 32, heads[QUADS], with[QUADS], most[QUADS];
    struct pair all = {0, 0};
    element sum[QUADS];

#pragma unroll
    for (int r = 0; r < QUADS; r++) {
        heads[r] = heads_in(words[r], packed);
        q[r].y = heads[r] & 2 ? q[r].y : q[r].x + q[r].y;
        q[r].z = heads[r] & 4 ? q[r].z : q[r].y + q[r].z;
        q[r].w = heads[r] & 8 ? q[r].w : q[r].z + q[r].w;
        sum[r] = q[r].w;
        with[r] = __ballot_sync(WARP, heads[r] != 0);
        most[r] = reach(with[r]);
    }
    for (unsigned k = 1; k < 32; k *= 2) {
#pragma unroll
        for (int r = 0; r < QUADS; r++) {
            element other = __shfl_up_sync(WARP, sum[r], k);

            sum[r] = k <= most[r] ? other + sum[r] : sum[r];
        }
    }
    *open = QUADS * 128;
#pragma unroll
    for (int r = 0; r < QUADS; r++) {
        struct pair row = {__shfl_sync(WARP, sum[r], 31), with[r] != 0};
        element before = __shfl_up_sync(WARP, sum[r], 1);
        unsigned first = __ffs(with[r]) - 1;

        if (lane == 0)
            before = all.value;
        else if (!(with[r] << (32 - lane))) /* no head in the lanes before */
            before = all.value + before;
        add_to_first(&q[r], before, heads[r] ? __ffs(heads[r]) - 1 : 4);
        if (row.head && !all.head)
            *open = r * 128 + first * 4 + __ffs(__shfl_sync(WARP, heads[r], first)) - 1;
        all = join(all, row);
    }
    return all;
}

/* --- What a tile tells the others: state and sum in one word, read and written whole ------------ */

enum state {
    NOTHING, /* the zero that the words start with */
    OPEN,    /* the sum of a tile without a head: more may stand before it */
    CLOSED,  /* the sum since a head: nothing before it matters */
};
union word {
    struct {
        element value;
        unsigned state;
    } is;
    unsigned long long bits;
};

/* Nothing else is handed over, so relaxed order is enough and no fence is needed. */
static __device__ void post(unsigned long long *p, bool closed, element value)
{
    union word w;

    w.is.value = value;
    w.is.state = closed ? CLOSED : OPEN;
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

/* The same bits in every lane: each adds the same pairs. */
static __device__ element warp_sum(element v)
{
    for (int k = 16; k > 0; k /= 2)
        v += __shfl_xor_sync(WARP, v, k);
    return v;
}

/* --- One pass with look-back --------------------------------------------------------------------- */

/* What reaches the tile from those before it: a tile with a head ends the search, as a prefix does. */
static __device__ element look_back(unsigned long long *words, unsigned tile, struct pair own)
{
    element before = 0;
    unsigned closed = 0;

    if (threadIdx.x == 0)
        post(&words[tile], own.head, own.value);
    for (long long at = (long long)tile - 1 - threadIdx.x; !closed; at -= 32) {
        union word w;

        do { /* until all 32 have posted; what would lie before the first tile counts as closed */
            w.is.value = 0;
            w.is.state = CLOSED;
            if (at >= 0)
                w = peek(&words[at]);
        } while (__any_sync(WARP, w.is.state == NOTHING));
        closed = __ballot_sync(WARP, w.is.state == CLOSED);
        /* up to the nearest that is closed, or all; ffs is 1 for lane 0, and 0 for none */
        before += warp_sum((unsigned)__ffs(closed) - 1 >= threadIdx.x ? w.is.value : 0);
    }
    if (threadIdx.x == 0 && !own.head)
        post(&words[tile], true, before + own.value);
    return before;
}

/* Tiles are taken by ticket, so what a tile waits for is in the hands of blocks that run. */
__global__ void scan_tiles(element *out, const element *in, const void *flags, bool packed,
                           size_t n, unsigned long long *words)
{
    __shared__ struct pair warps[32];
    __shared__ element prefix;
    __shared__ unsigned ticket;
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;

    for (;;) {
        quad q[QUADS];
        struct pair own, before;
        unsigned words_of_flags[QUADS], open;
        size_t begin;

        if (threadIdx.x == 0)
            ticket = (unsigned)atomicAdd(&words[0], 1ull);
        __syncthreads();
        begin = ((size_t)ticket * blockDim.x + warp * 32) * LOOKBACK_ITEMS;
        if ((size_t)ticket * blockDim.x * LOOKBACK_ITEMS >= n)
            return;
        load(q, words_of_flags, in, flags, packed, begin, n);
        own = scan_part(q, words_of_flags, packed, &open);
        if (lane == 0)
            warps[warp] = own;
        __syncthreads();
        own = {0, 0};
        if (lane < blockDim.x / 32)
            own = warps[lane];
        own = scan_lanes(own); /* each warp for itself */
        before = pair_of_lane(own, warp - 1);
        own = pair_of_lane(own, 31);
        if (warp == 0) {
            element p = look_back(words + 1, ticket, own);

            before = {0, 0};
            if (lane == 0)
                prefix = p;
        }
        __syncthreads();
        store(out, q, join({prefix, 0}, before).value, (int)open, begin, n);
    }
}

static void launch_tiles(struct work *w, const void *flags, bool packed)
{
    size_t tiles = segmented_tiles_of(w->n, (size_t)w->threads * LOOKBACK_ITEMS);

    cudaMemsetAsync(w->words, 0, (tiles + 1) * sizeof(*w->words), 0); /* no tickets, no states */
    scan_tiles<<<w->blocks, w->threads>>>(w->y, w->x, flags, packed, w->n, w->words);
}

static void lookback(struct work *w)
{
    launch_tiles(w, w->flags, false);
}

static void bits(struct work *w)
{
    launch_tiles(w, w->bits, true);
}

static const struct variant variants[] = {
    {"block", "one block, an element a thread", block, ONE_BLOCK | ONE_ELEMENT_PER_THREAD,
     segmented_depth_hillis},
    {"array", "any length: blocks, their pairs, adding them", array,
     AT_LEAST_TWO_THREADS | NOT_LINEAR, segmented_depth_hillis},
    {"lookback", "one pass; a head ends the look-back", lookback, WHOLE_WARPS | WAITS | UNORDERED,
     segmented_depth_lookback, NULL, segmented_shape_lookback},
    {"bits", "the same, flags packed 32 to a word", bits, WHOLE_WARPS | WAITS | UNORDERED,
     segmented_depth_lookback, NULL, segmented_shape_lookback, NULL, 0, NULL,
     segmented_bytes_of_bits},
};

/* More blocks than are resident at once, each with tiles after its first. */
static const struct launches launches[] = {
    {MUTATED, {"-n 535003 -b 530 -t 32 --segment 2^40 -v lookback"}},
    {0},
};

STEP("scan-segmented", segmented_family, variants, launches);
