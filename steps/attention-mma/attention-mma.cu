/*
 * attention-mma: scores become an operand where they are
 *
 * Idea      Both products run on tensor cores, of f16 or bf16 with sums in f32. A lane's sums of mma.sync lie as
 *           the next one wants its first operand. So the scores of a tile become shares, are rounded, and are
 *           multiplied by the values, without ever leaving the registers.
 * Since     attention-tiled, whose shares went to other threads, through shared memory.
 * Expect    Shared memory holds queries, keys and values alone. A warp has 32 queries, so that it uses each fragment
 *           of keys or values twice. Tiles arrive by asynchronous copies, while the one before is worked on. See
 *           docs/attention-mma.md.
 * Source    Dao, "FlashAttention-2", 2023; the PTX ISA: the fragments of mma.m16n8k16.
 */
#include <cuda_pipeline.h>

#include "families/attention/tensor_halves.h"

#include "harness/kit/device.h"
#include "harness/kit/mma.h"

#define WARPS 4
#define THREADS (WARPS * 32)
#define OWN 32 /* queries of a warp: two times 16 */
#define QUERIES (WARPS * OWN)
#define KEYS 64
#define STAGES 2  /* tiles of keys and values: one is worked on, one is in flight */
#define AT_ONCE 2 /* blocks of a multiprocessor: so many have room for their sums in registers */
#define MAX_GRID 0x7fffffff

/* A block's shared memory: rows whose chunks are swizzled. */
template <int DIM> struct tiles {
    alignas(16) element q[QUERIES][DIM];
    struct stage {
        element k[KEYS][DIM], v[KEYS][DIM];
    } stage[STAGES];
};

/* What a lane has of its warp's 32 x 64 scores: in each 16 x 8 two neighbours of row lane / 4, and two of the row 8
 * below. So it has rows 0 to 3, which lie 8 apart; of row r at[r / 2][...][r % 2 * 2] and the next. */
struct scores {
    float at[2][KEYS / 8][4];
};

/* What it knows of its four rows, which four lanes have together: the largest score, times log2(e) / sqrt(dim), its own
 * part of the sum of shares, and the sums of values, which lie as the scores do. */
template <int DIM> struct means {
    float max[4], sum[4], value[2][DIM / 8][4];
};

/* Row number r of the thread's four, of scores or of sums of values. */
template <int N> static __device__ __forceinline__ float *row_of(float (&of)[2][N][4], int r)
{
    return &of[r / 2][0][r % 2 * 2];
}

/* The first query of the thread's warp, in its block. */
static __device__ __forceinline__ int warp_row()
{
    return threadIdx.x / 32 * OWN;
}

/* --- copies -------------------------------------------------------------------------------------- */

/* Rows first, first + 1, ... of a head's matrix, zeros where it has ended. Chunk by chunk by asynchronous copies, where
 * the head begins at a multiple of 16 bytes; else element by element. */
template <int DIM, int COUNT>
static __device__ __forceinline__ void load(element (*to)[DIM], const element *from, size_t first,
                                            size_t length, bool aligned)
{
#pragma unroll 1
    for (int i = 0; i < COUNT * DIM / CHUNK / THREADS; i++) {
        int at = threadIdx.x + i * THREADS, row = at / (DIM / CHUNK), chunk = at % (DIM / CHUNK);
        bool there = first + row < length;
        const element *source = from + (there ? first + row : 0) * DIM + chunk * CHUNK;
        element *place = &to[row][swizzled(row, chunk)];

        if (aligned)
            __pipeline_memcpy_async(place, source, sizeof(uint4), there ? 0 : sizeof(uint4));
        else
            for (int e = 0; e < CHUNK; e++)
                place[e] = there ? source[e] : (element)0.0f;
    }
}

/* What a block works on: a head's arrays, its first query, and the keys that its queries see, from the first on. */
struct place {
    const element *k, *v;
    size_t first_query, behind;
    bool aligned;
};

/* Ask for the tile that begins with this key, if there is one. It is one group of copies in any case. */
template <int DIM>
static __device__ __forceinline__ void ask(struct tiles<DIM> *t, const struct place &p, size_t key,
                                           size_t length)
{
    auto &s = t->stage[key / KEYS % STAGES];

    if (key < p.behind) {
        load<DIM, KEYS>(s.k, p.k, key, length, p.aligned);
        load<DIM, KEYS>(s.v, p.v, key, length, p.aligned);
    }
    __pipeline_commit();
}

/* --- a tile -------------------------------------------------------------------------------------- */

/* Scores are sums over DIM: 32 products for each 16 elements, of fragments of queries and keys. */
template <int DIM>
static __device__ __forceinline__ void find_scores(struct scores *s, const struct tiles<DIM> *t,
                                                   const element (*k)[DIM])
{
#pragma unroll
    for (int step = 0; step < DIM / 16; step++) {
        unsigned query[2][4];

#pragma unroll
        for (int i = 0; i < 2; i++) {
            int row = warp_row() + i * 16 + lane() % 16;

            load_matrices(query[i], &t->q[row][swizzled(row, step * 2 + lane() / 16)]);
        }
#pragma unroll
        for (int j = 0; j < KEYS / 8; j += 2) {
            int row = j * 8 + lane() / 16 * 8 + lane() % 8;
            unsigned key[4]; /* two fragments, of 8 keys each */

            load_matrices(key, &k[row][swizzled(row, step * 2 + lane() / 8 % 2)]);
#pragma unroll
            for (int i = 0; i < 2; i++) {
                multiply(s->at[i][j], query[i], key);
                multiply(s->at[i][j + 1], query[i], key + 2);
            }
        }
    }
}

/* Multiply a row's sums of values. */
template <int DIM>
static __device__ __forceinline__ void scale_values(struct means<DIM> *m, int r, float by)
{
#pragma unroll
    for (int j = 0; j < DIM / 8; j++) {
        m->value[r / 2][j][r % 2 * 2] *= by;
        m->value[r / 2][j][r % 2 * 2 + 1] *= by;
    }
}

/* Scores become shares, and the sums are for the new maximum. */
template <int DIM>
static __device__ __forceinline__ void find_shares(struct scores *s, struct means<DIM> *m,
                                                   float scale)
{
    float max[4];

#pragma unroll
    for (int r = 0; r < 4; r++)
        max[r] = row_max<KEYS>(row_of(s->at, r));
#pragma unroll
    for (int r = 0; r < 4; r++) {
        float base, change;

        max[r] = fmaxf(m->max[r], max[r] * scale);
        base = max[r] == -INFINITY ? 0 : max[r]; /* -infinity minus itself would be NaN */
        change = power_of_2(m->max[r] - base);
        m->max[r] = max[r];
        m->sum[r] *= change;
        scale_values(m, r, change);
#pragma unroll
        for (int j = 0; j < KEYS / 8; j++) {
#pragma unroll
            for (int e = 0; e < 2; e++) {
                float *score = &s->at[r / 2][j][r % 2 * 2 + e];

                *score = power_of_2(*score * scale - base);
                m->sum[r] += *score;
            }
        }
    }
}

/* Add the tile's values, each times its share. The shares of 16 keys are two neighbours among the scores, and already
 * lie as a fragment: only rounded they must be. */
template <int DIM>
static __device__ __forceinline__ void add_values(struct means<DIM> *m, const struct scores &s,
                                                  const element (*v)[DIM])
{
#pragma unroll
    for (int step = 0; step < KEYS / 16; step++) {
        unsigned share[2][4];

#pragma unroll
        for (int i = 0; i < 2; i++) {
#pragma unroll
            for (int part = 0; part < 4; part++) {
                const float *two = &s.at[i][step * 2 + part / 2][part % 2 * 2];

                share[i][part] = rounded(two[0], two[1]);
            }
        }
#pragma unroll
        for (int j = 0; j < DIM / 8; j += 2) {
            int row = step * 16 + lane() % 16;
            unsigned value[4]; /* two fragments, of 8 elements of a value each */

            load_transposed(value, &v[row][swizzled(row, j + lane() / 16)]);
#pragma unroll
            for (int i = 0; i < 2; i++) {
                multiply(m->value[i][j], share[i], value);
                multiply(m->value[i][j + 1], share[i], value + 2);
            }
        }
    }
}

/* A tile of keys, for the queries of a warp. */
template <int DIM>
static __device__ __forceinline__ void take_keys(struct means<DIM> *m, const struct tiles<DIM> *t,
                                                 const struct work &w, size_t first_query,
                                                 size_t key)
{
    auto &stage = t->stage[key / KEYS % STAGES];
    size_t query = first_query + warp_row();
    size_t common = w.causal && query < w.length ? query + 1 : w.length; /* keys that all see */
    struct scores s = {};

    find_scores(&s, t, stage.k);
#pragma unroll
    for (int r = 0; r < 4 && key + KEYS > common; r++)
        hide_row<KEYS>(row_of(s.at, r), w, query + lane() / 4 + r * 8, key);
    find_shares(&s, m, w.scale * LOG2_E);
    add_values(m, s, stage.v);
}

/* --- a tile of queries --------------------------------------------------------------------------- */

template <int DIM>
static __device__ void store(const struct work &w, struct means<DIM> *m, size_t head,
                             size_t first_query)
{
    size_t first = first_query + warp_row();
    bool number = true;

#pragma unroll
    for (int r = 0; r < 4; r++)
        number &=
            store_row<DIM>(w, head, first + lane() / 4 + r * 8, row_of(m->value, r), m->sum[r]);
    repair<DIM, OWN>(w, head, first, number || !w.causal);
}

/* All tiles of keys for the block's queries. There is one barrier per tile: behind it the tile has come, for all
 * threads, and no thread works on the one before, whose place the next one takes. */
template <int DIM>
static __device__ __forceinline__ void take_queries(struct means<DIM> *m, struct tiles<DIM> *t,
                                                    const struct work &w, const struct place &p)
{
    size_t last = p.first_query + warp_row() + OWN; /* of a causal warp's keys, the first behind */

    ask(t, p, 0, w.length);
    for (size_t key = 0; key < p.behind; key += KEYS) {
        __pipeline_wait_prior(0);
        __syncthreads();
        ask(t, p, key + KEYS, w.length);
        if (!w.causal || key < last)
            take_keys(m, t, w, p.first_query, key);
    }
}

/* A tile of queries of a head. Of a causal head the last are first: they see the most keys. */
template <int DIM> static __global__ void __launch_bounds__(THREADS, AT_ONCE)
attention(struct work w, size_t of_head)
{
    extern __shared__ uint4 shared[];
    struct tiles<DIM> *t = (struct tiles<DIM> *)shared;
    bool aligned = at_multiple(w.q, sizeof(uint4)) && at_multiple(w.k, sizeof(uint4)) &&
                   at_multiple(w.v, sizeof(uint4));

    for (size_t tile = blockIdx.x; tile < w.heads * of_head; tile += gridDim.x) {
        size_t head = tile % w.heads * w.length * DIM,
               first_query = (of_head - 1 - tile / w.heads) * QUERIES;
        size_t behind =
            w.causal && first_query + QUERIES < w.length ? first_query + QUERIES : w.length;
        struct place p = {w.k + head, w.v + head, first_query, behind, aligned};
        struct means<DIM> m = {
        };

        for (int r = 0; r < 4; r++)
            m.max[r] = -INFINITY;
        load<DIM, QUERIES>(t->q, w.q + head, first_query, w.length, aligned);
        take_queries(&m, t, w, p);
        store(w, &m, head, first_query);
        __syncthreads(); /* before the next queries are loaded */
    }
}

/* --- the launch ---------------------------------------------------------------------------------- */

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

static void registers(struct work *w)
{
    w->dim == 64 ? start<64>(w) : start<128>(w);
}

static bool refuse(const struct shape *s, char *why, size_t room)
{
    size_t bytes =
        s->axis[ATTENTION_DIM] == 64 ? sizeof(struct tiles<64>) : sizeof(struct tiles<128>);

    return device_below(MMA_CAPABILITY, why, room) || device_lacks_shared(bytes, why, room);
}

static const struct variant variants[] = {
    {"mma", "shares go from product to product in registers", registers, ROUNDED, depth,
     .threads = THREADS, .only = "64 128", .refuse = refuse},
};

STEP("attention-mma", hattention_family, variants);
