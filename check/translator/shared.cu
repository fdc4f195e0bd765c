/* Shared memory in every way of declaring it. */
#include "expect.h"

template <typename A, typename B> struct pair
{
    A a;
    B b;
};

struct alignas(32) wide
{
    float v[8];
};

__global__ void dynamic_int(int *out)
{
    extern __shared__ int s[];

    s[threadIdx.x] = (int)threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}

__global__ void dynamic_aligned(int *out)
{
    extern __shared__ __align__(16) unsigned char bytes[];
    float4 *v = (float4 *)bytes;

    v[threadIdx.x] = make_float4(1, 2, 3, (float)threadIdx.x);
    __syncthreads();
    out[threadIdx.x] = (int)v[(threadIdx.x + 1) % blockDim.x].w + ((uintptr_t)bytes % 16 != 0) * 1000;
}

__global__ void dynamic_other_type(int *out)
{
    extern __shared__ double d[];

    d[threadIdx.x] = threadIdx.x + 0.5;
    __syncthreads();
    out[threadIdx.x] = (int)(2 * d[blockDim.x - 1 - threadIdx.x]);
}

__global__ void dynamic_volatile(int *out)
{
    extern volatile __shared__ int v[];

    v[threadIdx.x] = (int)threadIdx.x + 1;
    __syncthreads();
    out[threadIdx.x] = v[threadIdx.x ^ 1];
}

__global__ void scalar(int *out)
{
    __shared__ int x;
    __shared__ bool flag;

    if (threadIdx.x == 3) {
        x = 42;
        flag = true;
    }
    __syncthreads();
    out[threadIdx.x] = x + flag;
}

__global__ void dimensions(int *out)
{
    __shared__ int tile[4][8 + 1];
    __shared__ short deep[2][3][4];

    tile[threadIdx.x / 8][threadIdx.x % 8] = (int)threadIdx.x;
    if (threadIdx.x < 24)
        deep[threadIdx.x / 12][threadIdx.x / 4 % 3][threadIdx.x % 4] = (short)threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = tile[threadIdx.x % 4][threadIdx.x / 4] * 100 +
                       (&deep[0][0][0])[threadIdx.x % 24];
}

__global__ void several(int *out)
{
    __shared__ int a[32], b,
        c[2][16];
    int line = __LINE__; /* 82 */

    a[threadIdx.x] = 1;
    if (threadIdx.x == 0)
        b = 100;
    c[threadIdx.x / 16][threadIdx.x % 16] = 10;
    __syncthreads();
    out[threadIdx.x] = a[31 - threadIdx.x] + b + c[1][15] + (line != 82) * 1000;
}

template <typename T, int N> __global__ void templated(int *out)
{
    __shared__ T s[N];
    __shared__ pair<T, char> p[2];

    if (threadIdx.x < N)
        s[threadIdx.x] = (T)(threadIdx.x * 2);
    if (threadIdx.x < 2)
        p[threadIdx.x].a = (T)sizeof(p[0]);
    __syncthreads();
    out[threadIdx.x] = (int)s[N - 1] + (int)p[1].a;
}

__global__ void structures(int *out)
{
    __shared__ struct {
        int a, b;
    } s;
    __shared__ union {
        float f;
        unsigned u;
    } v;
    __shared__ wide w[2];
    __shared__ __align__(64) char c[3];

    if (threadIdx.x == 0) {
        s.a = 1, s.b = 2;
        v.f = 1;
        w[1].v[7] = 5;
        c[2] = 1;
    }
    __syncthreads();
    out[threadIdx.x] = s.a + s.b + (v.u == 0x3f800000) + (int)w[1].v[7] + c[2] +
                       ((uintptr_t)w % 32 != 0) * 1000 + ((uintptr_t)c % 64 != 0) * 1000;
}

static __device__ int *helper()
{
    __shared__ int in_helper[32];

    in_helper[threadIdx.x] = (int)threadIdx.x;
    return in_helper;
}

__global__ void in_a_function(int *out)
{
    __shared__ int s[32];
    int *h = helper();

    s[threadIdx.x] = -1;
    __syncthreads();
    out[threadIdx.x] = h[31 - threadIdx.x];
}

__global__ void in_a_scope(int *out)
{
    int sum = 0;

    for (int i = 0; i < 3; i++) {
        __shared__ int s[32];

        s[threadIdx.x] = i;
        __syncthreads();
        sum += s[31 - threadIdx.x];
        __syncthreads();
    }
    out[threadIdx.x] = sum;
}

__global__ void both(int *out)
{
    extern __shared__ int dynamic[];
    __shared__ int fixed[32];
    static __shared__ volatile int last;

    dynamic[threadIdx.x] = 1;
    fixed[threadIdx.x] = 2;
    last = 4;
    __syncthreads();
    out[threadIdx.x] = dynamic[31 - threadIdx.x] + fixed[31 - threadIdx.x] + last;
}

__global__ void own_memory(int *out) /* each block has its own */
{
    __shared__ int s;

    if (threadIdx.x == 0)
        s = (int)blockIdx.x;
    __syncthreads();
    atomicAdd(&out[blockIdx.x], s);
}

__global__ void unrolled(int *out)
{
    int sum = 0;

#pragma unroll
    for (int i = 0; i < 4; i++)
        sum += i;
#pragma unroll 2
    for (int i = 0; i < 4; i++)
        sum += i;
    #pragma unroll 1
    for (int i = 0; i < 4; i++)
        sum += i;
    out[threadIdx.x] = sum;
}

static int *out;

static int *results()
{
    static int host[32];

    if (launch_error())
        printf("# error %s\n", cudaGetErrorString(cudaGetLastError()));
    cudaMemcpy(host, out, sizeof(host), cudaMemcpyDeviceToHost);
    cudaMemset(out, 0xff, sizeof(host));
    return host;
}

#define EACH(text, formula)                                                                        \
    do {                                                                                           \
        int *found = results(), bad = 0;                                                           \
        for (int i = 0; i < 32; i++)                                                               \
            bad += found[i] != (formula);                                                          \
        expect_equal(bad, 0, text);                                                                \
    } while (0)

int main()
{
    out = device_array<int>(32);
    dynamic_int<<<1, 32, 128>>>(out);
    EACH("extern __shared__", 31 - i);
    dynamic_aligned<<<1, 32, 512>>>(out);
    EACH("extern __shared__ with an alignment", (i + 1) % 32);
    dynamic_other_type<<<1, 32, 256>>>(out);
    EACH("extern __shared__ of another type in another kernel", 2 * (31 - i) + 1);
    dynamic_volatile<<<1, 32, 128>>>(out);
    EACH("extern volatile __shared__", (i ^ 1) + 1);
    scalar<<<1, 32>>>(out);
    EACH("scalars", 43);
    dimensions<<<1, 32>>>(out);
    EACH("several dimensions", (i % 4 * 8 + i / 4) * 100 + i % 24);
    several<<<1, 32>>>(out);
    EACH("several declarators, over two lines", 111);
    templated<float, 20><<<1, 32>>>(out);
    EACH("in a template", 38 + 8);
    templated<short, 7><<<1, 32>>>(out);
    EACH("in another instance of it", 12 + 4);
    structures<<<1, 32>>>(out);
    EACH("structures, unions and alignments", 10);
    in_a_function<<<1, 32>>>(out);
    EACH("in a __device__ function", 31 - i);
    in_a_scope<<<1, 32>>>(out);
    EACH("in the scope of a loop", 3);
    both<<<1, 32, 128>>>(out);
    EACH("static and dynamic together", 7);
    cudaMemset(out, 0, 128);
    own_memory<<<32, 8>>>(out);
    EACH("each block has its own", 8 * i);
    unrolled<<<1, 32>>>(out);
    EACH("#pragma unroll, with a count and without", 18);
    return expect_status();
}
