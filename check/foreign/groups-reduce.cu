// flags: --check
// cg::reduce with each operator, with a lambda and with a structure; sums of floats to the bit.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>

namespace cg = cooperative_groups;

struct best {
    float value;
    int at;
};

__global__ void reduce(int *ints, float *floats, double *doubles, best *found, const float *x)
{
    cg::thread_block block = cg::this_thread_block();
    cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
    auto four = cg::tiled_partition<4>(block);
    int t = block.thread_rank(), v = t * 7 % 23 - 5, *o = ints + 8 * t;

    o[0] = cg::reduce(warp, v, cg::plus<int>());
    o[1] = cg::reduce(warp, v, cg::less<int>());
    o[2] = cg::reduce(four, v, cg::greater<int>{});
    o[3] = cg::reduce(four, v, cg::bit_and<int>());
    o[4] = cg::reduce(warp, (unsigned)v, cg::bit_or<unsigned>());
    o[5] = cg::reduce(warp, v, cg::bit_xor<int>());
    o[6] = cg::reduce(four, v, [](int a, int b) { return a * b % 1000; });
    o[7] = (int)cg::reduce(warp, (unsigned short)t, cg::plus<unsigned short>());
    floats[2 * t] = cg::reduce(warp, x[t], cg::plus<float>());
    floats[2 * t + 1] = cg::reduce(four, x[t], cg::greater<float>());
    doubles[t] = cg::reduce(warp, (double)x[t], cg::plus<double>());
    found[t] = cg::reduce(warp, best{x[t], t}, [](best a, best b) {
        return a.value > b.value || (a.value == b.value && a.at < b.at) ? a : b;
    });
}

template <typename T> static T tree(const T *v, int n) /* as a tile of n does it */
{
    T a[32];

    for (int i = 0; i < n; i++)
        a[i] = v[i];
    for (int by = n / 2; by; by /= 2)
        for (int i = 0; i < by; i++)
            a[i] = a[i] + a[i + by];
    return a[0];
}

int main()
{
    const int n = 64;
    int *ints, bad = 0;
    float *floats, *x;
    double *doubles;
    best *found;

    cudaMallocManaged(&ints, 8 * n * sizeof(int));
    cudaMallocManaged(&floats, 2 * n * sizeof(float));
    cudaMallocManaged(&x, n * sizeof(float));
    cudaMallocManaged(&doubles, n * sizeof(double));
    cudaMallocManaged(&found, n * sizeof(best));
    for (int i = 0; i < n; i++)
        x[i] = 1.0f / (1 + i * 37 % 64);
    reduce<<<1, n>>>(ints, floats, doubles, found, x);
    cudaDeviceSynchronize();
    for (int t = 0; t < n; t++) {
        int w = t / 32 * 32, q = t / 4 * 4, e[8] = {0, 99, -99, -1, 0, 0, 1, 0}, at = w;
        double dx[32], top = -1;

        for (int i = 0; i < 32; i++) {
            int v = (w + i) * 7 % 23 - 5;

            e[0] += v;
            e[1] = v < e[1] ? v : e[1];
            e[4] |= v;
            e[5] ^= v;
            e[7] += w + i;
            dx[i] = x[w + i];
            at = x[w + i] > x[at] ? w + i : at;
        }
        int p[4];
        for (int i = 0; i < 4; i++) {
            p[i] = (q + i) * 7 % 23 - 5;
            e[2] = p[i] > e[2] ? p[i] : e[2];
            e[3] &= p[i];
            top = x[q + i] > top ? x[q + i] : top;
        }
        e[6] = (p[0] * p[2] % 1000) * (p[1] * p[3] % 1000) % 1000;
        for (int k = 0; k < 8; k++)
            bad += ints[8 * t + k] != e[k];
        bad += floats[2 * t] != tree(x + w, 32) || floats[2 * t + 1] != (float)top;
        bad += doubles[t] != tree(dx, 32) || found[t].at != at || found[t].value != x[at];
    }
    printf("sum %d, least %d, xor %d, float sum %.9g, best at %d: %d wrong\n", ints[0], ints[1],
           ints[5], floats[0], found[0].at, bad);
    return 0;
}
