/*
 * The launch of a kernel in which a cluster of blocks has a row: what softmax-cluster and
 * softmax-async share. As many clusters as the device holds at once stay for all rows; a device
 * that has no clusters, or cannot hold one, is refused.
 */
#ifndef SOFTMAX_CLUSTER_H
#define SOFTMAX_CLUSTER_H

#include <stdio.h>

#include "families/softmax/row.h"

#include "harness/kit/device.h"

#define CAPABILITY 90 /* of clusters */

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 10 * CAPABILITY
#define CLUSTERS 1 /* code for older ones is empty: refused at run time */
#endif

/* Softmax of so many rows of so many columns, both row-major without gaps. */
typedef void kernel(element *out, const element *in, size_t rows, size_t cols);

/* A launch of one cluster; the attribute must stay as long as the launch. */
static cudaLaunchConfig_t one_cluster(cudaLaunchAttribute *cluster, int blocks, int threads)
{
    cudaLaunchConfig_t config = {};

    cluster->id = cudaLaunchAttributeClusterDimension;
    cluster->val.clusterDim.x = (unsigned)blocks;
    cluster->val.clusterDim.y = cluster->val.clusterDim.z = 1;
    config.gridDim = (unsigned)blocks;
    config.blockDim = (unsigned)threads;
    config.attrs = cluster;
    config.numAttrs = 1;
    return config;
}

/* How many clusters the device holds at once; 0: none, or the call fails. */
static size_t at_once(kernel *k, const cudaLaunchConfig_t *config)
{
    int clusters = 0;

    return cudaOccupancyMaxActiveClusters(&clusters, k, config) == cudaSuccess ? (size_t)clusters
                                                                               : 0;
}

/* As many clusters as the device holds at once, or as there are rows; asked again only when the
 * threads change. */
template <int BLOCKS, kernel *K> static void start(struct work *w)
{
    static int asked_for;
    static size_t clusters;
    cudaLaunchAttribute cluster = {};
    cudaLaunchConfig_t config = one_cluster(&cluster, BLOCKS, w->threads);

    if (asked_for != w->threads)
        clusters = at_once(K, &config);
    asked_for = w->threads;
    config.gridDim = BLOCKS * (unsigned)(w->rows < clusters ? w->rows : clusters);
    if (w->rows > 0) /* a grid without blocks is an error */
        cudaLaunchKernelEx(&config, K, w->out, w->in, w->rows, w->cols);
}

/* Vectors of 16 bytes, where all rows begin at multiples of that; else of one element. */
template <int BLOCKS, kernel *QUADS, kernel *ALONE> static void launch(struct work *w)
{
    size_t starts = (size_t)w->in | (size_t)w->out;
    bool quads = w->cols % 4 == 0 && starts % (4 * sizeof(element)) == 0;

    quads ? start<BLOCKS, QUADS>(w) : start<BLOCKS, ALONE>(w);
}

template <int BLOCKS> static void shape(struct shape *s)
{
    softmax_shape_cluster(s, BLOCKS);
}

template <int BLOCKS> static double depth(const struct shape *s)
{
    return softmax_depth_cluster(s, BLOCKS);
}

/* True with one line in why if the code is for older devices alone; the CPU device has 9.0. */
static bool is_empty(kernel *k, char *why, size_t room)
{
    struct cudaFuncAttributes attributes;

    if (cudaFuncGetAttributes(&attributes, k) != cudaSuccess || attributes.ptxVersion >= CAPABILITY)
        return false;
    snprintf(why, room,
             "needs code for compute capability 9.0, which this program was built without");
    return true;
}

template <int BLOCKS, kernel *K> static bool refuse(const struct shape *s, char *why, size_t room)
{
    cudaLaunchAttribute cluster = {};
    cudaLaunchConfig_t config = one_cluster(&cluster, BLOCKS, s->threads);

    if (device_below(CAPABILITY, why, room) || is_empty(K, why, room))
        return true;
    if (at_once(K, &config) > 0)
        return false;
    snprintf(why, room, "needs a cluster of %d blocks of %d threads, which this device cannot hold",
             BLOCKS, s->threads);
    return true;
}

/* A variant: the kernel's template takes the elements of a vector, the vectors in registers and the
 * blocks of a cluster. */
#define CLUSTER_OF(NAME, BLOCKS, KERNEL)                                                           \
    {                                                                                              \
        NAME, "a cluster of " #BLOCKS " blocks per row",                                           \
            launch<BLOCKS, KERNEL<4, 8, BLOCKS>, KERNEL<1, 16, BLOCKS>>,                           \
            WHOLE_WARPS | ROUNDED | RESCALES, depth<BLOCKS>,                                       \
            .default_shape = shape<BLOCKS>, .refuse = refuse<BLOCKS, KERNEL<4, 8, BLOCKS>>         \
    }

#endif
