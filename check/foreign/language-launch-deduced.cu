// Launches that leave template arguments to be found: all of them, the last ones, or by defaults.
#include <cstdio>

template <typename T> __global__ void fill(T *p, T value, int n);

template <typename T> __global__ void fill(T *p, T value, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        p[i] = value;
}

template <int FACTOR, typename T, typename S = T>
__global__ void scale(T *__restrict__ out, const S *__restrict__ in, int n)
{
    for (int i = threadIdx.x; i < n; i += blockDim.x)
        out[i] = (T)(FACTOR * in[i]);
}

template <typename T, size_t N> struct small {
    T at[N];
};

template <typename T, size_t N> __global__ void spread(small<T, N> from, T *to)
{
    to[threadIdx.x] = from.at[threadIdx.x % N];
}

template <typename F, typename... A> __global__ void apply(F f, int *out, A... more)
{
    out[threadIdx.x] = f(threadIdx.x, more...);
}

struct weighted {
    int weight;
    __device__ int operator()(int i, int a, int b) const { return weight * i + a - b; }
};

template <typename T> T first(const T *p)
{
    T value;

    cudaMemcpy(&value, p, sizeof(T), cudaMemcpyDeviceToHost);
    return value;
}

template <typename T> void twice(T *out, const T *in, int n)
{
    scale<2><<<1, 32>>>(out, in, n);
}

int main()
{
    const int n = 100;
    int *i, last[32];
    double *d;
    small<int, 2> pair = {{6, 7}};

    cudaMalloc(&i, n * sizeof(int));
    cudaMalloc(&d, n * sizeof(double));
    fill<<<4, 32>>>(i, 3, n);
    fill<<<4, 32>>>(d, 1.5, n);
    printf("deduced %d %g\n", first(i), first(d));
    scale<5><<<1, 64>>>(i, i, n);
    scale<3, double><<<1, 64>>>(d, d, n);
    scale<3, double, int><<<1, 64>>>(d + 1, i, n - 1);
    printf("partly %d %g %g\n", first(i), first(d), first(d + 1));
    twice(d, d, 2);
    printf("in a template %g %g\n", first(d), first(d + 1));
    spread<<<1, 32>>>(pair, i);
    printf("of a class %d %d\n", first(i), first(i + 1));
    apply<<<1, 32>>>(weighted{10}, i, 4, 1);
    cudaMemcpy(last, i, sizeof(last), cudaMemcpyDeviceToHost);
    printf("a pack %d %d\n", last[0], last[31]);
    return cudaDeviceSynchronize();
}
