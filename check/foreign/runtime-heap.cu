// malloc, new, memcpy and memset in kernels: lists, virtual functions, one buffer for each block.
// flags: --check
#include <cstdio>
#include <cstdlib>
#include <cstring>

struct Shape {
    float side;
    __device__ explicit Shape(float s) : side(s) {}
    __device__ virtual float area() const { return side * side; }
    __device__ virtual ~Shape() {}
};

struct Disc : Shape {
    __device__ explicit Disc(float s) : Shape(s) {}
    __device__ float area() const override { return 3 * side * side; }
};

struct Node {
    int value;
    Node *next;
};

__global__ void areas(float *out)
{
    Shape *shape;

    if (threadIdx.x % 2)
        shape = new Disc((float)threadIdx.x);
    else
        shape = new Shape((float)threadIdx.x);
    out[threadIdx.x] = shape->area();
    delete shape;
}

__global__ void lists(int *sums)
{
    Node *head = NULL;
    int sum = 0;

    for (int i = 0; i < 4; i++) {
        Node *node = (Node *)malloc(sizeof(Node));

        node->value = i * (int)threadIdx.x;
        node->next = head;
        head = node;
    }
    while (head) {
        Node *next = head->next;

        sum += head->value;
        free(head);
        head = next;
    }
    sums[threadIdx.x] = sum;
}

__global__ void buffers(int *out)
{
    __shared__ int *buffer;

    if (threadIdx.x == 0) {
        buffer = (int *)malloc(blockDim.x * sizeof(int));
        memset(buffer, 0, blockDim.x * sizeof(int));
    }
    __syncthreads();
    buffer[threadIdx.x] += threadIdx.x;
    __syncthreads();
    if (threadIdx.x == 0) {
        memcpy(out + blockIdx.x * blockDim.x, buffer, blockDim.x * sizeof(int));
        free(buffer);
    }
}

__global__ void too_much(int *out)
{
    *out = malloc((size_t)1 << 40) == NULL;
}

int main()
{
    int *device, ints[64];
    float *values, floats[8];
    size_t heap = 0;

    cudaDeviceSetLimit(cudaLimitMallocHeapSize, 32 << 20);
    cudaDeviceGetLimit(&heap, cudaLimitMallocHeapSize);
    printf("a heap of %d MiB\n", (int)(heap >> 20));
    cudaMalloc(&device, sizeof(ints));
    cudaMalloc(&values, sizeof(floats));
    areas<<<1, 8>>>(values);
    cudaMemcpy(floats, values, sizeof(floats), cudaMemcpyDeviceToHost);
    printf("%g %g %g\n", floats[1], floats[2], floats[7]);
    lists<<<1, 32>>>(device);
    cudaMemcpy(ints, device, sizeof(ints) / 2, cudaMemcpyDeviceToHost);
    printf("%d %d\n", ints[1], ints[31]);
    buffers<<<2, 32>>>(device);
    cudaMemcpy(ints, device, sizeof(ints), cudaMemcpyDeviceToHost);
    printf("%d %d\n", ints[1], ints[63]);
    too_much<<<1, 1>>>(device);
    cudaMemcpy(ints, device, sizeof(int), cudaMemcpyDeviceToHost);
    printf("refused: %d, %s\n", ints[0], cudaGetErrorString(cudaGetLastError()));
    cudaFree(device);
    cudaFree(values);
    return 0;
}
