// flags: --counters --sample 4
// error: --sample: in 2 of 3 launches only some blocks ran: their results are void
// error: 1 square                       64       32     2        64       256  4.00  4.00        64       256
// error: 2 square                        4       32     1         4        16  4.00  4.00         4        16
// Some blocks of a launch, evenly from its grid; the counters are as for all of them, and the other
// launches are whole.
#include <cstdio>

__global__ void square(int *x)
{
    int i = blockIdx.x * 32 + threadIdx.x;

    x[i] = i * i + x[i];
}

int main()
{
    int *x, done = 0;

    cudaMallocManaged(&x, 64 * 32 * sizeof(int));
    square<<<64, 32>>>(x);
    cudaDeviceSynchronize();
    for (int i = 1; i < 64 * 32; i++)
        done += x[i] != 0;
    printf("%d threads have run\n", done);
    square<<<4, 32>>>(x);
    square<<<64, 32>>>(x);
    return cudaDeviceSynchronize();
}
