/*
 * peers-load: a kernel touches the other GPU's memory
 *
 * Idea      With peer access a pointer to another GPU's memory is a pointer like any other: a kernel loads from
 *           there, or stores to there, and the link carries the sectors.
 * Since     peers-copy left the transfer to a copy engine. A kernel can compute on the way, and no launch or
 *           copy stands between the work and the transfer.
 * Expect    A load waits for the way there and back; a store for neither. Both come near the copy's rate if
 *           enough of them are under way: loads need more warps, or more loads per thread.
 * Source    CUDA guide, "Peer-to-Peer Memory Access" and "Unified Virtual Address Space".
 */
#include "families/peercopy/peercopy.h"

/* to[i] = from[i], an element per thread and turn. One of the two is another GPU's. */
static __global__ void copy_elements(element *to, const element *from, size_t n)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;

    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        to[i] = from[i];
}

/* The same, four elements by one access, and QUADS of them under way per thread. */
template <int QUADS> static __global__ void copy_quads(element *to, const element *from, size_t n)
{
    size_t quads = n / 4, stride = (size_t)gridDim.x * blockDim.x;
    size_t self = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    for (size_t i = self; i < quads; i += QUADS * stride) {
        element4 x[QUADS];

#pragma unroll
        for (int k = 0; k < QUADS; k++) {
            if (i + k * stride < quads)
                x[k] = ((const element4 *)from)[i + k * stride];
        }
#pragma unroll
        for (int k = 0; k < QUADS; k++) {
            if (i + k * stride < quads)
                ((element4 *)to)[i + k * stride] = x[k];
        }
    }
    for (size_t i = 4 * quads + self; i < n; i += stride) /* the last one to three */
        to[i] = from[i];
}

/* Each GPU stores its own array to the next one's memory. */
static void stores(struct work *w)
{
    for (int d = 0; d < w->devices; d++) {
        cudaSetDevice(w->places[d].device->ordinal);
        copy_elements<<<w->blocks, w->threads, 0, w->places[d].stream>>>(
            w->out[(d + 1) % w->devices], w->in[d], w->n);
    }
}

/* Each GPU loads the array of the one before from there. */
static void loads(struct work *w)
{
    for (int d = 0; d < w->devices; d++) {
        int next = (d + 1) % w->devices;

        cudaSetDevice(w->places[next].device->ordinal);
        copy_elements<<<w->blocks, w->threads, 0, w->places[next].stream>>>(w->out[next], w->in[d],
                                                                            w->n);
    }
}

template <int QUADS> static void stores_quads(struct work *w)
{
    for (int d = 0; d < w->devices; d++) {
        cudaSetDevice(w->places[d].device->ordinal);
        copy_quads<QUADS><<<w->blocks, w->threads, 0, w->places[d].stream>>>(
            w->out[(d + 1) % w->devices], w->in[d], w->n);
    }
}

template <int QUADS> static void loads_quads(struct work *w)
{
    for (int d = 0; d < w->devices; d++) {
        int next = (d + 1) % w->devices;

        cudaSetDevice(w->places[next].device->ordinal);
        copy_quads<QUADS>
            <<<w->blocks, w->threads, 0, w->places[next].stream>>>(w->out[next], w->in[d], w->n);
    }
}

static const struct variant variants[] = {
    {"stores", "an element per store to the next GPU", stores},
    {"loads", "an element per load from the GPU before", loads},
    {"stores-quads", "four elements per store", stores_quads<1>},
    {"loads-quads", "four elements per load", loads_quads<1>},
    {"stores-quads-4", "four such stores of a thread together", stores_quads<4>},
    {"loads-quads-4", "four such loads of a thread under way", loads_quads<4>},
};

STEP("peers-load", peercopy_family, variants);
