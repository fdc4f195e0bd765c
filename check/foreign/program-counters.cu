// --counters=lines: the report goes to standard error when the program ends, here in exit().
// flags: --counters=lines -O3 -arch=sm_90 -lineinfo
// error: stride_two
// error: program-counters.cu:14
// error: 8.00
#include <cstdio>
#include <cstdlib>

__global__ void stride_two(const float *x, float *y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = x[2 * i];
}

static void finish(float *x, float *y)
{
    float last;

    cudaMemcpy(&last, y + 1023, sizeof(last), cudaMemcpyDeviceToHost);
    printf("%.1f\n", last);
    cudaFree(x);
    cudaFree(y);
    exit(0);
}

int main()
{
    const int n = 1024;
    static float host[2 * n];
    float *x, *y;

    for (int i = 0; i < 2 * n; i++)
        host[i] = 0.5f * (float)i;
    cudaMalloc((void **)&x, sizeof(host));
    cudaMalloc((void **)&y, n * sizeof(float));
    cudaMemcpy(x, host, sizeof(host), cudaMemcpyHostToDevice);
    stride_two<<<n / 256, 256>>>(x, y, n);
    finish(x, y);
}
