/* Shuffles, votes, matches and reductions of a warp, for all widths and for partial warps. The
 * expected values follow the CUDA C++ Programming Guide, "Warp Shuffle Functions" and so on. */
#include "expect.h"

enum { UP, DOWN, XOR, INDEX };

template <typename T> __global__ void shuffle(T *out, int kind, int by, int width, unsigned mask)
{
    T v = (T)(threadIdx.x + 1);

    if (!(mask >> threadIdx.x % 32 & 1))
        return;
    v = kind == UP     ? __shfl_up_sync(mask, v, by, width)
        : kind == DOWN ? __shfl_down_sync(mask, v, by, width)
        : kind == XOR  ? __shfl_xor_sync(mask, v, by, width)
                       : __shfl_sync(mask, v, by, width);
    out[threadIdx.x] = v;
}

/* The lane that is read, as the guide has it; outside of the segment: its own. */
static int source(int kind, int lane, int by, int width)
{
    int low = lane / width * width, from;

    switch (kind) {
    case UP:
        from = lane - by;
        return from < low ? lane : from;
    case DOWN:
        from = lane + by;
        return from >= low + width ? lane : from;
    case XOR:
        from = lane ^ by;
        return from >= low + width ? lane : from;
    default:
        return low + (by & (width - 1));
    }
}

template <typename T> static int shuffles_wrong(int kind, int threads)
{
    T *d = device_array<T>(1024);
    int bad = 0;
    unsigned mask = threads < 32 ? (1u << threads) - 1 : ~0u;

    for (int width = 1; width <= 32; width *= 2) {
        for (int by = 0; by < (threads < 32 ? threads : 32); by = by < 4 ? by + 1 : 2 * by - 1) {
            shuffle<T><<<1, threads>>>(d, kind, by, width, mask);
            T *h = on_host(d, threads);
            for (int i = 0; i < threads; i++) {
                int from = source(kind, i % 32, by, width), in_block = i / 32 * 32 + from;

                /* What a lane gets from one that is not there is not defined. */
                if (in_block < threads && (threads >= 32 || from < threads))
                    bad += h[i] != (T)(in_block + 1);
            }
            free(h);
        }
    }
    cudaFree(d);
    return bad;
}

template <typename T> static void all_shuffles(const char *type)
{
    static const char *const names[] = {"__shfl_up_sync", "__shfl_down_sync", "__shfl_xor_sync",
                                        "__shfl_sync"};
    static const int threads[] = {32, 96, 7, 31};
    char text[100];

    for (int kind = 0; kind < 4; kind++)
        for (int t : threads) {
            snprintf(text, sizeof(text), "%s of %s, every width, %d threads", names[kind], type, t);
            expect_equal(shuffles_wrong<T>(kind, t), 0, text);
        }
}

struct votes {
    unsigned ballot, active, any, all, match, match_all, match_none;
    int same, different;
};

__global__ void vote(votes *out, unsigned mask)
{
    unsigned t = threadIdx.x;
    votes v;

    if (!(mask >> t % 32 & 1))
        return;
    v.active = __activemask();
    v.ballot = __ballot_sync(mask, t % 3 == 0);
    v.any = (unsigned)(__any_sync(mask, t == 2) != 0) * 2 + (__any_sync(mask, 0) != 0);
    v.all = (unsigned)(__all_sync(mask, 1) != 0) * 2 + (__all_sync(mask, t != 2) != 0);
    v.match = __match_any_sync(mask, t / 5);
    v.match_all = __match_all_sync(mask, 12345678901ull, &v.same);
    v.match_none = __match_all_sync(mask, t, &v.different);
    out[t] = v;
}

static void votes_of(int threads, unsigned mask)
{
    votes *d = device_array<votes>(64), *h;
    unsigned lanes = mask & (threads < 32 ? (1u << threads) - 1 : ~0u), ballot = 0;
    int bad = 0, single = __builtin_popcount(lanes) == 1, third = (lanes >> 2 & 1) != 0;
    char text[100];

    vote<<<1, threads>>>(d, mask); /* it may name lanes that the block does not have */
    h = on_host(d, threads);
    for (int i = 0; i < 32; i++)
        ballot |= (unsigned)(i % 3 == 0) << i & lanes;
    for (int i = 0; i < 32 && i < threads; i++) {
        unsigned match = 0;

        if (!(lanes >> i & 1))
            continue;
        for (int k = 0; k < 32; k++)
            match |= (unsigned)(k / 5 == i / 5) << k & lanes;
        /* Lanes that are about to leave may still count. */
        bad += (h[i].active >> i & 1) != 1 || (threads < 32 && h[i].active >> threads != 0);
        bad += h[i].ballot != ballot || h[i].match != match;
        bad += h[i].any != (unsigned)third * 2 || h[i].all != 2 + (unsigned)!third;
        bad += h[i].match_all != lanes || !h[i].same;
        bad += h[i].match_none != (single ? lanes : 0) || h[i].different != single;
    }
    snprintf(text, sizeof(text), "votes and matches, mask 0x%08x of %d threads", mask, threads);
    expect_equal(bad, 0, text);
    free(h);
    cudaFree(d);
}

__global__ void reduce_ints(long long *out, unsigned mask)
{
    unsigned t = threadIdx.x, u = t * 0x9e3779b9u;
    int i = (int)u;
    long long *o = out + t * 10;

    if (!(mask >> t & 1))
        return;
    o[0] = __reduce_add_sync(mask, i);
    o[1] = __reduce_min_sync(mask, i);
    o[2] = __reduce_max_sync(mask, i);
    o[3] = __reduce_add_sync(mask, u);
    o[4] = __reduce_min_sync(mask, u);
    o[5] = __reduce_max_sync(mask, u);
    o[6] = __reduce_and_sync(mask, u | 0x80000001u);
    o[7] = __reduce_or_sync(mask, u & 0xff);
    o[8] = __reduce_xor_sync(mask, u);
}

static void reductions_of(unsigned mask)
{
    long long *d = device_array<long long>(320), *h, w[9] = {0};
    int first = 1, bad = 0;
    char text[100];

    reduce_ints<<<1, 32>>>(d, mask);
    h = on_host(d, 320);
    for (unsigned t = 0; t < 32; t++) {
        unsigned u = t * 0x9e3779b9u;
        int i = (int)u;

        if (!(mask >> t & 1))
            continue;
        w[0] = (int)(unsigned)((unsigned)w[0] + u);
        w[1] = first || i < w[1] ? i : w[1];
        w[2] = first || i > w[2] ? i : w[2];
        w[3] = (unsigned)w[3] + u;
        w[3] = (unsigned)w[3];
        w[4] = first || u < w[4] ? u : w[4];
        w[5] = first || u > w[5] ? u : w[5];
        w[6] = first ? (u | 0x80000001u) : w[6] & (u | 0x80000001u);
        w[7] |= u & 0xff;
        w[8] ^= u;
        first = 0;
    }
    for (unsigned t = 0; t < 32; t++)
        for (int k = 0; k < 9; k++)
            bad += (mask >> t & 1) && h[t * 10 + k] != w[k];
    snprintf(text, sizeof(text), "__reduce_*_sync, mask 0x%08x", mask);
    expect_equal(bad, 0, text);
    free(h);
    cudaFree(d);
}

/* The two halves of a warp at different operations at the same time. */
__global__ void halves(int *out)
{
    int t = (int)threadIdx.x, v;

    if (t < 16)
        v = __shfl_down_sync(0x0000ffffu, t, 1);
    else
        v = __shfl_up_sync(0xffff0000u, t, 1) + (__any_sync(0xffff0000u, t == 20) ? 1000 : 0);
    out[t] = v;
}

__global__ void pieces(int *out)
{
    int t = (int)threadIdx.x;
    unsigned mask = 0xfu << t / 4 * 4;

    out[t] = (int)__reduce_add_sync(mask, (unsigned)t);
}

int main()
{
    static const unsigned masks[] = {~0u,      0x0000ffff, 0xffff0000, 0x55555555,
                                     1u << 31, 0x00000004, 0x7fffffff};
    int *d = device_array<int>(32), *h, bad = 0;

    all_shuffles<int>("int");
    all_shuffles<float>("float");
    all_shuffles<double>("double");
    all_shuffles<unsigned long long>("unsigned long long");
    for (unsigned mask : masks) {
        votes_of(32, mask);
        reductions_of(mask);
    }
    votes_of(20, ~0u);
    votes_of(1, ~0u);
    halves<<<1, 32>>>(d);
    h = on_host(d, 32);
    for (int i = 0; i < 32; i++)
        bad += h[i] != (i < 16 ? (i < 15 ? i + 1 : 15) : (i > 16 ? i - 1 : 16) + 1000) && i != 15 &&
               i != 16;
    expect_equal(bad, 0, "the halves of a warp go different ways");
    pieces<<<1, 32>>>(d);
    h = on_host(d, 32);
    bad = 0;
    for (int i = 0; i < 32; i++)
        bad += h[i] != i / 4 * 16 + 6;
    expect_equal(bad, 0, "eight masks in one warp at once");
    expect_equal(launch_error(), 0, "no error is left");
    return expect_status();
}
