// flags: --check
// error: --check: nothing found
// A histogram whose bins lie in the shared memory of a cluster's blocks, a part in each, because one block has not
// enough for all. A thread adds where the bin is, mostly in another block.
#include <cooperative_groups.h>
#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

__global__ void count(const unsigned *x, int n, unsigned *bins, int each)
{
    extern __shared__ unsigned part[];
    cg::cluster_group cluster = cg::this_cluster();
    unsigned rank = cluster.block_rank(), blocks = cluster.num_blocks();

    for (int i = threadIdx.x; i < each; i += blockDim.x)
        part[i] = 0;
    cluster.sync(); // all parts are empty before anybody adds
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        unsigned bin = x[i] % (each * blocks);

        atomicAdd(cluster.map_shared_rank(part, bin / each) + bin % each, 1);
    }
    cluster.sync(); // and full before anybody leaves
    for (int i = threadIdx.x; i < each; i += blockDim.x)
        atomicAdd(&bins[rank * each + i], part[i]);
}

int main()
{
    const int n = 50000, each = 3000;

    for (int blocks = 1; blocks <= 16; blocks *= 2) {
        cudaLaunchConfig_t config = {};
        cudaLaunchAttribute attribute[1];
        unsigned *x, *bins;
        int wrong = 0;

        cudaMallocManaged(&x, n * sizeof(*x));
        cudaMallocManaged(&bins, each * blocks * sizeof(*bins));
        cudaMemset(bins, 0, each * blocks * sizeof(*bins));
        cudaDeviceSynchronize();
        for (int i = 0; i < n; i++)
            x[i] = i * 2654435761u >> 7;
        config.gridDim = 32;
        config.blockDim = 128;
        config.dynamicSmemBytes = each * sizeof(unsigned);
        config.attrs = attribute;
        config.numAttrs = 1;
        attribute[0].id = cudaLaunchAttributeClusterDimension;
        attribute[0].val.clusterDim.x = blocks;
        attribute[0].val.clusterDim.y = attribute[0].val.clusterDim.z = 1;
        if (blocks > 8)
            cudaFuncSetAttribute(count, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
        cudaError_t error = cudaLaunchKernelEx(&config, count, (const unsigned *)x, n, bins, each);

        cudaDeviceSynchronize();
        std::vector<unsigned> right(each * blocks);
        for (int i = 0; i < n; i++)
            right[x[i] % (each * blocks)]++;
        for (int i = 0; i < each * blocks; i++)
            wrong += right[i] != bins[i];
        printf("%d blocks, %d bins: %s, %d wrong\n", blocks, each * blocks, cudaGetErrorString(error), wrong);
        cudaFree(x);
        cudaFree(bins);
    }
    return 0;
}
