/*
 * layernorm-ahead: weights and biases stay with a block
 *
 * Idea      A block that stays for many rows has its part of weights and biases copied to shared memory once. As in
 *           softmax-ahead the next rows come while this one is computed, and a row has one block or a cluster.
 * Since     layernorm, where each row loaded weights and biases again: of narrow elements and long rows twice as many
 *           bytes as the row itself, out of the L2 cache.
 * Expect    From the L2 cache come the rows alone. See docs/layernorm-ahead.md.
 * Source    softmax-ahead; Ba, Kiros and Hinton, "Layer Normalization", 2016.
 */
#include "families/layernorm/row.h"

#include "harness/kit/ahead.h"
#include "harness/kit/mail.h"

static __device__ float warp_sum(float value)
{
    for (int k = 16; k > 0; k /= 2)
        value += __shfl_xor_sync(0xffffffff, value, k);
    return value;
}

/* Each warp's sum, and what comes from the blocks of the cluster. */
template <int BLOCKS> struct cluster_sums {
    float of_warp[32];
    struct mail<float, BLOCKS> mail;
};

#ifdef CLUSTERS
static __device__ float of_warps(const float (&sums)[32])
{
    unsigned lane = threadIdx.x % 32;

    return warp_sum(lane < blockDim.x / 32 ? sums[lane] : 0);
}

/* By all threads: the block's sum goes to all blocks of the cluster. */
template <int BLOCKS>
static __device__ void send_sum(struct cluster_sums<BLOCKS> *sums, float value)
{
    value = warp_sum(value);
    if (threadIdx.x % 32 == 0)
        sums->of_warp[threadIdx.x / 32] = value;
    __syncthreads();
    if (BLOCKS > 1 && threadIdx.x < 32)
        post(&sums->mail, of_warps(sums->of_warp));
}

/* By all threads: the sum over the cluster. What they read here, the barrier of the next sum lets others overwrite: the
 * sums take two such places in turn. */
template <int BLOCKS>
static __device__ float total(struct cluster_sums<BLOCKS> &sums, unsigned parity)
{
    float value = 0;

    if (BLOCKS == 1)
        return of_warps(sums.of_warp);
    wait_in_cluster(&sums.mail.come, parity);
    for (int i = 0; i < BLOCKS; i++)
        value += sums.mail.of_block[i];
    return value;
}
#endif

/* By all threads: weights and biases are read in shared memory from here on, in front of the slots. The TMA brings the
 * block's part of them, behind the first rows: they are needed later, when the first row is stored. */
#ifdef CLUSTERS
static __device__ void bring_parameters(uint4 *to, struct work *w, size_t vectors, uint64_t *come)
{
    unsigned bytes = (unsigned)(vectors * sizeof(uint4));

    if (threadIdx.x == 0) {
        arrive_expecting(come, 2 * (int)bytes);
        if (bytes > 0) {
            bring(to, w->weight, bytes, come);
            bring(to + vectors, w->bias, bytes, come);
        }
    }
    w->weight = (const element *)to;
    w->bias = (const element *)(to + vectors);
}
#endif

/* A row per cluster of BLOCKS blocks. With AHEAD the rows come ahead; else each is loaded when it is its turn, and what
 * does not fit in registers again each time. */
template <int COLS, int HELD, int BLOCKS, bool AHEAD> static __global__ void __launch_bounds__(1024)
layernorm_ahead(struct work w, unsigned count)
{
#ifdef CLUSTERS
    extern __shared__ __align__(128) uint4 memory[];
    __shared__ struct cluster_sums<BLOCKS> sums[2];
    __shared__ struct slot_state state;
    __shared__ uint64_t parameters; /* where the bytes of weights and biases count */
    struct share share = share_of(w.cols / COLS, BLOCKS);
    const element *in = w.in + share.first * COLS;
    struct slots<BLOCKS> s = {
        memory + 2 * share.there, &state, (unsigned)share.there, (unsigned)w.rows, count
    };
    vector<COLS> held[HELD];
    unsigned parity = 0;

    w.weight += share.first * COLS;
    w.bias += share.first * COLS;
    if (AHEAD && threadIdx.x == 0)
        begin_barrier(&parameters, 1);
    if (threadIdx.x < 2)
        begin_barrier(&sums[threadIdx.x].mail.come, 1);
    begin_slots(s, in, w.cols * sizeof(element));
    show_barriers();
    cooperative_groups::this_cluster().sync(); /* all blocks have begun: there are their barriers */
    if (AHEAD) {
        fill_all(&s);
        bring_parameters(memory, &w, share.there, &parameters);
    }
    for (size_t row = blockIdx.x / BLOCKS;; row += gridDim.x / BLOCKS, parity ^= 1) {
        const vector<COLS> *from = (const vector<COLS> *)&s.at[s.now * s.vectors];
        unsigned t = threadIdx.x;
        float mean, scale;

        if (NARROW)
            forget(&t);
        if (AHEAD)
            row = row_there(s);
        if (row >= w.rows)
            break;
        if (!AHEAD)
            from = (const vector<COLS> *)(in + row * w.cols);
        load(held, from, share.there, t, blockDim.x);
        if (AHEAD)
            row_read(&s);
        send_sum(&sums[0], sum_of<AHEAD>(held, from, share.there, t, blockDim.x));
        if (AHEAD && threadIdx.x == 0)
            prepare(&s); /* while the others' sums are in flight */
        mean = total(sums[0], parity) / w.cols;
        keep_packed(held);
        send_sum(&sums[1], squares_of<AHEAD>(held, from, share.there, t, blockDim.x, mean));
        scale = total(sums[1], parity) / w.cols;
        keep_packed(held);
        scale = 1 / sqrtf(scale + LAYERNORM_EPSILON);
        if (AHEAD)
            wait(&parameters, 0);
        store_row<false, AHEAD>(w.out + row * w.cols + share.first * COLS, held, from, w,
                                share.there, t, blockDim.x, mean, scale);
    }
    if (AHEAD) {
        wait(&parameters, 0); /* as a block without a row has not */
        end_slots(s);
    }
#endif
}

/* Rows come ahead where all arrays' rows begin at multiples of 16 bytes, and a block's part of the row fits in
 * registers, 8 vectors in each thread at most, and with its weights and biases in shared memory. */
template <int BLOCKS> static void in_clusters(struct work *w)
{
    size_t starts = (size_t)w->in | (size_t)w->out | (size_t)w->weight | (size_t)w->bias;
    size_t part = (w->cols / WIDE + BLOCKS - 1) / BLOCKS, bytes = part * sizeof(uint4);
    bool wide = w->cols % WIDE == 0 && starts % sizeof(uint4) == 0;

    if (!wide)
        launch_ahead<BLOCKS, layernorm_ahead<1, 16, BLOCKS, false>>(w, 0, 0);
    else if (fits_ahead(part, w->threads, 4, w->rows, 3))
        launch_ahead<BLOCKS, layernorm_ahead<WIDE, 4, BLOCKS, true>>(w, bytes, 2 * bytes);
    else if (fits_ahead(part, w->threads, 8, w->rows, 3))
        launch_ahead<BLOCKS, layernorm_ahead<WIDE, 8, BLOCKS, true>>(w, bytes, 2 * bytes);
    else
        launch_ahead<BLOCKS, layernorm_ahead<WIDE, 8, BLOCKS, false>>(w, 0, 0);
}

template <int BLOCKS> static void shape(struct shape *s)
{
    layernorm_shape_cluster(s, BLOCKS);
}

template <int BLOCKS> static bool refuse(const struct shape *s, char *why, size_t room)
{
    return cluster_refused(layernorm_ahead<WIDE, 8, BLOCKS, true>, BLOCKS, s->threads, why, room);
}

static const struct variant variants[] = {
    {"one", "a block per row", in_clusters<1>, WHOLE_WARPS | ROUNDED, .default_shape = shape<1>,
     .refuse = refuse<1>},
    {"two", "a cluster of two blocks per row", in_clusters<2>, WHOLE_WARPS | ROUNDED,
     .default_shape = shape<2>, .refuse = refuse<2>},
    {"four", "a cluster of four blocks per row", in_clusters<4>, WHOLE_WARPS | ROUNDED,
     .default_shape = shape<4>, .refuse = refuse<4>},
};

/* So many rows per cluster that slots are filled several times, and a block without a part of a row; rows that fit
 * just so, or not; and rows that do not begin at multiples of 16 bytes. */
static const struct launches launches[] = {
    {SANITIZED, {"-n 20000 --cols 20000 -t 256"}},
    {SANITIZED | GPU_ONLY,
     {"-n 2^19 --cols 16 -t 32 -v one"}}, /* rows enough to fill slots again there; long for a CPU */
    {MUTATED,
     {"-n 3400 --cols 20 -t 1024 -v one", "-n 1700 --cols 20 -t 1024 -v two",
      "-n 860 --cols 20 -t 1024 -v four", "-n 9003 --cols 3001 -t 64"}},
    {CHECKED,
     {"-n 3400 --cols 20 -t 1024 -v one", "-n 1700 --cols 20 -t 1024 -v two",
      "-n 860 --cols 20 -t 1024 -v four", "-n 20000 --cols 20000 -t 96"}},
    {TESTED,
     {"-n 40000 --cols 80", "-n 2^18 --cols 2^16", "-n 2^18 --cols 2^17",
      "-n 131071 --cols 131071"}},
    {TESTED | GPU_ONLY, {"-n 2^16 --cols 64 -t 1024", "-n 600000 --cols 300000"}},
    {0},
};

STEP("layernorm-ahead", layernorm_family, variants, launches);
