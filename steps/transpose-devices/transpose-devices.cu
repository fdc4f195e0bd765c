/*
 * transpose-devices: all-to-all, and a transpose over several GPUs
 *
 * Idea      A matrix is spread by rows and shall be spread by columns: each GPU has a block for every other one.
 *           They are stored to the others' memory, or loaded from there, without a buffer between. A transpose
 *           is the same, with each tile turned in flight; or the result stays where it is, spread the other way.
 * Since     peers-load moved arrays to one other GPU, and transpose-vector turned a matrix of one GPU.
 * Expect    (p - 1) / p of what a GPU has crosses its link, and that is the time: a transpose over two GPUs is
 *           slower than on one, unless nothing has to cross.
 * Source    NCCL's documentation, "Point-to-point communication"; transpose-vector for the tiles.
 */
#include "families/alltoall/alltoall.h"

#define SIDE 64          /* of a tile */
#define QUADS (SIDE / 4) /* float4s in a row of it */
#define TURNERS 256      /* threads of a block that turns tiles */
#define MANY 4           /* loads of a thread that are under way together */

/* What a kernel gets. */
struct strips {
    struct device_barrier barrier;
    const float *in[MAX_SPREAD];
    float *out[MAX_SPREAD];
    size_t rows, cols, row_share, col_share;
    unsigned epoch;
};

static __device__ size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static __device__ size_t row_begin(const struct strips &s, int d)
{
    return least(s.rows, (size_t)d * s.row_share);
}

static __device__ size_t col_begin(const struct strips &s, int d)
{
    return least(s.cols, (size_t)d * s.col_share);
}

/* A block of a matrix and where it goes to; pitches are elements from row to row. */
struct block {
    const float *from;
    float *to;
    size_t rows, cols, from_pitch, to_pitch;
};

/* What device d has for device e: its rows, the other's columns. */
static __device__ struct block block_of(const struct strips &s, int d, int e)
{
    struct block b;

    b.rows = row_begin(s, d + 1) - row_begin(s, d);
    b.cols = col_begin(s, e + 1) - col_begin(s, e);
    b.from = s.in[d] + col_begin(s, e);
    b.from_pitch = s.cols;
    b.to = s.out[e] + row_begin(s, d) * b.cols;
    b.to_pitch = b.cols;
    return b;
}

/* The same, turned. */
static __device__ struct block turned_of(const struct strips &s, int d, int e)
{
    struct block b = block_of(s, d, e);

    b.to = s.out[e] + row_begin(s, d);
    b.to_pitch = s.rows;
    return b;
}

/* The same, turned, on device d itself: all columns, each of the device's rows. */
static __device__ struct block staying_of(const struct strips &s, int d, int e)
{
    struct block b = block_of(s, d, e);

    b.to = s.out[d] + col_begin(s, e) * b.rows;
    b.to_pitch = b.rows;
    return b;
}

/* Some blocks of the grid, of which this is number self: those that work for the same other device. */
struct team {
    int step; /* the other device is so many behind this one */
    unsigned self, size;
};

/* Blocks take turns, so that all links are used from the first moment, and the GPU's own memory beside them. */
static __device__ struct team team_of(int devices)
{
    unsigned teams = least(devices, gridDim.x), step = blockIdx.x % teams;
    struct team t = {(int)step, blockIdx.x / teams, (gridDim.x - step + teams - 1) / teams};

    return t;
}

static __device__ bool next_step(struct team *t, int devices)
{
    t->step += (int)least(devices, gridDim.x);
    return t->step < devices;
}

/* Copy rows by words, or four elements at a time: MANY of them are loaded before the first is stored. */
template <typename WORD>
static __device__ void copy_rows(const struct block &b, const struct team &t)
{
    const size_t words = sizeof(WORD) / sizeof(float), cols = b.cols / words, n = b.rows * cols;
    size_t stride = (size_t)t.size * blockDim.x, i = (size_t)t.self * blockDim.x + threadIdx.x;
    size_t row = cols ? i / cols : 0, col = cols ? i % cols : 0; /* of i */
    size_t rows_on = cols ? stride / cols : 0, cols_on = cols ? stride % cols : 0;

    for (; i < n; i += MANY * stride) {
        WORD x[MANY], *to[MANY];

#pragma unroll
        for (int k = 0; k < MANY; k++) {
            if (i + k * stride < n) {
                x[k] = *(const WORD *)(b.from + row * b.from_pitch + col * words);
                to[k] = (WORD *)(b.to + row * b.to_pitch + col * words);
            }
            row += rows_on + (col + cols_on >= cols);
            col = col + cols_on >= cols ? col + cols_on - cols : col + cols_on;
        }
#pragma unroll
        for (int k = 0; k < MANY; k++) {
            if (i + k * stride < n)
                *to[k] = x[k];
        }
    }
}

static __device__ void copy_block(const struct strips &s, const struct block &b,
                                  const struct team &t)
{
    if (s.cols % 4 == 0)
        copy_rows<float4>(b, t);
    else
        copy_rows<float>(b, t);
}

/* Each GPU stores its blocks to where they belong. The barrier behind says to all that they have come, and that the
 * outputs may be stored to again; with FREE, one before says that they may be now. */
template <bool FREE> static __global__ void __launch_bounds__(1024)
by_stores(struct strips s)
{
    int p = s.barrier.devices, rank = s.barrier.rank;
    struct team t = team_of(p);

    if (FREE)
        wait_for_devices(&s.barrier, 2 * s.epoch + 1);
    do
        copy_block(s, block_of(s, rank, (rank + t.step) % p), t);
    while (next_step(&t, p));
    wait_for_devices(&s.barrier, 2 * s.epoch + 2);
}

/* Each GPU loads its blocks from where they are, between two barriers: all inputs are there; all have been read. */
static __global__ void __launch_bounds__(1024)
by_loads(struct strips s)
{
    int p = s.barrier.devices, rank = s.barrier.rank;
    struct team t = team_of(p);

    wait_for_devices(&s.barrier, 2 * s.epoch + 1);
    do
        copy_block(s, block_of(s, (rank + t.step) % p, rank), t);
    while (next_step(&t, p));
    wait_for_devices(&s.barrier, 2 * s.epoch + 2);
}

/* A tile through shared memory, as transpose-vector's `quads`: row c of the tile is a row of the result. */
static __device__ void turn_quads(const struct block &b, size_t row, size_t col)
{
    __shared__ float4 tile[SIDE][QUADS];
    unsigned across = threadIdx.x % QUADS, down = threadIdx.x / QUADS; /* of this thread's square */
    const float *from = b.from + (row + 4 * down) * b.from_pitch + col + 4 * across;

    if (row + 4 * down < b.rows && col + 4 * across < b.cols) {
        float4 x = *(const float4 *)from, y = *(const float4 *)(from + b.from_pitch);
        float4 z = *(const float4 *)(from + 2 * b.from_pitch);
        float4 w = *(const float4 *)(from + 3 * b.from_pitch);
        unsigned place = down ^ (across % 8);

        tile[4 * across][place] = make_float4(x.x, y.x, z.x, w.x);
        tile[4 * across + 1][place] = make_float4(x.y, y.y, z.y, w.y);
        tile[4 * across + 2][place] = make_float4(x.z, y.z, z.z, w.z);
        tile[4 * across + 3][place] = make_float4(x.w, y.w, z.w, w.w);
    }
    __syncthreads();
#pragma unroll
    for (unsigned c = down; c < SIDE; c += TURNERS / QUADS) {
        if (col + c < b.cols && row + 4 * across < b.rows)
            *(float4 *)&b.to[(col + c) * b.to_pitch + row + 4 * across] =
                tile[c][across ^ (c / 4 % 8)];
    }
    __syncthreads(); /* before the next tile */
}

/* The same word by word, for rows that start anywhere. */
static __device__ void turn_words(const struct block &b, size_t row, size_t col)
{
    __shared__ float tile[SIDE][SIDE + 1];
    unsigned lane = threadIdx.x % SIDE;

    for (unsigned r = threadIdx.x / SIDE; r < SIDE; r += TURNERS / SIDE) {
        if (row + r < b.rows && col + lane < b.cols)
            tile[r][lane] = b.from[(row + r) * b.from_pitch + col + lane];
    }
    __syncthreads();
    for (unsigned c = threadIdx.x / SIDE; c < SIDE; c += TURNERS / SIDE) {
        if (col + c < b.cols && row + lane < b.rows)
            b.to[(col + c) * b.to_pitch + row + lane] = tile[lane][c];
    }
    __syncthreads();
}

/* The team's tiles of a block, down its columns. */
static __device__ void turn_block(const struct strips &s, const struct block &b,
                                  const struct team &t)
{
    size_t down = (b.rows + SIDE - 1) / SIDE, tiles = down * ((b.cols + SIDE - 1) / SIDE);
    bool whole = s.rows % 4 == 0 && s.cols % 4 == 0 && s.row_share % 4 == 0;

    for (size_t i = t.self; i < tiles; i += t.size) {
        if (whole)
            turn_quads(b, i % down * SIDE, i / down * SIDE);
        else
            turn_words(b, i % down * SIDE, i / down * SIDE);
    }
}

static __global__ void __launch_bounds__(TURNERS)
turn_by_stores(struct strips s)
{
    int p = s.barrier.devices, rank = s.barrier.rank;
    struct team t = team_of(p);

    do
        turn_block(s, turned_of(s, rank, (rank + t.step) % p), t);
    while (next_step(&t, p));
    wait_for_devices(&s.barrier, 2 * s.epoch + 2);
}

static __global__ void __launch_bounds__(TURNERS)
turn_by_loads(struct strips s)
{
    int p = s.barrier.devices, rank = s.barrier.rank;
    struct team t = team_of(p);

    wait_for_devices(&s.barrier, 2 * s.epoch + 1);
    do
        turn_block(s, turned_of(s, (rank + t.step) % p, rank), t);
    while (next_step(&t, p));
    wait_for_devices(&s.barrier, 2 * s.epoch + 2);
}

/* No link is used, and no barrier is needed. */
static __global__ void __launch_bounds__(TURNERS)
turn_here(struct strips s)
{
    int p = s.barrier.devices;
    struct team t = team_of(p);

    do
        turn_block(s, staying_of(s, s.barrier.rank, t.step), t);
    while (next_step(&t, p));
}

/* Make device d the current one; what its kernel gets. */
static struct strips on_device(const struct work *w, int d)
{
    struct strips s = {.barrier = w->barrier};

    s.barrier.devices = w->devices;
    s.barrier.rank = d;
    s.rows = w->rows;
    s.cols = w->cols;
    s.row_share = w->row_share;
    s.col_share = w->col_share;
    s.epoch = w->epoch;
    for (int k = 0; k < w->devices; k++) {
        s.in[k] = w->in[k];
        s.out[k] = w->out[k];
    }
    cudaSetDevice(w->places[d].device->ordinal);
    return s;
}

template <bool FREE> static void stores(struct work *w)
{
    w->epoch++;
    for (int d = 0; d < w->devices; d++) {
        struct strips s = on_device(w, d);

        by_stores<FREE><<<w->blocks, w->threads, 0, w->places[d].stream>>>(s);
    }
}

static void loads(struct work *w)
{
    w->epoch++;
    for (int d = 0; d < w->devices; d++) {
        struct strips s = on_device(w, d);

        by_loads<<<w->blocks, w->threads, 0, w->places[d].stream>>>(s);
    }
}

static void turn_stores(struct work *w)
{
    w->epoch++;
    for (int d = 0; d < w->devices; d++) {
        struct strips s = on_device(w, d);

        turn_by_stores<<<w->blocks, w->threads, 0, w->places[d].stream>>>(s);
    }
}

static void turn_loads(struct work *w)
{
    w->epoch++;
    for (int d = 0; d < w->devices; d++) {
        struct strips s = on_device(w, d);

        turn_by_loads<<<w->blocks, w->threads, 0, w->places[d].stream>>>(s);
    }
}

static void turn_stay(struct work *w)
{
    w->epoch++;
    for (int d = 0; d < w->devices; d++) {
        struct strips s = on_device(w, d);

        turn_here<<<w->blocks, w->threads, 0, w->places[d].stream>>>(s);
    }
}

/* All blocks must be there at once. */
template <void KERNEL(struct strips)> static int most(int threads)
{
    return most_resident(KERNEL, threads);
}

/* Each thread gets so many elements, as far as the blocks are resident. */
template <void KERNEL(struct strips), int THREADS, int EACH> static void shape(struct shape *s)
{
    size_t room, blocks;

    spread_default_devices(&s->axis[2]);
    if (s->threads == 0)
        s->threads = THREADS;
    room = (size_t)most<KERNEL>(s->threads);
    blocks = s->n / s->axis[2] / ((size_t)s->threads * EACH) + 1;
    if (s->blocks == 0)
        s->blocks = (int)(blocks < room ? blocks : room);
}

static const struct variant variants[] = {
    {"stores", "blocks are stored to the others, then a barrier", stores<false>,
     WAITS | WHOLE_WARPS, NULL, most<by_stores<false>>, shape<by_stores<false>, 512, 4>},
    {"stores-free", "the same, and a barrier before", stores<true>, WAITS | WHOLE_WARPS | FREES,
     NULL, most<by_stores<true>>, shape<by_stores<true>, 512, 4>},
    {"loads", "blocks are loaded from the others, between two barriers", loads,
     WAITS | WHOLE_WARPS | FREES, NULL, most<by_loads>, shape<by_loads, 512, 4>},
    {"turn-stores", "the transpose: turned tiles are stored to the others", turn_stores,
     WAITS | TURNS, NULL, most<turn_by_stores>, shape<turn_by_stores, TURNERS, 16>, NULL, TURNERS},
    {"turn-loads", "the transpose: tiles of the others are loaded", turn_loads,
     WAITS | TURNS | FREES, NULL, most<turn_by_loads>, shape<turn_by_loads, TURNERS, 16>, NULL,
     TURNERS},
    {"turn-here", "the transpose, spread by its columns: nothing crosses", turn_stay, TURNS | STAYS,
     NULL, NULL, shape<turn_here, TURNERS, 16>, NULL, TURNERS},
};

static const struct launches launches[] = {
    {MUTATED,
     {"-n 131x75 --devices 2 -v turn-here"}}, /* no polls: counters show a tile's padding */
    {0},
};

STEP("transpose-devices", alltoall_family, variants, launches);
