/*
 * peers-copy: an array goes to another GPU
 *
 * Idea      Each GPU has memory of its own. A copy from one to the other goes through the host, over the PCI
 *           bus twice; or, with peer access, straight over the link between the two.
 * Since     All steps before this had one GPU. From here on a launch function queues work on several.
 * Expect    Through the host the bus's rate, and half of it where one copy waits for the other; over NVLink
 *           most of the link's, also when both GPUs send at once, because a link has a lane for each way.
 * Source    CUDA guide, "Multi-Device System" and "Peer-to-Peer Memory Copy"; p2pBandwidthLatencyTest.
 */
#include "families/peercopy/peercopy.h"

static int next_of(const struct work *w, int d)
{
    return (d + 1) % w->devices;
}

/* Down to pinned memory of the host, and up from there when that has ended: an event says so to the stream of the
 * other GPU. A second one says that the memory has been read, before the next launch writes to it. */
static void through_host(struct work *w)
{
    size_t bytes = w->n * sizeof(element);

    for (int d = 0; d < w->devices; d++) {
        cudaSetDevice(w->places[d].device->ordinal);
        cudaStreamWaitEvent(w->places[d].stream, w->read[d], 0);
        cudaMemcpyAsync(w->host[d], w->in[d], bytes, cudaMemcpyDeviceToHost, w->places[d].stream);
        cudaEventRecord(w->written[d], w->places[d].stream);
    }
    for (int d = 0; d < w->devices; d++) {
        int next = next_of(w, d);

        cudaSetDevice(w->places[next].device->ordinal);
        cudaStreamWaitEvent(w->places[next].stream, w->written[d], 0);
        cudaMemcpyAsync(w->out[next], w->host[d], bytes, cudaMemcpyHostToDevice,
                        w->places[next].stream);
        cudaEventRecord(w->read[d], w->places[next].stream);
    }
}

static void send(struct work *w, int d)
{
    int next = next_of(w, d);

    cudaSetDevice(w->places[d].device->ordinal);
    cudaMemcpyPeerAsync(w->out[next], w->places[next].device->ordinal, w->in[d],
                        w->places[d].device->ordinal, w->n * sizeof(element), w->places[d].stream);
}

static void one_way(struct work *w)
{
    send(w, 0);
}

/* Each GPU sends to the next one: of two, both ways at once. */
static void all_at_once(struct work *w)
{
    for (int d = 0; d < w->devices; d++)
        send(w, d);
}

static const struct variant variants[] = {
    {"host", "through pinned memory of the host, all at once", through_host, GRID_BY_SIZE},
    {"one-way", "cudaMemcpyPeerAsync from GPU 0 to GPU 1", one_way, GRID_BY_SIZE | ONE_WAY},
    {"all-at-once", "cudaMemcpyPeerAsync from each GPU to the next", all_at_once, GRID_BY_SIZE},
};

STEP("peers-copy", peercopy_family, variants);
