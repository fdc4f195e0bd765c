/* c = a + b on the device: a whole program, without the harness of the series. */
#include <stdio.h>
#include <stdlib.h>

#define N 1000003
#define THREADS 256

/* Ends the program if a CUDA call has failed. */
static void check(cudaError_t status)
{
    if (status != cudaSuccess) {
        fprintf(stderr, "plain: %s\n", cudaGetErrorString(status));
        exit(3);
    }
}

__global__ void add(float *c, const float *a, const float *b, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        c[i] = a[i] + b[i];
}

int main(void)
{
    static float a[N], b[N], c[N];
    float *device_a, *device_b, *device_c;
    int wrong = 0;

    for (int i = 0; i < N; i++) {
        a[i] = i;
        b[i] = 2 * i;
    }
    check(cudaMalloc(&device_a, sizeof(a)));
    check(cudaMalloc(&device_b, sizeof(b)));
    check(cudaMalloc(&device_c, sizeof(c)));
    check(cudaMemcpy(device_a, a, sizeof(a), cudaMemcpyHostToDevice));
    check(cudaMemcpy(device_b, b, sizeof(b), cudaMemcpyHostToDevice));

    add<<<(N + THREADS - 1) / THREADS, THREADS>>>(device_c, device_a, device_b, N);
    check(cudaGetLastError());

    check(cudaMemcpy(c, device_c, sizeof(c), cudaMemcpyDeviceToHost));
    check(cudaFree(device_a));
    check(cudaFree(device_b));
    check(cudaFree(device_c));
    for (int i = 0; i < N; i++)
        wrong += c[i] != a[i] + b[i];
    printf("%d of %d sums are wrong\n", wrong, N);
    return wrong > 0;
}
