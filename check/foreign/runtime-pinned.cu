// Pinned host memory: copied from and to, and touched by a kernel through its device pointer.
#include <cstdio>

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t status = (call);                                                               \
        if (status != cudaSuccess) {                                                               \
            printf("line %d: %s\n", __LINE__, cudaGetErrorName(status));                           \
            return 1;                                                                              \
        }                                                                                          \
    } while (0)

__global__ void square(float *x, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        x[i] *= x[i];
}

int main()
{
    const int n = 1000;
    float *in, *mapped, *view, *plain, *device;
    double sum = 0;

    CHECK(cudaSetDeviceFlags(cudaDeviceMapHost));
    CHECK(cudaMallocHost(&in, n * sizeof(float)));
    CHECK(cudaMallocHost((void **)&plain, n * sizeof(float)));
    CHECK(cudaHostAlloc(&mapped, n * sizeof(float), cudaHostAllocMapped | cudaHostAllocPortable));
    CHECK(cudaMalloc(&device, n * sizeof(float)));
    for (int i = 0; i < n; i++)
        in[i] = mapped[i] = (float)i;
    CHECK(cudaMemcpyAsync(device, in, n * sizeof(float), cudaMemcpyHostToDevice, 0));
    square<<<(n + 255) / 256, 256>>>(device, n);
    CHECK(cudaMemcpyAsync(plain, device, n * sizeof(float), cudaMemcpyDeviceToHost, 0));
    CHECK(cudaHostGetDevicePointer(&view, mapped, 0));
    square<<<(n + 255) / 256, 256>>>(view, n);
    CHECK(cudaDeviceSynchronize());
    for (int i = 0; i < n; i++)
        sum += plain[i] == mapped[i] && plain[i] == (float)i * (float)i;
    printf("%g of %d are right\n", sum, n);

    float *registered = new float[n];
    for (int i = 0; i < n; i++)
        registered[i] = 3;
    CHECK(cudaHostRegister(registered, n * sizeof(float), cudaHostRegisterMapped));
    CHECK(cudaHostGetDevicePointer((void **)&view, registered, 0));
    square<<<(n + 255) / 256, 256>>>(view, n);
    CHECK(cudaDeviceSynchronize());
    printf("registered: %g %g\n", registered[0], registered[n - 1]);
    CHECK(cudaHostUnregister(registered));
    printf("twice: %s\n", cudaGetErrorName(cudaHostUnregister(registered)));
    printf("of pageable memory: %s\n", cudaGetErrorName(cudaHostGetDevicePointer(&view, &sum, 0)));
    delete[] registered;
    CHECK(cudaFreeHost(in));
    CHECK(cudaFreeHost(plain));
    CHECK(cudaFreeHost(mapped));
    CHECK(cudaFree(device));
    printf("wrong free: %s\n", cudaGetErrorName(cudaFreeHost(&sum)));
    return 0;
}
