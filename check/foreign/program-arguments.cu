// What stands behind -- is the program's own, and so is its exit status.
// flags: -- 3 four
// status: 7
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void fill(int *to, int value, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        to[i] = value * i;
}

int main(int argc, char *argv[])
{
    const int n = 100;
    int *device, host[n];

    if (argc != 3 || strcmp(argv[2], "four") != 0) {
        printf("wrong arguments\n");
        return 1;
    }
    printf("%s %s %s\n", argv[0], argv[1], argv[2]);
    cudaMalloc(&device, n * sizeof(int));
    fill<<<(n + 31) / 32, 32>>>(device, atoi(argv[1]), n);
    cudaMemcpy(host, device, n * sizeof(int), cudaMemcpyDeviceToHost);
    printf("last: %d\n", host[n - 1]);
    cudaFree(device);
    exit(7);
}
