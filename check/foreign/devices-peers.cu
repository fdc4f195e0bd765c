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

static void tell(const char *what, cudaError_t error)
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
    tell("can 0 reach 3", cudaDeviceCanAccessPeer(&can, 0, 3));
    tell("access between 0 and 1", cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported,
                                                             0, 1));
    printf("%d\n", value);
    tell("between 1 and 1", cudaDeviceGetP2PAttribute(&value, cudaDevP2PAttrAccessSupported, 1, 1));

    cudaSetDevice(1);
    cudaMalloc(&theirs, sizeof(host));
    for (int i = 0; i < N; i++)
        host[i] = i;
    cudaMemcpy(theirs, host, sizeof(host), cudaMemcpyHostToDevice);
    cudaMalloc(&sum, sizeof(int));
    cudaMemset(sum, 0, sizeof(int));

    cudaSetDevice(0);
    cudaMalloc(&mine, sizeof(host));
    tell("off before it was on", cudaDeviceDisablePeerAccess(1));
    tell("to itself", cudaDeviceEnablePeerAccess(0, 0));
    tell("to 3", cudaDeviceEnablePeerAccess(3, 0));
    tell("with flags", cudaDeviceEnablePeerAccess(1, 5));
    tell("on", cudaDeviceEnablePeerAccess(1, 0));
    tell("on again", cudaDeviceEnablePeerAccess(1, 0));
    gather<<<2, 256>>>(mine, theirs, sum, N);
    tell("a kernel on 0", cudaDeviceSynchronize());
    cudaMemcpy(host, mine, sizeof(host), cudaMemcpyDefault);
    cudaMemcpy(&total, sum, sizeof(total), cudaMemcpyDefault);
    printf("%d %d, sum %d\n", host[1], host[N - 1], total);
    tell("off", cudaDeviceDisablePeerAccess(1));
    tell("off again", cudaDeviceDisablePeerAccess(1));

    tell("on once more", cudaDeviceEnablePeerAccess(1, 0));
    tell("reset", cudaDeviceReset());
    tell("off since then", cudaDeviceDisablePeerAccess(1));
    return 0;
}
