// Static variables of vector and half types, and std::atomic, in host code beside kernels.
#include <atomic>
#include <cstdio>
#include <cuda_fp16.h>
#include <vector>

__global__ void twice(float4 *v, half *h)
{
    int i = threadIdx.x;
    float4 e = v[i];

    v[i] = make_float4(2 * e.x, 2 * e.y, 2 * e.z, 2 * e.w);
    h[i] = h[i] + h[i];
}

static float4 *table()
{
    static float4 values[32];
    static std::vector<int> filled;

    for (int i = (int)filled.size(); i < 32; i++) {
        values[i] = make_float4(i, i + 1, i + 2, i + 3);
        filled.push_back(i);
    }
    return values;
}

int main()
{
    static half halves[32];
    static std::atomic<int> count{0};
    float4 *v;
    half *h;

    for (int i = 0; i < 32; i++)
        halves[i] = __int2half_rn(i);
    cudaMalloc(&v, 32 * sizeof(float4));
    cudaMalloc(&h, sizeof(halves));
    cudaMemcpy(v, table(), 32 * sizeof(float4), cudaMemcpyHostToDevice);
    cudaMemcpy(h, halves, sizeof(halves), cudaMemcpyHostToDevice);
    twice<<<1, 32>>>(v, h);
    cudaMemcpy(table(), v, 32 * sizeof(float4), cudaMemcpyDeviceToHost);
    cudaMemcpy(halves, h, sizeof(halves), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 32; i++)
        count += table()[i].w == 2 * (i + 3) && (float)halves[i] == 2 * i;
    int seen = 32;
    bool swapped = count.compare_exchange_strong(seen, -1);
    printf("%d of 32, %s\n", seen, swapped ? "swapped" : "not swapped");
    return 0;
}
