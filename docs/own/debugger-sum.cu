#include <cstdio>
#include <cuda_runtime.h>

__global__ void sum(float *out, const float *x, int n)
{
    __shared__ float s[64];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    float mine = i < n ? x[i] : 0;

    s[t] = mine;
    __syncthreads(); // all
    for (int k = blockDim.x / 2; k > 0; k /= 2) {
        if (t < k)
            s[t] += s[t + k];
        __syncthreads(); // round
    }
    if (t == 0)
        out[blockIdx.x] = s[0];
}

int main()
{
    float *x, *out, host[128], result[2];

    for (int i = 0; i < 128; i++)
        host[i] = i;
    cudaMalloc(&x, sizeof(host));
    cudaMalloc(&out, sizeof(result));
    cudaMemcpy(x, host, sizeof(host), cudaMemcpyHostToDevice);
    sum<<<2, 64>>>(out, x, 128);
    cudaMemcpy(result, out, sizeof(result), cudaMemcpyDeviceToHost);
    printf("%g %g\n", result[0], result[1]);
    return 0;
}
