/*
 * allreduce-ring: each GPU copies to the next one
 *
 * Idea      The GPUs stand in a ring and cut their arrays into p shares. In p - 1 steps each adds a share of its
 *           own to what came from the one before and sends that on: then each has one share of the sum. In
 *           p - 1 more steps the sums go round. Copies carry the shares, events order them.
 * Since     peers-copy moved one array; here 2 (p - 1) copies move 2 (p - 1) / p of an array over each link,
 *           all links at once, and no all-reduce needs less.
 * Expect    The link's rate for large arrays. Small ones pay for 2 (p - 1) steps that wait for one another.
 * Source    Patarasuk and Yuan, 2009; Rabenseifner's reduce-scatter and all-gather; NCCL's ring.
 */
#include "families/allreduce/allreduce.h"

/* sum[i] = a[i] + b[i]; sum may be one of them. */
static __global__ void add_share(element *sum, const element *a, const element *b, size_t n)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;

    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        sum[i] = a[i] + b[i];
}

static size_t begin_of(const struct work *w, int share)
{
    size_t begin = (size_t)share * w->share;

    return begin < w->n ? begin : w->n;
}

static size_t length_of(const struct work *w, int share)
{
    return begin_of(w, share + 1) - begin_of(w, share);
}

static int next_of(const struct work *w, int d)
{
    return (d + 1) % w->devices;
}

/* Copy a share from device d to the next one, behind what d has queued, and let the next one wait for it. */
static void send(const struct work *w, int d, int share, element *to, const element *from)
{
    int next = next_of(w, d);
    size_t begin = begin_of(w, share), length = length_of(w, share);

    cudaSetDevice(w->places[d].device->ordinal);
    if (length > 0)
        cudaMemcpyPeerAsync(to + begin, w->places[next].device->ordinal, from + begin,
                            w->places[d].device->ordinal, length * sizeof(element),
                            w->places[d].stream);
    cudaEventRecord(w->done[d], w->places[d].stream);
}

static void await_from(const struct work *w, int d)
{
    cudaSetDevice(w->places[next_of(w, d)].device->ordinal);
    cudaStreamWaitEvent(w->places[next_of(w, d)].stream, w->done[d], 0);
}

/* Device d adds to a share that has come what it has itself. */
static void add_own(const struct work *w, int d, int share)
{
    size_t begin = begin_of(w, share), length = length_of(w, share);

    cudaSetDevice(w->places[d].device->ordinal);
    if (length > 0)
        add_share<<<w->blocks, w->threads, 0, w->places[d].stream>>>(
            w->out[d] + begin, w->in[d] + begin, w->scratch[d] + begin, length);
}

/* In step s device d sends share d - s, and gets share d - s - 1. Afterwards device d has the sum of share
 * d + 1. */
static void reduce_scatter(const struct work *w)
{
    int p = w->devices;

    for (int step = 0; step < p - 1; step++) {
        for (int d = 0; d < p; d++)
            send(w, d, (d - step + p) % p, w->scratch[next_of(w, d)],
                 step == 0 ? w->in[d] : w->out[d]);
        for (int d = 0; d < p; d++) {
            await_from(w, d);
            add_own(w, next_of(w, d), (d - step + p) % p);
        }
    }
}

/* And on, from the share whose sum it has. When it ends on a device, all others have added all their shares: so the
 * next launch may send to them at once. */
static void all_gather(const struct work *w)
{
    int p = w->devices;

    for (int step = 0; step < p - 1; step++) {
        for (int d = 0; d < p; d++)
            send(w, d, (d + 1 - step + p) % p, w->out[next_of(w, d)], w->out[d]);
        for (int d = 0; d < p; d++)
            await_from(w, d);
    }
}

static void copies(struct work *w)
{
    if (w->devices == 1) {
        cudaMemcpyAsync(w->out[0], w->in[0], w->n * sizeof(element), cudaMemcpyDeviceToDevice,
                        w->places[0].stream);
        return;
    }
    reduce_scatter(w);
    all_gather(w);
}

static const struct variant variants[] = {
    {"copies", "shares go round by copies, and kernels add them", copies},
};

static const struct launches launches[] = {
    {RECORD | CPU_ONLY, {"-v copies --devices 4"}}, /* one device has no kernel */
    {0},
};

STEP("allreduce-ring", allreduce_family, variants, launches);
