// Kernels as values: their addresses, attributes that hold for the kernel which is launched, whichever
// way that is written.
#include <cstdio>

template <typename T> __global__ void reverse(T *x, int n)
{
    extern __shared__ unsigned char raw[];
    T *copy = (T *)raw;

    for (int i = threadIdx.x; i < n; i += blockDim.x)
        copy[i] = x[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        x[i] = copy[n - 1 - i];
}

__global__ void reverse(short *x, int n)
{
    extern __shared__ short wide[];

    wide[threadIdx.x] = x[threadIdx.x];
    __syncthreads();
    x[threadIdx.x] = wide[n - 1 - threadIdx.x];
}

template <typename T> static void show(const char *what, const T *d, int n)
{
    T first = 0;
    cudaError_t error = cudaGetLastError();

    cudaMemcpy(&first, d, sizeof(T), cudaMemcpyDeviceToHost);
    printf("%s: %s, %d\n", what, cudaGetErrorName(error), (int)first);
    (void)n;
}

int main()
{
    const int n = 20000, bytes = n * sizeof(int);
    int *d, *h = new int[n];
    void (*const pointer)(int *, int) = reverse<int>, (*const other)(int *, int) = &reverse<int>;

    for (int i = 0; i < n; i++)
        h[i] = i;
    cudaMalloc(&d, bytes);
    cudaMemcpy(d, h, bytes, cudaMemcpyHostToDevice);
    printf("%d %d\n", pointer == other, (const void *)pointer == (const void *)reverse<float>);
    reverse<<<1, 256, bytes>>>(d, n);
    show("too much", d, n);
    cudaFuncSetAttribute(reverse<int>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    reverse<<<1, 256, bytes>>>(d, n);
    show("allowed", d, n);
    reverse<int><<<1, 256, bytes>>>(d, n);
    show("by name", d, n);
    pointer<<<1, 256, bytes>>>(d, n);
    show("by pointer", d, n);
    reverse<<<1, 256, bytes>>>((float *)d, n);
    show("another one", d, n);
    reverse<<<1, 4, bytes>>>((short *)d, 4);
    show("overload", (short *)d, n);
    delete[] h;
    return 0;
}
