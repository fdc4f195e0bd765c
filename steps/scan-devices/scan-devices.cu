/*
 * scan-devices: a scan over several GPUs
 *
 * Idea      A part's prefixes need the sum of all before it, which is on other GPUs. How often each part is read
 *           and written meanwhile decides the time. `add` scans each part, exchanges the totals and adds them;
 *           `totals` sums first, and scans behind the totals.
 * Since     scan-rounds scanned an array of one GPU, where tiles hand over their sums. Here parts do, too, over links.
 * Expect    Per element 16 and 12 bytes of a GPU's memory, where one GPU moves 8: so two GPUs take 1 and 3/4 of the
 *           time of one.
 * Source    Merrill and Garland, NVIDIA NVR-2016-002.
 */
#include "families/spreadscan/rounds.h"

enum { POLLS = 5 }; /* words of tiles that a lane of the exchanging warp asks for at once */

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

/* Round k: the tile of round d is far enough behind. Before it stand the tiles before it in the part. BEHIND: and the
 * parts before, whose totals are known. Else the block with the last tile hands the total of the part over. */
template <bool BEHIND>
static __device__ void go_through_part(const struct part &p, const struct tiling &t,
                                       struct exchange *e, element *before, unsigned k,
                                       unsigned rounds)
{
    unsigned d = k + 1 - DELAY, tile = blockIdx.x + d * gridDim.x;

    if (d >= rounds) /* or below 0 */
        return;
    *before += sum_before(p, tile, tile < gridDim.x ? tile : gridDim.x);
    if (BEHIND && d == 0)
        *before += sum_of_chunks(p, 0, p.barrier.rank);
    element base = warp_sum(*before);

    set_bases(e, d, base);
    if (!BEHIND && tile == t.count - 1)
        hand_over(p, 0, base + e->within[d % DELAY][WORKERS]);
}

/* What scan_rounds() asks for. A part is one chunk; behind `totals`' scan no kernel comes, so it has the wait. */
template <bool BEHIND> struct in_part {
    enum { DEALT = false, DEVICES_WAIT = BEHIND };
    typedef element state;
    static __device__ void go(const struct part &p, const struct tiling &t, struct exchange *e,
                              element *before, unsigned k, unsigned rounds)
    {
        go_through_part<BEHIND>(p, t, e, before, k, rounds);
    }
};

typedef in_part<false> alone; /* the first pass of `add` */
typedef in_part<true> behind; /* the second of `totals` */

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

static void add(struct work *w)
{
    w->epoch++;
    for (int d = 0; d < w->devices; d++) {
        struct part p = on_device(w, d);

        scan<alone>(w, p, w->places[d].stream);
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
        scan<behind>(w, p, w->places[d].stream);
    }
}

/* The longest chain of additions: the rounds, the totals of parts, and the pass that makes a total. */
static double add_depth(const struct shape *s)
{
    struct tiling t = tiles_of<alone>(s);

    return depth_of_rounds(s, t) + MAX_SPREAD / 32.0 + (double)t.each / 32 + 6;
}

static double totals_depth(const struct shape *s)
{
    double blocks = s->blocks ? s->blocks : 1;

    return depth_of_rounds(s, tiles_of<behind>(s)) + MAX_SPREAD / 32.0 +
           (double)s->n / (blocks * THREADS) + blocks / THREADS + 32;
}

static const struct variant variants[] = {
    {"add", "each part is scanned, then what stands before it is added", add, WAITS, add_depth,
     resident<alone>, shape<alone>, NULL, THREADS},
    {"totals", "each part is summed, then scanned behind the totals", totals, WAITS, totals_depth,
     resident<behind>, shape<behind>, NULL, THREADS},
};

STEP("scan-devices", spreadscan_family, variants);
