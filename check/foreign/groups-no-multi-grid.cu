// nvcc: no
// status: 2
// error: the CPU device has no cooperative groups of several devices
#include <cooperative_groups.h>

__global__ void all_devices(int *x)
{
    auto everything = cooperative_groups::this_multi_grid();

    x[0] = everything.size();
}

int main()
{
    all_devices<<<1, 1>>>(nullptr);
    return 0;
}
