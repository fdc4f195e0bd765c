// Peer access: who can, the errors of switching it on and off, and kernels that use it.
// devices: 3
#include <cstdio>

__global__ void gather(int *mine, const int *theirs, int *sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        mine[i] = theirs[i];
        atomicAdd(sum, theirs[i]);
    }
}

static void report(const char *what, cudaError_t error)
{
    printf("%s: %s\n", what, cudaGetErrorName(error));
    cudaGetLastError();
}

int main()
{
    const int N = 500;
    int *mine, *theirs, *sum, host[N], can = -1, value = -1, total = 0;

    for (int d = 0; d < 3; d++)
        for (int peer = 0; peer < 3; peer++) {
            cudaDeviceCanAccessPeer(&can, d, peer);
            printf("%d%s", can, peer == 2 ? "\n" : " ");
        }
    report("can 0 reach 3", cudaDeviceCanAccessPeer(&can, 0, 3));
    report("access between 0 and 1",
           cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 0, 1));
    printf("%d\n", value);
    report("between 1 and 1",
           cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 1, 1));

    cudaSetDevice(1);
    cudaMalloc(&theirs, sizeof(host));
    for (int i = 0; i < N; i++)
        host[i] = i;
    cudaMemcpy(theirs, host, sizeof(host), cudaMemcpyHostToDevice);
    cudaMalloc(&sum, sizeof(int));
    cudaMemset(sum, 0, sizeof(int));

    cudaSetDevice(0);
    cudaMalloc(&mine, sizeof(host));
    report("off before it was on", cudaDeviceDisablePeerAccess(1));
    report("to itself", cudaDeviceEnablePeerAccess(0, 0));
    report("to 3", cudaDeviceEnablePeerAccess(3, 0));
    report("with flags", cudaDeviceEnablePeerAccess(1, 5));
    report("on", cudaDeviceEnablePeerAccess(1, 0));
    report("on again", cudaDeviceEnablePeerAccess(1, 0));
    gather<<<2, 256>>>(mine, theirs, sum, N);
    report("a kernel on 0", cudaDeviceSynchronize());
    cudaMemcpy(host, mine, sizeof(host), cudaMemcpyDefault);
    cudaMemcpy(&total, sum, sizeof(total), cudaMemcpyDefault);
    printf("%d %d, sum %d\n", host[1], host[N - 1], total);
    report("off", cudaDeviceDisablePeerAccess(1));
    report("off again", cudaDeviceDisablePeerAccess(1));

    report("on once more", cudaDeviceEnablePeerAccess(1, 0));
    report("reset", cudaDeviceReset());
    report("off since then", cudaDeviceDisablePeerAccess(1));
    return 0;
}
