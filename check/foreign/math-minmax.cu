// min and max of mixed types, as CUDA overloads them.
#include <algorithm>
#include <cstdio>

template <typename T> __device__ T clamp_to(T v, T low, T high)
{
    return min(max(v, low), high);
}

__global__ void mixed(double *out, int i, unsigned u, long l, unsigned long long ull, float f,
                      double d)
{
    out[0] = min(i, u);  // of an unsigned: -5 is large
    out[1] = max(i, u);
    out[2] = min(l, 7l);
    out[3] = (double)max(ull, 3ll);
    out[4] = min(f, d);
    out[5] = max(d, f);
    out[6] = min(f, 1.5f) + fmaxf(f, 2);
    out[7] = clamp_to(i, -3, 3);
    out[8] = clamp_to(f, 0.0f, 1.0f);
    out[9] = umin(u, 9) + umax(u, 9) + llmin(-4, l) + llmax(-4, l);
    out[10] = abs(i) + abs(-1.5f) + abs(-2.5) + llabs(-3ll) + labs(l);
    out[11] = max(NAN, 4.0f);
    out[12] = isnan(sqrtf((float)i)) + 2 * isinf(1 / 0.0f) + 4 * (signbit(-0.0f) != 0);
    out[13] = pow(2.0f, 3) + exp(0.0f) + fmod(7.5f, 2.0f) + ceil(0.5f);
    out[14] = blockIdx.x + max(threadIdx.x, 3) + min(blockDim.x, 64);
}

int main()
{
    double *d, h[15];

    cudaMalloc(&d, sizeof(h));
    mixed<<<1, 1>>>(d, -5, 11, 100000000000, 1ull << 40, 2.5f, 1.25);
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    for (double v : h)
        printf("%.17g\n", v);
    printf("%d on the host\n", std::min(3, 4) + max(1, 2) + min(7u, 9u));
    return 0;
}
