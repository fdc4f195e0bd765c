/*
 * The launch of a kernel in which a cluster of blocks has a row: what softmax-cluster and
 * softmax-async share. As many clusters as the device holds at once stay for all rows; a device
 * that has no clusters, or cannot hold one, is refused.
 */
#ifndef SOFTMAX_CLUSTER_H
#define SOFTMAX_CLUSTER_H

#include "families/softmax/row.h"
#include "harness/kit/cluster.h"

/* Softmax of so many rows of so many columns, both row-major without gaps. */
typedef void kernel(element *out, const element *in, size_t rows, size_t cols);

/* As many clusters as the device holds at once, or as there are rows; asked again only when the
 * threads change. */
template <int BLOCKS, kernel *K> static void start(struct work *w)
{
    static int asked_for;
    static size_t clusters;
    cudaLaunchAttribute cluster = {};
    cudaLaunchConfig_t config = cluster_launch(&cluster, BLOCKS, w->threads);

    if (asked_for != w->threads)
        clusters = clusters_at_once(K, &config);
    asked_for = w->threads;
    config.gridDim = BLOCKS * (unsigned)(w->rows < clusters ? w->rows : clusters);
    if (w->rows > 0) /* a grid without blocks is an error */
        cudaLaunchKernelEx(&config, K, w->out, w->in, w->rows, w->cols);
}

/* Vectors of 16 bytes, where all rows begin at multiples of that; else of one element. */
template <int BLOCKS, kernel *VECTORS, kernel *ALONE> static void launch(struct work *w)
{
    size_t starts = (size_t)w->in | (size_t)w->out;
    bool wide = w->cols % WIDE == 0 && starts % (WIDE * sizeof(element)) == 0;

    wide ? start<BLOCKS, VECTORS>(w) : start<BLOCKS, ALONE>(w);
}

template <int BLOCKS> static void shape(struct shape *s)
{
    softmax_shape_cluster(s, BLOCKS);
}

template <int BLOCKS> static double depth(const struct shape *s)
{
    return softmax_depth_cluster(s, BLOCKS);
}

template <int BLOCKS, auto *K> static bool refuse(const struct shape *s, char *why, size_t room)
{
    return cluster_refused(K, BLOCKS, s->threads, why, room);
}

/* A variant: the kernel's template takes the elements of a vector, the vectors in registers and the
 * blocks of a cluster. */
#define CLUSTER_OF(NAME, BLOCKS, KERNEL)                                                           \
    {                                                                                              \
        NAME, "a cluster of " #BLOCKS " blocks per row",                                           \
            launch<BLOCKS, KERNEL<WIDE, 32 / WIDE, BLOCKS>, KERNEL<1, 16, BLOCKS>>,                \
            WHOLE_WARPS | ROUNDED | RESCALES, depth<BLOCKS>,                                       \
            .default_shape = shape<BLOCKS>,                                                        \
            .refuse = refuse<BLOCKS, KERNEL<WIDE, 32 / WIDE, BLOCKS>>                              \
    }

#endif
