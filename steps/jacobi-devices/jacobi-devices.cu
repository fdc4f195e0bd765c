/*
 * jacobi-devices: a matrix over several GPUs, which exchange rows
 *
 * Idea      Each GPU has some rows of a matrix, and sweeps over them. Its edges need the
 *           neighbours' rows beside them, its halo: copied after each sweep; while the other rows
 *           are computed; or stored to the neighbour by the kernel that computes them, with a flag.
 * Since     stencil-registers swept over a matrix of one GPU. Here each sweep needs what the sweep
 *           before has sent.
 * Expect    Half of one GPU's time over two where rows are many; where they are few, a copy and
 *           an event cost time, unless something else is done meanwhile.
 * Source    Kraus, "Multi-GPU Programming Models" (GTC); Micikevicius, 2009, on halos and overlap.
 */
#include "families/jacobi/jacobi.h"

#define ROWS 4 /* of a thread; COLS: a quad */

/* What a kernel gets of a sweep over one device's rows, 1 to rows; rows 0 and rows + 1 are its halo. */
struct sweep {
    const element *from;
    element *to;
    size_t rows, cols, pitch;
    element *above,
        *below; /* the neighbours' halo rows in their `to`; NULL: there is no neighbour */
};

static __device__ element4 quad_at(const struct sweep &s, size_t row, size_t col)
{
    bool outside = (row == 0 && !s.above) || (row == s.rows + 1 && !s.below);

    return outside ? element4{0, 0, 0, 0} : *(const element4 *)(s.from + row * s.pitch + col);
}

static __device__ element mean(element above, element below, element left, element right)
{
    return 0.25f * (above + below + left + right);
}

/* Rows [row, end), at most COUNT, of the four columns from col on. SENDS: the device's first and last row go to the
 * neighbours, too. */
template <int COUNT, bool SENDS>
static __device__ void relax(const struct sweep &s, size_t row, size_t end, size_t col)
{
    element4 x[COUNT + 2];
    element left[COUNT], right[COUNT];

    if (col >= s.pitch)
        return;
#pragma unroll
    for (int r = 0; r < COUNT + 2; r++)
        x[r] = row + r <= end + 1 ? quad_at(s, row + r - 1, col) : element4{0, 0, 0, 0};
#pragma unroll
    for (int r = 0; r < COUNT; r++) {
        const element *at = s.from + (row + r) * s.pitch + col;

        left[r] = row + r < end && col > 0 ? at[-1] : 0;
        right[r] = row + r < end && col + 4 < s.cols ? at[4] : 0;
    }
#pragma unroll
    for (int r = 0; r < COUNT; r++) {
        element4 up = x[r], own = x[r + 1], down = x[r + 2], to;

        to.x = mean(up.x, down.x, left[r], own.y);
        to.y = col + 1 < s.cols ? mean(up.y, down.y, own.x, own.z) : 0;
        to.z = col + 2 < s.cols ? mean(up.z, down.z, own.y, own.w) : 0;
        to.w = col + 3 < s.cols ? mean(up.w, down.w, own.z, right[r]) : 0;
        if (row + r < end)
            *(element4 *)(s.to + (row + r) * s.pitch + col) = to;
        if (SENDS && row + r == 1 && s.above)
            *(element4 *)(s.above + col) = to;
        if (SENDS && row + r == s.rows && s.below)
            *(element4 *)(s.below + col) = to;
    }
}

static __device__ size_t column()
{
    return 4 * ((size_t)blockIdx.x * blockDim.x + threadIdx.x);
}

/* Rows first to last. */
static __global__ void relax_rows(struct sweep s, size_t first, size_t last)
{
    size_t row = first + ((size_t)blockIdx.y * blockDim.y + threadIdx.y) * ROWS;

    relax<ROWS, false>(s, row, last + 1, column());
}

/* The first row and the last, which the neighbours wait for. */
static __global__ void relax_edges(struct sweep s)
{
    size_t row = blockIdx.y ? s.rows : 1;

    if (threadIdx.y == 0)
        relax<1, false>(s, row, row + 1, column());
}

/* All rows, and the edges to the neighbours. A word per block at an edge says to whom it was sent that it is there:
 * that is the only block that reads it. */
struct edge_flags {
    unsigned *from_above,
        *from_below;               /* here, a word per block along x; NULL: there is no neighbour */
    unsigned *to_above, *to_below; /* there */
    unsigned epoch;                /* of the sweep before */
    bool first;                    /* nothing was sent before */
    long long limit;
};

static __global__ void relax_and_store(struct sweep s, struct edge_flags f)
{
    /* The blocks at the edges come first, so that nobody waits for them for long. */
    unsigned last = gridDim.y - 1, band = blockIdx.y == 0   ? 0
                                          : blockIdx.y == 1 ? last
                                                            : blockIdx.y - 1;
    size_t row = 1 + ((size_t)band * blockDim.y + threadIdx.y) * ROWS;
    bool thread = threadIdx.x == 0 && threadIdx.y == 0;
    bool above = band == 0 && f.from_above, below = band == last && f.from_below;

    if (band != 0 && band != last) { /* no edge: no flag, and no barrier */
        relax<ROWS, false>(s, row, s.rows + 1, column());
        return;
    }
    if (thread && above && !f.first)
        await_word(f.from_above + blockIdx.x, f.epoch, f.limit);
    if (thread && below && !f.first)
        await_word(f.from_below + blockIdx.x, f.epoch, f.limit);
    __syncthreads();
    relax<ROWS, true>(s, row, s.rows + 1, column());
    __syncthreads();
    if (thread && above)
        system_word(f.to_above[blockIdx.x]).store(f.epoch + 1, cuda::memory_order_release);
    if (thread && below)
        system_word(f.to_below[blockIdx.x]).store(f.epoch + 1, cuda::memory_order_release);
}

static bool has_above(const struct work *w, int d)
{
    return d > 0 && w->own[d] > 0;
}

static bool has_below(const struct work *w, int d)
{
    return d + 1 < w->devices && w->own[d + 1] > 0;
}

/* What sweep number k, from 0, writes: the last one writes the first of the two. */
static element *written(const struct work *w, int d, unsigned k)
{
    return w->array[d][(w->sweeps - 1 - k) % 2];
}

/* Make device d the current one; sweep number k over its rows. */
static struct sweep on_device(const struct work *w, int d, unsigned k)
{
    struct sweep s = {k == 0 ? w->in[d] : written(w, d, k - 1), written(w, d, k), w->own[d],
                      w->cols, w->pitch};

    if (has_above(w, d))
        s.above = written(w, d - 1, k) + (w->own[d - 1] + 1) * w->pitch;
    if (has_below(w, d))
        s.below = written(w, d + 1, k);
    cudaSetDevice(w->places[d].device->ordinal);
    return s;
}

static dim3 block_of(const struct work *w)
{
    return dim3(32, w->threads / 32);
}

/* Over so many rows of the matrix, ROWS per thread. */
static dim3 grid_over(const struct work *w, size_t rows)
{
    size_t height = (size_t)w->threads / 32 * ROWS;

    return dim3((unsigned)((w->pitch + 127) / 128), (unsigned)((rows + height - 1) / height));
}

static bool is_empty(const struct work *w, int d)
{
    return w->own[d] == 0 || w->cols == 0;
}

/* Send device d's edges of this sweep to the neighbours' halo rows. */
static void send_edges(const struct work *w, int d, const struct sweep &s, cudaStream_t stream)
{
    size_t bytes = w->pitch * sizeof(element);

    if (s.above)
        cudaMemcpyPeerAsync(s.above, w->places[d - 1].device->ordinal, s.to + w->pitch,
                            w->places[d].device->ordinal, bytes, stream);
    if (s.below)
        cudaMemcpyPeerAsync(s.below, w->places[d + 1].device->ordinal, s.to + w->own[d] * w->pitch,
                            w->places[d].device->ordinal, bytes, stream);
    cudaEventRecord(w->sent[d], stream);
}

/* The stream of device d goes on when both neighbours have sent. */
static void await_edges(const struct work *w, int d, cudaStream_t stream)
{
    cudaSetDevice(w->places[d].device->ordinal);
    if (has_above(w, d))
        cudaStreamWaitEvent(stream, w->sent[d - 1], 0);
    if (has_below(w, d))
        cudaStreamWaitEvent(stream, w->sent[d + 1], 0);
}

/* One stream per device: compute, then copy. */
static void copies(struct work *w)
{
    for (unsigned k = 0; k < w->sweeps; k++) {
        for (int d = 0; d < w->devices && !is_empty(w, d); d++) {
            struct sweep s = on_device(w, d, k);

            relax_rows<<<grid_over(w, s.rows), block_of(w), 0, w->places[d].stream>>>(s, 1, s.rows);
            send_edges(w, d, s, w->places[d].stream);
        }
        for (int d = 0; d < w->devices && !is_empty(w, d); d++)
            await_edges(w, d, w->places[d].stream);
    }
}

/* Two streams per device: the edges are computed and sent in the second one, while the first computes what lies
 * between them. Each waits for what the other has computed in the sweep before. */
static void sweep_overlapped(const struct work *w, int d, unsigned k)
{
    struct sweep s = on_device(w, d, k);
    cudaStream_t first = w->places[d].stream, second = w->second[d];
    dim3 edges((unsigned)((w->pitch + 127) / 128), s.rows > 1 ? 2 : 1);

    cudaEventRecord(k == 0 ? w->begun[d] : w->inner[d], first);
    if (k > 0)
        cudaStreamWaitEvent(first, w->edges[d], 0);
    cudaStreamWaitEvent(second, k == 0 ? w->begun[d] : w->inner[d], 0);
    relax_edges<<<edges, dim3(32, 1), 0, second>>>(s);
    cudaEventRecord(w->edges[d], second);
    send_edges(w, d, s, second);
    if (s.rows > 2)
        relax_rows<<<grid_over(w, s.rows - 2), block_of(w), 0, first>>>(s, 2, s.rows - 1);
}

static void overlapped(struct work *w)
{
    for (unsigned k = 0; k < w->sweeps; k++) {
        for (int d = 0; d < w->devices && !is_empty(w, d); d++)
            sweep_overlapped(w, d, k);
        for (int d = 0; d < w->devices && !is_empty(w, d); d++)
            await_edges(w, d, w->second[d]);
    }
    for (int d = 0; d < w->devices && !is_empty(w, d); d++) {
        cudaSetDevice(w->places[d].device->ordinal);
        cudaStreamWaitEvent(w->places[d].stream, w->sent[d], 0);
    }
}

/* The flags of device d, and of its neighbours. Those from above are the first half of a device's words. */
static struct edge_flags flags_of(const struct work *w, int d, unsigned k)
{
    unsigned *const *words = w->barrier.flags;
    struct edge_flags f = {NULL, NULL, NULL, NULL, w->epoch + k, k == 0, w->barrier.limit};

    if (has_above(w, d)) {
        f.from_above = words[d];
        f.to_above = words[d - 1] + BARRIER_WORDS / 2;
    }
    if (has_below(w, d)) {
        f.from_below = words[d] + BARRIER_WORDS / 2;
        f.to_below = words[d + 1];
    }
    return f;
}

/* One kernel per sweep and device, and no copy, no event. */
static void stores(struct work *w)
{
    for (unsigned k = 0; k < w->sweeps; k++)
        for (int d = 0; d < w->devices && !is_empty(w, d); d++) {
            struct sweep s = on_device(w, d, k);

            relax_and_store<<<grid_over(w, s.rows), block_of(w), 0, w->places[d].stream>>>(
                s, flags_of(w, d, k));
        }
    w->epoch += w->sweeps;
}

#define ANY NULL, NULL, NULL, NULL, 0, NULL, jacobi_bytes /* and the bytes for the log */

static const struct variant variants[] = {
    {"copies", "the edges are copied after each sweep", copies, WHOLE_WARPS | ROUNDED, ANY},
    {"overlapped", "edges first, and copied while the rest is computed", overlapped,
     WHOLE_WARPS | ROUNDED, ANY},
    {"stores", "the kernel stores its edges to the neighbours, and raises flags", stores,
     WAITS | WHOLE_WARPS | ROUNDED, ANY},
};

STEP("jacobi-devices", jacobi_family, variants);
