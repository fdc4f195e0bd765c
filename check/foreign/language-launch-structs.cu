// Arguments that a constructor copies: a structure of vectors, one with a copy constructor of its
// own, and vectors, to a kernel and to a template. A kernel gets their bytes.
#include <cstdio>

struct table {
    float4 row[40];
};

struct offset {
    int value;
    offset(int v) : value(v) {}
    offset(const offset &o) : value(o.value) {}
};

__device__ float value_of(const table t, float2 scale)
{
    return t.row[threadIdx.x].x * scale.x + t.row[39 - threadIdx.x].w * scale.y;
}

__global__ void plain(const table t, float2 scale, float *out, offset o)
{
    out[threadIdx.x] = value_of(t, scale) + o.value;
}

template <typename T> __global__ void chosen(const table t, T scale, float *out, offset o)
{
    out[threadIdx.x] = value_of(t, scale) + o.value;
}

static void show(float *out)
{
    float y[40];

    cudaMemcpy(y, out, sizeof y, cudaMemcpyDeviceToHost);
    printf("%s: %g %g %g\n", cudaGetErrorString(cudaGetLastError()), y[0], y[1], y[39]);
}

int main()
{
    table t;
    float *out;

    for (int i = 0; i < 40; i++)
        t.row[i] = make_float4(i, 0, 0, 100 * i);
    cudaMalloc(&out, 40 * sizeof *out);
    plain<<<1, 40>>>(t, make_float2(2, 3), out, offset(7));
    show(out);
    chosen<<<1, 40>>>(t, make_float2(3, 2), out, offset(8));
    show(out);
}
