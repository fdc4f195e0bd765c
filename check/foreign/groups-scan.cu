// flags: --check
// inclusive_scan and exclusive_scan, with operators, over tiles and over what is together; and the
// scans that draw room from an atomic.
#include <cooperative_groups.h>
#include <cooperative_groups/scan.h>
#include <cuda/atomic>
#include <cstdio>

namespace cg = cooperative_groups;

__global__ void scans(int *out, float *f, const int *x, int *end, int *compact)
{
    cg::thread_block block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    auto eight = cg::tiled_partition<8>(block);
    int t = block.thread_rank(), v = x[t], *o = out + 6 * t;

    o[0] = cg::inclusive_scan(warp, v);
    o[1] = cg::exclusive_scan(eight, v);
    o[2] = cg::inclusive_scan(eight, v, cg::greater<int>());
    o[3] = cg::exclusive_scan(warp, v, [](int a, int b) { return a > b ? a : b; });
    o[4] = o[5] = -1;
    f[t] = cg::inclusive_scan(warp, v * 0.1f, cg::plus<float>());
    if (v % 2) {
        auto g = cg::coalesced_threads();

        o[4] = cg::inclusive_scan(g, v, cg::plus<int>());
        o[5] = cg::exclusive_scan(g, 1);
    }
    cuda::atomic_ref<int, cuda::thread_scope_device> room(*end);
    int mine = v > 50, at = cg::exclusive_scan_update(warp, room, mine, cg::plus<int>());
    if (mine)
        compact[at] = v;
}

int main()
{
    const int n = 64;
    int *out, *x, *end, *compact, bad = 0, large = 0, sum = 0;
    float *f;

    cudaMallocManaged(&out, 6 * n * sizeof(int));
    cudaMallocManaged(&x, n * sizeof(int));
    cudaMallocManaged(&end, sizeof(int));
    cudaMallocManaged(&compact, n * sizeof(int));
    cudaMallocManaged(&f, n * sizeof(float));
    *end = 0;
    for (int i = 0; i < n; i++)
        x[i] = i * 29 % 101;
    scans<<<1, n>>>(out, f, x, end, compact);
    cudaDeviceSynchronize();
    for (int t = 0; t < n; t++) {
        int w = t / 32 * 32, e = t / 8 * 8, s[6] = {0, 0, 0, 0, 0, 0}, *o = out + 6 * t;

        for (int i = w; i <= t; i++) {
            s[0] += x[i];
            s[1] += i >= e && i < t ? x[i] : 0;
            s[2] = i >= e && x[i] > s[2] ? x[i] : s[2];
            s[3] = i < t && x[i] > s[3] ? x[i] : s[3];
            s[4] += x[i] % 2 ? x[i] : 0;
            s[5] += i < t && x[i] % 2;
        }
        for (int k = 0; k < 6; k++)
            bad += o[k] != (k < 4 || x[t] % 2 ? s[k] : -1);
        large += x[t] > 50;
        sum += x[t] > 50 ? x[t] : 0;
    }
    float a[32]; /* the order of a scan by rank */
    for (int i = 0; i < 32; i++)
        a[i] = x[i] * 0.1f;
    for (int by = 1; by < 32; by *= 2)
        for (int i = 31; i >= by; i--)
            a[i] = a[i] + a[i - by];
    for (int i = 0; i < 32; i++)
        bad += a[i] != f[i];
    for (int i = 0; i < *end; i++)
        sum -= compact[i];
    printf("%d %d %d %d, float %.9g, %d of %d kept, rest %d, %d wrong\n", out[6 * 33],
           out[6 * 33 + 1], out[6 * 34 + 2], out[6 * 35 + 3], f[31], *end, large, sum, bad);
    return 0;
}
