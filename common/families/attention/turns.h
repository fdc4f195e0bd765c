/*
 * Warpgroups that multiply in turn: what attention-wgmma and attention-balanced share beside their
 * tiles. The kernel, and its launch for tiles of queries of two sizes.
 */
#ifndef ATTENTION_TURNS_H
#define ATTENTION_TURNS_H

#include <limits.h>

#include "families/attention/group_tiles.h"

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

/* --- the kernel ------------------------------------------------------------------------------- */

/* How products and shares follow each other is a type: its take() does that for the queries of a
 * warpgroup. */
struct in_turn {
    template <int DIM>
    static __device__ __forceinline__ void take(struct means<DIM> *m, struct tiles<DIM> *t,
                                                const struct work &w, const struct place &p)
    {
        take_ahead<DIM, true>(m, t, w, p);
    }
};

template <int DIM, typename WAY>
static __device__ __forceinline__ void consume(struct tiles<DIM> *t, const struct work &w,
                                               const struct place &p)
{
    struct means<DIM> m = {
    };

    m.max[0] = m.max[1] = -INFINITY;
    wait(&t->full.q, 0);
    WAY::take(&m, t, w, p);
    store(w, m, p);
}

/* How many tiles of queries a head has: large ones, with queries for all warpgroups of a block, and
 * small ones, with queries for all but one. */
struct split {
    unsigned large, small;
};

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
template <int DIM, typename WAY> static __global__ void __launch_bounds__(block_threads<DIM>, 1)
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

/* --- the launch ------------------------------------------------------------------------------- */

/* The heads' rows, of which a box is so many, of 64 elements. False: no map can say where. */
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

/* A block may have so much shared memory only if that was asked for; once is enough. */
template <int DIM, typename WAY> static void start(struct work *w, const struct split &of_head)
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

static bool refuse(const struct shape *s, char *why, size_t room)
{
    size_t bytes =
        s->axis[ATTENTION_DIM] == 64 ? sizeof(struct tiles<64>) : sizeof(struct tiles<128>);

    return refuse_tma((const void *)attention<64, in_turn>, bytes, why, room);
}

static void shape(struct shape *s)
{
    if (s->threads == 0)
        s->threads = s->axis[ATTENTION_DIM] == 64 ? block_threads<64> : block_threads<128>;
}

#endif
