// flags: --check
// The threads that took a branch together: who they are, and one atomic for all of them.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cstdio>

namespace cg = cooperative_groups;

__device__ int add_one(int *counter)
{
    cg::coalesced_group g = cg::coalesced_threads();
    int before;

    if (g.thread_rank() == 0)
        before = atomicAdd(counter, g.size());
    return g.shfl(before, 0) + g.thread_rank();
}

__global__ void branches(int *out, int *counter, int *kept)
{
    int t = threadIdx.x, *o = out + 8 * t;

    for (int i = 0; i < 8; i++)
        o[i] = 0;
    if (t % 3 == 0) {
        cg::coalesced_group g = cg::coalesced_threads();

        o[0] = g.size() * 100 + g.thread_rank();
        o[1] = cg::reduce(g, t, cg::plus<int>());
        o[2] = g.shfl_down(t, 1);
        o[3] = g.shfl_up(t, 2);
        o[4] = g.ballot(t % 2);
        o[5] = g.any(t == 33) * 2 + g.all(t % 3 == 0);
        auto pair = cg::tiled_partition(g, 4);
        o[6] = pair.size() * 100 + pair.meta_group_rank() * 10 + pair.meta_group_size();
        o[7] = pair.shfl(t, pair.size() > 1);
    } else {
        cg::coalesced_group g = cg::coalesced_threads();

        o[0] = g.size() * 100 + g.thread_rank();
    }
    if (t % 5 < 2)
        kept[add_one(counter)] = t;
}

int main()
{
    int *out, *counter, *kept, sum = 0, bad = 0;

    cudaMallocManaged(&out, 64 * 8 * sizeof(int));
    cudaMallocManaged(&counter, sizeof(int));
    cudaMallocManaged(&kept, 64 * sizeof(int));
    *counter = 0;
    branches<<<1, 64>>>(out, counter, kept);
    cudaDeviceSynchronize();
    for (int i = 0; i < *counter; i++)
        sum += kept[i];
    for (int t = 0; t < 64; t++) {
        int w = t / 32 * 32, rank = 0, size = 0, total = 0, third = t % 3 == 0;

        for (int i = w; i < w + 32; i++)
            if ((i % 3 == 0) == third) {
                rank += i < t;
                size++;
                total += i;
            }
        bad += out[8 * t] != size * 100 + rank || (third && out[8 * t + 1] != total);
    }
    for (int t = 0; t < 12; t += 3) {
        const int *o = out + 8 * t;

        printf("thread %d: %d %d %d %d 0x%x %d %d %d\n", t, o[0], o[1], o[2], o[3], o[4], o[5],
               o[6], o[7]);
    }
    printf("%d kept, their sum %d, %d wrong\n", *counter, sum, bad);
    return 0;
}
