/*
 * fft-global: vectors that no block can hold, in two or three parts
 *
 * Idea      A vector of N1 x N2 points is a matrix. Transform its columns, multiply by roots of unity,
 *           transform its rows: that is the transform of the whole, but for a transpose. Here the
 *           transposes cost nothing: they are the order in which blocks load and store.
 * Since     fft-shared ends where a vector no longer fits a block's shared memory.
 * Expect    A kernel a part reads and writes all points once: half the copy's rate with two, a third with
 *           three. In one kernel whose blocks do columns of one vector and rows of an earlier one, what
 *           goes from one to the other never leaves L2. One block for 8192 or 16384 points has one pass.
 * Source    The paper of 2009 (C7); Gentleman and Sande, 1966; Bailey, "FFTs in external or hierarchical
 *           memory", 1990.
 */
#include <cuda/atomic>

#include "families/fft/stages.h"

#define POINTS 16 /* of a thread */
#define SIDE 16   /* columns or rows of a block: 128 bytes side by side */
#define TILE 4096 /* points of a tile of the one kernel */

/* N points by N / 16 threads: radix 16, but for the last stage. */
template <int N>
static __device__ __forceinline__ void transform_16(c32 *x, int t, int next, c32 *to,
                                                    const c32 *from, struct stage_roots roots)
{
    transform<N, N / POINTS, 16, (N < 256 ? N / 16 : 16), (N > 256 ? N / 256 : 1), 1,
              1024>(x, t, next, to, from, roots); /* a vector's threads lie across the warps */
}

static struct stage_roots roots_16(int n)
{
    return stage_roots_of(16, n < 256 ? n / 16 : 16, n > 256 ? n / 256 : 1, 1);
}

/*
 * What stands between columns and rows: the point of row k and column j is multiplied by exp(-2 pi i k j /
 * (N columns)). With k = t + N/16 i that is fine[t][j] coarse[i][j], of tables that fit the caches. The
 * second of three kernels multiplies by more, see three().
 */
struct turns {
    const c32 *fine, *coarse;
    const c32 *before, *one; /* of three: [k1][n2] and [k1][n3] */
    size_t rows;             /* of three: how many k1 */
};

template <int N> static struct turns turns_of(size_t columns)
{
    return (struct turns){fft_roots(N / POINTS, columns, N * columns),
                          fft_roots(POINTS, columns, POINTS * columns), NULL, NULL, 1};
}

/* Which kernel this is: they differ in what they multiply by. */
enum part { FIRST_OF_TWO, FIRST_OF_THREE, SECOND_OF_THREE };

/* A thread's points of a column: row t + N/16 i is at to[(t + N/16 i) * columns]. */
template <int N>
static __device__ __forceinline__ void store_column(c32 *to, const c32 *x, int t, size_t j,
                                                    size_t columns, const struct turns *w, c32 fine)
{
#pragma unroll
    for (int i = 0; i < POINTS; i++) {
        c32 turn = i == 0 ? fine : multiply(fine, __ldg(&w->coarse[i * columns + j]));

        to[(t + N / POINTS * i) * columns] = multiply(x[i], turn);
    }
}

/* A block transforms C columns side by side, of as many matrices of N rows as the grid says. */
template <int N, int C, int PART, int BLOCKS>
__global__ void __launch_bounds__(C *N / POINTS, BLOCKS)
    fft_columns(c32 *to, const c32 *from, size_t columns, float sign, struct stage_roots roots,
                struct turns w)
{
    extern __shared__ c32 places[];
    int c = threadIdx.x % C, t = threadIdx.x / C;
    size_t tiles = columns / C, j = blockIdx.x % tiles * C + c, matrix = blockIdx.x / tiles;
    size_t base = matrix * N * columns + j, k1 = matrix % w.rows;
    c32 x[POINTS], *own = places + c * room(N);

#pragma unroll
    for (int i = 0; i < POINTS; i++) {
        int row = t + N / POINTS * i;
        c32 point = from[base + row * columns];

        x[i] = PART == SECOND_OF_THREE ? multiply(point, __ldg(&w.before[k1 * N + row]))
                                       : conjugate(point, sign);
    }
    transform_16<N>(x, t, t, own, own, roots);
    if (PART == FIRST_OF_THREE) {
#pragma unroll
        for (int i = 0; i < POINTS; i++)
            to[base + (t + N / POINTS * i) * columns] = x[i];
    } else {
        c32 fine = __ldg(&w.fine[t * columns + j]);

        if (PART == SECOND_OF_THREE)
            fine = multiply(fine, __ldg(&w.one[k1 * columns + j]));
        store_column<N>(to + base, x, t, j, columns, &w, fine);
    }
}

/*
 * A block transforms C rows. Row r of R is one of `middle` that follow each other, and its point k goes to
 * place (k middle + m) R + r of the result. So threads that load neighbours of a row store neighbours of
 * different rows: the last exchange hands the points over.
 */
template <int N, int C, int BLOCKS>
__global__ void __launch_bounds__(C *N / POINTS, BLOCKS)
    fft_rows(c32 *out, const c32 *from, size_t rows, size_t middle, float sign,
             struct stage_roots roots)
{
    extern __shared__ c32 places[];
    int c = threadIdx.x / (N / POINTS), t = threadIdx.x % (N / POINTS);
    int next_c = threadIdx.x % C, next_t = threadIdx.x / C;
    size_t tiles = rows / C, first = blockIdx.x % tiles * C, m = blockIdx.x / tiles % middle;
    size_t vector = blockIdx.x / tiles / middle * (rows * middle * N);
    c32 x[POINTS];

#pragma unroll
    for (int i = 0; i < POINTS; i++)
        x[i] = from[vector + ((first + c) * middle + m) * N + t + N / POINTS * i];
    transform_16<N>(x, t, next_t, places + c * room(N), places + next_c * room(N), roots);
#pragma unroll
    for (int i = 0; i < POINTS; i++)
        out[vector + ((next_t + N / POINTS * i) * middle + m) * rows + first + next_c] =
            conjugate(x[i], sign);
}

/* So many columns or rows a block that it has 1024 threads at most. */
static constexpr int side_of(int n)
{
    return n > 512 ? SIDE / 2 : SIDE;
}

/* Blocks a multiprocessor that have registers enough: 64 a thread. */
static constexpr int blocks_of(int n)
{
    return 1024 / (side_of(n) * n / POINTS) < 8 ? 1024 / (side_of(n) * n / POINTS) : 8;
}

template <int N, int PART>
static void columns(c32 *to, const c32 *from, const struct work *w, size_t others, float sign,
                    const struct turns *turns)
{
    const int C = side_of(N), shared = C * room(N) * sizeof(c32);
    size_t blocks = w->batch * (w->length / N) / C;

    cudaFuncSetAttribute(fft_columns<N, side_of(N), PART, blocks_of(N)>,
                         cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
    fft_columns<N, side_of(N), PART, blocks_of(N)>
        <<<(unsigned)blocks, C * N / POINTS, shared>>>(to, from, others, sign, roots_16(N), *turns);
}

template <int N>
static void rows(c32 *to, const c32 *from, const struct work *w, size_t count, size_t middle)
{
    const int C = side_of(N), shared = C * room(N) * sizeof(c32);
    size_t blocks = w->batch * (w->length / N) / C;

    cudaFuncSetAttribute(fft_rows<N, side_of(N), blocks_of(N)>,
                         cudaFuncAttributeMaxDynamicSharedMemorySize, shared);
    fft_rows<N, side_of(N), blocks_of(N)>
        <<<(unsigned)blocks, C * N / POINTS, shared>>>(to, from, count, middle, w->sign,
                                                       roots_16(N));
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
    case 1 << 14:
        return two_parts<128, 128>(w);
    case 1 << 15:
        return two_parts<128, 256>(w);
    case 1 << 16:
        return two_parts<256, 256>(w);
    case 1 << 17:
        return two_parts<256, 512>(w);
    case 1 << 18:
        return two_parts<512, 512>(w);
    case 1 << 19:
        return two_parts<512, 1024>(w);
    case 1 << 20:
        return two_parts<1024, 1024>(w);
    case 1 << 21:
        return two_parts<1024, 2048>(w);
    case 1 << 22:
        return two_parts<2048, 2048>(w);
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
    case 1 << 21:
        return three_parts<128, 128, 128>(w);
    case 1 << 22:
        return three_parts<128, 128, 256>(w);
    case 1 << 23:
        return three_parts<128, 256, 256>(w);
    case 1 << 24:
        return three_parts<256, 256, 256>(w);
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
    fft_block<N, T, R1, R2, R3, BLOCKS><<<(unsigned)w->batch, T, shared>>>(
        w->out, w->in, w->sign, stage_roots_of(R1, R2, R3, 1));
}

static void block(struct work *w)
{
    if (w->batch == 0)
        return;
    if (w->length == 1 << 13)
        one_block<1 << 13, 256, 16, 16, 32, 2>(w);
    else
        one_block<1 << 14, 512, 16, 32, 32, 1>(w);
}

/*
 * Both parts in one kernel. Its blocks are all resident, and go through items in turn: in round r the tiles
 * of columns of vector r, and between them the tiles of rows of vector r - delay. What columns leave for
 * rows lies in a ring of `slots` vectors, which stays in L2. Rows wait until all columns of their vector
 * are written, columns until the rows of the vector that had their slot are read. Nobody waits for an
 * item that is not begun: items are begun in order, and delay rounds are more items than there are blocks.
 */
struct ring {
    unsigned *written, *read; /* tiles done of each vector; zeros at first */
    int batch, slots, delay;
};

template <int TILES>
static __device__ bool is_rows(long long item, const struct ring *ring, int *vector, int *tile)
{
    int round = (int)(item / (2 * TILES)), place = (int)(item % (2 * TILES));

    *tile = place / 2;
    *vector = place % 2 ? round - ring->delay : round;
    return place % 2;
}

typedef cuda::atomic_ref<unsigned, cuda::thread_scope_device> counter;

static __device__ void wait_for(unsigned *count, unsigned tiles)
{
    while (counter(*count).load(cuda::memory_order_acquire) < tiles)
        ;
}

template <int TILES> static __device__ void wait_for_item(long long item, const struct ring *ring)
{
    int vector, tile;
    bool rows = is_rows<TILES>(item, ring, &vector, &tile);

    if (rows && vector >= 0 && vector < ring->batch)
        wait_for(&ring->written[vector], TILES);
    else if (!rows && vector < ring->batch && vector >= ring->slots)
        wait_for(&ring->read[vector - ring->slots], TILES);
}

/*
 * While an item's points are on their way, one thread tells that the item before is done, and another waits
 * for what the next item needs: the barriers of the exchange hand that to all.
 */
template <int N1, int N2, int BLOCKS>
__global__ void __launch_bounds__(TILE / POINTS, BLOCKS)
    fft_ring(c32 *out, const c32 *in, c32 *between, float sign, struct ring ring,
             struct stage_roots roots1, struct stage_roots roots2, struct turns w)
{
    extern __shared__ c32 places[];
    const int C1 = TILE / N1, C2 = TILE / N2, T1 = N1 / POINTS, T2 = N2 / POINTS, TILES = N2 / C1;
    int column = threadIdx.x % C1, t1 = threadIdx.x / C1;
    int row = threadIdx.x / T2, t2 = threadIdx.x % T2;
    int next_row = threadIdx.x % C2, next_t2 = threadIdx.x / C2;
    long long items = (long long)(ring.batch + ring.delay) * 2 * TILES;
    unsigned *done = NULL;

    if (threadIdx.x == 0)
        wait_for_item<TILES>(blockIdx.x, &ring);
    for (long long item = blockIdx.x; item < items; item += gridDim.x) {
        int vector, tile;
        bool rows = is_rows<TILES>(item, &ring, &vector, &tile);
        bool none = vector < 0 || vector >= ring.batch;
        size_t base = (size_t)vector * N1 * N2;
        c32 x[POINTS], *slot = between + (size_t)(vector % ring.slots) * N1 * N2;

        __syncthreads(); /* the item before is stored, and what this one needs is there */
        if (!none) {
#pragma unroll
            for (int i = 0; i < POINTS; i++)
                x[i] = rows ? __ldcg(&slot[(tile * C2 + row) * N2 + t2 + T2 * i])
                            : conjugate(__ldcs(&in[base + (t1 + T1 * i) * N2 + tile * C1 + column]),
                                        sign);
        }
        if (threadIdx.x == 32 && done)
            counter(*done).fetch_add(1, cuda::memory_order_release);
        if (threadIdx.x == 0)
            wait_for_item<TILES>(item + gridDim.x, &ring);
        done = NULL;
        if (none)
            continue;
        if (rows) {
            transform_16<N2>(x, t2, next_t2, places + row * room(N2), places + next_row * room(N2),
                             roots2);
#pragma unroll
            for (int i = 0; i < POINTS; i++)
                __stcs(&out[base + (next_t2 + T2 * i) * N1 + tile * C2 + next_row],
                       conjugate(x[i], sign));
            done = &ring.read[vector];
        } else {
            c32 *own = places + column * room(N1);
            int j = tile * C1 + column;

            transform_16<N1>(x, t1, t1, own, own, roots1);
            store_column<N1>(slot + j, x, t1, j, N2, &w, __ldg(&w.fine[t1 * N2 + j]));
            done = &ring.written[vector];
        }
    }
    __syncthreads();
    if (threadIdx.x == 32 && done)
        counter(*done).fetch_add(1, cuda::memory_order_release);
}

/* As many blocks as are resident at once, and the shared memory of each. */
template <int N1, int N2> static int ring_grid(int *shared)
{
    static int grid;
    int sms = 0, a_sm = 0, columns = TILE / N1 * room(N1), rows = TILE / N2 * room(N2);

    *shared = (columns > rows ? columns : rows) * (int)sizeof(c32);
    if (grid > 0)
        return grid;
    cudaFuncSetAttribute(fft_ring<N1, N2, 4>, cudaFuncAttributeMaxDynamicSharedMemorySize, *shared);
    cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&a_sm, fft_ring<N1, N2, 4>, TILE / POINTS,
                                                  *shared);
    return grid = sms * a_sm;
}

template <int N1, int N2> static void ring_of(struct work *w)
{
    int shared, grid = ring_grid<N1, N2>(&shared), batch = (int)w->batch;
    int delay = grid / (2 * (N1 * N2 / TILE)) + 2, slots = 2 * delay;
    struct ring ring = {w->flags, w->flags + batch, batch, slots < batch ? slots : batch, delay};
    struct stage_roots roots1 = roots_16(N1), roots2 = roots_16(N2);
    struct turns turns = turns_of<N1>(N2);
    void *arguments[] = {&w->out, &w->in, &w->between, &w->sign, &ring, &roots1, &roots2, &turns};

    cudaMemsetAsync(w->flags, 0, 2 * batch * sizeof(*w->flags));
    cudaLaunchCooperativeKernel(fft_ring<N1, N2, 4>, dim3(grid), dim3(TILE / POINTS), arguments,
                                shared, 0);
}

static void ring(struct work *w)
{
    if (w->batch == 0)
        return;
    switch (w->length) {
    case 1 << 14:
        return ring_of<128, 128>(w);
    case 1 << 15:
        return ring_of<128, 256>(w);
    case 1 << 16:
        return ring_of<256, 256>(w);
    }
}

#define TWO "8192 16384 32768 65536 131072 262144 524288 1048576 2097152 4194304"
#define THREE "262144 2097152 4194304 8388608 16777216"
#define SIZED THREADS_BY_SIZE

static const struct variant variants[] = {
    {"two", "columns, then rows: a kernel each", two, SIZED | BETWEEN, .only = TWO},
    {"three", "columns, columns of the rows, and their rows", three, SIZED | BETWEEN, .only = THREE},
    {"ring", "columns and rows in one kernel, and what lies between in L2", ring,
     SIZED | BETWEEN | WAITS, .only = "16384 32768 65536"},
    {"block", "a block for the whole vector, with more shared memory", block, SIZED,
     .only = "8192 16384"},
};

STEP("fft-global", fft_family, variants);
