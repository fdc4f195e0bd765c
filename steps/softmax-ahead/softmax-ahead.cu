/*
 * softmax-ahead: the next rows come while this one is computed
 *
 * Idea      A block has slots in shared memory, each with place for its part of a row. As soon as a row is in registers
 *           its slot is free, and the TMA fills it with the next row that has no slot. So while the block looks for
 *           the maximum, adds up, waits for the others and stores, rows are in flight. In the variants with `bulk` the
 *           TMA stores the row, too.
 * Since     softmax-async, where a block loaded a row only when it had stored the one before.
 * Expect    Memory never waits for a block. See docs/softmax-ahead.md.
 * Source    The PTX ISA: cp.async.bulk, mbarrier; hgemm-tma on slots that are filled ahead.
 */
#include "families/softmax/all.h"
#include "families/softmax/cluster.h"

#include "harness/kit/ahead.h"

/* How rows come: each when it is its turn, and what does not fit in registers again each time; ahead of it; and so that
 * they leave by the TMA, too. */
enum way { IN_TURN, COMES_AHEAD, LEAVES_BEHIND };

/* A row per cluster of BLOCKS blocks. What leaves behind has a place behind the slots. */
template <int COLS, int HELD, int BLOCKS, enum way WAY>
static __global__ void __launch_bounds__(1024) softmax_ahead(struct work w, unsigned count)
{
#ifdef CLUSTERS
    constexpr bool AHEAD = WAY != IN_TURN, BEHIND = WAY == LEAVES_BEHIND;
    extern __shared__ __align__(128) uint4 memory[];
    __shared__ struct cluster_parts<BLOCKS> parts[2];
    __shared__ struct slot_state state;
    struct share share = share_of(w.cols / COLS, BLOCKS);
    const element *in = w.in + share.first * COLS;
    struct slots<BLOCKS> s = {
        memory, &state, (unsigned)share.there, (unsigned)w.rows, count
    };
    vector<COLS> *place = (vector<COLS> *)&memory[count * share.there], *to;
    unsigned round = 0;

    if (threadIdx.x < 2)
        begin_barrier(&parts[threadIdx.x].mail.come, 1);
    begin_slots(s, in, w.cols * sizeof(element));
    show_barriers();
    cooperative_groups::this_cluster().sync(); /* all blocks have begun: there are their barriers */
    if (AHEAD)
        fill_all(&s);
    for (size_t row = blockIdx.x / BLOCKS;; row += gridDim.x / BLOCKS) {
        const vector<COLS> *from = (const vector<COLS> *)&memory[s.now * s.vectors];
        float held[HELD][COLS], base;
        struct part own, all;

        if (AHEAD)
            row = row_there(s);
        if (row >= w.rows)
            break;
        if (!AHEAD)
            from = (const vector<COLS> *)(in + row * w.cols);
        own.max = load_row<AHEAD>(held, from, share.there, threadIdx.x, blockDim.x);
        if (AHEAD)
            row_read(&s);
        base = own.max == -INFINITY ? 0 : own.max;
        own.sum = sum_row<AHEAD>(held, from, share.there, threadIdx.x, blockDim.x, base);
        if (BEHIND && threadIdx.x == 0)
            wait_for_stores(); /* and with the barrier of send_part all threads have waited */
        send_part(&parts[round % 2], own);
        if (AHEAD && threadIdx.x == 0)
            prepare(&s); /* while the others' parts are in flight */
        all = all_parts(&parts[round % 2], round / 2 % 2);
        round++;
        to = (vector<COLS> *)(w.out + row * w.cols) + share.first;
        store_row<AHEAD>(BEHIND ? place : to, held, from, share.there, threadIdx.x, blockDim.x,
                         base, factor(own.max, all.max) / all.sum);
        if (BEHIND)
            store_all(to, place, share.there * sizeof(*to));
    }
    if (BEHIND && threadIdx.x == 0)
        wait_for_stores();
    if (AHEAD)
        end_slots(s);
#endif
}

/* Rows come ahead where all begin at multiples of 16 bytes, and a block's part fits in registers; and they leave behind
 * where there is a place for that, too. */
template <int BLOCKS, enum way WAY> static void in_clusters(struct work *w)
{
    int places = WAY == LEAVES_BEHIND ? 2 : 1;
    size_t starts = (size_t)w->in | (size_t)w->out, part = (w->cols / WIDE + BLOCKS - 1) / BLOCKS;
    bool wide = w->cols % WIDE == 0 && starts % sizeof(uint4) == 0;

    if (!wide)
        launch_ahead<BLOCKS, softmax_ahead<1, 16, BLOCKS, IN_TURN>>(w, 0, 0);
    else if (fits_ahead(part, w->threads, 32 / WIDE, w->rows, places))
        launch_ahead<BLOCKS, softmax_ahead<WIDE, 32 / WIDE, BLOCKS, WAY>>(
            w, part * sizeof(uint4), (places - 1) * part * sizeof(uint4));
    else
        launch_ahead<BLOCKS, softmax_ahead<WIDE, 32 / WIDE, BLOCKS, IN_TURN>>(w, 0, 0);
}

#define ROW_IN(NAME, BLOCKS, WAY, SUMMARY, SHAPE)                                                  \
    {                                                                                              \
        NAME, "a cluster of " #BLOCKS " blocks per row" SUMMARY, in_clusters<BLOCKS, WAY>,         \
            WHOLE_WARPS | ROUNDED | RESCALES, depth<BLOCKS>,                                       \
            .default_shape = SHAPE,                                                                \
            .refuse = refuse<BLOCKS, softmax_ahead<WIDE, 32 / WIDE, BLOCKS, WAY>>                  \
    }

static const struct variant variants[] = {
    ROW_IN("one", 1, COMES_AHEAD, "", shape<1>),
    ROW_IN("two", 2, COMES_AHEAD, "", shape<2>),
    ROW_IN("four", 4, COMES_AHEAD, "", shape<4>),
    ROW_IN("eight", 8, COMES_AHEAD, "", shape<8>),
    ROW_IN("one-bulk", 1, LEAVES_BEHIND, ", which the TMA stores", softmax_shape_vectors),
    ROW_IN("two-bulk", 2, LEAVES_BEHIND, ", which the TMA stores", shape<2>),
    ROW_IN("four-bulk", 4, LEAVES_BEHIND, ", which the TMA stores", shape<4>),
    ROW_IN("eight-bulk", 8, LEAVES_BEHIND, ", which the TMA stores", shape<8>),
};

/* So many rows per cluster that slots are filled several times, and a block without a part of a row; rows that fit
 * just so, or not; and rows that do not begin at multiples of 16 bytes. */
static const struct launches launches[] = {
    {SANITIZED, {"-n 20000 --cols 20000 -t 256"}},
    {SANITIZED | GPU_ONLY,
     {"-n 2^19 --cols 16 -t 32"}}, /* rows enough to fill slots again there; long for a CPU */
    {MUTATED,
     {"-n 3400 --cols 20 -t 1024 -v one -v one-bulk",
      "-n 1700 --cols 20 -t 1024 -v two -v two-bulk",
      "-n 860 --cols 20 -t 1024 -v four -v four-bulk",
      "-n 440 --cols 20 -t 1024 -v eight -v eight-bulk", "-n 9003 --cols 3001 -t 64"}},
    {CHECKED,
     {"-n 3400 --cols 20 -t 1024 -v one -v one-bulk",
      "-n 1700 --cols 20 -t 1024 -v two -v two-bulk",
      "-n 860 --cols 20 -t 1024 -v four -v four-bulk",
      "-n 440 --cols 20 -t 1024 -v eight -v eight-bulk", "-n 20000 --cols 20000 -t 96"}},
    {TESTED,
     {"-n 40000 --cols 80", "-n 2^18 --cols 2^16", "-n 2^18 --cols 2^17",
      "-n 131071 --cols 131071"}},
    {TESTED | GPU_ONLY, {"-n 2^16 --cols 64 -t 1024", "-n 600000 --cols 300000"}},
    {0},
};

STEP("softmax-ahead", softmax_family, variants, launches);
