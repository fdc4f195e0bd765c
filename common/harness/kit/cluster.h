/*
 * The launch of a kernel whose blocks come in clusters, and why a device refuses it. Device code
 * that uses clusters stands between #ifdef CLUSTERS and #endif.
 */
#ifndef KIT_CLUSTER_H
#define KIT_CLUSTER_H

#include <stdio.h>

#include "harness/kit/device.h"
#include "harness/kit/ptx.h"

/* A launch of one cluster of so many blocks; more of them by a larger gridDim.x, of whole clusters.
 * The attribute must stay as long as what this returns. */
static cudaLaunchConfig_t cluster_launch(cudaLaunchAttribute *cluster, int blocks, int threads)
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

/* How many clusters of this launch the device holds at once; 0: none, or the call fails. */
template <typename K> static size_t clusters_at_once(K *kernel, const cudaLaunchConfig_t *config)
{
    int clusters = 0;

    return cudaOccupancyMaxActiveClusters(&clusters, kernel, config) == cudaSuccess
               ? (size_t)clusters
               : 0;
}

/* Is the code for older devices alone? The CPU device has 9.0. */
template <typename K> static bool cluster_code_is_missing(K *kernel, char *why, size_t room)
{
    struct cudaFuncAttributes attributes;

    if (cudaFuncGetAttributes(&attributes, kernel) != cudaSuccess ||
        attributes.ptxVersion >= CLUSTER_CAPABILITY)
        return false;
    snprintf(why, room,
             "needs code for compute capability 9.0, which this program was built without");
    return true;
}

/* True with one line in why where the current device cannot run the kernel in such clusters. */
template <typename K>
static bool cluster_refused(K *kernel, int blocks, int threads, char *why, size_t room)
{
    cudaLaunchAttribute cluster = {};
    cudaLaunchConfig_t config = cluster_launch(&cluster, blocks, threads);

    if (device_below(CLUSTER_CAPABILITY, why, room) || cluster_code_is_missing(kernel, why, room))
        return true;
    if (clusters_at_once(kernel, &config) > 0)
        return false;
    snprintf(why, room, "needs a cluster of %d blocks of %d threads, which this device cannot hold",
             blocks, threads);
    return true;
}

#endif
