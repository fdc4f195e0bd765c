// Shared memory in every form in which it is declared: scalars, arrays, structures, unions, several at
// once, aligned, in device functions, in templates, and the qualifier in any place.
#include <cstdio>

union word {
    float f;
    unsigned u;
};

struct alignas(16) particle {
    float x, y, z, mass;
};

template <typename T> __device__ T *slots()
{
    __shared__ T mine[32];

    return mine;
}

__global__ void forms(int *out)
{
    float __shared__ after_type[32];
    __shared__ volatile int flag;
    static __shared__ unsigned char bytes[3][4][5], *where;
    __shared__ __align__(64) char aligned[8];
    __shared__ alignas(32) double doubles[2];
    const int t = threadIdx.x;
    __shared__ union word bits;
    __shared__ particle particles[4], *chosen;
    __shared__ struct {
        int low, high;
    } range[2];

    after_type[t] = t + 0.5f;
    bytes[t % 3][t % 4][t % 5] = (unsigned char)t;
    slots<int>()[t] = -t;
    slots<long long>()[t] = 1ll << t;
    if (t == 5) {
        flag = 7;
        where = &bytes[2][3][1];
        bits.f = 1;
        chosen = particles + 3;
        chosen->mass = 9;
        range[1].high = 11;
        doubles[1] = 4;
        aligned[7] = 1;
    }
    __syncthreads();
    out[t] = (int)(2 * after_type[31 - t]) + flag + *where + (bits.u == 0x3f800000u) +
             (int)particles[3].mass + range[1].high + (int)doubles[1] + aligned[7] +
             slots<int>()[31 - t] + (int)(slots<long long>()[(t + 1) % 32] >> ((t + 1) % 32)) +
             ((size_t)aligned % 64 + (size_t)doubles % 32 + (size_t)particles % 16 ? 10000 : 0);
}

template <typename T, int N> __global__ void instance(T *out)
{
    __shared__ T tile[N][N + 1];
    const int x = threadIdx.x % N, y = threadIdx.x / N;

    tile[y][x] = (T)threadIdx.x / 2;
    __syncthreads();
    out[threadIdx.x] = tile[x][y] + (T)sizeof(tile);
}

template <typename T, int N> static void show()
{
    T *d, h[N * N];

    cudaMalloc(&d, sizeof(h));
    instance<T, N><<<1, N * N>>>(d);
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    cudaFree(d);
    printf("%g %g %g\n", (double)h[0], (double)h[1], (double)h[N * N - 1]);
}

int main()
{
    int *d, h[32];

    cudaMalloc(&d, sizeof(h));
    forms<<<1, 32>>>(d);
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; i += 31)
        printf("%d\n", h[i] - (63 - 2 * i) + (31 - i));
    show<float, 8>();
    show<short, 16>();
    return 0;
}
