/*
 * scan-devices: a scan over several GPUs
 *
 * Idea      A part's prefixes need the sum of all before it, which is on other GPUs. How often each part is read
 *           and written meanwhile decides the time. `add` scans each part, exchanges the totals and adds them;
 *           `totals` sums first, and scans behind the totals; `cyclic` deals the array out in chunks, so that
 *           what stands before a chunk is known soon, and one pass is enough.
 * Since     scan-rounds scanned an array of one GPU, where tiles hand over their sums. Here chunks do, over links.
 * Expect    Per element 16, 12 and 8 bytes of a GPU's memory; so two GPUs take 1, 3/4 and 1/2 of the time of one.
 * Source    Merrill and Garland, NVIDIA NVR-2016-002; ScaLAPACK Users' Guide, "Block-cyclic distribution".
 */
#include "families/spreadscan/spreadscan.h"

enum {
    WORKERS = 15, /* warps that move data; one more exchanges sums */
    THREADS = (WORKERS + 1) * 32,
    BLOCKS = 2, /* on each multiprocessor */
    DELAY = 4,  /* a tile is stored so many rounds after it was summed */
    POLLS = 5,  /* words of tiles that a lane of the exchanging warp asks for at once */
    WORDS = 2,  /* and of chunks */
};

#define WARP 0xffffffffu

/* What a kernel gets. */
struct part {
    struct device_barrier barrier;
    const element *x;
    element *y;
    size_t n, chunk; /* elements of the device, and of each of its chunks but the last */
    element *partial;
    unsigned *tickets;
    unsigned long long *posted, *inbox[MAX_SPREAD];
    size_t room;
    unsigned epoch;
};

/* The number of the launch and a sum, in one word, as in scan-rounds: no fence is needed, and words need not be
 * cleared. */
static __device__ unsigned long long packed(const struct part &p, element sum)
{
    unsigned bits;

    memcpy(&bits, &sum, sizeof(bits));
    return (unsigned long long)p.epoch << 32 | bits;
}

static __device__ element sum_in(unsigned long long word)
{
    unsigned bits = (unsigned)word;
    element sum;

    memcpy(&sum, &bits, sizeof(sum));
    return sum;
}

typedef cuda::atomic_ref<unsigned long long, cuda::thread_scope_device> device_packet;
typedef cuda::atomic_ref<unsigned long long, cuda::thread_scope_system> system_packet;

static __device__ unsigned long long peek(unsigned long long *word)
{
    return device_packet(*word).load(cuda::memory_order_relaxed);
}

/* The sum over the warp, in every lane. */
static __device__ element warp_sum(element v)
{
    for (int k = 16; k > 0; k /= 2)
        v += __shfl_xor_sync(WARP, v, k);
    return v;
}

/* The sums over the lanes up to this one. */
static __device__ element warp_scan(element v)
{
    for (unsigned k = 1; k < 32; k *= 2) {
        element other = __shfl_up_sync(WARP, v, k);

        v += threadIdx.x % 32 >= k ? other : 0;
    }
    return v;
}

/* Where device d has the sum of a chunk: halves in turn, because it may still read those of the launch before. */
static __device__ unsigned long long *word_of(const struct part &p, int d, unsigned chunk)
{
    return p.inbox[d] + p.epoch % 2 * p.room + chunk;
}

/* By a warp: the sum of the device's chunk c goes to all devices. */
static __device__ void hand_over(const struct part &p, unsigned c, element sum)
{
    int lane = (int)(threadIdx.x % 32);

    if (lane < p.barrier.devices)
        system_packet(*word_of(p, lane, c * p.barrier.devices + p.barrier.rank))
            .store(packed(p, sum), cuda::memory_order_relaxed);
}

/* The word of a chunk of the whole array, as it is now; from `to` on, one that brings 0. */
static __device__ unsigned long long ask(const struct part &p, unsigned c, unsigned to)
{
    return c < to ? system_packet(*word_of(p, p.barrier.rank, c)).load(cuda::memory_order_relaxed)
                  : packed(p, 0);
}

/* The sum that the word brings, once it is this launch's. */
static __device__ element arrived(const struct part &p, unsigned c, unsigned to,
                                  unsigned long long seen)
{
    long long begun = wait_began(p.barrier.limit);

    while (seen >> 32 != p.epoch) {
        wait_goes_on(begun, p.barrier.limit);
        seen = ask(p, c, to);
    }
    return sum_in(seen);
}

/* By a warp: this lane's share of the sums of some chunks of the whole array. */
static __device__ element sum_of_chunks(const struct part &p, unsigned from, unsigned to)
{
    element sum = 0;

    for (unsigned c = from + threadIdx.x % 32; c < to; c += 32)
        sum += arrived(p, c, to, ask(p, c, to));
    return sum;
}

/* How the device's chunks are cut into tiles: none has elements of two chunks. 2^40 elements make fewer than 2^32
 * tiles, and a division of 32 bits costs a part of one of 64. */
struct tiling {
    size_t tile;          /* elements of a tile */
    unsigned each, count; /* tiles of a whole chunk; tiles in all */
};

static __host__ __device__ struct tiling tiling_of(size_t n, size_t chunk, size_t tile)
{
    size_t each = (chunk + tile - 1) / tile, rest = n % chunk;
    struct tiling t = {tile, (unsigned)each,
                       (unsigned)(n / chunk * each + (rest + tile - 1) / tile)};

    return t;
}

/* The elements of a warp's part of a tile. */
struct span {
    size_t first, end; /* end: of what it may load; first may lie behind it */
};

static __device__ struct span span_of(const struct part &p, const struct tiling &t, unsigned tile,
                                      size_t before)
{
    size_t begin = tile / t.each * p.chunk, end = begin + p.chunk;
    struct span s = {begin + tile % t.each * t.tile + before, end < p.n ? end : p.n};

    return s;
}

/* From here to scan_part() all is scan-rounds': QUADS rows of 32 float4s. */
template <int QUADS> static __device__ void load(element4 *q, const element *in, struct span s)
{
    size_t i = s.first + threadIdx.x % 32 * 4;

    if (s.first + QUADS * 128 <= s.end) {
#pragma unroll
        for (int r = 0; r < QUADS; r++)
            q[r] = *(const element4 *)(in + i + r * 128);
        return;
    }
#pragma unroll
    for (int r = 0; r < QUADS; r++, i += 128) {
        q[r].x = i < s.end ? in[i] : 0;
        q[r].y = i + 1 < s.end ? in[i + 1] : 0;
        q[r].z = i + 2 < s.end ? in[i + 2] : 0;
        q[r].w = i + 3 < s.end ? in[i + 3] : 0;
    }
}

template <int QUADS> static __device__ void store(element *out, const element4 *q, struct span s)
{
    size_t i = s.first + threadIdx.x % 32 * 4;

    if (s.first + QUADS * 128 <= s.end) {
#pragma unroll
        for (int r = 0; r < QUADS; r++)
            __stwb((element4 *)(out + i + r * 128), q[r]); /* an ordinary store, kept whole */
        return;
    }
#pragma unroll
    for (int r = 0; r < QUADS; r++, i += 128) {
        if (i < s.end)
            out[i] = q[r].x;
        if (i + 1 < s.end)
            out[i + 1] = q[r].y;
        if (i + 2 < s.end)
            out[i + 2] = q[r].z;
        if (i + 3 < s.end)
            out[i + 3] = q[r].w;
    }
}

static __device__ void add_to_quad(element4 *q, element v)
{
    q->x += v;
    q->y += v;
    q->z += v;
    q->w += v;
}

/* Scan a warp's part; its sum. */
template <int QUADS> static __device__ element scan_part(element4 *q)
{
    element sum[QUADS], carry = 0;

#pragma unroll
    for (int r = 0; r < QUADS; r++) {
        q[r].y += q[r].x;
        q[r].z += q[r].y;
        q[r].w += q[r].z;
        sum[r] = q[r].w;
    }
    for (unsigned k = 1; k < 32; k *= 2) {
#pragma unroll
        for (int r = 0; r < QUADS; r++) {
            element other = __shfl_up_sync(WARP, sum[r], k);

            sum[r] += threadIdx.x % 32 >= k ? other : 0;
        }
    }
#pragma unroll
    for (int r = 0; r < QUADS; r++) {
        element before = __shfl_up_sync(WARP, sum[r], 1);

        add_to_quad(&q[r], threadIdx.x % 32 > 0 ? carry + before : carry);
        carry += __shfl_sync(WARP, sum[r], 31);
    }
    return carry;
}

/* By a warp: this lane's share of the sums of so many tiles that end before this one, once all are there. All words
 * of a go are asked for before the first is looked at. */
static __device__ element sum_before(const struct part &p, unsigned tile, unsigned most)
{
    element sum = 0;

    for (unsigned first = threadIdx.x % 32 + 1; first <= most; first += POLLS * 32) {
        unsigned long long seen[POLLS];
        bool missing;

        do {
            missing = false;
#pragma unroll
            for (unsigned k = 0; k < POLLS; k++) {
                unsigned back = first + k * 32;

                seen[k] = peek(&p.posted[tile - (back < most ? back : most)]);
            }
#pragma unroll
            for (unsigned k = 0; k < POLLS; k++)
                missing |= seen[k] >> 32 != p.epoch;
        } while (missing);
#pragma unroll
        for (unsigned k = 0; k < POLLS; k++)
            sum += first + k * 32 <= most ? sum_in(seen[k]) : 0;
    }
    return sum;
}

enum mode {
    ALONE, /* scan the device's part; hand over its total */
    AFTER, /* scan behind what others have handed over */
    BOTH,  /* hand over the sum of each chunk, and scan behind those of the others */
};

/* What the warps of a block tell each other across a round's barrier, as in scan-rounds. */
struct exchange {
    element sum[2][WORKERS], base[2][WORKERS];
    element within[DELAY]
                  [WORKERS +
                   1]; /* the exchanging warp's own: prefixes of a tile's parts, and its sum */
};

/* What stands before a tile of the block: this lane's share. */
struct before {
    element sum;
    unsigned seen; /* chunks of the whole array that are in it */
};

/* Round k: tile k's sum is posted. */
static __device__ void post_sum(const struct part &p, struct exchange *e, unsigned k)
{
    unsigned lane = threadIdx.x % 32;
    element sum = warp_scan(lane < WORKERS ? e->sum[k % 2][lane] : 0);
    element before = __shfl_up_sync(WARP, sum, 1);

    if (lane == 31)
        device_packet(p.posted[blockIdx.x + k * gridDim.x])
            .store(packed(p, sum), cuda::memory_order_relaxed);
    if (lane <= WORKERS)
        e->within[k % DELAY][lane] = lane > 0 ? before : 0;
}

/* The parts of the tile of round d get their bases. */
static __device__ void set_bases(struct exchange *e, unsigned d, element base)
{
    unsigned lane = threadIdx.x % 32;

    if (lane < WORKERS)
        e->base[(d + DELAY) % 2][lane] = base + e->within[d % DELAY][lane];
}

/* Round k of a part that is one chunk: the tile of round d is far enough behind. */
template <enum mode MODE>
static __device__ void go_through_part(const struct part &p, const struct tiling &t,
                                       struct exchange *e, struct before *b, unsigned k,
                                       unsigned rounds)
{
    unsigned d = k + 1 - DELAY, tile = blockIdx.x + d * gridDim.x;

    if (d >= rounds) /* or below 0 */
        return;
    b->sum += sum_before(p, tile, tile < gridDim.x ? tile : gridDim.x);
    if (MODE == AFTER && d == 0)
        b->sum += sum_of_chunks(p, 0, p.barrier.rank);
    element base = warp_sum(b->sum);

    set_bases(e, d, base);
    if (MODE == ALONE && tile == t.count - 1)
        hand_over(p, 0, base + e->within[d % DELAY][WORKERS]);
}

/* The words of so many tiles that end before this one, at most 32, one per lane; those of other lanes bring 0. */
static __device__ unsigned long long ask_tiles(const struct part &p, unsigned tile, unsigned count)
{
    unsigned lane = threadIdx.x % 32;

    return lane < count ? peek(&p.posted[tile - 1 - lane]) : packed(p, 0);
}

static __device__ element tiles_arrived(const struct part &p, unsigned tile, unsigned count,
                                        unsigned long long seen)
{
    while (seen >> 32 != p.epoch)
        seen = ask_tiles(p, tile, count);
    return sum_in(seen);
}

/* Round k of chunks that are dealt out. If the tile of the round before is its chunk's last one, the block hands the
 * chunk's sum over. Before the tile of round d stand all chunks before its own, also the device's, and the tiles
 * before it in its own. All words are asked for before the first is looked at. */
static __device__ void go_through_chunks(const struct part &p, const struct tiling &t,
                                         struct exchange *e, struct before *b, unsigned k,
                                         unsigned rounds)
{
    unsigned end = blockIdx.x + (k - 1) * gridDim.x, d = k + 1 - DELAY;
    unsigned tile = blockIdx.x + d * gridDim.x, within = tile % t.each;
    unsigned chunk = tile / t.each * p.barrier.devices + p.barrier.rank;
    unsigned from = b->seen + threadIdx.x % 32, to = d < rounds ? chunk : 0;
    bool ends = k - 1 < rounds && end % t.each == t.each - 1; /* not in round 0 */
    unsigned long long own = ends ? ask_tiles(p, end + 1, t.each) : 0, near = 0, seen[WORDS];

#pragma unroll
    for (int i = 0; i < WORDS; i++)
        seen[i] = ask(p, from + i * 32, to);
    if (d < rounds)
        near = ask_tiles(p, tile, within);
    if (ends)
        hand_over(p, end / t.each, warp_sum(tiles_arrived(p, end + 1, t.each, own)));
    if (d >= rounds) /* or below 0 */
        return;
#pragma unroll
    for (int i = 0; i < WORDS; i++)
        b->sum += arrived(p, from + i * 32, to, seen[i]);
    b->sum += sum_of_chunks(p, b->seen + WORDS * 32, to);
    b->seen = chunk;
    set_bases(e, d, warp_sum(b->sum + tiles_arrived(p, tile, within, near)));
}

/* scan-rounds' kernel over tiles of chunks: all blocks must be resident. */
template <int QUADS, enum mode MODE>
static __global__ void __launch_bounds__(THREADS, BLOCKS) scan_rounds(struct part p)
{
    extern __shared__ element4 waiting[]; /* DELAY tiles */
    __shared__ struct exchange e;
    const size_t length = QUADS * 128;
    const struct tiling t = tiling_of(p.n, p.chunk, WORKERS * length);
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    unsigned rounds = blockIdx.x < t.count ? (t.count - 1 - blockIdx.x) / gridDim.x + 1 : 0;
    struct before before = {0, 0};
    element4 next[QUADS], oldest[QUADS];
    bool works = warp < WORKERS;

    if (works && rounds > 0)
        load<QUADS>(next, p.x, span_of(p, t, blockIdx.x, warp * length));
    for (unsigned k = 0; rounds > 0 && k < rounds + DELAY; k++) {
        unsigned tile = blockIdx.x + k * gridDim.x;
        element4 *slot = &waiting[(k % DELAY * WORKERS + warp) * QUADS * 32 + lane];

        if (works && k >= DELAY) { /* make room for tile k */
#pragma unroll
            for (int r = 0; r < QUADS; r++)
                oldest[r] = slot[r * 32];
        }
        if (works && k < rounds) {
            element sum = scan_part<QUADS>(next);

            if (lane == 0)
                e.sum[k % 2][warp] = sum;
#pragma unroll
            for (int r = 0; r < QUADS; r++)
                slot[r * 32] = next[r];
            if (k + 1 < rounds)
                load<QUADS>(next, p.x, span_of(p, t, tile + gridDim.x, warp * length));
        }
        __syncthreads(); /* with the loads of tile k + 1 under way */
        if (works && k >= DELAY) {
#pragma unroll
            for (int r = 0; r < QUADS; r++)
                add_to_quad(&oldest[r], e.base[k % 2][warp]);
            store<QUADS>(p.y, oldest, span_of(p, t, tile - DELAY * gridDim.x, warp * length));
        }
        if (works)
            continue;
        if (k < rounds)
            post_sum(p, &e, k);
        if (MODE == BOTH)
            go_through_chunks(p, t, &e, &before, k, rounds);
        else
            go_through_part<MODE>(p, t, &e, &before, k, rounds);
    }
    if (MODE != ALONE && blockIdx.x == 0) /* so that no device is two launches ahead of another */
        wait_for_devices(&p.barrier, p.epoch);
}

/* The second pass of `add`: the totals of the parts before are added to this one. */
static __global__ void add_totals(struct part p)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;
    element before = p.n > 0 ? warp_sum(sum_of_chunks(p, 0, p.barrier.rank)) : 0;

    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
         p.barrier.rank > 0 && i < p.n / 4; i += stride)
        add_to_quad((element4 *)p.y + i, before);
    if (blockIdx.x == 0 && p.barrier.rank > 0 && threadIdx.x < p.n % 4)
        p.y[p.n - 1 - threadIdx.x] += before;
    if (blockIdx.x == 0)
        wait_for_devices(&p.barrier, p.epoch);
}

/* The first pass of `totals`: reduce-devices' sum of the part, which the last block hands over. */
static __device__ element sum4(element4 v)
{
    return (v.x + v.y) + (v.z + v.w);
}

static __device__ element block_sum(element sum)
{
    __shared__ element s[32];
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;

    sum = warp_sum(sum);
    if (lane == 0)
        s[warp] = sum;
    __syncthreads();
    return warp == 0 ? warp_sum(lane < blockDim.x / 32 ? s[lane] : 0) : 0;
}

static __device__ element slice_wide(const element *x, size_t n)
{
    size_t thread = (size_t)blockIdx.x * blockDim.x + threadIdx.x;
    size_t groups = n / 4, tile = 4 * blockDim.x, first = blockIdx.x * tile;
    const element4 *v = (const element4 *)x;
    element sum = thread < n % 4 ? x[n - 1 - thread] : 0;

    for (; first + tile <= groups; first += gridDim.x * tile) {
        const element4 *p = v + first + threadIdx.x;
        element4 a = p[0], b = p[blockDim.x], c = p[2 * blockDim.x], d = p[3 * blockDim.x];

        sum += (sum4(a) + sum4(b)) + (sum4(c) + sum4(d));
    }
    for (size_t i = first + threadIdx.x; i < groups; i += blockDim.x)
        sum += sum4(v[i]);
    return sum;
}

static __global__ void sum_part(struct part p)
{
    __shared__ bool last;
    element sum = block_sum(slice_wide(p.x, p.n)), rest = 0;

    if (threadIdx.x == 0) {
        cuda::atomic_ref<unsigned, cuda::thread_scope_device> taken(*p.tickets);

        p.partial[blockIdx.x] = sum;
        last = taken.fetch_add(1, cuda::memory_order_acq_rel) == gridDim.x - 1;
        if (last)
            *p.tickets = 0;
    }
    __syncthreads();
    if (!last)
        return;
    for (unsigned i = threadIdx.x; i < gridDim.x; i += blockDim.x)
        rest += p.partial[i];
    sum = block_sum(rest);
    if (threadIdx.x < 32)
        hand_over(p, 0, sum);
}

/* The largest tiles that fit in a device's shared memory: chosen once. */
struct form {
    void (*run)(struct part);
    int rows; /* float4s of a lane, in a tile */
    size_t tile, shared;
    int resident; /* blocks on the whole device; 0 if not even the smallest fits */
};

static struct form choose(void (*run)(struct part), int rows)
{
    struct form f = {run, rows, (size_t)WORKERS * rows * 128,
                     sizeof(element4) * 32 * rows * WORKERS * DELAY};
    int sms = 0, a_sm = 0;

    if (cudaFuncSetAttribute(run, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)f.shared) ==
        cudaSuccess) {
        cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a_sm, run, THREADS, f.shared);
    }
    f.resident = sms * (a_sm > BLOCKS ? BLOCKS : a_sm);
    cudaGetLastError(); /* too large for this device is no error */
    return f;
}

template <enum mode MODE> static const struct form *form(void)
{
    static struct form f;

    if (f.resident == 0)
        f = choose(scan_rounds<3, MODE>, 3);
    if (f.resident == 0)
        f = choose(scan_rounds<2, MODE>, 2);
    if (f.resident == 0)
        f = choose(scan_rounds<1, MODE>, 1);
    return &f;
}

/* Make device d the current one; what its kernel gets. */
static struct part on_device(const struct work *w, int d)
{
    struct part p = {
        .barrier = w->barrier, .x = w->x[d], .y = w->y[d], .n = w->length[d], .chunk = w->chunk};

    p.barrier.devices = w->devices;
    p.barrier.rank = d;
    p.partial = w->partial[d];
    p.tickets = w->tickets[d];
    p.posted = w->posted[d];
    p.room = w->room;
    p.epoch = w->epoch;
    for (int k = 0; k < w->devices; k++)
        p.inbox[k] = w->inbox[k];
    cudaSetDevice(w->places[d].device->ordinal);
    return p;
}

template <enum mode MODE>
static void scan(const struct work *w, const struct part &p, cudaStream_t stream)
{
    const struct form *f = form<MODE>();

    cudaFuncSetAttribute(f->run, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)f->shared);
    if (f->rows == 3)
        scan_rounds<3, MODE><<<w->blocks, w->threads, f->shared, stream>>>(p);
    else if (f->rows == 2)
        scan_rounds<2, MODE><<<w->blocks, w->threads, f->shared, stream>>>(p);
    else
        scan_rounds<1, MODE><<<w->blocks, w->threads, f->shared, stream>>>(p);
}

static void add(struct work *w)
{
    w->epoch++;
    for (int d = 0; d < w->devices; d++) {
        struct part p = on_device(w, d);

        scan<ALONE>(w, p, w->places[d].stream);
        add_totals<<<2 * w->blocks, w->threads, 0, w->places[d].stream>>>(p);
    }
}

/* Nobody needs the total of the last part. A sum keeps less on the chip, so twice as many blocks fit. */
static void totals(struct work *w)
{
    w->epoch++;
    for (int d = 0; d < w->devices; d++) {
        struct part p = on_device(w, d);

        if (d < w->devices - 1)
            sum_part<<<2 * w->blocks, w->threads, 0, w->places[d].stream>>>(p);
        scan<AFTER>(w, p, w->places[d].stream);
    }
}

static void cyclic(struct work *w)
{
    w->epoch++;
    for (int d = 0; d < w->devices; d++) {
        struct part p = on_device(w, d);

        scan<BOTH>(w, p, w->places[d].stream);
    }
}

template <enum mode MODE> static int resident(int threads)
{
    return threads == THREADS ? form<MODE>()->resident : 0;
}

/* The tiles of the device that has the most. */
template <enum mode MODE> static struct tiling tiles_of(const struct shape *s)
{
    int devices = (int)s->axis[1];
    size_t chunk = spreadscan_chunk(s->n, devices, MODE == BOTH);

    return tiling_of(spreadscan_longest(s->n, devices, chunk), chunk, form<MODE>()->tile);
}

template <enum mode MODE> static void shape(struct shape *s)
{
    unsigned most = (unsigned)form<MODE>()->resident, tiles;

    spread_default_devices(&s->axis[1]);
    tiles = tiles_of<MODE>(s).count;
    if (s->threads == 0)
        s->threads = THREADS;
    if (s->blocks == 0)
        s->blocks = tiles == 0 ? 1 : (int)(tiles < most ? tiles : most);
}

/* Where a chunk takes more rounds than tiles wait, its own block would have to go on before its sum is known. */
static bool too_few(const struct shape *s, char *why, size_t room)
{
    unsigned each = tiles_of<BOTH>(s).each, least = each / 2;

    if ((unsigned)s->blocks >= least)
        return false;
    snprintf(why, room, "a chunk has %u tiles and needs a grid of at least %u blocks; got %d", each,
             least, s->blocks);
    return true;
}

/* The longest chain of additions: as in scan-rounds; the sums of chunks, 32 lanes at a time; and the first pass. */
template <enum mode MODE> static double depth(const struct shape *s)
{
    struct tiling t = tiles_of<MODE>(s);
    double blocks = s->blocks ? s->blocks : 1, rounds = (double)t.count / blocks + 1;
    double chunks =
        MODE == BOTH ? (double)t.count / (double)t.each * (double)s->axis[1] : MAX_SPREAD;
    double total = MODE == AFTER ? (double)s->n / (blocks * THREADS) + blocks / THREADS + 32
                                 : (double)t.each / 32 + 6;

    return rounds + blocks / 32 + 32 + chunks / 32 + rounds + total;
}

static const struct variant variants[] = {
    {"add", "each part is scanned, then what stands before it is added", add, WAITS, depth<ALONE>,
     resident<ALONE>, shape<ALONE>, NULL, THREADS},
    {"totals", "each part is summed, then scanned behind the totals", totals, WAITS, depth<AFTER>,
     resident<AFTER>, shape<AFTER>, NULL, THREADS},
    {"cyclic", "chunks in turn, one pass", cyclic, WAITS | CYCLIC, depth<BOTH>, resident<BOTH>,
     shape<BOTH>, NULL, THREADS, NULL, NULL, NULL, too_few},
};

STEP("scan-devices", spreadscan_family, variants);
