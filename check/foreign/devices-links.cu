// Bytes between devices: what kernels read and wrote of another one's memory, and copies; and the
// counters of two kernels that run beside each other are each its own.
// devices: 3
// flags: --counters
// error:  0 of  1's memory            4024            0            0
// error:  1 of  2's memory               0            0          400
// error: 1                           4424            4
// error:   3 meet                          1        1     1         6
#include <cstdio>

__global__ void gather(int *mine, const int *theirs, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        mine[i] = theirs[i];
}

__global__ void meet(volatile int *mine, volatile int *other)
{
    *mine = 1;
    __threadfence_system();
    while (!*other)
        ;
}

int main()
{
    const int N = 1000;
    int *x[3];

    for (int d = 0; d < 3; d++) {
        cudaSetDevice(d);
        for (int other = 0; other < 3; other++)
            if (other != d)
                cudaDeviceEnablePeerAccess(other, 0);
        cudaMalloc(&x[d], N * sizeof(int));
        cudaMemset(x[d], 0, N * sizeof(int));
        cudaDeviceSynchronize();
    }
    cudaSetDevice(0);
    gather<<<4, 256>>>(x[0], x[1], N); /* 4000 bytes are read of device 1's */
    cudaDeviceSynchronize();
    gather<<<4, 256>>>(x[2], x[0], N); /* and written of device 2's */
    cudaDeviceSynchronize();
    cudaMemcpyPeer(x[2], 2, x[1], 1, 400);
    for (int d = 0; d < 3; d++)
        cudaMemset(x[d], 0, sizeof(int));
    for (int d = 0; d < 3; d++) {
        cudaSetDevice(d);
        cudaDeviceSynchronize();
    }
    for (int d = 0; d < 2; d++) {
        cudaSetDevice(d);
        meet<<<1, 1>>>(x[d], x[1 - d]);
    }
    for (int d = 0; d < 2; d++) {
        cudaSetDevice(d);
        printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
    }
}
