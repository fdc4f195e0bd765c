/*
 * overlap-copy: copies and kernels at the same time
 *
 * Idea      Numbers of the host go to the device, are computed with, and come back. The device has an engine
 *           for copies in, another for copies out, and its multiprocessors: cut into chunks, and put into
 *           several streams, one chunk comes in while another is computed and a third goes out.
 * Since     All steps before measured their kernels alone, and one queue was enough.
 * Expect    One queue takes the sum of the three times, streams not much more than the longest of them. From
 *           pageable memory nothing overlaps: the driver copies it to pinned memory first, and the host waits.
 * Source    CUDA guide, "Asynchronous Concurrent Execution"; Harris, "How to Overlap Data Transfers in CUDA C/C++".
 */
#include "families/overlap/overlap.h"

/* A part of the problem: n elements of the host, and where they are on the device. */
struct part {
    const element *in;
    element *out, *x;
    size_t n, number;
};

static __global__ void advance(element *x, size_t n, unsigned rounds)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;

    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        unsigned value = x[i];

        for (unsigned k = 0; k < rounds; k++)
            value = FACTOR * value + SUMMAND;
        x[i] = value;
    }
}

/* timeline_begin and timeline_end record when what stands between them runs, if that is asked for. */
static void copy_in(const struct part *p, cudaStream_t stream)
{
    timeline_begin("copy in", p->number, stream);
    cudaMemcpyAsync(p->x, p->in, p->n * sizeof(element), cudaMemcpyHostToDevice, stream);
    timeline_end(stream);
}

static void compute(const struct work *w, const struct part *p, cudaStream_t stream)
{
    timeline_begin("kernel", p->number, stream);
    advance<<<w->blocks, w->threads, 0, stream>>>(p->x, p->n, w->rounds);
    timeline_end(stream);
}

static void copy_out(const struct part *p, cudaStream_t stream)
{
    timeline_begin("copy out", p->number, stream);
    cudaMemcpyAsync(p->out, p->x, p->n * sizeof(element), cudaMemcpyDeviceToHost, stream);
    timeline_end(stream);
}

/* Everything in the default stream: a queue. */
static void one_queue(struct work *w, const struct host_arrays *host)
{
    struct part all = {host->in, host->out, w->x, w->n, 0};

    copy_in(&all, 0);
    compute(w, &all, 0);
    copy_out(&all, 0);
}

static void pageable(struct work *w)
{
    one_queue(w, &w->pageable);
}

static void pinned(struct work *w)
{
    one_queue(w, &w->pinned);
}

/* Chunk number c, in the buffer that comes round. */
static struct part chunk(const struct work *w, const struct host_arrays *host, size_t c,
                         int buffers)
{
    size_t begin = c * w->share < w->n ? c * w->share : w->n;
    size_t n = w->n - begin < w->share ? w->n - begin : w->share;

    return {host->in + begin, host->out + begin, w->x + c % buffers * w->share, n, c};
}

/* The streams begin behind what the default stream has, */
static void fork_streams(const struct work *w, int streams)
{
    cudaEventRecord(w->begun, 0);
    for (int s = 0; s < streams; s++)
        cudaStreamWaitEvent(w->stream[s], w->begun, 0);
}

/* and the default stream goes on behind them. */
static void join_streams(const struct work *w, int streams)
{
    for (int s = 0; s < streams; s++) {
        cudaEventRecord(w->ended[s], w->stream[s]);
        cudaStreamWaitEvent(0, w->ended[s], 0);
    }
}

/* A chunk after the other, in the streams in turn. Each has a buffer, and its order is the buffer's. */
static void in_turn(struct work *w, const struct host_arrays *host, int streams)
{
    fork_streams(w, streams);
    for (size_t c = 0; c < w->chunks; c++) {
        struct part p = chunk(w, host, c, streams);
        cudaStream_t stream = w->stream[c % streams];

        copy_in(&p, stream);
        compute(w, &p, stream);
        copy_out(&p, stream);
    }
    join_streams(w, streams);
}

static void pageable_streams(struct work *w)
{
    in_turn(w, &w->pageable, 3);
}

static void two_streams(struct work *w)
{
    in_turn(w, &w->pinned, 2);
}

static void three_streams(struct work *w)
{
    in_turn(w, &w->pinned, 3);
}

/* A stream for copies in, one for kernels, one for copies out. Events hand each buffer on. */
static void by_engine(struct work *w)
{
    cudaStream_t in = w->stream[0], kernels = w->stream[1], out = w->stream[2];

    fork_streams(w, 3);
    for (size_t c = 0; c < w->chunks; c++) {
        struct part p = chunk(w, &w->pinned, c, STREAMS);
        size_t buffer = c % STREAMS;

        if (c >= STREAMS)
            cudaStreamWaitEvent(in, w->emptied[buffer], 0);
        copy_in(&p, in);
        cudaEventRecord(w->filled[buffer], in);

        cudaStreamWaitEvent(kernels, w->filled[buffer], 0);
        compute(w, &p, kernels);
        cudaEventRecord(w->computed[buffer], kernels);

        cudaStreamWaitEvent(out, w->computed[buffer], 0);
        copy_out(&p, out);
        cudaEventRecord(w->emptied[buffer], out);
    }
    join_streams(w, 3);
}

#define ANY NULL, NULL, NULL, NULL, 0, NULL, overlap_bytes /* and the bytes for the log */

static const struct variant variants[] = {
    {"pageable", "one queue, from pageable memory", pageable, FROM_IDLE | PAGEABLE, ANY},
    {"pinned", "one queue, from pinned memory", pinned, FROM_IDLE, ANY},
    {"pageable-streams", "chunks in three streams, from pageable memory", pageable_streams,
     FROM_IDLE | PAGEABLE, ANY},
    {"two-streams", "chunks in two streams", two_streams, FROM_IDLE, ANY},
    {"three-streams", "chunks in three streams", three_streams, FROM_IDLE, ANY},
    {"by-engine", "a stream per engine, with events", by_engine, FROM_IDLE, ANY},
};

static const struct launches launches[] = {
    {LADDER | RECORD | GPU_ONLY, {"-v pinned -v three-streams --timeline -r 3 -w 1"}},
    {SWEEP | RECORD | GPU_ONLY,
     {"--sweep chunks=0:10:2 -v two-streams -v three-streams -v by-engine -r 5 -w 1"}},
    {0},
};

STEP("overlap-copy", overlap_family, variants, launches);
