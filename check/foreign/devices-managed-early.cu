// The host waits for one device, and reads what a kernel of another wrote: --check finds it.
// devices: 2
// flags: --check
// status: 1
// error: has not waited
// error: --check: 1 finding
#include <cstdio>

__global__ void fill(int *x, int value)
{
    x[threadIdx.x] = value;
}

int main()
{
    int *x, *y;

    cudaMallocManaged(&x, 32 * sizeof(int));
    cudaMallocManaged(&y, 32 * sizeof(int));
    fill<<<1, 32>>>(x, 3);
    cudaSetDevice(1);
    fill<<<1, 32>>>(y, 4);
    cudaDeviceSynchronize();
    if (y[0] != 4) /* that one is device 1's: no finding */
        printf("never\n");
    if (x[0] < 0)
        printf("never\n");
    cudaSetDevice(0);
    cudaDeviceSynchronize();
    printf("%d %d\n", x[0], y[0]);
    return 0;
}
