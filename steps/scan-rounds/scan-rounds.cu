/*
 * scan-rounds: all blocks take a round of tiles together
 *
 * Idea      As many blocks as fit take one tile each, post its sum, and go on to the next: a round. What
 *           stands before a tile is then the G sums posted last, of G blocks: one warp per block reads
 *           them all at once. A tile waits in shared memory until its round's sums have had DELAY rounds
 *           to arrive, while later tiles are loaded into registers.
 * Since     In scan-lookback a block that waits for its prefix, or at one of its three barriers, loads
 *           nothing.
 * Expect    The rate of a copy kernel, because loads are always in flight. Sums are added in the same
 *           order every time: the same bits in every run on the same device.
 * Source    Merrill and Garland, NVIDIA NVR-2016-002, for the sums that are posted; warps with a job of
 *           their own after Bauer, Cook and Khailany, "CudaDMA", SC 2011.
 */
#include <limits.h>
#include <cuda/atomic>
#include "families/scan/scan.h"

enum {
    WORKERS = 15, /* warps that move data; one more exchanges sums */
    THREADS = (WORKERS + 1) * 32,
    BLOCKS = 2, /* on each multiprocessor */
    DELAY = 3,  /* a tile is stored so many rounds after it was summed */
    POLLS = 5,  /* words that a lane of the exchanging warp asks for at once */
};

#define WARP 0xffffffffu

/*
 * A tile's sum is handed over in a word of 64 bits, with the number of the launch, so that words need
 * not be cleared. A word is written and read whole, by one relaxed atomic access, and nothing else is
 * handed over with it, so no fence is needed.
 */
static __device__ void post(unsigned long long *word, unsigned launch, element sum)
{
    unsigned bits;

    memcpy(&bits, &sum, sizeof(bits));
    cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>(*word).store(
        (unsigned long long)launch << 32 | bits, cuda::memory_order_relaxed);
}

static __device__ unsigned long long peek(unsigned long long *word)
{
    return cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>(*word).load(
        cuda::memory_order_relaxed);
}

static __device__ element sum_in(unsigned long long word)
{
    unsigned bits = (unsigned)word;
    element sum;

    memcpy(&sum, &bits, sizeof(sum));
    return sum;
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

/* The sum of the G tiles before this one, or of all if there are fewer. All words are asked for before
 * the first is looked at: one round trip, and not one after the other. */
static __device__ element sum_before(unsigned long long *posted, size_t tile, unsigned launch)
{
    unsigned most = tile < gridDim.x ? (unsigned)tile : gridDim.x;
    element sum = 0;

    for (unsigned first = threadIdx.x % 32 + 1; first <= most; first += POLLS * 32) {
        unsigned long long seen[POLLS];
        bool missing;

        do {
            missing = false;
#pragma unroll
            for (unsigned p = 0; p < POLLS; p++) {
                unsigned back = first + p * 32;

                seen[p] = peek(&posted[tile - (back < most ? back : most)]);
            }
#pragma unroll
            for (unsigned p = 0; p < POLLS; p++)
                missing |= seen[p] >> 32 != launch;
        } while (missing);
#pragma unroll
        for (unsigned p = 0; p < POLLS; p++)
            sum += first + p * 32 <= most ? sum_in(seen[p]) : 0;
    }
    return warp_sum(sum);
}

/* A warp's part of a tile: QUADS rows of 32 float4s. */
template <int QUADS>
static __device__ void load(element4 *q, const element *in, size_t first, size_t n)
{
    size_t i = first + threadIdx.x % 32 * 4;

    if (first + QUADS * 128 <= n && (size_t)in % sizeof(*q) == 0) {
#pragma unroll
        for (int r = 0; r < QUADS; r++)
            q[r] = *(const element4 *)(in + i + r * 128);
        return;
    }
#pragma unroll
    for (int r = 0; r < QUADS; r++, i += 128) {
        q[r].x = i < n ? in[i] : 0;
        q[r].y = i + 1 < n ? in[i + 1] : 0;
        q[r].z = i + 2 < n ? in[i + 2] : 0;
        q[r].w = i + 3 < n ? in[i + 3] : 0;
    }
}

template <int QUADS>
static __device__ void store(element *out, const element4 *q, size_t first, size_t n)
{
    size_t i = first + threadIdx.x % 32 * 4;

    if (first + QUADS * 128 <= n && (size_t)out % sizeof(*q) == 0) {
#pragma unroll
        for (int r = 0; r < QUADS; r++)
            __stwb((element4 *)(out + i + r * 128), q[r]); /* an ordinary store, kept whole */
        return;
    }
#pragma unroll
    for (int r = 0; r < QUADS; r++, i += 128) {
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

static __device__ void add_to_quad(element4 *q, element v)
{
    q->x += v;
    q->y += v;
    q->z += v;
    q->w += v;
}

/* Scan a warp's part; its sum. The rows' shuffles take turns, so that those of one row need not wait for
 * each other. */
template <int QUADS, bool EXCLUSIVE_SUM> static __device__ element scan_part(element4 *q)
{
    element sum[QUADS], carry = 0;

#pragma unroll
    for (int r = 0; r < QUADS; r++) {
        q[r].y += q[r].x;
        q[r].z += q[r].y;
        q[r].w += q[r].z;
        sum[r] = q[r].w;
        if (EXCLUSIVE_SUM) {
            q[r].w = q[r].z;
            q[r].z = q[r].y;
            q[r].y = q[r].x;
            q[r].x = 0;
        }
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

/* What the warps of a block tell each other across a round's barrier: the sums of the workers' parts, and
 * what stands before each part. Two of each: the next round's come while these are still read. */
struct exchange {
    element sum[2][WORKERS], base[2][WORKERS];
    element within[DELAY][WORKERS]; /* the exchanging warp's own: what stands before a part in its tile */
};

/* The exchanging warp in round k: tile k's sum is posted; tile d, which is stored in the next round,
 * gets its bases. */
static __device__ element exchange_sums(struct exchange *e, unsigned long long *posted, unsigned launch,
                                        unsigned k, unsigned rounds, unsigned delay, element prefix)
{
    unsigned lane = threadIdx.x % 32, d = k + 1 - delay;

    if (k < rounds) {
        element sum = warp_scan(lane < WORKERS ? e->sum[k % 2][lane] : 0);
        element before = __shfl_up_sync(WARP, sum, 1);

        if (lane == 31)
            post(&posted[blockIdx.x + (size_t)k * gridDim.x], launch, sum);
        if (lane < WORKERS)
            e->within[k % DELAY][lane] = lane > 0 ? before : 0;
    }
    if (k + 1 >= delay && d < rounds) {
        prefix += sum_before(posted, blockIdx.x + (size_t)d * gridDim.x, launch);
        if (lane < WORKERS)
            e->base[(k + 1) % 2][lane] = prefix + e->within[d % DELAY][lane];
    }
    return prefix;
}

/* All blocks must be resident, since they wait for each other: a cooperative launch sees to it. */
template <int QUADS, bool EXCLUSIVE_SUM> __global__ void __launch_bounds__(THREADS, BLOCKS)
scan_rounds(element *out, const element *in, size_t n, unsigned long long *posted, unsigned launch)
{
    extern __shared__ element4 waiting[]; /* DELAY tiles */
    __shared__ struct exchange e;
    const size_t part = QUADS * 128, tile = WORKERS * part, tiles = (n + tile - 1) / tile;
    unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    unsigned rounds = (unsigned)((tiles - 1 - blockIdx.x) / gridDim.x) + 1;
    unsigned delay = rounds < DELAY ? rounds : DELAY;
    size_t first = blockIdx.x * tile + warp * part, step = gridDim.x * tile;
    element4 next[QUADS], oldest[QUADS];
    element prefix = 0;
    bool works = warp < WORKERS;

    if (works)
        load<QUADS>(next, in, first, n);
    for (unsigned k = 0; k < rounds + delay; k++) {
        element4 *slot = &waiting[(k % delay * WORKERS + warp) * QUADS * 32 + lane];

        if (works && k >= delay) { /* make room for tile k */
#pragma unroll
            for (int r = 0; r < QUADS; r++)
                oldest[r] = slot[r * 32];
        }
        if (works && k < rounds) {
            element sum = scan_part<QUADS, EXCLUSIVE_SUM>(next);

            if (lane == 0)
                e.sum[k % 2][warp] = sum;
#pragma unroll
            for (int r = 0; r < QUADS; r++)
                slot[r * 32] = next[r];
            if (k + 1 < rounds)
                load<QUADS>(next, in, first + (k + 1) * step, n);
        }
        __syncthreads(); /* with the loads of tile k + 1 under way */
        if (works && k >= delay) {
#pragma unroll
            for (int r = 0; r < QUADS; r++)
                add_to_quad(&oldest[r], e.base[k % 2][warp]);
            store<QUADS>(out, oldest, first + (k - delay) * step, n);
        }
        if (!works)
            prefix = exchange_sums(&e, posted, launch, k, rounds, delay, prefix);
    }
}

typedef void kernel(element *, const element *, size_t, unsigned long long *, unsigned);

/* The largest tiles that fit in the device's shared memory: chosen once. */
struct form {
    kernel *run;
    size_t tile, shared;
    int resident; /* blocks on the whole device; 0 if not even the smallest fits */
};

static struct form choose(kernel *run, int rows)
{
    struct form f = {run, (size_t)WORKERS * rows * 128, sizeof(element4) * 32 * rows * WORKERS * DELAY};
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

template <bool EXCLUSIVE_SUM> static const struct form *form(void)
{
    static struct form f;

    if (f.resident == 0)
        f = choose(scan_rounds<3, EXCLUSIVE_SUM>, 3);
    if (f.resident == 0)
        f = choose(scan_rounds<2, EXCLUSIVE_SUM>, 2);
    if (f.resident == 0)
        f = choose(scan_rounds<1, EXCLUSIVE_SUM>, 1);
    return &f;
}

static void launch(struct work *w, const struct form *f)
{
    static unsigned launch; /* the words begin as zeros */
    size_t tiles = scan_tiles_of(w->n, f->tile);
    void *arguments[] = {&w->y, &w->x, &w->n, &w->words, &launch};

    if (tiles == 0)
        return;
    if (launch < UINT_MAX)
        launch++;
    else /* no number is left that no word has */
        cudaMemsetAsync(w->words, 0, tiles * sizeof(*w->words), 0);
    cudaLaunchCooperativeKernel(f->run, dim3(scan_grid(w, tiles)), dim3(THREADS), arguments, f->shared,
                                0);
}

static void inclusive(struct work *w)
{
    launch(w, form<false>());
}

static void exclusive(struct work *w)
{
    launch(w, form<true>());
}

static int resident(int threads)
{
    return threads == THREADS ? form<false>()->resident : 0;
}

static void shape(struct shape *s)
{
    size_t tiles = scan_tiles_of(s->n, form<false>()->tile), most = form<false>()->resident;

    if (s->threads == 0)
        s->threads = THREADS;
    if (s->blocks == 0)
        s->blocks = tiles == 0 ? 1 : (int)(tiles < most ? tiles : most);
}

/*
 * The longest chain of additions. The sum of a part: 3 in a quad, 5 between lanes, 3 rows; over the
 * workers: 5; over G words, 32 lanes at a time: G / 32 + 1 + 5; the prefix: one per round; the base and
 * the element: 1 each.
 */
static double depth(const struct shape *s)
{
    double tiles = (double)scan_tiles_of(s->n, form<false>()->tile), blocks = s->blocks ? s->blocks : 1;

    return tiles / blocks + 1 + blocks / 32 + 24;
}

/* A lane's additions in a row of float4s: 3 and 5 to scan it, 4 and 2 for what stands before it, 4 for
 * the base; zeros included. */
static double flops(const struct shape *s)
{
    size_t tile = form<false>()->tile;

    return (double)scan_tiles_of(s->n, tile) * (double)tile / 4 * 18;
}

static const struct variant variants[] = {
    {"rounds", "one barrier per tile; stored three rounds later", inclusive, WAITS, depth, resident,
     shape, flops, THREADS},
    {"exclusive", "the same, without the element itself", exclusive, WAITS | EXCLUSIVE, depth, resident,
     shape, flops, THREADS},
    {"in-place", "over its own input", inclusive, WAITS | IN_PLACE, depth, resident, shape, flops,
     THREADS},
};

static const struct launches launches[] = {
    {MUTATED, {"-n 800003 -b 40 -v rounds"}}, /* more than 32 tiles before one */
    {0},
};

STEP("scan-rounds", scan_family, variants, launches);
