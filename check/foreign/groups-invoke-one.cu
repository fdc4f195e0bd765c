// flags: --check
// One thread for all of a group; and reductions whose result goes to memory or into an atomic.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda/atomic>
#include <cstdio>

namespace cg = cooperative_groups;

struct results {
    cuda::atomic<int, cuda::thread_scope_device> total, most;
    int stored[4], calls, drawn;
};

__global__ void work(results *r, int *tickets)
{
    auto block = cg::this_thread_block();
    auto warp = cg::tiled_partition<32>(block);
    auto large = cg::tiled_partition<64>(block);
    int t = block.thread_rank();

    cg::invoke_one(warp, [&] { atomicAdd(&r->calls, 1); });
    int first = cg::invoke_one_broadcast(warp, [&](int n) { return atomicAdd(&r->drawn, n); }, 32);
    tickets[first + warp.thread_rank()] = t + 1;
    cg::reduce_update_async(warp, r->total, t, cg::plus<int>());
    cg::reduce_update_async(large, r->most, t * 7 % 100, cg::greater<int>());
    cg::reduce_store_async(warp, &r->stored[warp.meta_group_rank()], t, cg::plus<int>());
}

int main()
{
    results *r;
    int *tickets, missing = 0, seen[129] = {0};

    cudaMallocManaged(&r, sizeof(*r));
    cudaMallocManaged(&tickets, 128 * sizeof(int));
    cudaMemset(r, 0, sizeof(*r));
    work<<<1, 128>>>(r, tickets);
    cudaDeviceSynchronize();
    for (int i = 0; i < 128; i++)
        seen[tickets[i]]++;
    for (int i = 1; i <= 128; i++)
        missing += seen[i] != 1;
    printf("total %d, most %d, stored %d %d, calls %d, drawn %d, %d missing\n", r->total.load(),
           r->most.load(), r->stored[0], r->stored[3], r->calls, r->drawn, missing);
    return 0;
}
