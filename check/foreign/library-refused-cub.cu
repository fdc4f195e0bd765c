// needs: CUB
// status: 2
// error: the CPU device has no such device-wide call of CUB (cub/device/device_merge_sort.cuh)
// A device-wide call that is not there is refused by its header, before the compiler sees that.
#include <cub/device/device_merge_sort.cuh>

int main()
{
    return 0;
}
