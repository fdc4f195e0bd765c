// Without CPU_DEVICE_DEVICES there is one device, and no other.
#include <cstdio>

static void report(const char *what, cudaError_t error)
{
    printf("%s: %s\n", what, cudaGetErrorString(error));
    cudaGetLastError();
}

int main()
{
    int count = 0, can = -1, *x;

    cudaGetDeviceCount(&count);
    printf("%d\n", count);
    report("set 1", cudaSetDevice(1));
    report("can 0 reach 1", cudaDeviceCanAccessPeer(&can, 0, 1));
    report("on", cudaDeviceEnablePeerAccess(1, 0));
    cudaMalloc(&x, 4);
    report("peer", cudaMemcpyPeer(x, 0, x, 1, 4));
    report("to itself", cudaMemcpyPeer(x, 0, x, 0, 4));
    return 0;
}
