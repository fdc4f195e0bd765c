// flags: --check
// status: 1
// error: memory: read of 4 bytes at a[3000], 8000 bytes past the end of its 1000 elements (far)
// error: memory: write of 4 bytes at a[16777216], 67104864 bytes past the end of its 1000 elements (far)
// error: memory: read of 4 bytes at b[2147483648], 8522825728 bytes past the end of its 16777216 elements (far)
// error: memory: write of 4 bytes at a[-2147483648], 8589934592 bytes before the start of its 1000 elements (far)
// error: memory: read of 8 bytes at c[2147483647], 17179865080 bytes past the end of its 512 elements (far)
// error: memory: write of 4 bytes at s[64], just past the end of its 64 elements in shared memory (outside)
// error: memory: read of 4 bytes at t[-1], 4 bytes before the start of its 64 elements in shared memory (outside)
// error: --check: 7 findings
// What leaves an array far away lands in none of the others, whatever an index of 32 bits reaches; nor does what leaves
// an array in shared memory. Each is told as that, and not as a race with who may use the other array.
#include <cuda_runtime.h>
#include <stdio.h>

__global__ void far(int *a, int *b, const double *c, int n, unsigned one, int most)
{
    int t = threadIdx.x;

    for (int i = t; i < 1 << 24; i += 32)
        b[i] = i;
    if (t == 1)
        b[t] = a[3 * n];
    if (t == 2)
        a[1 << 24] = 1;
    if (t == 3)
        b[t] = b[most + one];
    if (t == 4)
        a[-most - 1] = 1;
    if (t == 5)
        b[t] = c[most];
}

__global__ void outside(int *out, int n)
{
    __shared__ int s[64], t[64];
    int i = threadIdx.x;

    s[i] = t[i] = i;
    __syncthreads();
    if (i == 1)
        s[n] = 0;
    if (i == 2)
        out[0] = t[n - 65];
}

int main()
{
    int *a, *b;
    double *c;

    cudaMalloc(&a, 4000);
    cudaMalloc(&b, 64 << 20);
    cudaMalloc(&c, 4096);
    cudaMemset(a, 0, 4000);
    cudaMemset(c, 0, 4096);
    far<<<1, 32>>>(a, b, c, 1000, 1, 0x7fffffff);
    outside<<<1, 64>>>(a, 64);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
