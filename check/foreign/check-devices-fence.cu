// Kernels of four devices wait for each other, by flags in peer memory: each writes its share to
// all, passes a barrier across the devices, with fences of device scope: a finding.
// devices: 4
// flags: --check
// status: 1
// error: missing   system scope
#include <cstdio>

const int P = 4, N = 64, ROUNDS = 3;

struct shared {
    int *data[P];               /* P * N of each device */
    volatile unsigned *flag[P]; /* P of each device: the epoch that the other has come to */
    int *sum[P];
};

__device__ void barrier(shared a, int me, unsigned epoch)
{
    __syncthreads();
    if (threadIdx.x < P) {
        __threadfence();
        a.flag[threadIdx.x][me] = epoch;
        while (a.flag[me][threadIdx.x] < epoch)
            ;
        __threadfence();
    }
    __syncthreads();
}

__global__ void rounds(shared a, int me)
{
    for (int round = 0; round < ROUNDS; round++) {
        int i = threadIdx.x, sum = 0;

        for (int d = 0; d < P; d++)
            a.data[d][me * N + i] = me * 100 + i + round;
        barrier(a, me, 2 * round + 1);
        for (int d = 0; d < P; d++)
            sum += a.data[me][d * N + i];
        a.sum[me][i] = sum;
        barrier(a, me, 2 * round + 2);
    }
}

int main()
{
    shared a;
    int host[N];

    for (int d = 0; d < P; d++) {
        cudaSetDevice(d);
        for (int other = 0; other < P; other++)
            if (other != d)
                cudaDeviceEnablePeerAccess(other, 0);
        cudaMalloc(&a.data[d], P * N * sizeof(int));
        cudaMalloc((void **)&a.flag[d], P * sizeof(unsigned));
        cudaMalloc(&a.sum[d], N * sizeof(int));
        cudaMemset((void *)a.flag[d], 0, P * sizeof(unsigned));
        cudaDeviceSynchronize();
    }
    for (int d = 0; d < P; d++) {
        cudaSetDevice(d);
        rounds<<<1, N>>>(a, d);
        printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    }
    for (int d = 0; d < P; d++) {
        cudaSetDevice(d);
        printf("%s", cudaGetErrorName(cudaDeviceSynchronize()));
        cudaMemcpy(host, a.sum[d], sizeof(host), cudaMemcpyDeviceToHost);
        printf(" %d %d\n", host[0], host[N - 1]);
    }
}
