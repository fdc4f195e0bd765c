/*
 * fft-fused: columns and rows in one kernel
 *
 * Idea      What lies between columns and rows is small if the rows of a vector follow its columns closely,
 *           and never leaves L2. A team of blocks takes a vector after another: half of its blocks transform
 *           the columns, a tile each, and put them into one of SLOTS slots, the others the rows of the
 *           vector that lies there. They wait for each other by counters in memory.
 * Since     The kernels of fft-fourstep move all points through memory, twice or three times.
 * Expect    Each point crosses memory once each way, and L2 once more. Then instructions, barriers and waits
 *           are the limit.
 * Source    As of fft-fourstep; block-sync-lock's release and acquire.
 */
#include <stdio.h>

#include <cuda/atomic>

#include "families/fft/parts.h"

#define SLOTS 3 /* vectors of a team that lie between its columns and its rows */

/*
 * A block has the same tile each time, so all the roots that it needs fit its shared memory. That matters
 * here: to wait for other blocks in the right order of memory empties L1.
 */
struct shared_roots {
    const c32 *of[2];

    template <int R> __device__ __forceinline__ void get(c32 *w, int stage, int before, int p) const
    {
#pragma unroll
        for (int k = 1; k < R; k++)
            w[k] = of[stage][k * before + p];
    }
};

template <int N> static __host__ __device__ constexpr int roots_room()
{
    return radix(N, 1) * radix(N, 2) + (radix(N, 3) > 1 ? N : 0);
}

/* Copy the tables of a part to shared memory. */
template <int N>
static __device__ struct shared_roots to_shared(c32 *to, const struct stage_roots &roots)
{
    const int SECOND = radix(N, 1) * radix(N, 2);

    for (int i = threadIdx.x; i < roots_room<N>(); i += blockDim.x)
        to[i] = i < SECOND ? roots.of[0][i] : roots.of[1][i - SECOND];
    return (struct shared_roots){to, to + SECOND};
}

typedef cuda::atomic_ref<unsigned, cuda::thread_scope_device> counter;

/* By the first thread; others go on behind a barrier. */
static __device__ void wait_for(unsigned *count, unsigned tiles)
{
    while (counter(*count).load(cuda::memory_order_acquire) < tiles)
        ;
}

static __device__ void tell(unsigned *count)
{
    counter(*count).fetch_add(1, cuda::memory_order_release);
}

struct team {
    size_t teams, number;
    int tile;
    unsigned *written, *read; /* tiles done of each vector; zeros at first */
};

/* The columns of a tile, of each vector of the team. What the last one's stores wait for, and the next slot,
 * is seen to while this one's points are on their way. */
template <int N1, int N2, int TILE>
static __device__ void team_columns(c32 *between, const c32 *in, size_t batch, float sign,
                                    c32 *places, c32 *room_for, const struct stage_roots &roots,
                                    const struct turns &w, const struct team &team)
{
    const int C = TILE / N1, T = threads(N1), TILES = N2 / C;
    int c = threadIdx.x % C, t = threadIdx.x / C, j = team.tile * C + c, slot = 0;
    struct shared_roots own = to_shared<N1>(room_for, roots);
    c32 *coarse = room_for + roots_room<N1>(), *fine = coarse + 16 * C + threadIdx.x;
    size_t ahead = team.teams * SLOTS;

    *fine = w.fine[t * N2 + j];
    for (int i = threadIdx.x; i < 16 * C; i += blockDim.x)
        coarse[i] = w.coarse[i / C * N2 + team.tile * C + i % C];
    for (size_t v = team.number; v < batch; v += team.teams) {
        const c32 *from = in + v * (N1 * N2) + t * N2 + j;
        c32 x[16], *to = between + (slot * team.teams + team.number) * (N1 * N2) + t * N2 + j;

#pragma unroll
        for (int i = 0; i < 16; i++)
            x[i] = conjugate(__ldcs(&from[T * N2 * i]), sign);
        __syncthreads(); /* the last vector is stored, and its places are read */
        if (threadIdx.x == 0 && v >= team.teams)
            tell(&team.written[v - team.teams]);
        if (threadIdx.x == 0 && v >= ahead)
            wait_for(&team.read[v - ahead], TILES);
        transform_part<N1>(x, t, t, places + c * room(N1), places + c * room(N1), own);
#pragma unroll
        for (int i = 0; i < 16; i++)
            to[T * N2 * i] = multiply(x[i], i == 0 ? *fine : multiply(*fine, coarse[i * C + c]));
        slot = (slot + 1) % SLOTS;
    }
    __syncthreads();
    if (threadIdx.x == 0 && team.number < batch)
        tell(&team.written[team.number + (batch - 1 - team.number) / team.teams * team.teams]);
}

template <int N1, int N2, int TILE>
static __device__ void team_rows(c32 *out, const c32 *between, size_t batch, float sign,
                                 c32 *places, c32 *room_for, const struct stage_roots &roots,
                                 const struct team &team)
{
    const int C = TILE / N2, T = threads(N2), TILES = N1 / C;
    int c = threadIdx.x / T, t = threadIdx.x % T, next_c = threadIdx.x % C,
        next_t = threadIdx.x / C;
    struct shared_roots own = to_shared<N2>(room_for, roots);
    int slot = 0;

    for (size_t v = team.number; v < batch; v += team.teams) {
        const c32 *from =
            between + (slot * team.teams + team.number) * (N1 * N2) + (team.tile * C + c) * N2 + t;
        c32 x[16], *to = out + v * (N1 * N2) + next_t * N1 + team.tile * C + next_c;

        if (threadIdx.x == 0)
            wait_for(&team.written[v], TILES);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; i++)
            x[i] = __ldcg(&from[T * i]); /* from L2: others have written it */
        transform_part<N2>(x, t, next_t, places + c * room(N2), places + next_c * room(N2), own);
        if (threadIdx.x == 0)
            tell(&team.read[v]); /* behind the exchange's barrier all have their points */
#pragma unroll
        for (int i = 0; i < 16; i++)
            __stcs(&to[T * N1 * i], conjugate(x[i], sign));
        slot = (slot + 1) % SLOTS;
    }
}

/* The points of a tile in shared memory, before the roots. */
template <int N1, int N2, int TILE> static __host__ __device__ constexpr int places_of_tile()
{
    return TILE / N1 * room(N1) > TILE / N2 * room(N2) ? TILE / N1 * room(N1)
                                                       : TILE / N2 * room(N2);
}

template <int N1, int N2, int TILE, int BLOCKS> __global__ void __launch_bounds__(TILE / 16, BLOCKS)
fft_team(c32 *out, const c32 *in, c32 *between, size_t batch, float sign, unsigned *flags,
         struct stage_roots roots1, struct stage_roots roots2, struct turns w)
{
    extern __shared__ c32 places[];
    const int TILES = N1 * N2 / TILE;
    c32 *room_for = places + places_of_tile<N1, N2, TILE>();
    struct team team = {gridDim.x / (2 * TILES), blockIdx.x / (2 * TILES),
                        (int)blockIdx.x / 2 % TILES, flags, flags + batch};

    if (blockIdx.x % 2 == 0)
        team_columns<N1, N2, TILE>(between, in, batch, sign, places, room_for, roots1, w, team);
    else
        team_rows<N1, N2, TILE>(out, between, batch, sign, places, room_for, roots2, team);
}

/* The tables of a part, what stands between the parts, and the tile, in bytes. */
template <int N1, int N2, int TILE> static constexpr int shared_of()
{
    const int columns = roots_room<N1>() + 16 * (TILE / N1) + TILE / 16;

    return (places_of_tile<N1, N2, TILE>() +
            (columns > roots_room<N2>() ? columns : roots_room<N2>())) *
           (int)sizeof(c32);
}

/* As many whole teams as are resident at once: they wait for each other. */
template <int N1, int N2, int TILE, int BLOCKS> static int most_teams()
{
    const int shared = shared_of<N1, N2, TILE>();
    static int most = -1;
    int device = 0, sms = 0, blocks = 0;

    if (most >= 0)
        return most;
    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device);
    cudaFuncSetAttribute(fft_team<N1, N2, TILE, BLOCKS>,
                         cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, fft_team<N1, N2, TILE, BLOCKS>,
                                                  TILE / 16, shared);
    most = sms * (blocks < BLOCKS ? blocks : BLOCKS) / (2 * (N1 * N2 / TILE));
    return most;
}

template <int N1, int N2, int TILE, int BLOCKS> static void in_teams(struct work *w)
{
    size_t most = most_teams<N1, N2, TILE, BLOCKS>(), teams = w->batch < most ? w->batch : most;
    struct stage_roots roots1 = roots_of(N1), roots2 = roots_of(N2);
    struct turns turns = turns_of<N1>(N2);
    void *arguments[] = {&w->out,   &w->in,  &w->between, &w->batch, &w->sign,
                         &w->flags, &roots1, &roots2,     &turns};

    cudaMemsetAsync(w->flags, 0, 2 * w->batch * sizeof(*w->flags));
    cudaLaunchCooperativeKernel(fft_team<N1, N2, TILE, BLOCKS>,
                                dim3((unsigned)teams * 2 * (N1 * N2 / TILE)), dim3(TILE / 16),
                                arguments, shared_of<N1, N2, TILE>(), 0);
}

struct length {
    size_t points;
    int shared, tile;
    int (*most)(void);
    void (*launch)(struct work *);
};

template <int N1, int N2, int TILE, int BLOCKS> static constexpr struct length length_of()
{
    return {N1 * N2, shared_of<N1, N2, TILE>(), TILE, most_teams<N1, N2, TILE, BLOCKS>,
            in_teams<N1, N2, TILE, BLOCKS>};
}

/* A kernel is made for its length, so each costs time to compile: the CPU device has one. */
static const struct length lengths[] = {
    length_of<128, 128, 4096, 3>(),
#ifdef BACKEND_CPU
#define LENGTHS "16384"
#else
    length_of<128, 256, 4096, 3>(),
    length_of<256, 256, 4096, 3>(),
    length_of<256, 512, 8192, 2>(),
#define LENGTHS "16384 32768 65536 131072"
#endif
};

static const struct length *with(size_t points)
{
    const struct length *l = lengths;

    while (l < lengths + COUNT(lengths) - 1 && l->points != points)
        l++;
    return l;
}

static void teams(struct work *w)
{
    if (w->batch > 0)
        with(w->length)->launch(w);
}

static bool refuse(const struct shape *s, char *why, size_t size)
{
    const struct length *l = with(s->axis[FFT_LENGTH]);

    if (device_lacks_shared(l->shared, why, size))
        return true;
    if (l->most() > 0)
        return false;
    snprintf(why, size,
             "a team is %d blocks of %d threads, too many for this device to hold at once",
             2 * (int)l->points / l->tile, l->tile / 16);
    return true;
}

static void shape(struct shape *s)
{
    if (s->threads == 0)
        s->threads = with(s->axis[FFT_LENGTH])->tile / 16;
}

static const struct variant variants[] = {
    {"teams", "columns and rows in one kernel, and what lies between in L2", teams,
     THREADS_BY_SIZE | BETWEEN | WAITS, .default_shape = shape, .only = LENGTHS, .refuse = refuse},
};

STEP("fft-fused", fft_family, variants);
