// Kernels of two devices count in one word: with atomicAdd, whose scope is the device, that is a
// race, and with atomicAdd_system none.
// devices: 2
// flags: --check
// status: 1
// error: an atomic of device scope orders nothing between two devices
#include <cstdio>

__global__ void count(int *word)
{
    atomicAdd(word, 1);
}

__global__ void count_system(int *word)
{
    atomicAdd_system(word, 1);
}

int main()
{
    int *words, host[2];

    cudaMalloc(&words, sizeof(host));
    cudaMemset(words, 0, sizeof(host));
    cudaDeviceSynchronize();
    cudaSetDevice(1);
    cudaDeviceEnablePeerAccess(0, 0);
    for (int d = 0; d < 2; d++) {
        cudaSetDevice(d);
        count<<<2, 64>>>(words);
        count_system<<<2, 64>>>(words + 1);
    }
    for (int d = 0; d < 2; d++) {
        cudaSetDevice(d);
        cudaDeviceSynchronize();
    }
    cudaMemcpy(host, words, sizeof(host), cudaMemcpyDeviceToHost);
    printf("%d %d\n", host[0], host[1]);
}
