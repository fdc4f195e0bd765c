// Launches with clusters of sizes that are refused, and what the host can ask.
// error: touch is launched with clusters of (2, 2, 1) blocks, where the grid has (4, 3, 1)
#include <cstdio>

__global__ void touch(int *out)
{
    if (threadIdx.x == 0)
        atomicAdd(out, 1);
}

__global__ void __cluster_dims__(2) pair(int *out)
{
    if (threadIdx.x == 0)
        atomicAdd(out, 1);
}

template <int N> __global__ void __cluster_dims__(N, 1, 1) several(int *out)
{
    if (threadIdx.x == 0)
        atomicAdd(out, N);
}

static int *out;

static void say(const char *what, cudaError_t error)
{
    cudaDeviceSynchronize();
    printf("%s: %s, %d blocks\n", what, cudaGetErrorName(error), *out);
    *out = 0;
    cudaGetLastError();
}

static cudaLaunchConfig_t config_of(dim3 grid, dim3 cluster)
{
    static cudaLaunchAttribute attribute;
    cudaLaunchConfig_t config = {};

    config.gridDim = grid;
    config.blockDim = 32;
    config.attrs = &attribute;
    config.numAttrs = 1;
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.x = cluster.x;
    attribute.val.clusterDim.y = cluster.y;
    attribute.val.clusterDim.z = cluster.z;
    return config;
}

static void launch(const char *what, void (*kernel)(int *), dim3 grid, dim3 cluster)
{
    cudaLaunchConfig_t config = config_of(grid, cluster);

    say(what, cudaLaunchKernelEx(&config, kernel, out));
}

template <typename T> static void ask(const char *what, T *kernel, dim3 grid, dim3 cluster)
{
    cudaLaunchConfig_t config = config_of(grid, cluster);
    int clusters = 0, blocks = 0;
    cudaError_t active = cudaOccupancyMaxActiveClusters(&clusters, kernel, &config);
    cudaError_t size = cudaOccupancyMaxPotentialClusterSize(&blocks, kernel, &config);

    printf("%s: %s, %s; %s, at most %d blocks\n", what, cudaGetErrorName(active), clusters ? "some" : "none",
           cudaGetErrorName(size), blocks);
    cudaGetLastError();
}

int main()
{
    cudaFuncAttributes a;
    cudaLaunchConfig_t config;
    void *arguments[] = {&out};
    int there;

    cudaMallocManaged(&out, sizeof(*out));
    *out = 0;
    cudaDeviceGetAttribute(&there, cudaDevAttrClusterLaunch, 0);
    printf("clusters: %d\n", there);
    launch("2 of 4", touch, 4, 2);
    launch("2 of 3", touch, 3, 2);
    launch("9 of 9", touch, 9, 9);
    launch("16 of 16", touch, 16, 16);
    launch("0 x 1 of 16", touch, 16, dim3(0, 1, 1));
    launch("no size", touch, 16, dim3(0, 0, 0));
    launch("2 x 2 of 4 x 2", touch, dim3(4, 2), dim3(2, 2));
    launch("2 x 2 of 4 x 3", touch, dim3(4, 3), dim3(2, 2));
    pair<<<4, 32>>>(out);
    say("<<<4>>> of a pair", cudaGetLastError());
    pair<<<3, 32>>>(out);
    say("<<<3>>> of a pair", cudaGetLastError());
    several<4><<<8, 32>>>(out);
    say("<<<8>>> of four", cudaGetLastError());
    launch("a pair, as 2", pair, 4, 2);
    launch("a pair, as 4", pair, 4, 4);
    config = config_of(4, 2);
    say("by pointers", cudaLaunchKernelExC(&config, (const void *)pair, arguments));
    ask("no size", touch, 4, dim3(0, 0, 0));
    ask("2 of 4", touch, 4, 2);
    ask("2 of 3", touch, 3, 2);
    ask("16 of 16", touch, 16, 16);
    ask("a pair", pair, 4, dim3(0, 0, 0));
    ask("a pair, as 4", pair, 4, 4);
    cudaFuncSetAttribute(touch, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
    launch("16 of 16 now", touch, 16, 16);
    launch("17 of 17 now", touch, 17, 17);
    ask("16 of 16 now", touch, 16, 16);
    cudaFuncGetAttributes(&a, touch);
    printf("touch: %d, %d x %d x %d, %d\n", a.clusterDimMustBeSet, a.requiredClusterWidth, a.requiredClusterHeight,
           a.requiredClusterDepth, a.nonPortableClusterSizeAllowed);
    cudaFuncGetAttributes(&a, pair);
    printf("pair: %d, %d x %d x %d, %d\n", a.clusterDimMustBeSet, a.requiredClusterWidth, a.requiredClusterHeight,
           a.requiredClusterDepth, a.nonPortableClusterSizeAllowed);
    config = config_of(dim3(4, 3), dim3(2, 2));
    cudaLaunchKernelEx(&config, touch, out); // whose error nobody asks for
    return 0;
}
