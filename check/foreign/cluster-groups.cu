// flags: --check
// error: --check: nothing found
// What a block asks of its cluster: where it is, in a launch with clusters of 2 x 2 x 1 blocks and in one without.
#include <cooperative_groups.h>
#include <cstdio>

namespace cg = cooperative_groups;

struct place {
    dim3 index, dims, thread, threads, in_grid, clusters;
    unsigned rank, blocks, thread_rank, size, from_left, parts;
};

__global__ void tell(place *out)
{
    __shared__ unsigned mine;
    cg::cluster_group cluster = cg::this_cluster();
    cg::grid_group grid = cg::this_grid();
    cg::thread_group any = cluster;
    unsigned block = blockIdx.y * gridDim.x + blockIdx.x;

    if (threadIdx.x == 0)
        mine = block;
    cluster.sync();
    if (threadIdx.x == blockDim.x - 1) {
        unsigned left = (cluster.block_rank() + cluster.num_blocks() - 1) % cluster.num_blocks();
        const unsigned *its = cluster.map_shared_rank(&mine, left);

        out[block] = {cluster.block_index(), cluster.dim_blocks(), cluster.thread_index(), cluster.dim_threads(),
                      grid.cluster_index(), grid.dim_clusters(), cluster.block_rank(), cluster.num_blocks(),
                      cluster.thread_rank(), (unsigned)any.size(), *its,
                      (unsigned)grid.num_clusters() * 100 + (unsigned)grid.cluster_rank()};
        if (cluster.query_shared_rank(its) != left || cluster.query_shared_rank(&mine) != cluster.block_rank())
            printf("block %u: another rank\n", block);
    }
    any.sync();
}

static void show(const char *what, const place *p, int blocks)
{
    cudaDeviceSynchronize();
    printf("%s: %s\n", what, cudaGetErrorString(cudaGetLastError()));
    for (int i = 0; i < blocks; i++)
        printf("block %d: (%u, %u) of (%u, %u), rank %u of %u; thread (%u, %u) of (%u, %u), %u of %u; cluster (%u, %u) "
               "of (%u, %u), %u; left of it block %u\n",
               i, p[i].index.x, p[i].index.y, p[i].dims.x, p[i].dims.y, p[i].rank, p[i].blocks, p[i].thread.x,
               p[i].thread.y, p[i].threads.x, p[i].threads.y, p[i].thread_rank, p[i].size, p[i].in_grid.x,
               p[i].in_grid.y, p[i].clusters.x, p[i].clusters.y, p[i].parts, p[i].from_left);
}

int main()
{
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute[1];
    place *p;

    cudaMallocManaged(&p, 8 * sizeof(*p));
    config.gridDim = dim3(4, 2);
    config.blockDim = 64;
    config.attrs = attribute;
    config.numAttrs = 1;
    attribute[0].id = cudaLaunchAttributeClusterDimension;
    attribute[0].val.clusterDim.x = 2;
    attribute[0].val.clusterDim.y = 2;
    attribute[0].val.clusterDim.z = 1;
    cudaLaunchKernelEx(&config, tell, p);
    show("clusters", p, 8);
    tell<<<dim3(2, 1), 64>>>(p);
    show("none", p, 2);
    return 0;
}
