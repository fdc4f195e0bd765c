// flags: --check
// error: --check: nothing found
// Clusters in a cooperative launch, behind whose grid barrier they go on, in three streams, and in a graph.
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;
__global__ void __cluster_dims__(2) together(int *o)
{
    __shared__ int s;
    auto c = cg::this_cluster();
    auto g = cg::this_grid();
    if (threadIdx.x == 0)
        s = blockIdx.x;
    c.sync();
    int left = *c.map_shared_rank(&s, c.block_rank() ^ 1);
    g.sync();
    if (threadIdx.x == 0)
        o[blockIdx.x] = left;
    c.sync();
}
__global__ void __cluster_dims__(4) rounds(int *o, int n)
{
    __shared__ int s;
    auto c = cg::this_cluster();
    for (int i = 0; i < n; i++) {
        if (threadIdx.x == 0)
            s = blockIdx.x + i;
        c.sync();
        int left = *c.map_shared_rank(&s, (c.block_rank() + 1) % 4);
        if (threadIdx.x == 0)
            o[blockIdx.x] += left;
        c.sync();
    }
}
int main()
{
    int *o, w = 0;
    cudaMallocManaged(&o, 4096 * sizeof(int));
    void *a[] = {&o};
    printf("%d ", cudaLaunchCooperativeKernel((void *)together, 32, 64, a, 0, 0));
    printf("%d\n", cudaDeviceSynchronize());
    for (int i = 0; i < 32; i++)
        w += o[i] != (i ^ 1);
    printf("%d wrong\n", w);
    cudaMemset(o, 0, 4096 * sizeof(int));
    cudaStream_t s[3];
    for (int i = 0; i < 3; i++) {
        cudaStreamCreate(&s[i]);
        rounds<<<1024, 64, 0, s[i]>>>(o + 1024 * i, 3);
    }
    cudaGraph_t g;
    cudaGraphExec_t e;
    cudaDeviceSynchronize();
    cudaStreamBeginCapture(s[0], cudaStreamCaptureModeGlobal);
    rounds<<<1024, 64, 0, s[0]>>>(o + 3072, 3);
    cudaStreamEndCapture(s[0], &g);
    cudaGraphInstantiate(&e, g, 0);
    cudaGraphLaunch(e, s[0]);
    printf("%d\n", cudaDeviceSynchronize());
    w = 0;
    for (int i = 0; i < 4096; i++) {
        int b = i % 1024, r = b / 4 * 4 + (b + 1) % 4;
        w += o[i] != 3 * r + 3;
    }
    printf("%d wrong\n", w);
}
