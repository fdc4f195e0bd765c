// nvcc: no
// status: 2
// error: groups-no-clusters.cu:9
// error: the CPU device has no clusters
#include <cooperative_groups.h>

__global__ void neighbours(int *x)
{
    auto cluster = cooperative_groups::this_cluster();

    x[0] = cluster.size();
}

int main()
{
    neighbours<<<1, 1>>>(nullptr);
    return 0;
}
