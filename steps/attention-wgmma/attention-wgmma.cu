/*
 * attention-wgmma: warpgroups multiply in turn
 *
 * Idea      Products need tensor cores, shares need powers of 2: two parts of a multiprocessor. The warpgroups of a
 *           block take turns: while one multiplies, the others find their shares.
 * Since     attention-mma, whose warps each waited for their products, as they came; and hgemm-tma, from which wgmma,
 *           the producer and its boxes are.
 * Expect    Two thirds of the tensor cores' time with heads of 128 elements; less with 64, which have twice as many
 *           shares for each product. Only GPUs of compute capability 9.0 have wgmma. See docs/attention-wgmma.md.
 * Source    Shah et al., "FlashAttention-3", 2024; the PTX ISA: wgmma, cp.async.bulk.tensor, barrier.
 */
#include "families/attention/turns.h"

#include "harness/kit/tma.h"

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

struct each {
    template <int DIM>
    static __device__ __forceinline__ void take(struct means<DIM> *m, struct tiles<DIM> *t,
                                                const struct work &w, const struct place &p)
    {
        take_each(m, t, w, p);
    }
};

struct ahead {
    template <int DIM>
    static __device__ __forceinline__ void take(struct means<DIM> *m, struct tiles<DIM> *t,
                                                const struct work &w, const struct place &p)
    {
        take_ahead<DIM, false>(m, t, w, p);
    }
};

template <typename WAY> static void launch(struct work *w)
{
    w->dim == 64 ? start<64, WAY>(w, all_large<64>(*w)) : start<128, WAY>(w, all_large<128>(*w));
}

static const struct variant variants[] = {
    {"waits", "each warpgroup waits for each product", launch<each>, ROUNDED | THREADS_BY_SIZE,
     depth, .default_shape = shape, .only = "64 128", .refuse = refuse},
    {"ahead", "the next tile's scores are multiplied with this one's values", launch<ahead>,
     ROUNDED | THREADS_BY_SIZE, depth, .default_shape = shape, .only = "64 128", .refuse = refuse},
    {"turns", "and the warpgroups take turns", launch<in_turn>, ROUNDED | THREADS_BY_SIZE, depth,
     .default_shape = shape, .only = "64 128", .refuse = refuse},
};

/* Lengths around whole tiles of queries and of keys, and several rounds around the stages. */
static const struct launches launches[] = {
    {MUTATED,
     {"-n 193 --length 193 --causal 1", "-n 177 --length 177 --dim 128",
      "-n 385 --length 385 --dim 128 --causal 1 --input exact",
      "-n 520 --length 520 --input exact -v turns", "-n 127 --length 127 --type f16"}},
    {CHECKED, {"-n 520 --length 520 -v turns"}},
    {TESTED,
     {"-n 1500 --length 750 -r 1", "-n 1000 --length 1000 --dim 128 --input exact -v turns -r 1"}},
    {0},
};

STEP("attention-wgmma", hattention_family, variants, launches);
