/*
 * scan-cyclic: a scan over several GPUs in one pass
 *
 * Idea      The array is dealt out in chunks, to one GPU after the other, so that all GPUs walk through the whole of
 *           it together. What stands before a chunk is known as soon as the chunks beside it are summed, and one
 *           pass is enough: each block that ends a chunk hands its sum over.
 * Since     scan-devices, where a GPU has one part of the array: what stands before it is known when all others
 *           have read theirs, so that each part is read twice.
 * Expect    8 bytes of a GPU's memory per element, as on one GPU: two GPUs take half of its time.
 * Source    Merrill and Garland, NVIDIA NVR-2016-002; ScaLAPACK Users' Guide, "Block-cyclic distribution".
 */
#include "families/spreadscan/rounds.h"

enum { WORDS = 2 }; /* of chunks, that a lane of the exchanging warp asks for at once */

/* What stands before a tile of the block: this lane's share. */
struct before {
    element sum;
    unsigned seen; /* chunks of the whole array that are in it */
};

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

/* What scan_rounds() asks for. */
struct in_chunks {
    enum { DEALT = true, DEVICES_WAIT = true };
    typedef struct before state;
    static __device__ void go(const struct part &p, const struct tiling &t, struct exchange *e,
                              struct before *b, unsigned k, unsigned rounds)
    {
        go_through_chunks(p, t, e, b, k, rounds);
    }
};

static void cyclic(struct work *w)
{
    w->epoch++;
    for (int d = 0; d < w->devices; d++) {
        struct part p = on_device(w, d);

        scan<in_chunks>(w, p, w->places[d].stream);
    }
}

/* A chunk of two rounds leaves one for the way of its sum, before the tiles of the next chunk need it, which wait DELAY
 * rounds. Where a chunk takes more, the result would be right, but the devices would wait for each other's sums. */
static bool too_few(const struct shape *s, char *why, size_t room)
{
    unsigned each = tiles_of<in_chunks>(s).each, least = each / 2;

    if ((unsigned)s->blocks >= least)
        return false;
    snprintf(why, room, "a chunk has %u tiles and needs a grid of at least %u blocks; got %d", each,
             least, s->blocks);
    return true;
}

/* The longest chain of additions: the rounds; the sums of chunks, 32 lanes at a time; and those of a chunk's tiles. */
static double depth(const struct shape *s)
{
    struct tiling t = tiles_of<in_chunks>(s);
    double each = (double)t.each, chunks = (double)t.count / each * (double)s->axis[1];

    return depth_of_rounds(s, t) + chunks / 32 + each / 32 + 6;
}

static const struct variant variants[] = {
    {"cyclic", "chunks in turn, one pass", cyclic, WAITS | CYCLIC, depth, resident<in_chunks>,
     shape<in_chunks>, NULL, THREADS, NULL, NULL, NULL, too_few},
};

STEP("scan-cyclic", spreadscan_family, variants);
