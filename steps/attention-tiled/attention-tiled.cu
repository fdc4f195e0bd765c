/*
 * attention-tiled: the scores stay on the chip
 *
 * Idea      A block has the queries of a tile, and goes through the keys tile by tile. It keeps the largest
 *           score and the sum of shares of each query, as softmax-online did, and the sum of its values
 *           beside them. When a larger score comes, it multiplies both sums by exp(old - new). So the scores
 *           of a tile are used as soon as they are known, and are never stored in global memory.
 * Since     attention-naive kept the matrix of all scores in global memory.
 * Expect    Global memory is no limit any more: each tile of keys and values is loaded once per tile of
 *           queries. A thread has 4 x 8 scores in registers, as in sgemm-registers, and the rate is that of
 *           multiply-adds.
 * Source    Dao et al., "FlashAttention", 2022, algorithm 1; Milakov and Gimelshein, "Online normalizer
 *           calculation for softmax", 2018.
 */
#include "families/attention/attention.h"

#include "harness/kit/device.h"

#define DOWN 32  /* threads along the queries of a tile */
#define ACROSS 8 /* threads along its keys, and along a value */
#define THREADS (DOWN * ACROSS)
#define ROWS 4 /* queries of a thread: DOWN apart */
#define COLS 8 /* keys of a thread: ACROSS apart */
#define QUERIES (DOWN * ROWS)
#define KEYS (ACROSS * COLS)
#define PAD 4 /* elements behind a row, so that rows begin in other banks */
#define MAX_GRID 0x7fffffff

/* A block's shared memory, of which rows are read by fours. */
template <int DIM> struct tiles {
    alignas(16) element q[QUERIES][DIM + PAD], k[KEYS][DIM + PAD], v[KEYS][DIM];
    alignas(16) element share[QUERIES][KEYS + 2 * PAD];
};

/* What a thread knows of its queries: the largest score, its own part of the sum of shares, and the sum of values for
 * its elements of the output, fours that are ACROSS fours apart. */
template <int DIM> struct means {
    element max[ROWS], sum[ROWS];
    element4 value[ROWS][DIM / 4 / ACROSS];
};

static __device__ element4 four(const element *x)
{
    return *(const element4 *)x;
}

static __device__ element dot(element4 a, element4 b, element sum)
{
    return sum + a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w;
}

static __device__ void add(element4 *sum, element share, element4 value)
{
    sum->x += share * value.x;
    sum->y += share * value.y;
    sum->z += share * value.z;
    sum->w += share * value.w;
}

static __device__ void multiply(element4 *sum, element by)
{
    sum->x *= by;
    sum->y *= by;
    sum->z *= by;
    sum->w *= by;
}

/* Rows first, first + 1, ... of a head's matrix, zeros where it has ended. */
template <int DIM, int COUNT, int WIDTH>
static __device__ void load(element (&to)[COUNT][WIDTH], const element *from, size_t first,
                            size_t length)
{
    for (int i = threadIdx.x; i < COUNT * DIM; i += THREADS) {
        size_t row = first + i / DIM;

        to[i / DIM][i % DIM] = row < length ? from[row * DIM + i % DIM] : 0;
    }
}

template <int DIM>
static __device__ void find_scores(element (&score)[ROWS][COLS], const struct tiles<DIM> *t,
                                   element scale)
{
    int x = threadIdx.x % ACROSS, y = threadIdx.x / ACROSS;

    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLS; c++)
            score[r][c] = 0;
#pragma unroll 2
    for (int d = 0; d < DIM; d += 4) {
        element4 key[COLS];

        for (int c = 0; c < COLS; c++)
            key[c] = four(&t->k[x + c * ACROSS][d]);
#pragma unroll
        for (int r = 0; r < ROWS; r++) {
            element4 query = four(&t->q[y + r * DOWN][d]);

            for (int c = 0; c < COLS; c++)
                score[r][c] = dot(query, key[c], score[r][c]);
        }
    }
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLS; c++)
            score[r][c] *= scale;
}

/* By what a sum for the maximum `from` is multiplied to be one for `to`. */
static __device__ element factor(element from, element to)
{
    return from == -INFINITY ? 0 : expf(from - to);
}

/* Scores of a tile become shares, in shared memory, and the sums are for the new maximum. The ACROSS threads that have
 * a query together are neighbours in a warp. */
template <int DIM>
static __device__ void find_shares(struct means<DIM> *m, struct tiles<DIM> *t,
                                   element (&score)[ROWS][COLS])
{
    int x = threadIdx.x % ACROSS, y = threadIdx.x / ACROSS;

#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        element max = m->max[r], base, change;

        for (int c = 0; c < COLS; c++)
            max = fmaxf(max, score[r][c]);
        for (int k = ACROSS / 2; k > 0; k /= 2)
            max = fmaxf(max, __shfl_xor_sync(0xffffffff, max, k));
        base = max == -INFINITY ? 0 : max; /* -infinity minus itself would be NaN */
        change = factor(m->max[r], base);
        m->max[r] = max;
        m->sum[r] *= change;
        for (int c = 0; c < COLS; c++) {
            element share = expf(score[r][c] - base);

            m->sum[r] += share;
            t->share[y + r * DOWN][x + c * ACROSS] = share;
        }
        for (int i = 0; i < DIM / 4 / ACROSS; i++)
            multiply(&m->value[r][i], change);
    }
}

/* Add the tile's values, each times its share. */
template <int DIM>
static __device__ void add_values(struct means<DIM> *m, const struct tiles<DIM> *t)
{
    int x = threadIdx.x % ACROSS, y = threadIdx.x / ACROSS;

#pragma unroll 4
    for (int key = 0; key < KEYS; key += 4) {
        element4 share[ROWS];

        for (int r = 0; r < ROWS; r++)
            share[r] = four(&t->share[y + r * DOWN][key]);
#pragma unroll
        for (int i = 0; i < DIM / 4 / ACROSS; i++) {
            const element *column = &t->v[key][(x + i * ACROSS) * 4];
            element4 a = four(column), b = four(column + DIM), c = four(column + 2 * DIM),
                     d = four(column + 3 * DIM);

            for (int r = 0; r < ROWS; r++) {
                add(&m->value[r][i], share[r].x, a);
                add(&m->value[r][i], share[r].y, b);
                add(&m->value[r][i], share[r].z, c);
                add(&m->value[r][i], share[r].w, d);
            }
        }
    }
}

/* The same of a tile with keys that a query does not see: behind the first seen[r]. 0 times their value would be NaN
 * where that is. */
template <int DIM>
static __device__ void add_seen(struct means<DIM> *m, const struct tiles<DIM> *t,
                                const int (&seen)[ROWS])
{
    int x = threadIdx.x % ACROSS, y = threadIdx.x / ACROSS;

    for (int key = 0; key < KEYS; key++)
        for (int r = 0; r < ROWS; r++)
            for (int i = 0; i < DIM / 4 / ACROSS && key < seen[r]; i++)
                add(&m->value[r][i], t->share[y + r * DOWN][key],
                    four(&t->v[key][(x + i * ACROSS) * 4]));
}

/* How many of KEYS keys, of which this is the first, each of the thread's queries sees. True if each sees all. */
static __device__ bool find_seen(int (&seen)[ROWS], const struct work &w, size_t first_query,
                                 size_t first_key)
{
    bool all = true;

    for (int r = 0; r < ROWS; r++) {
        size_t query = first_query + threadIdx.x / ACROSS + r * DOWN;
        size_t behind = w.causal && query < w.length ? query + 1 : w.length;

        seen[r] = behind < first_key          ? 0
                  : behind - first_key < KEYS ? (int)(behind - first_key)
                                              : KEYS;
        all = all && seen[r] == KEYS;
    }
    return all;
}

/* A tile of keys, for all queries of the block. */
template <int DIM>
static __device__ void take_keys(struct means<DIM> *m, struct tiles<DIM> *t, const struct work &w,
                                 size_t first_query, size_t first_key)
{
    element score[ROWS][COLS];
    int seen[ROWS], x = threadIdx.x % ACROSS;
    bool all = find_seen(seen, w, first_query, first_key);

    find_scores(score, t, w.scale);
    if (!all)
        for (int r = 0; r < ROWS; r++)
            for (int c = 0; c < COLS; c++)
                if (x + c * ACROSS >= seen[r])
                    score[r][c] = -INFINITY;
    find_shares(m, t, score);
    __syncwarp(); /* a warp's queries are its own */
    if (__all_sync(0xffffffff, all))
        add_values(m, t);
    else
        add_seen(m, t, seen);
}

template <int DIM>
static __device__ void store(element *out, const struct means<DIM> &m, size_t first_query,
                             size_t length)
{
    int x = threadIdx.x % ACROSS, y = threadIdx.x / ACROSS;

    for (int r = 0; r < ROWS; r++) {
        size_t query = first_query + y + r * DOWN;
        element sum = m.sum[r];

        for (int k = ACROSS / 2; k > 0; k /= 2)
            sum += __shfl_xor_sync(0xffffffff, sum, k);
        for (int i = 0; i < DIM / 4 / ACROSS && query < length; i++) {
            element4 v = m.value[r][i];

            *(element4 *)&out[query * DIM + (x + i * ACROSS) * 4] = {v.x / sum, v.y / sum,
                                                                     v.z / sum, v.w / sum};
        }
    }
}

/* Blocks that a multiprocessor is to hold at once: of 64 elements there is room for two. */
template <int DIM> struct at_once {
    enum { blocks = DIM == 64 ? 2 : 1 };
};

/* A tile of queries of a head. Of a causal head the last are first: they see the most keys. */
template <int DIM> static __global__ void __launch_bounds__(THREADS, at_once<DIM>::blocks)
attention(struct work w, size_t of_head)
{
    extern __shared__ uint4 shared[];
    struct tiles<DIM> *t = (struct tiles<DIM> *)shared;

    for (size_t tile = blockIdx.x; tile < w.heads * of_head; tile += gridDim.x) {
        size_t head = tile % w.heads * w.length * DIM,
               first_query = (of_head - 1 - tile / w.heads) * QUERIES;
        size_t behind =
            w.causal && first_query + QUERIES < w.length ? first_query + QUERIES : w.length;
        struct means<DIM> m = {
        };

        for (int r = 0; r < ROWS; r++)
            m.max[r] = -INFINITY;
        load<DIM>(t->q, w.q + head, first_query, w.length);
        for (size_t key = 0; key < behind; key += KEYS) {
            __syncthreads(); /* all have read the last tiles */
            load<DIM>(t->k, w.k + head, key, w.length);
            load<DIM>(t->v, w.v + head, key, w.length);
            __syncthreads();
            take_keys(&m, t, w, first_query, key);
        }
        store(w.out + head, m, first_query, w.length);
        __syncthreads(); /* before the next queries are loaded */
    }
}

/* A block may have so much shared memory only if that was asked for; once is enough. */
template <int DIM> static void start(struct work *w)
{
    static bool asked;
    size_t of_head = (w->length + QUERIES - 1) / QUERIES, blocks = w->heads * of_head;
    int room = (int)sizeof(struct tiles<DIM>);

    if (!asked)
        asked = cudaFuncSetAttribute(attention<DIM>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     room) == cudaSuccess;
    if (asked && blocks > 0) /* a grid without blocks is an error */
        attention<DIM>
            <<<(unsigned)(blocks < MAX_GRID ? blocks : MAX_GRID), THREADS, room>>>(*w, of_head);
}

static void tiled(struct work *w)
{
    w->dim == 64 ? start<64>(w) : start<128>(w);
}

static bool refuse(const struct shape *s, char *why, size_t room)
{
    size_t bytes =
        s->axis[ATTENTION_DIM] == 64 ? sizeof(struct tiles<64>) : sizeof(struct tiles<128>);

    return device_lacks_shared(bytes, why, room);
}

/* The sums are multiplied again with each tile, by a power that is off by 4 roundings. */
static double depth(const struct shape *s)
{
    double length = (double)s->axis[ATTENTION_LENGTH];

    return length + 5 * (length / KEYS + 1) + 4;
}

static const struct variant variants[] = {
    {"tiled", "a tile of scores at a time, in registers", tiled, ROUNDED, depth, .threads = THREADS,
     .only = "64 128", .refuse = refuse},
};

STEP("attention-tiled", attention_family, variants);
