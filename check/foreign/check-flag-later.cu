// A kernel raises a flag at its end, and one of another stream that begins later waits for it: that
// is order enough. Then one that does not wait.
// flags: --check
// status: 1
// error: nothing orders the two: no event, fence or flag (read)
#include <cstdio>

__global__ void nothing()
{
}

__global__ void write(int *x, volatile unsigned *flag, unsigned epoch)
{
    x[threadIdx.x] = (int)(epoch + threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence_system();
        *flag = epoch;
    }
}

__global__ void read(int *sum, const int *x, const volatile unsigned *flag, unsigned epoch)
{
    if (threadIdx.x == 0 && flag) {
        while (*flag < epoch)
            ;
        __threadfence_system();
    }
    __syncthreads();
    sum[threadIdx.x] = x[threadIdx.x] + x[31 - threadIdx.x];
}

int main()
{
    cudaStream_t a, b;
    unsigned *flag;
    int *x, *sum, host[32];

    cudaMalloc(&x, sizeof(host));
    cudaMalloc(&sum, sizeof(host));
    cudaMalloc(&flag, sizeof(*flag));
    cudaMemset(flag, 0, sizeof(*flag));
    cudaStreamCreateWithFlags(&a, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&b, cudaStreamNonBlocking);
    cudaDeviceSynchronize();
    write<<<1, 32, 0, a>>>(x, flag, 1);
    nothing<<<1, 1, 0, b>>>();
    read<<<1, 32, 0, b>>>(sum, x, flag, 1);
    cudaDeviceSynchronize();
    printf("so far right\n");
    fflush(stdout);
    write<<<1, 32, 0, a>>>(x, flag, 2);
    read<<<1, 32, 0, b>>>(sum, x, NULL, 2);
    cudaDeviceSynchronize();
    cudaMemcpy(host, sum, sizeof(host), cudaMemcpyDeviceToHost);
    printf("%d\n", host[0]);
}
