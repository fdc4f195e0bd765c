// flags: -rdc=true --check
// error: nothing found
// Kernels that launch themselves and are chosen by their arguments: templates, one with bounds and
// with a default of its parameter, and one with a default value.
#include <cstdio>

template <int STEP, typename T = int>
__global__ void __launch_bounds__(64) halves(T *values, int n)
{
    values[threadIdx.x] += STEP;
    if (threadIdx.x == 0 && n > 1) {
        halves<STEP><<<1, n / 2>>>(values, n / 2);
        halves<3 - STEP, T><<<1, n / 2>>>(values + n / 2, n / 2);
    }
}

template <typename T> static __global__ void __launch_bounds__(32, 2) count(T *sum, int n)
{
    *sum += 1;
    if (n > 1)
        count<<<1, 1>>>(sum, n - 1);
}

__global__ void longer(int *sum, int n, int step = 5)
{
    *sum += step;
    if (n > 1)
        longer<<<1, 1>>>(sum, n - 1);
}

template <int STEP, typename T> __global__ void fewer(T *values, int n, T less = STEP)
{
    values[threadIdx.x] -= less;
}

int main()
{
    int *values;
    float *sum;

    cudaMallocManaged(&values, 64 * sizeof(int));
    cudaMallocManaged(&sum, sizeof(float));
    halves<1><<<1, 64>>>(values, 32);
    count<<<1, 1>>>(sum, 7);
    longer<<<1, 1>>>(values + 63, 4, 1);
    cudaDeviceSynchronize();
    fewer<3, int><<<1, 32>>>(values, 32);
    cudaDeviceSynchronize();
    printf("%d %d %d %d, %g, %s\n", values[0], values[1], values[31], values[63], *sum,
           cudaGetErrorName(cudaGetLastError()));
    return 0;
}
