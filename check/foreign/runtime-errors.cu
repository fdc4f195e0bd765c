// The errors of calls, and how they are kept, peeked at and cleared.
#include <cstdio>

__global__ void nothing(int) {}

static void tell(const char *what, cudaError_t error)
{
    printf("%s: %s\n", what, cudaGetErrorName(error));
}

int main()
{
    static float host[16];
    float *device = NULL;
    int value = 0;

    cudaMalloc(&device, sizeof(host));
    tell("too much", cudaMemcpy(device, host, sizeof(host) + 4, cudaMemcpyHostToDevice));
    tell("null", cudaMemcpy(device, NULL, 4, cudaMemcpyHostToDevice));
    tell("peek", cudaPeekAtLastError());
    tell("get", cudaGetLastError());
    tell("cleared", cudaGetLastError());
    nothing<<<1, 1025>>>(1);
    tell("1025 threads", cudaGetLastError());
    nothing<<<0, 32>>>(1);
    tell("no blocks", cudaGetLastError());
    nothing<<<1, 32, 64 * 1024>>>(1);
    tell("64 KiB", cudaGetLastError());
    tell("free", cudaFree(device));
    tell("free of the host's", cudaFree(host));
    tell("free of null", cudaFree(NULL));
    cudaGetLastError();
    tell("no such device", cudaSetDevice(77));
    tell("no such attribute", cudaDeviceGetAttribute(&value, (cudaDeviceAttr)9999, 0));
    tell("an event never recorded", cudaEventSynchronize(0));
    tell("wrong kind", cudaMemcpy(host, host + 8, 4, (cudaMemcpyKind)9));
    cudaGetLastError();
    nothing<<<1, 32>>>(1);
    tell("the device works", cudaDeviceSynchronize());
    return 0;
}
