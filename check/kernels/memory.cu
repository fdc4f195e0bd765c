/* Atomics of all types, fences, cache hints, vector types, intrinsics, symbols, clocks, printf. */
#include "expect.h"
#include <cuda/atomic>

template <typename T> __global__ void add_all(T *sum)
{
    atomicAdd(sum, (T)(threadIdx.x + 1));
    atomicAdd(sum + 1, (T)1);
}

template <typename T> static void adds(const char *type)
{
    T *d = device_array<T>(2), *h;
    char text[100];

    add_all<T><<<100, 256>>>(d);
    h = on_host(d, 2);
    snprintf(text, sizeof(text), "atomicAdd of %s", type);
    expect(h[0] == (T)(100 * 256 * 257 / 2) && h[1] == (T)25600, text);
}

template <typename T> __global__ void others(T *a, int *wrong)
{
    T t = (T)threadIdx.x;

    atomicMin(a + 0, t);
    atomicMax(a + 1, t);
    atomicAnd(a + 2, (T) ~((T)1 << t % 16));
    atomicOr(a + 3, (T)1 << t % 16);
    atomicXor(a + 4, (T)1 << t % 16);
    for (T seen = a[5], old;; seen = old) { /* add 2, by hand */
        old = atomicCAS(a + 5, seen, seen + 2);
        if (old == seen)
            break;
    }
    if (atomicExch(a + 6, t + 1) == t + 1) /* nobody else brings this value */
        atomicAdd(wrong, 1);
}

template <typename T> static void other_atomics(const char *type)
{
    T *d = device_array<T>(7), start[7] = {(T)1000, 0, (T)-1, 0, 0, 0, 0}, *h;
    int *wrong = device_array<int>(1);
    char text[100];

    cudaMemcpy(d, start, sizeof(start), cudaMemcpyHostToDevice);
    others<T><<<1, 128>>>(d, wrong);
    h = on_host(d, 7);
    snprintf(text, sizeof(text), "atomicMin, Max, And, Or, Xor, CAS, Exch of %s", type);
    expect(h[0] == 0 && h[1] == 127 && h[2] == (T)(-1 & ~(T)0xffff) && h[3] == 0xffff &&
               h[4] == 0 && h[5] == 256 && h[6] > 0 && h[6] <= 128 && *on_host(wrong, 1) == 0,
           text);
}

__global__ void wrapping(unsigned *a, unsigned *seen)
{
    seen[threadIdx.x] = atomicInc(a, 9);
    atomicDec(a + 1, 4);
    atomicSub(a + 2, 3u);
    atomicSub((int *)a + 3, 3);
}

__global__ void shared_atomics(int *out, double *d)
{
    __shared__ int n;
    __shared__ float f;
    __shared__ double g;
    __shared__ unsigned long long u;

    if (threadIdx.x == 0)
        n = 0, f = 0, g = 0, u = 0;
    __syncthreads();
    atomicAdd(&n, 1);
    atomicAdd(&f, 0.5f);
    atomicAdd(&g, 0.25);
    atomicMax(&u, 1ull << 40 | threadIdx.x);
    __syncthreads();
    if (threadIdx.x == 0) {
        out[blockIdx.x] = n + (int)f + (int)g + (int)(u & 1023);
        atomicAdd(d, g);
    }
}

/* The last block sees what the others wrote: fences and a ticket. */
__device__ unsigned tickets;

__global__ void publish(int *data, int *sum)
{
    __shared__ bool last;

    if (threadIdx.x == 0) {
        data[blockIdx.x] = (int)blockIdx.x;
        __threadfence();
        last = atomicInc(&tickets, gridDim.x - 1) == gridDim.x - 1;
        __threadfence_block();
        __threadfence_system();
    }
    __syncthreads();
    if (last && threadIdx.x == 0)
        for (unsigned i = 0; i < gridDim.x; i++)
            *sum += data[i];
}

/* A flag between two resident blocks. */
__global__ void hand_over(volatile int *flag, int *data)
{
    if (blockIdx.x == 0) {
        while (*flag == 0)
            ;
        __threadfence();
        data[1] = data[0] + 1;
    } else {
        data[0] = 41;
        __threadfence();
        *flag = 1;
    }
}

__global__ void hand_over_atomic(unsigned *flag, int *data)
{
    cuda::atomic_ref<unsigned, cuda::thread_scope_device> f(*flag);

    if (blockIdx.x == 0) {
        while (f.load(cuda::memory_order_acquire) == 0)
            __nanosleep(100);
        data[1] = data[0] + 1;
    } else {
        data[0] = 41;
        f.store(1, cuda::memory_order_release);
    }
}

template <typename V> __global__ void hints(V *to, const V *from)
{
    unsigned t = threadIdx.x;
    V v;

    switch (t) {
    case 0:
        v = __ldg(from + t);
        __stwb(to + t, v);
        break;
    case 1:
        v = __ldca(from + t);
        __stcg(to + t, v);
        break;
    case 2:
        v = __ldcg(from + t);
        __stcs(to + t, v);
        break;
    case 3:
        v = __ldcs(from + t);
        __stwb(to + t, v);
        break;
    default:
        v = from[t];
        to[t] = v;
        break;
    }
}

template <typename V> static void hints_of(const char *type)
{
    unsigned char bytes[8 * sizeof(V)];
    V *a = device_array<V>(8), *b = device_array<V>(8);
    char text[100];

    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (unsigned char)(i * 7 + 1);
    cudaMemcpy(a, bytes, sizeof(bytes), cudaMemcpyHostToDevice);
    hints<V><<<1, 8>>>(b, a);
    snprintf(text, sizeof(text), "__ldg, __ldcs, __stcs, ... of %s", type);
    expect(memcmp(on_host(b, 8), bytes, sizeof(bytes)) == 0, text);
}

__constant__ int table[4];
__device__ float factor = 2.5f;

__global__ void symbols(float *out)
{
    out[threadIdx.x] = (float)table[threadIdx.x] * factor;
}

__global__ void intrinsics(unsigned *out)
{
    unsigned k = 0;

    out[k++] = __popc(0xf0f0u) == 8 && __popcll(~0ull) == 64;
    out[k++] = __clz(1) == 31 && __clz(0) == 32 && __clzll(1) == 63 && __clzll(0) == 64;
    out[k++] = __ffs(8) == 4 && __ffs(0) == 0 && __ffsll(1ll << 40) == 41;
    out[k++] = __brev(1) == 0x80000000u && __brev(0x12345678u) == 0x1e6a2c48u;
    out[k++] = __umulhi(0x80000000u, 6) == 3;
    out[k++] = __funnelshift_l(0x80000000u, 1, 1) == 3 && __funnelshift_r(0, 1, 4) == 0x10000000u;
    out[k++] = __float_as_int(1.0f) == 0x3f800000 && __int_as_float(0x40000000) == 2.0f &&
               __float_as_uint(-0.0f) == 0x80000000u && __uint_as_float(0x3f000000u) == 0.5f;
    out[k++] = min(3, 4) == 3 && max(3u, 4u) == 4u && min(1.0f, 2.0f) == 1 && max(1.0, 2.0) == 2;
    out[k++] = __fmaf_rn(2, 3, 4) == 10 && rsqrtf(4.0f) == 0.5f;
}

__global__ void clocks(long long *out)
{
    long long a = clock64();

    __nanosleep(1);
    out[0] = clock64() - a;
    out[1] = a;
}

__global__ void print()
{
    if (threadIdx.x % 2)
        printf("# block %u thread %u: %d %s %.2f\n", blockIdx.x, threadIdx.x, 42, "text", 1.5);
}

int main()
{
    int *d = device_array<int>(1024), *h, values[4] = {1, 2, 3, 4}, bad = 0, sum;
    unsigned *u = device_array<unsigned>(4), start[4] = {0, 2, 1000, 1000},
             *seen = device_array<unsigned>(32), *s;
    double *f = device_array<double>(1);
    float *out = device_array<float>(4), scale = 10, *g;
    long long *c = device_array<long long>(2), *clock;

    adds<int>("int");
    adds<unsigned>("unsigned");
    adds<unsigned long long>("unsigned long long");
    adds<float>("float");
    adds<double>("double");
    other_atomics<int>("int");
    other_atomics<unsigned>("unsigned");
    other_atomics<unsigned long long>("unsigned long long");
    cudaMemcpy(u, start, sizeof(start), cudaMemcpyHostToDevice);
    wrapping<<<1, 32>>>(u, seen);
    s = on_host(u, 4);
    expect(s[0] == 2 && s[1] == 0 && s[2] == 904 && s[3] == 904, "atomicInc, Dec and Sub");
    s = on_host(seen, 32);
    for (int i = 0; i < 32; i++)
        bad += s[i] > 9;
    expect_equal(bad, 0, "atomicInc never passes its bound");
    shared_atomics<<<50, 256>>>(d, f);
    h = on_host(d, 50);
    bad = 0;
    for (int i = 0; i < 50; i++)
        bad += h[i] != 256 + 128 + 64 + 255;
    expect(bad == 0 && *on_host(f, 1) == 50 * 64, "atomics on shared memory");
    for (int round = 0; round < 3; round++) {
        cudaMemset(d, 0, 4096);
        publish<<<200, 32>>>(d + 1, d);
        expect_equal(*on_host(d, 1), 19900, "the last block sees the others' data");
    }
    cudaMemset(d, 0, 16);
    hand_over<<<2, 1>>>(d, d + 1);
    expect_equal(on_host(d, 3)[2], 42, "a spinning block gives way to the one it waits for");
    cudaMemset(d, 0, 16);
    hand_over_atomic<<<2, 1>>>((unsigned *)d, d + 1);
    expect_equal(on_host(d, 3)[2], 42, "the same with cuda::atomic_ref and __nanosleep");
    hints_of<char>("char");
    hints_of<short>("short");
    hints_of<int>("int");
    hints_of<float>("float");
    hints_of<double>("double");
    hints_of<float2>("float2");
    hints_of<float4>("float4");
    hints_of<int4>("int4");
    hints_of<double2>("double2");
    hints_of<uchar4>("uchar4");
    cudaMemcpyToSymbol(table, values, sizeof(values));
    cudaMemcpyToSymbol(factor, &scale, sizeof(scale));
    symbols<<<1, 4>>>(out);
    g = on_host(out, 4);
    expect(g[0] == 10 && g[3] == 40, "__constant__ and __device__ variables, cudaMemcpyToSymbol");
    cudaMemcpyFromSymbol(&sum, table, sizeof(int), 2 * sizeof(int));
    expect_equal(sum, 3, "cudaMemcpyFromSymbol with an offset");
    intrinsics<<<1, 1>>>(u = device_array<unsigned>(9));
    s = on_host(u, 9);
    for (int i = 0; i < 9; i++) {
        static const char *const names[] = {
            "__popc",         "__clz",       "__ffs",
            "__brev",         "__umulhi",    "__funnelshift",
            "__float_as_int", "min and max", "__fmaf_rn and rsqrtf"};

        expect(s[i] == 1, names[i]);
    }
    clocks<<<1, 1>>>(c);
    clock = on_host(c, 2);
    expect(clock[0] >= 0, "clock64 does not go back");
    print<<<2, 4>>>();
    expect(sizeof(float4) == 16 && alignof(float4) == 16 && sizeof(float3) == 12 &&
               sizeof(int2) == 8 && alignof(int2) == 8 && sizeof(double2) == 16 &&
               sizeof(uchar4) == 4 && alignof(short4) == 8 && sizeof(longlong2) == 16,
           "sizes and alignments of vector types");
    expect_equal(launch_error(), 0, "no error is left");
    return expect_status();
}
