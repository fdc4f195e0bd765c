// A stream uses what another one wrote, without an event between them, and then with one.
// flags: --check
// status: 1
// error: nothing orders the two: no event, fence or flag
#include <cstdio>

__global__ void fill(int *x, int n, int value)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        x[i] = value + i;
}

__global__ void twice(int *to, const int *from, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        to[i] = 2 * from[i];
}

int main()
{
    const int N = 1000;
    cudaStream_t a, b;
    cudaEvent_t written;
    int *x, *y, host[N];

    cudaMalloc(&x, N * sizeof(int));
    cudaMalloc(&y, N * sizeof(int));
    cudaStreamCreate(&a);
    cudaStreamCreate(&b);
    cudaEventCreate(&written);

    fill<<<4, 256, 0, a>>>(x, N, 1);
    cudaEventRecord(written, a);
    cudaStreamWaitEvent(b, written, 0);
    twice<<<4, 256, 0, b>>>(y, x, N); /* right */
    cudaDeviceSynchronize();
    printf("so far right\n");
    fflush(stdout);

    fill<<<4, 256, 0, a>>>(x, N, 1);
    cudaEventRecord(written, a);      /* nobody waits for it */
    twice<<<4, 256, 0, b>>>(y, x, N); /* wrong */
    cudaDeviceSynchronize();
    cudaMemcpy(host, y, sizeof(host), cudaMemcpyDeviceToHost);
    printf("%d\n", host[N - 1]);
}
