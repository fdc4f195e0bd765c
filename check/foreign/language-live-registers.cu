// Loops that keep values of many kinds in registers, around accesses to the device's own variables,
// at which a hook must look closer: it must change none of them.
#include <cstdio>

struct wide {
    double a[4];
};

__device__ float table[100];
__device__ double sums[100];
__device__ char bytes[100];
__device__ wide pair[2];

__global__ void live(float *out, int n)
{
    float a = 1, b = 2, c = 3, g = 0.5f, h = 7, x = 11;
    double d = 4, e = 0.125;
    long i1 = 5, i2 = 6, i4 = 8;
    unsigned long i3 = 7;

    for (int i = 0; i < n; i++) {
        a += table[i];
        b = b * g + table[n - 1 - i];
        d += sums[i] * c + e;
        i1 += bytes[i];
        i2 ^= i1 << (i & 7);
        table[i] += 1;
        i3 = i3 * 3 + (unsigned long)i2;
        sums[i] = d;
        bytes[i] = (char)i1;
        i4 -= (long)(i3 & 15);
        c += 0.25f;
        h = h * 0.75f + x;
        x -= 0.125f;
    }
    out[0] = a + b;
    out[1] = c + h;
    out[2] = (float)(d + x);
    out[3] = (float)(i1 + i2 % 1000);
    out[4] = (float)((long)(i3 % 1000) + i4);
}

__global__ void exchange()
{
    wide first = pair[0];

    pair[0] = pair[1];
    pair[1] = first;
}

int main()
{
    float *out, got[5];
    wide both[2] = {{1, 2, 3, 4}, {5, 6, 7, 8}};

    cudaMalloc(&out, sizeof(got));
    for (int round = 0; round < 3; round++) {
        live<<<1, 1>>>(out, 100);
        cudaMemcpy(got, out, sizeof(got), cudaMemcpyDeviceToHost);
        printf("%g %g %g %g %g\n", got[0], got[1], got[2], got[3], got[4]);
    }
    cudaMemcpyToSymbol(pair, both, sizeof(both));
    exchange<<<1, 1>>>();
    cudaMemcpyFromSymbol(both, pair, sizeof(both));
    printf("%g %g %g %g\n", both[0].a[0], both[0].a[3], both[1].a[0], both[1].a[3]);
    return 0;
}
