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
#include "families/attention/tensor_halves.h"
#include "families/attention/warp_tiles.h"

#include "harness/kit/device.h"
#include "harness/kit/mma.h"

#define QUERIES (4 * WARP_OWN) /* of a block, which has as many threads */
#define MAX_GRID 0x7fffffff
#define KEYS 64
#define AT_ONCE 2 /* blocks of a multiprocessor: so many have room for their sums in registers */

typedef warp_scores<KEYS> scores;

template <int DIM> using tiles = tile_room<DIM, KEYS, QUERIES>;

/* --- a tile -------------------------------------------------------------------------------------- */

/* Scores are sums over DIM: 32 products for each 16 elements, of fragments of queries and keys. */
template <int DIM>
static __device__ __forceinline__ void find_scores(scores *s, const tiles<DIM> *t,
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

/* Add the tile's values, each times its share. The shares of 16 keys are two neighbours among the scores, and already
 * lie as a fragment: only rounded they must be. */
template <int DIM>
static __device__ __forceinline__ void add_values(struct warp_means<DIM> *m, const scores &s,
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
static __device__ __forceinline__ void take_keys(struct warp_means<DIM> *m, const tiles<DIM> *t,
                                                 const struct work &w, size_t first_query,
                                                 size_t key)
{
    auto &stage = t->stage[key / KEYS % STAGES];
    size_t query = first_query + warp_row();
    size_t common = w.causal && query < w.length ? query + 1 : w.length; /* keys that all see */
    scores s = {};

    find_scores(&s, t, stage.k);
#pragma unroll
    for (int r = 0; r < 4 && key + KEYS > common; r++)
        hide_row<KEYS>(row_of(s.at, r), w, query + lane() / 4 + r * 8, key);
    find_shares(&s, m, w.scale * LOG2_E);
    add_values(m, s, stage.v);
}

/* --- a tile of queries --------------------------------------------------------------------------- */

template <int DIM>
static __device__ void store(const struct work &w, struct warp_means<DIM> *m, size_t head,
                             size_t first_query)
{
    size_t first = first_query + warp_row();
    bool number = true;

#pragma unroll
    for (int r = 0; r < 4; r++)
        number &=
            store_row<DIM>(w, head, first + lane() / 4 + r * 8, row_of(m->value, r), m->sum[r]);
    repair<DIM, WARP_OWN>(w, head, first, number || !w.causal);
}

/* All tiles of keys for the block's queries. There is one barrier per tile: behind it the tile has come, for all
 * threads, and no thread works on the one before, whose place the next one takes. */
template <int DIM>
static __device__ __forceinline__ void take_queries(struct warp_means<DIM> *m, tiles<DIM> *t,
                                                    const struct work &w,
                                                    const struct warp_place &p)
{
    size_t last = p.first_query + warp_row() + WARP_OWN; /* the first behind a causal warp's keys */

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
template <int DIM> static __global__ void __launch_bounds__(QUERIES, AT_ONCE)
attention(struct work w, size_t of_head)
{
    extern __shared__ uint4 shared[];
    tiles<DIM> *t = (tiles<DIM> *)shared;
    bool aligned = at_multiple(w.q, sizeof(uint4)) && at_multiple(w.k, sizeof(uint4)) &&
                   at_multiple(w.v, sizeof(uint4));

    for (size_t tile = blockIdx.x; tile < w.heads * of_head; tile += gridDim.x) {
        size_t head = tile % w.heads * w.length * DIM,
               first_query = (of_head - 1 - tile / w.heads) * QUERIES;
        size_t behind =
            w.causal && first_query + QUERIES < w.length ? first_query + QUERIES : w.length;
        struct warp_place p = {w.k + head, w.v + head, first_query, behind, aligned};
        struct warp_means<DIM> m = {
        };

        for (int r = 0; r < 4; r++)
            m.max[r] = -INFINITY;
        load<QUERIES, QUERIES>(t->q, w.q + head, first_query, w.length, aligned);
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
    int room = (int)sizeof(tiles<DIM>);

    if (!asked)
        asked = cudaFuncSetAttribute(attention<DIM>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     room) == cudaSuccess;
    if (asked && blocks > 0) /* a grid without blocks is an error */
        attention<DIM>
            <<<(unsigned)(blocks < MAX_GRID ? blocks : MAX_GRID), QUERIES, room>>>(*w, of_head);
}

static void registers(struct work *w)
{
    w->dim == 64 ? start<64>(w) : start<128>(w);
}

static bool refuse(const struct shape *s, char *why, size_t room)
{
    size_t bytes = s->axis[ATTENTION_DIM] == 64 ? sizeof(tiles<64>) : sizeof(tiles<128>);

    return device_below(MMA_CAPABILITY, why, room) || device_lacks_shared(bytes, why, room);
}

static const struct variant variants[] = {
    {"mma", "shares go from product to product in registers", registers, ROUNDED, depth,
     .threads = QUERIES, .only = "64 128", .refuse = refuse},
};

STEP("attention-mma", hattention_family, variants);
