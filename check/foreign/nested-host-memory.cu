// flags: -rdc=true
// nvcc: no
// A kernel that has launched another one, and then writes the host's memory.
#include <cstdio>
#include <cstdlib>

__global__ void child(int *p)
{
    *p = 5;
}

__global__ void parent(int *p, int *of_host)
{
    child<<<1, 1>>>(p);
    if (of_host)
        *of_host = 6;
}

int main()
{
    int *p, got, *of_host = (int *)malloc(sizeof(int));

    cudaMalloc(&p, sizeof(int));
    parent<<<1, 1>>>(p, nullptr);
    cudaMemcpy(&got, p, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d\n", got);
    parent<<<1, 1>>>(p, of_host);
    printf("%d\n", cudaDeviceSynchronize());
    return 0;
}
