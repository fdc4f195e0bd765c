/*
 * fft-global: vectors that no block can hold, in two or three parts
 *
 * Idea      A vector of N1 x N2 points is a matrix. Transform its columns, multiply by roots of unity,
 *           transform its rows: that is the transform of the whole, but for a transpose. Here the
 *           transposes cost nothing: they are the order in which blocks load and store.
 * Since     fft-shared ends where a vector no longer fits a block's shared memory.
 * Expect    A kernel a part reads and writes all points once: half the copy's rate with two, a third with
 *           three. In one kernel, some of whose blocks transform columns and some rows, what goes from one
 *           to the other stays in L2. A block that holds 8192 or 16384 points needs no second part.
 * Source    GPU programming principles; Gentleman and Sande, 1966; Bailey, "FFTs in external or hierarchical
 *           memory", 1990.
 */
#include <cuda/atomic>

#include "families/fft/stages.h"

#define SIDE 16 /* columns or rows of a block: 128 bytes side by side */
#define SLOTS 3 /* vectors of a team that lie between its columns and its rows */

/* N points go by threads of 16 points, in stages of radix 16, but for the last; 1024 in two of 32. */
static __host__ __device__ constexpr int points(int n)
{
    return n == 1024 ? 32 : 16;
}

static __host__ __device__ constexpr int threads(int n)
{
    return n / points(n);
}

static __host__ __device__ constexpr int radix(int n, int stage)
{
    return stage == 1               ? points(n)
           : threads(n) < points(n) ? (stage == 2 ? threads(n) : 1)
           : stage == 2             ? points(n)
                                    : threads(n) / points(n);
}

template <int N, typename Roots>
static __device__ __forceinline__ void transform_part(c32 *x, int t, int next, c32 *to,
                                                      const c32 *from, const Roots &roots)
{
    /* A vector's threads lie across the warps, so the block meets. */
    transform<N, threads(N), radix(N, 1), radix(N, 2), radix(N, 3), 1, 1024>(x, t, next, to, from,
                                                                             roots);
}

static struct stage_roots roots_of(int n)
{
    return stage_roots_of(radix(n, 1), radix(n, 2), radix(n, 3), 1);
}

/*
 * What stands between columns and rows: the point of row k and column j is multiplied by exp(-2 pi i k j /
 * (N columns)). With T threads a column and k = t + T i that is fine[t][j] coarse[i][j], of tables that fit
 * the caches. The second of three kernels multiplies by more, see three_parts.
 */
struct turns {
    const c32 *fine, *coarse;
    const c32 *before, *one; /* of three: [k1][n2] and [k1][n3] */
    size_t rows;             /* of three: how many k1 */
};

template <int N> static struct turns turns_of(size_t columns)
{
    return (struct turns){fft_roots(threads(N), columns, N * columns),
                          fft_roots(points(N), columns, points(N) * columns), NULL, NULL, 1};
}

/* Which kernel this is: they differ in what they multiply by. */
enum part { FIRST_OF_TWO, FIRST_OF_THREE, SECOND_OF_THREE };

/* A block transforms C columns side by side, of as many matrices of N rows as the grid says. */
template <int N, int C, int PART, int BLOCKS>
__global__ void __launch_bounds__(C *threads(N), BLOCKS)
fft_columns(c32 *to, const c32 *from, size_t columns, float sign, struct stage_roots roots,
            struct turns w)
{
    extern __shared__ c32 places[];
    const int P = points(N), T = threads(N);
    int c = threadIdx.x % C, t = threadIdx.x / C;
    size_t tiles = columns / C, j = blockIdx.x % tiles * C + c, matrix = blockIdx.x / tiles;
    size_t base = matrix * N * columns + j, k1 = matrix % w.rows;
    c32 x[P], fine, *own = places + c * room(N);

#pragma unroll
    for (int i = 0; i < P; i++) {
        c32 point = from[base + (t + T * i) * columns];

        x[i] = PART == SECOND_OF_THREE ? multiply(point, __ldg(&w.before[k1 * N + t + T * i]))
                                       : conjugate(point, sign);
    }
    transform_part<N>(x, t, t, own, own, product_roots{roots});
    if (PART != FIRST_OF_THREE)
        fine = __ldg(&w.fine[t * columns + j]);
    if (PART == SECOND_OF_THREE)
        fine = multiply(fine, __ldg(&w.one[k1 * columns + j]));
#pragma unroll
    for (int i = 0; i < P; i++) {
        if (PART != FIRST_OF_THREE)
            x[i] =
                multiply(x[i], i == 0 ? fine : multiply(fine, __ldg(&w.coarse[i * columns + j])));
        to[base + (t + T * i) * columns] = x[i];
    }
}

/*
 * A block transforms C rows. Row r of R is one of `middle` that follow each other, and its point k goes to
 * place (k middle + m) R + r of the result. So threads that load neighbours of a row store neighbours of
 * different rows: the last exchange hands the points over.
 */
template <int N, int C, int BLOCKS> __global__ void __launch_bounds__(C *threads(N), BLOCKS)
fft_rows(c32 *out, const c32 *from, size_t rows, size_t middle, float sign,
         struct stage_roots roots)
{
    extern __shared__ c32 places[];
    const int P = points(N), T = threads(N);
    int c = threadIdx.x / T, t = threadIdx.x % T;
    int next_c = threadIdx.x % C, next_t = threadIdx.x / C;
    size_t tiles = rows / C, first = blockIdx.x % tiles * C, m = blockIdx.x / tiles % middle;
    size_t vector = blockIdx.x / tiles / middle * (rows * middle * N);
    c32 x[P];

#pragma unroll
    for (int i = 0; i < P; i++)
        x[i] = from[vector + ((first + c) * middle + m) * N + t + T * i];
    transform_part<N>(x, t, next_t, places + c * room(N), places + next_c * room(N),
                      product_roots{roots});
#pragma unroll
    for (int i = 0; i < P; i++)
        out[vector + ((next_t + T * i) * middle + m) * rows + first + next_c] =
            conjugate(x[i], sign);
}

/* So many columns or rows a block that its points fit shared memory and the registers. */
static constexpr int side_of(int n)
{
    return n > 2048 ? SIDE / 4 : n > 1024 ? SIDE / 2 : SIDE;
}

/* Blocks a multiprocessor that have registers enough, 64 a thread, or 128 with 32 points. */
static constexpr int blocks_of(int n)
{
    return 16384 / (side_of(n) * n) > 8   ? 8
           : 16384 / (side_of(n) * n) > 1 ? 16384 / (side_of(n) * n)
                                          : 1;
}

template <int N, int PART>
static void columns(c32 *to, const c32 *from, const struct work *w, size_t others, float sign,
                    const struct turns *turns)
{
    const int C = side_of(N), shared = C * room(N) * sizeof(c32);

    cudaFuncSetAttribute(fft_columns<N, side_of(N), PART, blocks_of(N)>,
                         cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
    fft_columns<N, side_of(N), PART, blocks_of(N)>
        <<<(unsigned)(w->batch * (w->length / N) / C), C * threads(N), shared>>>(
            to, from, others, sign, roots_of(N), *turns);
}

template <int N>
static void rows(c32 *to, const c32 *from, const struct work *w, size_t count, size_t middle)
{
    const int C = side_of(N), shared = C * room(N) * sizeof(c32);

    cudaFuncSetAttribute(fft_rows<N, side_of(N), blocks_of(N)>,
                         cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
    fft_rows<N, side_of(N), blocks_of(N)>
        <<<(unsigned)(w->batch * (w->length / N) / C), C * threads(N), shared>>>(
            to, from, count, middle, w->sign, roots_of(N));
}

template <int N1, int N2> static void two_parts(struct work *w)
{
    struct turns turns = turns_of<N1>(N2);

    columns<N1, FIRST_OF_TWO>(w->between, w->in, w, N2, w->sign, &turns);
    rows<N2>(w->out, w->between, w, N1, 1);
}

static void two(struct work *w)
{
    if (w->batch == 0)
        return;
    switch (w->length) {
    case 1 << 13:
        return two_parts<64, 128>(w);
    case 1 << 16:
        return two_parts<256, 256>(w);
    case 1 << 18:
        return two_parts<512, 512>(w);
#ifndef BACKEND_CPU
    case 1 << 14:
        return two_parts<128, 128>(w);
    case 1 << 15:
        return two_parts<128, 256>(w);
    case 1 << 17:
        return two_parts<256, 512>(w);
    case 1 << 19:
        return two_parts<512, 1024>(w);
    case 1 << 20:
        return two_parts<1024, 1024>(w);
    case 1 << 21:
        return two_parts<1024, 2048>(w);
    case 1 << 22:
        return two_parts<2048, 2048>(w);
    case 1 << 23:
        return two_parts<2048, 4096>(w);
#endif
    }
}

/*
 * n = (n1 N2 + n2) N3 + n3 and k = k1 + N1 (k2 + N2 k3). After the first kernel a point lies at (k1, n2,
 * n3), and lacks exp(-2 pi i k1 (n2 N3 + n3) / length), which is before[k1][n2] one[k1][n3]: the second
 * kernel multiplies by the one when it loads, by the other when it stores.
 */
template <int N1, int N2, int N3> static void three_parts(struct work *w)
{
    struct turns turns = turns_of<N2>(N3);

    turns.before = fft_roots(N1, N2, N1 * N2);
    turns.one = fft_roots(N1, N3, w->length);
    turns.rows = N1;
    columns<N1, FIRST_OF_THREE>(w->between, w->in, w, N2 * N3, w->sign, &turns);
    columns<N2, SECOND_OF_THREE>(w->between, w->between, w, N3, 1, &turns);
    rows<N3>(w->out, w->between, w, N1, N2);
}

static void three(struct work *w)
{
    if (w->batch == 0)
        return;
    switch (w->length) {
    case 1 << 18:
        return three_parts<64, 64, 64>(w);
#ifndef BACKEND_CPU
    case 1 << 21:
        return three_parts<128, 128, 128>(w);
    case 1 << 22:
        return three_parts<128, 128, 256>(w);
    case 1 << 23:
        return three_parts<128, 256, 256>(w);
    case 1 << 24:
        return three_parts<256, 256, 256>(w);
#endif
    }
}

/* The whole vector in one block, by exchanges as in fft-shared. */
template <int N, int T, int R1, int R2, int R3, int BLOCKS>
__global__ void __launch_bounds__(T, BLOCKS)
fft_block(c32 *out, const c32 *in, float sign, struct stage_roots roots)
{
    extern __shared__ c32 places[];
    size_t base = (size_t)blockIdx.x * N;
    int t = threadIdx.x;
    c32 x[N / T];

#pragma unroll
    for (int i = 0; i < N / T; i++)
        x[i] = conjugate(in[base + t + T * i], sign);
    transform<N, T, R1, R2, R3, 1, T>(x, t, t, places, places, product_roots{roots});
#pragma unroll
    for (int i = 0; i < N / T; i++)
        out[base + t + T * i] = conjugate(x[i], sign);
}

template <int N, int T, int R1, int R2, int R3, int BLOCKS> static void one_block(struct work *w)
{
    const int shared = room(N) * sizeof(c32);

    cudaFuncSetAttribute(fft_block<N, T, R1, R2, R3, BLOCKS>,
                         cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
    fft_block<N, T, R1, R2, R3, BLOCKS>
        <<<(unsigned)w->batch, T, shared>>>(w->out, w->in, w->sign, stage_roots_of(R1, R2, R3, 1));
}

static void block(struct work *w)
{
    if (w->batch == 0)
        return;
    if (w->length == 1 << 13)
        one_block<1 << 13, 256, 16, 16, 32, 2>(w);
#ifndef BACKEND_CPU
    else
        one_block<1 << 14, 512, 32, 16, 32, 1>(w);
#endif
}

/*
 * Both parts in one kernel. A team of blocks takes a vector after another: half of its blocks transform the
 * columns, a tile each, and put them into one of SLOTS slots, the others the rows of the vector that lies
 * there. A block has the same tile each time, so all the roots that it needs fit its shared memory. That
 * matters here: to wait for other blocks in the right order of memory empties L1.
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

/* As many whole teams as are resident at once: they wait for each other. Where not even one is, two kernels. */
template <int N1, int N2, int TILE, int BLOCKS> static void in_teams(struct work *w)
{
    const int TILES = N1 * N2 / TILE, THREADS = TILE / 16;
    const int roots = roots_room<N1>() + 16 * (TILE / N1) + THREADS;
    const int shared =
        (places_of_tile<N1, N2, TILE>() + (roots > roots_room<N2>() ? roots : roots_room<N2>())) *
        (int)sizeof(c32);
    struct stage_roots roots1 = roots_of(N1), roots2 = roots_of(N2);
    struct turns turns = turns_of<N1>(N2);
    void *arguments[] = {&w->out,   &w->in,  &w->between, &w->batch, &w->sign,
                         &w->flags, &roots1, &roots2,     &turns};
    static int most = -1;
    int sms = 0, a_sm = 0, teams;

    if (most < 0) {
        cudaFuncSetAttribute(fft_team<N1, N2, TILE, BLOCKS>,
                             cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
        cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
        cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a_sm, fft_team<N1, N2, TILE, BLOCKS>,
                                                      THREADS, shared);
        a_sm = a_sm < BLOCKS ? a_sm : BLOCKS;
        most = sms * a_sm / (2 * TILES);
    }
    if (most == 0)
        return two(w);
    teams = w->batch < (size_t)most ? (int)w->batch : most;
    cudaMemsetAsync(w->flags, 0, 2 * w->batch * sizeof(*w->flags));
    cudaLaunchCooperativeKernel(fft_team<N1, N2, TILE, BLOCKS>, dim3(teams * 2 * TILES),
                                dim3(THREADS), arguments, shared, 0);
}

static void teams(struct work *w)
{
    if (w->batch == 0)
        return;
    switch (w->length) {
    case 1 << 14:
        return in_teams<128, 128, 4096, 3>(w);
#ifndef BACKEND_CPU
    case 1 << 15:
        return in_teams<128, 256, 4096, 3>(w);
    case 1 << 16:
        return in_teams<256, 256, 4096, 3>(w);
    case 1 << 17:
        return in_teams<256, 512, 8192, 2>(w);
#endif
    }
}

/* What a block of each variant has; the largest part decides. */
static void shape(struct shape *s)
{
    size_t length = s->axis[FFT_LENGTH];

    if (s->threads == 0)
        s->threads = length <= 1 << 16 ? 256 : 512;
}

/* A kernel is made for its length, so each costs time to compile: the CPU device has a few, of each kind. */
#ifdef BACKEND_CPU
#define TWO "8192 65536 262144"
#define THREE "262144"
#define TEAMS "16384"
#define BLOCK "8192"
#else
#define TWO "8192 16384 32768 65536 131072 262144 524288 1048576 2097152 4194304 8388608"
#define THREE "262144 2097152 4194304 8388608 16777216"
#define TEAMS "16384 32768 65536 131072"
#define BLOCK "8192 16384"
#endif

static const struct variant variants[] = {
    {"two", "columns, then rows: a kernel each", two, THREADS_BY_SIZE | BETWEEN,
     .default_shape = shape, .only = TWO},
    {"three", "columns, the columns of each row, and their rows", three, THREADS_BY_SIZE | BETWEEN,
     .default_shape = shape, .only = THREE},
    {"teams", "columns and rows in one kernel, and what lies between in L2", teams,
     THREADS_BY_SIZE | BETWEEN | WAITS, .default_shape = shape, .only = TEAMS},
    {"block", "a block for the whole vector, with more shared memory", block, THREADS_BY_SIZE,
     .default_shape = shape, .only = BLOCK},
};

STEP("fft-global", fft_family, variants);
