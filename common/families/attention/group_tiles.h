/*
 * What a block has whose warpgroups multiply tiles of keys that a producer loads: the tiles, the
 * copies, the products, and the shares between them, of attention-wgmma and attention-balanced.
 */
#ifndef ATTENTION_GROUP_TILES_H
#define ATTENTION_GROUP_TILES_H

#include "families/attention/group_products.h"
#include "families/attention/tensor_halves.h"
#include "harness/kit/tma.h"

#define STAGES 2
#define OWN 64 /* queries of a warpgroup */

/* By the elements of a head: the queries of a block, and the keys of a tile. So many sums and
 * scores fit in registers. Behind the warpgroups that multiply is the producer. */
template <int DIM> constexpr int queries = DIM == 64 ? 3 * OWN : 2 * OWN;
template <int DIM> constexpr int keys = DIM == 64 ? 128 : 176;
template <int DIM> constexpr int consumers = queries<DIM> / OWN;
template <int DIM> constexpr int block_threads = 2 * queries<DIM> + GROUP;
template <int DIM> constexpr int sums = keys<DIM> / 2; /* scores of a thread, of 64 rows' keys */

/* A block's shared memory. A row of 64 elements is a line of 128 bytes, swizzled; with 128
 * elements the second halves of all rows are behind the first ones. */
template <int DIM> struct tiles {
    element q[DIM / LINE][queries<DIM>][LINE];
    struct stage {
        element k[DIM / LINE][keys<DIM>][LINE], v[DIM / LINE][keys<DIM>][LINE];
    } stage[STAGES];
    struct barriers {
        uint64_t q, k[STAGES], v[STAGES];
    } full, empty;
};

/* How queries, keys and values lie in global memory, for the TMA. */
struct maps {
    CUtensorMap q, k, v;
};

/* Of each 8 scores of rows lane / 4 and 8 below, of the warp's 16, two neighbours of each: row r
 * has elements 4 j + 2 r and the next. */
template <int DIM> struct scores {
    float at[sums<DIM>];
};

/* Shares, rounded, as the first operand of a product wants them: four registers per 16 keys. */
template <int DIM> struct shares {
    unsigned at[keys<DIM> / 16][4];
};

/* What a thread knows of its two rows, which four lanes have together: the largest score, times
 * log2(e) / sqrt(dim), its own part of the sum of shares, and the sums of values, which lie as the
 * scores do. */
template <int DIM> struct means {
    float max[2], sum[2], value[DIM / 2];
};

/* What a block works on: a head, its first query, how many warpgroups of queries it has, and how
 * many tiles of keys they see. */
struct place {
    size_t head, first_query;
    int groups, tiles;
};

/* --- copies, as in hgemm-tma ------------------------------------------------------------------ */

/* Rows of a head, from this one on, come as boxes of 64 elements each. Behind the head's last row
 * come zeros. */
template <int DIM, int COUNT>
static __device__ __forceinline__ void load_rows(element (*to)[COUNT][LINE], const CUtensorMap *map,
                                                 size_t head, size_t row, uint64_t *full)
{
    arrive_expecting(full, COUNT * DIM * (int)sizeof(element));
#pragma unroll
    for (int i = 0; i < DIM / LINE; i++)
        GROUP_ASM(
            "cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
            "[%1, {%2, %3, %4}], [%5];" ::"r"(shared_address(to[i])),
            "l"(map), "r"(i * LINE), "r"((int)row), "r"((int)head), "r"(shared_address(full))
            : "memory");
}

/* By one thread: all that the block needs, as soon as there is place. */
template <int DIM>
static __device__ __forceinline__ void produce(struct tiles<DIM> *t, const struct maps &maps,
                                               const struct place &p)
{
    load_rows<DIM>(t->q, &maps.q, p.head, p.first_query, &t->full.q);
    for (int i = 0; i < p.tiles; i++) {
        int s = i % STAGES, parity = i / STAGES % 2 ^ 1;

        wait(&t->empty.k[s], parity);
        load_rows<DIM>(t->stage[s].k, &maps.k, p.head, (size_t)i * keys<DIM>, &t->full.k[s]);
        wait(&t->empty.v[s], parity);
        load_rows<DIM>(t->stage[s].v, &maps.v, p.head, (size_t)i * keys<DIM>, &t->full.v[s]);
    }
}

/* --- products --------------------------------------------------------------------------------- */

/* Where a matrix begins in shared memory, as hgemm-wgmma says it. If lines are rows of B the next
 * 64 columns are behind as many lines as there are keys. */
template <int DIM> static __device__ __forceinline__ uint64_t descriptor(const element *start)
{
    return SWIZZLE_128 | (uint64_t)(8 * LINE * sizeof(element) / 16) << 32 |
           (uint64_t)(keys<DIM> * LINE * sizeof(element) / 16) << 16 |
           (shared_address(start) & 0x3ffff) / 16;
}

/* A tile's scores begin to be multiplied, as one group. */
template <int DIM>
static __device__ __forceinline__ void begin_scores(struct scores<DIM> *s,
                                                    const struct tiles<DIM> *t, int stage)
{
    int row = threadIdx.x / GROUP * OWN;

#pragma unroll
    for (int e = 0; e < DIM; e += 16)
        multiply_lines(s->at, descriptor<DIM>(&t->q[e / LINE][row][e % LINE]),
                       descriptor<DIM>(&t->stage[stage].k[e / LINE][0][e % LINE]), e > 0);
    commit_products();
}

/* And its values, each times its share. */
template <int DIM>
static __device__ __forceinline__ void begin_values(struct means<DIM> *m,
                                                    const struct shares<DIM> &p,
                                                    const struct tiles<DIM> *t, int stage)
{
#pragma unroll
    for (int i = 0; i < keys<DIM> / 16; i++)
        multiply_rows(m->value, p.at[i], descriptor<DIM>(t->stage[stage].v[0][i * 16]));
    commit_products();
}

/* --- shares ----------------------------------------------------------------------------------- */

/* Scores become shares. By what the sums of values are to be multiplied, for the new maximum, is
 * in change. */
template <int DIM>
static __device__ __forceinline__ void find_shares(struct scores<DIM> *s, struct means<DIM> *m,
                                                   float (&change)[2], float scale)
{
#pragma unroll
    for (int r = 0; r < 2; r++) {
        float max = row_max<keys<DIM>>(&s->at[r * 2]), base, sum = 0;

        max = fmaxf(m->max[r], max * scale);
        base = max == -INFINITY ? 0 : max; /* -infinity minus itself would be NaN */
        change[r] = power_of_2(m->max[r] - base);
        m->max[r] = max;
#pragma unroll
        for (int j = r * 2; j < sums<DIM>; j += 4) {
            s->at[j] = power_of_2(s->at[j] * scale - base);
            s->at[j + 1] = power_of_2(s->at[j + 1] * scale - base);
            sum += s->at[j] + s->at[j + 1];
        }
        m->sum[r] = m->sum[r] * change[r] + sum;
    }
}

template <int DIM>
static __device__ __forceinline__ void scale_values(struct means<DIM> *m, const float (&change)[2])
{
#pragma unroll
    for (int j = 0; j < DIM / 2; j++)
        m->value[j] *= change[j / 2 % 2];
}

template <int DIM>
static __device__ __forceinline__ void round_shares(struct shares<DIM> *to,
                                                    const struct scores<DIM> &s)
{
#pragma unroll
    for (int i = 0; i < sums<DIM> / 2; i++)
        to->at[i / 4][i % 4] = rounded(s.at[2 * i], s.at[2 * i + 1]);
}

/* --- what a consumer does beside -------------------------------------------------------------- */

/* The first query of the thread's warpgroup, and of its warp. */
static __device__ __forceinline__ size_t group_query(const struct place &p)
{
    return p.first_query + threadIdx.x / GROUP * OWN;
}

static __device__ __forceinline__ size_t warp_query(const struct place &p)
{
    return p.first_query + threadIdx.x / 32 * 16;
}

/* This warpgroup has read it. */
static __device__ __forceinline__ void release(uint64_t *empty)
{
    if (threadIdx.x % GROUP == 0)
        arrive(empty);
}

static __device__ __forceinline__ int parity_of(int tile)
{
    return tile / STAGES % 2;
}

/* A tile's scores are there: hide them where not all queries of the warpgroup see all keys. */
template <int DIM>
static __device__ __forceinline__ void hide_some(struct scores<DIM> *s, const struct work &w,
                                                 const struct place &p, int tile)
{
    size_t first = group_query(p), key = (size_t)tile * keys<DIM>, behind = key + keys<DIM>;
    size_t common = w.causal && first < w.length ? first + 1 : w.length;

#pragma unroll
    for (int r = 0; r < 2 && behind > common; r++)
        hide_row<keys<DIM>>(&s->at[r * 2], w, warp_query(p) + lane() / 4 + r * 8, key);
}

template <int DIM>
static __device__ __forceinline__ void store(const struct work &w, const struct means<DIM> &m,
                                             const struct place &p)
{
    size_t head = p.head * w.length * DIM, first = warp_query(p);
    bool number = true;

#pragma unroll
    for (int r = 0; r < 2; r++)
        number &= store_row<DIM>(w, head, first + lane() / 4 + r * 8, &m.value[r * 2], m.sum[r]);
    repair<DIM, 16>(w, head, first, number || !w.causal);
}

#endif
