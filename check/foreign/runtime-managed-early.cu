// The host reads what a kernel wrote before it knows that the kernel has ended: --check finds it.
// flags: --check
// status: 1
// error: has not waited
#include <cstdio>

__global__ void count(int *x)
{
    atomicAdd(x, 1);
}

int main()
{
    int *x;

    cudaMallocManaged(&x, 2 * sizeof(int));
    x[0] = x[1] = 0;
    count<<<2, 32>>>(x);
    x[1] = 4; /* of no kernel: no finding */
    if (x[0] < 0)
        printf("never\n");
    cudaDeviceSynchronize();
    printf("%d %d\n", x[0], x[1]);
    cudaFree(x);
    return 0;
}
