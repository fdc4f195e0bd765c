// The host reads through a device pointer: the end of the program, with a line.
// status: 3
// error: the host's code reads 4 bytes of device memory (runtime-device-pointer.cu:21)
#include <cstdio>

__global__ void fill(int *x)
{
    x[threadIdx.x] = 7;
}

int main()
{
    int *x;

    cudaMalloc(&x, 128);
    fill<<<1, 32>>>(x);
    cudaDeviceSynchronize();
    printf("before\n");
    fflush(stdout);

    printf("%d\n", x[3]);
    return 0;
}
