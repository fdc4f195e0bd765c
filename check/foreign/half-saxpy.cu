// y = a x + y in half precision, two at a time, with one rounding for each.
#include <cmath>
#include <cstdio>
#include <cuda_fp16.h>

const int N = 10000;

__global__ void to_half(half *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = __float2half(in[i]);
}

__global__ void saxpy(half2 *y, const half2 *x, half a, int pairs)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < pairs)
        y[i] = __hfma2(__half2half2(a), x[i], y[i]);
}

int main()
{
    static float hx[N], hy[N];
    static half result[N];
    float *fx, *fy;
    half *x, *y, a = 0.3f;
    int wrong = 0;

    for (int i = 0; i < N; i++) {
        hx[i] = sinf(i);
        hy[i] = cosf(i) * 8;
    }
    cudaMalloc(&fx, sizeof(hx));
    cudaMalloc(&fy, sizeof(hy));
    cudaMalloc(&x, sizeof(result));
    cudaMalloc(&y, sizeof(result));
    cudaMemcpy(fx, hx, sizeof(hx), cudaMemcpyHostToDevice);
    cudaMemcpy(fy, hy, sizeof(hy), cudaMemcpyHostToDevice);
    to_half<<<(N + 255) / 256, 256>>>(x, fx, N);
    to_half<<<(N + 255) / 256, 256>>>(y, fy, N);
    saxpy<<<(N / 2 + 255) / 256, 256>>>((half2 *)y, (half2 *)x, a, N / 2);
    cudaMemcpy(result, y, sizeof(result), cudaMemcpyDeviceToHost);
    for (int i = 0; i < N; i++) {
        double exact = (double)__half2float(a) * __half2float(__float2half(hx[i])) +
                       __half2float(__float2half(hy[i]));
        double ulp = ldexp(1, (int)fmax(floor(log2(fabs(exact))), -14) - 10);

        wrong += fabs(__half2float(result[i]) - exact) > ulp / 2;
    }
    printf("a is %.10g\n", __half2float(a));
    printf("%d of %d not within half a unit in the last place\n", wrong, N);
    return 0;
}
