/*
 * attention-wgmma: warpgroups multiply in turn
 *
 * Idea      Products need tensor cores, shares need powers of 2: two parts of a multiprocessor. The warpgroups of a
 *           block take turns: while one multiplies, the others find their shares. And tiles of two sizes keep all
 *           multiprocessors busy to the end.
 * Since     attention-mma, whose warps each waited for their products, as they came; and hgemm-tma, from which wgmma,
 *           the producer and its boxes are.
 * Expect    Two thirds of the tensor cores' time with heads of 128 elements; less with 64, which have twice as many
 *           shares for each product. Only GPUs of compute capability 9.0 have wgmma. See docs/attention-wgmma.md.
 * Source    Shah et al., "FlashAttention-3", 2024; the PTX ISA: wgmma, cp.async.bulk.tensor, barrier.
 */
#include <limits.h>

#include "families/attention/group_products.h"
#include "families/attention/tensor_halves.h"

#include "harness/kit/device.h"
#include "harness/kit/tma.h"

#define STAGES 2
#define OWN 64 /* queries of a warpgroup */

/* By the elements of a head: the queries of a block, and the keys of a tile. So many sums and scores
 * fit in registers. Behind the warpgroups that multiply is the producer. */
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

/* Shares, rounded, as the first operand of a product wants them: four registers for each 16 keys. */
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

/* How many tiles of queries a head has: large ones, with queries for all warpgroups of a block, and
 * small ones, with queries for all but one. */
struct split {
    unsigned large, small;
};

/* --- copies, as in hgemm-tma --------------------------------------------------------------------- */

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

/* --- products ------------------------------------------------------------------------------------ */

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

/* --- shares -------------------------------------------------------------------------------------- */

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

/* --- a consumer ---------------------------------------------------------------------------------- */

/* How the products and the shares of a tile follow each other. */
enum way { EACH, AHEAD, IN_TURN };

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

/* Each product is waited for. */
template <int DIM>
static __device__ __forceinline__ void take_each(struct means<DIM> *m, struct tiles<DIM> *t,
                                                 const struct work &w, const struct place &p)
{
    for (int i = 0; i < p.tiles; i++) {
        int now = i % STAGES;
        struct scores<DIM> s;
        struct shares<DIM> share;
        float change[2];

        wait(&t->full.k[now], parity_of(i));
        fence_registers();
        begin_scores(&s, t, now);
        wait_products<0>();
        release(&t->empty.k[now]);
        hide_some(&s, w, p, i);
        find_shares(&s, m, change, w.scale * LOG2_E);
        scale_values(m, change);
        round_shares(&share, s);
        wait(&t->full.v[now], parity_of(i));
        fence_registers();
        begin_values(m, share, t, now);
        wait_products<0>();
        release(&t->empty.v[now]);
    }
}

/* Until it is this warpgroup's turn, and its end. Each warpgroup has a barrier of 256 threads: its
 * own, which wait, and those of the one before, which arrive. */
static __device__ __forceinline__ void await_turn()
{
    GROUP_ASM("bar.sync %0, %1;" ::"r"((int)threadIdx.x / GROUP + 1), "n"(2 * GROUP) : "memory");
}

static __device__ __forceinline__ void end_turn(const struct place &p)
{
    int group = threadIdx.x / GROUP, next = group + 1 < p.groups ? group + 1 : 0;

    GROUP_ASM("bar.arrive %0, %1;" ::"r"(next + 1), "n"(2 * GROUP) : "memory");
}

/* The products of a tile's scores, and of the values of the tile before, begin together: one long
 * run, in which no share is waited for. Between two runs the warpgroup finds shares; with TURNS
 * the others multiply then. */
template <int DIM, bool TURNS>
static __device__ __forceinline__ void take_ahead(struct means<DIM> *m, struct tiles<DIM> *t,
                                                  const struct work &w, const struct place &p)
{
    struct scores<DIM> s;
    struct shares<DIM> share;
    float change[2];
    bool first = threadIdx.x < GROUP;

    wait(&t->full.k[0], 0);
    if (TURNS && !first)
        await_turn();
    fence_registers();
    begin_scores(&s, t, 0);
    if (TURNS)
        end_turn(p);
    wait_products<0>();
    release(&t->empty.k[0]);
    hide_some(&s, w, p, 0);
    find_shares(&s, m, change, w.scale * LOG2_E);
    round_shares(&share, s);
    for (int i = 1; i < p.tiles; i++) {
        int now = i % STAGES, before = (i - 1) % STAGES;

        wait(&t->full.k[now], parity_of(i));
        if (TURNS)
            await_turn();
        fence_registers();
        begin_scores(&s, t, now);
        wait(&t->full.v[before], parity_of(i - 1));
        fence_registers();
        begin_values(m, share, t, before);
        if (TURNS)
            end_turn(p);
        wait_products<0>();
        release(&t->empty.k[now]);
        release(&t->empty.v[before]);
        hide_some(&s, w, p, i);
        find_shares(&s, m, change, w.scale * LOG2_E);
        scale_values(m, change);
        round_shares(&share, s);
    }
    if (TURNS && first)
        await_turn(); /* the last one has ended its last turn, too */
    wait(&t->full.v[(p.tiles - 1) % STAGES], parity_of(p.tiles - 1));
    fence_registers();
    begin_values(m, share, t, (p.tiles - 1) % STAGES);
    wait_products<0>();
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

/* --- the kernel ---------------------------------------------------------------------------------- */

template <int DIM, enum way WAY>
static __device__ __forceinline__ void consume(struct tiles<DIM> *t, const struct work &w,
                                               const struct place &p)
{
    struct means<DIM> m = {
    };

    m.max[0] = m.max[1] = -INFINITY;
    wait(&t->full.q, 0);
    if (WAY == EACH)
        take_each(&m, t, w, p);
    else
        take_ahead<DIM, WAY == IN_TURN>(&m, t, w, p);
    store(w, m, p);
}

/* What this block works on. Large tiles come first, and of these a head's last one, which sees the
 * most keys if the head is causal; before them in the head lie its small tiles. */
template <int DIM>
static __device__ __forceinline__ struct place place_of(const struct work &w,
                                                        const struct split &of_head)
{
    unsigned heads = (unsigned)w.heads, tile = blockIdx.x / heads;
    bool large = tile < of_head.large;
    size_t left = large ? of_head.large - 1 - tile : of_head.large + of_head.small - 1 - tile;
    struct place p = {blockIdx.x % heads, left * queries<DIM>, consumers<DIM>, 0};
    size_t behind;

    if (large)
        p.first_query += (size_t)of_head.small * (queries<DIM> - OWN);
    else
        p = {p.head, left * (queries<DIM> - OWN), consumers<DIM> - 1, 0};
    behind = p.first_query + (size_t)p.groups * OWN;
    if (!w.causal || behind > w.length)
        behind = w.length;
    p.tiles = (int)((behind + keys<DIM> - 1) / keys<DIM>);
    return p;
}

/* A tile of queries of a head. The producer gives registers to the consumers. */
template <int DIM, enum way WAY>
static __global__ void __launch_bounds__(block_threads<DIM>, 1)
    attention(struct work w, const __grid_constant__ struct maps maps, struct split of_head)
{
    extern __shared__ __align__(1024) uint4 memory[];
    struct tiles<DIM> *t = (struct tiles<DIM> *)memory;
    struct place p = place_of<DIM>(w, of_head);

    if (!HAS_GROUPS)
        return;
    if (threadIdx.x == 0) {
        begin_barrier(&t->full.q, 1);
        for (int s = 0; s < STAGES; s++) {
            begin_barrier(&t->full.k[s], 1);
            begin_barrier(&t->full.v[s], 1);
            begin_barrier(&t->empty.k[s], p.groups);
            begin_barrier(&t->empty.v[s], p.groups);
        }
    }
    fence_memory();
    __syncthreads();
    if (threadIdx.x >= consumers<DIM> * GROUP) {
        GROUP_ASM("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(DIM == 64 ? 32 : 24));
        if (threadIdx.x % GROUP == 0)
            produce<DIM>(t, maps, p);
    } else {
        GROUP_ASM("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(DIM == 64 ? 160 : 240));
        if (threadIdx.x / GROUP < p.groups)
            consume<DIM, WAY>(t, w, p);
    }
}

/* Where no map can say how rows lie: a warp for each query. */
template <int DIM> static __global__ void __launch_bounds__(GROUP)
alone(struct work w)
{
    size_t warps = (size_t)gridDim.x * (GROUP / 32);

    for (size_t i = (size_t)blockIdx.x * (GROUP / 32) + threadIdx.x / 32; i < w.heads * w.length;
         i += warps)
        attend_alone<DIM>(w, i / w.length * w.length * DIM, i % w.length);
}

/* --- the launch ---------------------------------------------------------------------------------- */

/* The heads' rows, of which a box is so many, of 64 elements. False: no map can say how they lie. */
static bool map_rows(CUtensorMap *map, const element *at, const struct work &w, int rows)
{
    cuuint64_t size[] = {(cuuint64_t)w.dim, w.length, w.heads};
    cuuint64_t stride[] = {w.dim * sizeof(element), w.length * w.dim * sizeof(element)};
    cuuint32_t box[] = {LINE, (cuuint32_t)rows, 1}, step[] = {1, 1, 1};

    return w.length <= INT_MAX && w.heads <= INT_MAX && at_multiple(at, sizeof(uint4)) &&
           map_maker()(map, ELEMENT_NAME(MAP_), 3, (void *)at, size, stride, box, step,
                       CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                       CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                       CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

/* Large tiles alone. */
template <int DIM> static struct split all_large(const struct work &w)
{
    return {(unsigned)((w.length + queries<DIM> - 1) / queries<DIM>), 0};
}

/*
 * The multiprocessors have a large tile each, then the next one, and in the last round not all have
 * one. With so many rounds of tiles, there may be more of them, so that some are small: as few
 * large ones as leave no query out. A causal head's tiles are not alike anyway.
 */
template <int DIM> static struct split balanced(const struct work &w)
{
    const struct device *device = device_in_use();
    size_t at_once = device ? device->multiprocessors : 1, small = queries<DIM> - OWN;
    struct split split = all_large<DIM>(w);
    size_t rounds = (w.heads * split.large + at_once - 1) / at_once, tiles;

    if (w.causal || small == OWN || w.heads == 0)
        return split;
    tiles = rounds * at_once / w.heads; /* of a head */
    if (tiles * small >= w.length)
        return {0, (unsigned)((w.length + small - 1) / small)};
    split.large = (unsigned)((w.length - tiles * small + OWN - 1) / OWN);
    split.small = (unsigned)tiles - split.large;
    return split;
}

/* A block may have so much shared memory only if that was asked for; once is enough. */
template <int DIM, enum way WAY> static void start(struct work *w, const struct split &of_head)
{
    static bool asked;
    size_t blocks = w->heads * (of_head.large + of_head.small);
    int bytes = (int)sizeof(struct tiles<DIM>);
    struct maps maps = {};

    if (!asked)
        asked =
            cudaFuncSetAttribute(attention<DIM, WAY>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 bytes) == cudaSuccess;
    if (!asked || blocks == 0) /* a grid without blocks is an error */
        return;
    if (blocks <= INT_MAX && map_rows(&maps.q, w->q, *w, queries<DIM>) &&
        map_rows(&maps.k, w->k, *w, keys<DIM>) && map_rows(&maps.v, w->v, *w, keys<DIM>))
        attention<DIM, WAY><<<(unsigned)blocks, block_threads<DIM>, bytes>>>(*w, maps, of_head);
    else
        alone<DIM><<<(unsigned)(blocks < INT_MAX ? blocks : INT_MAX), GROUP>>>(*w);
}

template <enum way WAY> static void launch(struct work *w)
{
    w->dim == 64 ? start<64, WAY>(w, all_large<64>(*w)) : start<128, WAY>(w, all_large<128>(*w));
}

static void launch_balanced(struct work *w)
{
    w->dim == 64 ? start<64, IN_TURN>(w, balanced<64>(*w))
                 : start<128, IN_TURN>(w, balanced<128>(*w));
}

static bool refuse(const struct shape *s, char *why, size_t room)
{
    size_t bytes =
        s->axis[ATTENTION_DIM] == 64 ? sizeof(struct tiles<64>) : sizeof(struct tiles<128>);

    return refuse_tma((const void *)attention<64, EACH>, bytes, why, room);
}

static void shape(struct shape *s)
{
    if (s->threads == 0)
        s->threads = s->axis[ATTENTION_DIM] == 64 ? block_threads<64> : block_threads<128>;
}

static const struct variant variants[] = {
    {"waits", "each warpgroup waits for each product", launch<EACH>, ROUNDED | THREADS_BY_SIZE,
     depth, .default_shape = shape, .only = "64 128", .refuse = refuse},
    {"ahead", "the next tile's scores are multiplied with this one's values", launch<AHEAD>,
     ROUNDED | THREADS_BY_SIZE, depth, .default_shape = shape, .only = "64 128", .refuse = refuse},
    {"turns", "and the warpgroups take turns", launch<IN_TURN>, ROUNDED | THREADS_BY_SIZE, depth,
     .default_shape = shape, .only = "64 128", .refuse = refuse},
    {"balanced", "and tiles of two sizes keep all multiprocessors busy", launch_balanced,
     ROUNDED | THREADS_BY_SIZE, depth, .default_shape = shape, .only = "64 128", .refuse = refuse},
};

/* Lengths around whole tiles of queries and of keys, and several rounds around the stages. Of the
 * heads of 400 each has a large tile and two small ones, where there are 16 multiprocessors. */
static const struct launches launches[] = {
    {MUTATED,
     {"-n 193 --length 193 --causal 1", "-n 177 --length 177 --dim 128",
      "-n 385 --length 385 --dim 128 --causal 1 --input exact",
      "-n 520 --length 520 --input exact -v turns", "-n 127 --length 127 --type f16",
      "-n 2000 --length 400 --input exact -v balanced"}},
    {CHECKED, {"-n 520 --length 520 -v turns", "-n 2000 --length 400 -v balanced"}},
    {TESTED,
     {"-n 1500 --length 750", "-n 1000 --length 1000 --dim 128 --input exact -v turns",
      "-n 2400 --length 300 -v balanced"}},
    {0},
};

STEP("attention-wgmma", hattention_family, variants, launches);
