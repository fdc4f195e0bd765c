/*
 * attention-wgmma: shares are found while the tensor cores multiply
 *
 * Idea      wgmma goes on at once: a warpgroup has begun the product of the next tile's scores, and that of this tile's
 *           values, and finds shares while they run. And two warpgroups take turns: while one multiplies, the other one
 *           has its powers of 2.
 * Since     attention-mma, whose warps waited for each product; and hgemm-tma, whose producer loads boxes.
 * Expect    Tensor cores that hardly ever wait for shares. Only GPUs of compute capability 9.0 have wgmma. See
 *           docs/attention-wgmma.md.
 * Source    Shah et al., "FlashAttention-3", 2024; the PTX ISA: wgmma, cp.async.bulk.tensor, bar.sync.
 */
#include <limits.h>

#include "families/attention/alone.h"

#include "harness/kit/device.h"
#include "harness/kit/sums.h"
#include "harness/kit/tma.h"

#define KEYS 128
#define STAGES 2
#define OWN 64 /* queries of a warpgroup */
#define SUMS (KEYS / 2) /* scores of a thread: 64 x 128 over 128 threads */

/* Warpgroups of a block that multiply. With 64 elements there is room for the sums of three. The last one of a block is the
 * producer. */
template <int DIM> constexpr int consumers = DIM == 64 ? 3 : 2;
template <int DIM> constexpr int queries = consumers<DIM> * OWN;
template <int DIM> constexpr int block_threads = (consumers<DIM> + 1) * GROUP;

/* Of queries, and of each stage's keys and values. */
struct barriers {
    uint64_t q, k[STAGES], v[STAGES];
};

/* A block's shared memory. A row of 64 elements is a line of 128 bytes, swizzled; with 128 elements the second halves of
 * all rows are behind the first ones. */
template <int DIM> struct stage {
    element k[DIM / LINE][KEYS][LINE], v[DIM / LINE][KEYS][LINE];
};

template <int DIM> struct tiles {
    element q[DIM / LINE][queries<DIM>][LINE];
    struct stage<DIM> stage[STAGES];
    struct barriers full, empty;
};

/* How queries, keys and values lie in global memory, for the TMA. */
struct maps {
    CUtensorMap q, k, v;
};

/* Of each 8 scores of rows lane / 4 and 8 below, of the warp's 16, two neighbours of each: row r has elements
 * 4 j + 2 r and the next. */
struct scores {
    float at[SUMS];
};

/* Shares, rounded, as the first operand of a product wants them: four registers for each 16 keys. */
struct shares {
    unsigned at[KEYS / 16][4];
};

/* What a thread knows of its two rows, which four lanes have together: the largest score, times log2(e) / sqrt(dim), its
 * own part of the sum of shares, and the sums of values, which lie as the scores do. */
template <int DIM> struct means {
    float max[2], sum[2], value[DIM / 2];
};

/* What a block works on: a head, its first query, and how many tiles of keys its queries see. */
struct place {
    size_t head, first_query;
    int tiles;
};

/* How many tiles of queries and of keys the thread has been through: they say which stage is next, and the parity of its
 * phase. */
struct turn {
    int queries, keys;
};

static __device__ __forceinline__ int lane()
{
    return threadIdx.x % 32;
}

/* --- copies, as in hgemm-tma --------------------------------------------------------------------- */

/* Rows of a head, from this one on, come as boxes of 64 elements each. Behind the head's last row come zeros. */
template <int DIM, int COUNT>
static __device__ __forceinline__ void load_rows(element (*to)[COUNT][LINE], const CUtensorMap *map, size_t head,
                                                 size_t row, uint64_t *full)
{
    arrive_expecting(full, COUNT * DIM * (int)sizeof(element));
#pragma unroll
    for (int i = 0; i < DIM / LINE; i++)
        GROUP_ASM("cp.async.bulk.tensor.3d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
                  "[%1, {%2, %3, %4}], [%5];" ::"r"(shared_address(to[i])),
                  "l"(map), "r"(i * LINE), "r"((int)row), "r"((int)head), "r"(shared_address(full))
                  : "memory");
}

static __device__ __forceinline__ int stage_of(int keys)
{
    return keys % STAGES;
}

static __device__ __forceinline__ int parity_of(int keys)
{
    return keys / STAGES % 2;
}

/* By one thread: all that a tile of queries needs, as soon as there is place. */
template <int DIM>
static __device__ __forceinline__ void produce(struct tiles<DIM> *t, const struct maps &maps, const struct place &p,
                                               struct turn *turn)
{
    wait(&t->empty.q, turn->queries++ % 2 ^ 1);
    load_rows<DIM>(t->q, &maps.q, p.head, p.first_query, &t->full.q);
    for (int i = 0; i < p.tiles; i++, turn->keys++) {
        int s = stage_of(turn->keys), parity = parity_of(turn->keys) ^ 1;

        wait(&t->empty.k[s], parity);
        load_rows<DIM>(t->stage[s].k, &maps.k, p.head, (size_t)i * KEYS, &t->full.k[s]);
        wait(&t->empty.v[s], parity);
        load_rows<DIM>(t->stage[s].v, &maps.v, p.head, (size_t)i * KEYS, &t->full.v[s]);
    }
}

/* --- products ------------------------------------------------------------------------------------ */

/* Each operand must be named: the first 32 of a list, and 32 more. */
#define FIRST_32                                                                                                       \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, "                                           \
    "%16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define NEXT_32                                                                                                        \
    ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, "                               \
    "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"

/* D = A B, or D = A B + D with `add`: A is 64 x 16, B 16 x 128, both in shared memory, where lines go along k. */
static __device__ __forceinline__ void multiply_lines(float (&d)[64], uint64_t a, uint64_t b, bool add)
{
    GROUP_ASM("{\n"
              ".reg .pred add;\n"
              "setp.ne.b32 add, %66, 0;\n"
              "wgmma.mma_async.sync.aligned.m64n128k16.f32." PTX_TYPE "." PTX_TYPE " {" FIRST_32 NEXT_32 "}, %64, %65, add, "
              "1, 1, 0, 0;\n"
              "}"
              : SUMS_64(0)
              : "l"(a), "l"(b), "r"((int)add));
}

/* D = A B + D: A is 64 x 16, in registers, B 16 x 128 or 16 x 64, in shared memory, where lines are rows of B. */
static __device__ __forceinline__ void multiply_rows(float (&d)[64], const unsigned (&a)[4], uint64_t b)
{
    GROUP_ASM("{\n"
              ".reg .pred add;\n"
              "setp.eq.b32 add, 0, 0;\n"
              "wgmma.mma_async.sync.aligned.m64n128k16.f32." PTX_TYPE "." PTX_TYPE " {" FIRST_32 NEXT_32
              "}, {%64, %65, %66, %67}, %68, add, 1, 1, 1;\n"
              "}"
              : SUMS_64(0)
              : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

static __device__ __forceinline__ void multiply_rows(float (&d)[32], const unsigned (&a)[4], uint64_t b)
{
    GROUP_ASM("{\n"
              ".reg .pred add;\n"
              "setp.eq.b32 add, 0, 0;\n"
              "wgmma.mma_async.sync.aligned.m64n64k16.f32." PTX_TYPE "." PTX_TYPE " {" FIRST_32
              "}, {%32, %33, %34, %35}, %36, add, 1, 1, 1;\n"
              "}"
              : SUMS_16(0), SUMS_16(16)
              : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}

/* Where a matrix begins in shared memory, as hgemm-wgmma says it. If lines are rows of B the next 64 columns begin KEYS
 * lines further. A matrix that begins so many bytes further has a descriptor of 16ths of them more. */
static __device__ __forceinline__ uint64_t descriptor(const element *start)
{
    return SWIZZLE_128 | (uint64_t)(8 * LINE * sizeof(element) / 16) << 32 |
           (uint64_t)(KEYS * LINE * sizeof(element) / 16) << 16 | (shared_address(start) & 0x3ffff) / 16;
}

static __device__ __forceinline__ constexpr uint64_t elements_on(int count)
{
    return (uint64_t)count * sizeof(element) / 16;
}

/* The descriptors of the warpgroup's queries, and of keys and values of the first stage. */
struct operands {
    uint64_t q, k, v;
};

template <int DIM> static __device__ __forceinline__ struct operands operands_of(const struct tiles<DIM> *t, int group)
{
    return {descriptor(t->q[0][group * OWN]), descriptor(t->stage[0].k[0][0]), descriptor(t->stage[0].v[0][0])};
}

/* A tile's scores begin to be multiplied, as one group. */
template <int DIM>
static __device__ __forceinline__ void begin_scores(struct scores *s, const struct operands &o, int now)
{
    uint64_t k = o.k + now * (sizeof(struct stage<DIM>) / 16);

#pragma unroll
    for (int e = 0; e < DIM; e += 16)
        multiply_lines(s->at, o.q + elements_on(e / LINE * queries<DIM> * LINE + e % LINE),
                       k + elements_on(e / LINE * KEYS * LINE + e % LINE), e > 0);
    commit_products();
}

/* And its values, each times its share. */
template <int DIM>
static __device__ __forceinline__ void begin_values(struct means<DIM> *m, const struct shares &p,
                                                    const struct operands &o, int now)
{
    uint64_t v = o.v + now * (sizeof(struct stage<DIM>) / 16);

#pragma unroll
    for (int i = 0; i < KEYS / 16; i++)
        multiply_rows(m->value, p.at[i], v + elements_on(i * 16 * LINE));
    commit_products();
}

/* --- shares -------------------------------------------------------------------------------------- */

/* What a query does not see of the keys from this one on has a score of -infinity from now on. */
static __device__ __forceinline__ void hide(struct scores *s, const struct work &w, size_t query, size_t first_key)
{
#pragma unroll
    for (int r = 0; r < 2; r++) {
        size_t row = query + r * 8, behind = w.causal && row < w.length ? row + 1 : w.length;
        int seen = behind < first_key ? 0 : behind - first_key < KEYS ? (int)(behind - first_key) : KEYS;

#pragma unroll
        for (int j = 0; j < KEYS / 8; j++) {
#pragma unroll
            for (int e = 0; e < 2; e++)
                if (j * 8 + lane() % 4 * 2 + e >= seen)
                    s->at[j * 4 + r * 2 + e] = -INFINITY;
        }
    }
}

/* The largest score of a row, of all four lanes that have it. In four parts, because each step waits for the one before. */
static __device__ __forceinline__ float row_max(const struct scores &s, int r)
{
    float max[4] = {-INFINITY, -INFINITY, -INFINITY, -INFINITY};

#pragma unroll
    for (int j = 0; j < SUMS / 4; j++)
        max[j % 4] = fmaxf(max[j % 4], fmaxf(s.at[j * 4 + r * 2], s.at[j * 4 + r * 2 + 1]));
    max[0] = fmaxf(fmaxf(max[0], max[1]), fmaxf(max[2], max[3]));
    max[0] = fmaxf(max[0], __shfl_xor_sync(0xffffffff, max[0], 1));
    return fmaxf(max[0], __shfl_xor_sync(0xffffffff, max[0], 2));
}

/* Scores become shares. By what the sums of values are to be multiplied, for the new maximum, is in change. */
template <int DIM>
static __device__ __forceinline__ void find_shares(struct scores *s, struct means<DIM> *m, float (&change)[2],
                                                   float scale)
{
    float max[2] = {row_max(*s, 0), row_max(*s, 1)};

#pragma unroll
    for (int r = 0; r < 2; r++) {
        float base, sum = 0;

        max[r] = fmaxf(m->max[r], max[r] * scale);
        base = max[r] == -INFINITY ? 0 : max[r]; /* -infinity minus itself would be NaN */
        change[r] = power_of_2(m->max[r] - base);
        m->max[r] = max[r];
#pragma unroll
        for (int j = r * 2; j < SUMS; j += 4) {
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

/* Two floats, rounded, as a register of a fragment: the first one is its lower half. */
static __device__ __forceinline__ unsigned rounded(float low, float high)
{
    element two[2] = {(element)low, (element)high};
    unsigned bits;

    memcpy(&bits, two, sizeof(bits));
    return bits;
}

static __device__ __forceinline__ void round_shares(struct shares *to, const struct scores &s)
{
#pragma unroll
    for (int i = 0; i < SUMS / 2; i++)
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

/* Scores of a tile are there; hide what not all of the warpgroup's queries see. */
static __device__ __forceinline__ void hide_some(struct scores *s, const struct work &w, const struct place &p, int tile)
{
    size_t first = group_query(p), key = (size_t)tile * KEYS;
    size_t common = w.causal && first < w.length ? first + 1 : w.length;

    if (key + KEYS > common)
        hide(s, w, warp_query(p) + lane() / 4, key);
}

/* A tile's scores are there: what becomes of them, before their values are multiplied. */
template <int DIM>
static __device__ __forceinline__ void use_scores(struct means<DIM> *m, struct shares *share, struct scores *s,
                                                  const struct work &w, const struct place &p, int tile)
{
    float change[2];

    hide_some(s, w, p, tile);
    find_shares(s, m, change, w.scale * LOG2_E);
    scale_values(m, change);
    round_shares(share, *s);
}

/* Each product is waited for. */
template <int DIM>
static __device__ __forceinline__ void take_each(struct means<DIM> *m, struct tiles<DIM> *t, const struct operands &o,
                                                 const struct work &w, const struct place &p, struct turn *turn)
{
    for (int i = 0; i < p.tiles; i++, turn->keys++) {
        int now = stage_of(turn->keys), parity = parity_of(turn->keys);
        struct scores s;
        struct shares share;

        wait(&t->full.k[now], parity);
        fence_registers();
        begin_scores<DIM>(&s, o, now);
        wait_products<0>();
        release(&t->empty.k[now]);
        use_scores(m, &share, &s, w, p, i);
        wait(&t->full.v[now], parity);
        fence_registers();
        begin_values(m, share, o, now);
        wait_products<0>();
        release(&t->empty.v[now]);
    }
    release(&t->empty.q);
}

/* Until it is this warpgroup's turn to begin products, and the end of it. Each has a barrier of 256 threads: its own,
 * which wait, and those of the one before, which arrive. */
static __device__ __forceinline__ void await_turn()
{
    GROUP_ASM("bar.sync %0, %1;" ::"r"((int)threadIdx.x / GROUP + 1), "n"(2 * GROUP) : "memory");
}

template <int DIM> static __device__ __forceinline__ void end_turn()
{
    int next = (threadIdx.x / GROUP + 1) % consumers<DIM>;

    GROUP_ASM("bar.arrive %0, %1;" ::"r"(next + 1), "n"(2 * GROUP) : "memory");
}

/* The products of a tile's scores, and of the values of the tile before, are one run of the tensor cores. */
template <int DIM, bool TURNS>
static __device__ __forceinline__ void take_ahead(struct means<DIM> *m, struct tiles<DIM> *t, const struct operands &o,
                                                  const struct work &w, const struct place &p, struct turn *turn)
{
    struct scores s;
    struct shares share;
    int now = stage_of(turn->keys), parity = parity_of(turn->keys);

    wait(&t->full.k[now], parity);
    if (TURNS)
        await_turn();
    fence_registers();
    begin_scores<DIM>(&s, o, now);
    if (TURNS)
        end_turn<DIM>();
    wait_products<0>();
    release(&t->empty.k[now]);
    use_scores(m, &share, &s, w, p, 0);
    for (int i = 1; i < p.tiles; i++) {
        int before = now, parity_before = parity;

        turn->keys++;
        now = stage_of(turn->keys);
        parity = parity_of(turn->keys);
        wait(&t->full.k[now], parity);
        if (TURNS)
            await_turn();
        fence_registers();
        begin_scores<DIM>(&s, o, now);
        wait(&t->full.v[before], parity_before);
        fence_registers();
        begin_values(m, share, o, before);
        if (TURNS)
            end_turn<DIM>();
        wait_products<0>();
        release(&t->empty.k[now]);
        release(&t->empty.v[before]);
        use_scores(m, &share, &s, w, p, i);
    }
    release(&t->empty.q);
    wait(&t->full.v[now], parity);
    fence_registers();
    begin_values(m, share, o, now);
    wait_products<0>();
    release(&t->empty.v[now]);
    turn->keys++;
}

/* Where a mean is NaN what the query must not see may have made it so: the warp's queries are done again, each alone. */
template <int DIM>
static __device__ __forceinline__ void store(const struct work &w, const struct means<DIM> &m, const struct place &p)
{
    size_t head = p.head * w.length * DIM, first = warp_query(p);
    bool number = true;

#pragma unroll
    for (int r = 0; r < 2; r++) {
        size_t query = first + lane() / 4 + r * 8;
        float sum = m.sum[r], part;

        sum += __shfl_xor_sync(0xffffffff, sum, 1);
        sum += __shfl_xor_sync(0xffffffff, sum, 2);
        part = 1 / sum;
#pragma unroll
        for (int j = 0; j < DIM / 8; j++) {
            const float *two = &m.value[j * 4 + r * 2];

            number = number && two[0] == two[0] && two[1] == two[1];
            if (query < w.length)
                *(float2 *)&w.out[head + query * DIM + j * 8 + lane() % 4 * 2] =
                    make_float2(two[0] * part, two[1] * part);
        }
    }
    if (w.causal && !__all_sync(0xffffffff, number))
        for (size_t query = first; query < first + 16 && query < w.length; query++)
            attend_alone<DIM>(w, head, query);
}

/* --- the kernel ---------------------------------------------------------------------------------- */

template <int DIM, enum way WAY>
static __device__ __forceinline__ void consume(struct tiles<DIM> *t, const struct operands &o, const struct work &w,
                                               const struct place &p, struct turn *turn)
{
    struct means<DIM> m = {};

    m.max[0] = m.max[1] = -INFINITY;
    wait(&t->full.q, turn->queries++ % 2);
    if (WAY == EACH)
        take_each(&m, t, o, w, p, turn);
    else
        take_ahead<DIM, WAY == IN_TURN>(&m, t, o, w, p, turn);
    store(w, m, p);
}

/* Tile number `tile` of queries. Of causal heads the last ones are first: they see the most keys. */
template <int DIM> static __device__ __forceinline__ struct place place_of(const struct work &w, unsigned tile)
{
    unsigned of_head = (unsigned)((w.length + queries<DIM> - 1) / queries<DIM>), heads = (unsigned)w.heads;
    size_t first = (size_t)(of_head - 1 - tile / heads) * queries<DIM>;
    size_t behind = w.causal && first + queries<DIM> < w.length ? first + queries<DIM> : w.length;

    return {tile % heads, first, (int)((behind + KEYS - 1) / KEYS)};
}

/* The block's next tile behind this one. Every second time around the blocks take them in the other order, so that
 * none has the longest ones each time. */
static __device__ __forceinline__ unsigned next_tile(unsigned tile)
{
    return (tile / gridDim.x + 1) * 2 * gridDim.x - 1 - tile;
}

static __device__ __forceinline__ void begin_barriers(struct barriers *full, struct barriers *empty, int groups)
{
    begin_barrier(&full->q, 1);
    begin_barrier(&empty->q, groups);
    for (int s = 0; s < STAGES; s++) {
        begin_barrier(&full->k[s], 1);
        begin_barrier(&full->v[s], 1);
        begin_barrier(&empty->k[s], groups);
        begin_barrier(&empty->v[s], groups);
    }
}

/* The block has one tile of queries, or several in turn. The producer gives registers away, which the others take. */
template <int DIM, enum way WAY> static __global__ void __launch_bounds__(block_threads<DIM>, 1)
attention(struct work w, const __grid_constant__ struct maps maps, unsigned count)
{
    extern __shared__ __align__(1024) uint4 memory[];
    struct tiles<DIM> *t = (struct tiles<DIM> *)memory;
    struct turn turn = {0, 0};

    if (!HAS_GROUPS)
        return;
    if (threadIdx.x == 0)
        begin_barriers(&t->full, &t->empty, consumers<DIM>);
    fence_memory();
    __syncthreads();
    if (threadIdx.x >= consumers<DIM> * GROUP) {
        GROUP_ASM("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(DIM == 64 ? 32 : 24));
        for (unsigned i = blockIdx.x; i < count && threadIdx.x % GROUP == 0; i = next_tile(i))
            produce<DIM>(t, maps, place_of<DIM>(w, i), &turn);
    } else {
        GROUP_ASM("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(DIM == 64 ? 160 : 240));
        if (WAY == IN_TURN && threadIdx.x / GROUP == consumers<DIM> - 1)
            end_turn<DIM>(); /* the first one's turn is first */
        struct operands o = operands_of(t, __shfl_sync(0xffffffff, threadIdx.x / GROUP, 0));

        for (unsigned i = blockIdx.x; i < count; i = next_tile(i))
            consume<DIM, WAY>(t, o, w, place_of<DIM>(w, i), &turn);
        if (WAY == IN_TURN && threadIdx.x < GROUP)
            await_turn(); /* the end of the last one's last turn */
    }
}

/* Where no map can say how rows lie: a warp for each query. */
template <int DIM> static __global__ void __launch_bounds__(GROUP)
alone(struct work w)
{
    size_t warps = (size_t)gridDim.x * (GROUP / 32);

    for (size_t i = (size_t)blockIdx.x * (GROUP / 32) + threadIdx.x / 32; i < w.heads * w.length; i += warps)
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
           map_maker()(map, ELEMENT_NAME(MAP_), 3, (void *)at, size, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
                       CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                       CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

static size_t multiprocessors()
{
    int count = 1, device = 0;

    cudaGetDevice(&device);
    cudaDeviceGetAttribute(&count, cudaDevAttrMultiProcessorCount, device);
    return (size_t)count;
}

/* A block may have so much shared memory only if that was asked for; once is enough. STAY: no more blocks than
 * multiprocessors. */
template <int DIM, enum way WAY, bool STAY> static void start(struct work *w)
{
    static bool asked;
    size_t count = w->heads * ((w->length + queries<DIM> - 1) / queries<DIM>);
    int bytes = (int)sizeof(struct tiles<DIM>);
    struct maps maps = {};

    if (!asked)
        asked = cudaFuncSetAttribute(attention<DIM, WAY>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes) ==
                cudaSuccess;
    if (!asked || count == 0) /* a grid without blocks is an error */
        return;
    if (count <= INT_MAX && map_rows(&maps.q, w->q, *w, queries<DIM>) && map_rows(&maps.k, w->k, *w, KEYS) &&
        map_rows(&maps.v, w->v, *w, KEYS)) {
        size_t most = STAY ? multiprocessors() : count;

        attention<DIM, WAY><<<(unsigned)(count < most ? count : most), block_threads<DIM>, bytes>>>(*w, maps,
                                                                                                     (unsigned)count);
    } else {
        alone<DIM><<<(unsigned)(count < INT_MAX ? count : INT_MAX), GROUP>>>(*w);
    }
}

template <enum way WAY, bool STAY = false> static void launch(struct work *w)
{
    w->dim == 64 ? start<64, WAY, STAY>(w) : start<128, WAY, STAY>(w);
}

static bool refuse(const struct shape *s, char *why, size_t room)
{
    size_t bytes = s->axis[ATTENTION_DIM] == 64 ? sizeof(struct tiles<64>) : sizeof(struct tiles<128>);

    return refuse_tma((const void *)attention<64, EACH>, bytes, why, room);
}

/* What tensor cores lose, as kit/sums.h has it; and the sums are multiplied again with each tile, by a power that is off
 * by 4 roundings. */
static double depth(const struct shape *s)
{
    double length = (double)s->axis[ATTENTION_LENGTH];

    return tensor_roundings(s->axis[ATTENTION_LENGTH]) + 5 * (length / 32 + 1) + 4;
}

static void shape(struct shape *s)
{
    if (s->threads == 0)
        s->threads = s->axis[ATTENTION_DIM] == 64 ? block_threads<64> : block_threads<128>;
}

static const struct variant variants[] = {
    {"waits", "each product is waited for", launch<EACH>, ROUNDED | THREADS_BY_SIZE, depth, .default_shape = shape,
     .only = "64 128", .refuse = refuse},
    {"ahead", "the next tile's scores are multiplied with this one's values", launch<AHEAD>, ROUNDED | THREADS_BY_SIZE,
     depth, .default_shape = shape, .only = "64 128", .refuse = refuse},
    {"turns", "and the warpgroups multiply in turn", launch<IN_TURN>, ROUNDED | THREADS_BY_SIZE, depth,
     .default_shape = shape, .only = "64 128", .refuse = refuse},
    {"persistent", "and a block stays for several tiles", launch<IN_TURN, true>, ROUNDED | THREADS_BY_SIZE, depth,
     .default_shape = shape, .only = "64 128", .refuse = refuse},
};

STEP("attention-wgmma", hattention_family, variants);
