/*
 * attention-tf32: floats on tensor cores, as sums of two parts
 *
 * Idea      A float is nearly the sum of two tf32 numbers, a big and a small one. So a product of floats is three
 *           products of tensor cores: big by big, big by small, and small by big. And a sum has no order: take the
 *           keys of a tile in another one, and a lane's scores lie as the next product wants its first operand.
 * Since     attention-mma had elements of 16 bits, and attention-tiled, of floats, no tensor cores.
 * Expect    Three products for one, each at half the rate of bf16, and still more than multiply-adds can do. What is
 *           dropped, small by small, is about as much as a float rounds off. See docs/attention-tf32.md.
 * Source    Markidis et al., "NVIDIA Tensor Core Programmability, Performance & Precision", 2018; the PTX ISA: the
 *           fragments of mma.m16n8k8.
 */
#include "families/attention/split_products.h"
#include "families/attention/warp_tiles.h"

#include "harness/kit/device.h"
#include "harness/kit/mma.h"

#define QUERIES (8 * WARP_OWN) /* of a block, which has as many threads */
#define MAX_GRID 0x7fffffff

/* Keys of a tile: where sums of values take more registers, scores have fewer. */
template <int DIM> constexpr int keys = DIM == 64 ? 64 : 32;

template <int DIM> using tiles = tile_room<DIM, keys<DIM>, QUERIES>;

template <int DIM> using scores = warp_scores<keys<DIM>>;

/* --- products ------------------------------------------------------------------------------------ */

/* N floats as sums of two tf32 numbers, each in a register of a fragment. */
template <int N> struct parts {
    unsigned big[N], small[N];
};

/* The nearest tf32 number, and what is left, of which tensor cores ignore the lowest bits. If x is no number, then
 * one of the two is none. */
template <int N> static __device__ __forceinline__ void split(struct parts<N> *p, int i, float x)
{
    p->big[i] = (__float_as_uint(x) + 0x1000) & ~0x1fffu;
    p->small[i] = __float_as_uint(x - __uint_as_float(p->big[i]));
}

/* Four matrices of 8 rows and 4 floats; see load_matrices. */
static __device__ __forceinline__ void load_parts(struct parts<4> *p, const element *row)
{
    unsigned bits[4];

    load_matrices(bits, row);
#pragma unroll
    for (int i = 0; i < 4; i++)
        split(p, i, __uint_as_float(bits[i]));
}

/* Add the products of two times 16 rows with two times 8 columns to their sums. The small parts come first. Each of
 * the four sums waits for the one before it as long as the three others take. */
static __device__ __forceinline__ void multiply_parts(float (*top)[4], float (*bottom)[4],
                                                      const struct parts<4> (&a)[2],
                                                      const struct parts<4> &b)
{
#pragma unroll
    for (int product = 0; product < 3; product++) {
#pragma unroll
        for (int column = 0; column < 2; column++) {
            const unsigned *second = (product == 1 ? b.small : b.big) + column * 2;

            multiply(top[column], product == 0 ? a[0].small : a[0].big, second);
            multiply(bottom[column], product == 0 ? a[1].small : a[1].big, second);
        }
    }
}

/* --- a tile -------------------------------------------------------------------------------------- */

/* Scores are sums over DIM: 8 products for each 8 elements, of fragments of queries and keys. */
template <int DIM>
static __device__ __forceinline__ void find_scores(scores<DIM> *s, const tiles<DIM> *t,
                                                   const element (*k)[DIM])
{
#pragma unroll
    for (int step = 0; step < DIM / 8; step++) {
        struct parts<4> query[2];

#pragma unroll
        for (int i = 0; i < 2; i++) {
            int row = warp_row() + i * 16 + lane() % 16;

            load_parts(&query[i], &t->q[row][swizzled(row, step * 2 + lane() / 16)]);
        }
#pragma unroll
        for (int j = 0; j < keys<DIM> / 8; j += 2) {
            int row = j * 8 + lane() / 16 * 8 + lane() % 8;
            struct parts<4> key; /* two fragments, of 8 keys each */

            load_parts(&key, &k[row][swizzled(row, step * 2 + lane() / 8 % 2)]);
            multiply_parts(&s->at[0][j], &s->at[1][j], query, key);
        }
    }
}

/* Add the tile's values, each times its share. Of 8 keys a lane has shares 2 (lane % 4) and the next; of the first
 * operand it wants elements lane % 4 and lane % 4 + 4. So these are elements of the keys in the order 0 2 4 6 1 3 5 7,
 * and values are taken in the same one. Of 32 elements of a value a lane reads the four at 4 (lane / 4), one for each
 * of four fragments. */
template <int DIM>
static __device__ __forceinline__ void add_values(struct warp_means<DIM> *m, const scores<DIM> &s,
                                                  const element (*v)[DIM])
{
#pragma unroll
    for (int step = 0; step < keys<DIM> / 8; step++) {
        int row = step * 8 + lane() % 4 * 2;
        struct parts<4> share[2];

#pragma unroll
        for (int i = 0; i < 2; i++) {
#pragma unroll
            for (int part = 0; part < 4; part++)
                split(&share[i], part, s.at[i][step][part % 2 * 2 + part / 2]);
        }
#pragma unroll
        for (int j = 0; j < DIM / 8; j += 4) {
            int chunk = j * 2 + lane() / 4;
            float4 first = *(const float4 *)&v[row][swizzled(row, chunk)],
                   next = *(const float4 *)&v[row + 1][swizzled(row + 1, chunk)];
            struct parts<4> value; /* two fragments */

            split(&value, 0, first.x);
            split(&value, 1, next.x);
            split(&value, 2, first.y);
            split(&value, 3, next.y);
            multiply_parts(&m->value[0][j], &m->value[1][j], share, value);
            split(&value, 0, first.z);
            split(&value, 1, next.z);
            split(&value, 2, first.w);
            split(&value, 3, next.w);
            multiply_parts(&m->value[0][j + 2], &m->value[1][j + 2], share, value);
        }
    }
}

/* A tile of keys, for the queries of a warp. */
template <int DIM>
static __device__ __forceinline__ void take_keys(struct warp_means<DIM> *m, const tiles<DIM> *t,
                                                 const struct work &w, size_t first_query,
                                                 size_t key)
{
    auto &stage = t->stage[key / keys<DIM> % STAGES];
    size_t query = first_query + warp_row(), behind = key + keys<DIM>;
    size_t common = w.causal && query < w.length ? query + 1 : w.length; /* keys that all see */
    scores<DIM> s = {};

    find_scores(&s, t, stage.k);
#pragma unroll
    for (int r = 0; r < 4 && behind > common; r++)
        hide_row<keys<DIM>>(row_of(s.at, r), w, query + lane() / 4 + r * 8, key);
    find_shares(&s, m, w.scale * LOG2_E);
    add_values(m, s, stage.v);
}

/* --- a tile of queries --------------------------------------------------------------------------- */

/* Store the means of a query, its sums of values divided by the sum of shares, of which each lane has its own. Is none
 * of them NaN? */
template <int DIM>
static __device__ __forceinline__ bool store_means(const struct work &w, size_t head, size_t query,
                                                   const float *row, float sum)
{
    float part = 1 / row_sum(sum);
    bool number = true;

#pragma unroll
    for (int j = 0; j < DIM / 8; j += 4) {
#pragma unroll
        for (int e = 0; e < 2; e++) {
            const float *four = &row[j * 4 + e]; /* 4 apart */
            float4 mean =
                make_float4(four[0] * part, four[4] * part, four[8] * part, four[12] * part);

            number = number && mean.x == mean.x && mean.y == mean.y && mean.z == mean.z &&
                     mean.w == mean.w;
            if (query < w.length)
                *(float4 *)&w.out[head + query * DIM + j * 8 + lane() % 4 * 8 + e * 4] = mean;
        }
    }
    return number;
}

/* An infinity has no parts: the second one is NaN. Nor have numbers near the largest one. So what is NaN here is
 * computed again, in floats. */
template <int DIM>
static __device__ void store(const struct work &w, struct warp_means<DIM> *m, size_t head,
                             size_t first_query)
{
    size_t first = first_query + warp_row();
    bool number = true;

#pragma unroll
    for (int r = 0; r < 4; r++)
        number &=
            store_means<DIM>(w, head, first + lane() / 4 + r * 8, row_of(m->value, r), m->sum[r]);
    repair<DIM, WARP_OWN>(w, head, first, number);
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
    for (size_t key = 0; key < p.behind; key += keys<DIM>) {
        __pipeline_wait_prior(0);
        __syncthreads();
        ask(t, p, key + keys<DIM>, w.length);
        if (!w.causal || key < last)
            take_keys(m, t, w, p.first_query, key);
    }
}

/* A tile of queries of a head. Of a causal head the last are first: they see the most keys. */
template <int DIM> static __global__ void __launch_bounds__(QUERIES)
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

static void in_parts(struct work *w)
{
    w->dim == 64 ? start<64>(w) : start<128>(w);
}

static bool refuse(const struct shape *s, char *why, size_t room)
{
    size_t bytes = s->axis[ATTENTION_DIM] == 64 ? sizeof(tiles<64>) : sizeof(tiles<128>);

    return device_below(MMA_CAPABILITY, why, room) || device_lacks_shared(bytes, why, room);
}

/* Of a mean: three products for each value, and what its product with a share lacks. The
 * sums are multiplied again with each tile, by a power that is off by 4 roundings. */
static double depth(const struct shape *s)
{
    double length = (double)s->axis[ATTENTION_LENGTH];
    int of_tile = s->axis[ATTENTION_DIM] == 64 ? keys<64> : keys<128>;

    return split_roundings(s->axis[ATTENTION_LENGTH]) + 5 * (length / of_tile + 1) + 4;
}

static const struct variant variants[] = {
    {"tf32", "three products of parts for a product of floats", in_parts, ROUNDED | SPLIT_PRODUCTS,
     depth, .threads = QUERIES, .only = "64 128", .refuse = refuse},
};

STEP("attention-tf32", attention_family, variants);
