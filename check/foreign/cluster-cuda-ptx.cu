// flags: --check -arch=sm_90a
// error: --check: nothing found
// The same by cuda::ptx: a row of blocks hands on what it has added up, and one load is for two blocks.
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda/ptx>

namespace ptx = cuda::ptx;

static __device__ void cluster_sync()
{
    ptx::barrier_cluster_arrive(ptx::sem_release);
    ptx::barrier_cluster_wait(ptx::sem_acquire);
}

__global__ void __cluster_dims__(4) chain(const int *x, int *out)
{
    __shared__ int before;
    __shared__ alignas(16) int pair[2];
    __shared__ uint64_t full;
    cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    unsigned rank = ptx::get_sreg_cluster_ctarank(), blocks = ptx::get_sreg_cluster_nctarank();

    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full,
                                       rank ? sizeof(before) + sizeof(pair) : 0);
        before = 0;
    }
    cluster_sync();
    if (threadIdx.x == 0) {
        while (rank && !ptx::mbarrier_try_wait_parity(&full, 0))
            ;
        int sum = before + x[rank];

        out[rank] = sum;
        out[8 + rank] = rank ? pair[0] + pair[1] : 0;
        if (rank + 1 < blocks) {
            int *there = cluster.map_shared_rank(&before, rank + 1);
            uint64_t *its = cluster.map_shared_rank(&full, rank + 1);
            int two[2] = {sum, (int)rank};

            if (ptx::getctarank(ptx::space_cluster, there) != rank + 1)
                printf("another rank\n");
            ptx::st_async(there, sum, its);
            ptx::st_async(cluster.map_shared_rank(pair, rank + 1), two, its);
        }
    }
    cluster_sync();
}

__global__ void __cluster_dims__(2) both(const int *x, int *out)
{
    __shared__ alignas(128) int line[32], copy[32];
    __shared__ uint64_t full, sent;
    cooperative_groups::cluster_group cluster = cooperative_groups::this_cluster();
    unsigned rank = ptx::get_sreg_cluster_ctarank();

    if (threadIdx.x == 0) {
        ptx::mbarrier_init(&full, 1);
        ptx::mbarrier_init(&sent, 2);
        ptx::fence_mbarrier_init(ptx::sem_release, ptx::scope_cluster);
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &full, sizeof(line));
        ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &sent, sizeof(copy));
    }
    cluster_sync();
    if (threadIdx.x == 0 && rank == 0)
        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_global, line, x, sizeof(line), &full, (uint16_t)3);
    while (!ptx::mbarrier_try_wait_parity(&full, 0))
        ;
    if (threadIdx.x == 0) {
        uint64_t *its = cluster.map_shared_rank(&sent, rank ^ 1);

        ptx::cp_async_bulk(ptx::space_cluster, ptx::space_shared, cluster.map_shared_rank(copy, rank ^ 1), line,
                           sizeof(line), its);
        ptx::mbarrier_arrive(ptx::sem_release, ptx::scope_cluster, ptx::space_cluster, its);
    }
    while (!ptx::mbarrier_try_wait_parity(&sent, 0))
        ;
    out[rank * 32 + threadIdx.x] = line[threadIdx.x] + 1000 * copy[threadIdx.x];
    cluster_sync();
}

int main()
{
    int *x, *out, wrong = 0;

    cudaMallocManaged(&x, 32 * sizeof(int));
    cudaMallocManaged(&out, 64 * sizeof(int));
    for (int i = 0; i < 32; i++)
        x[i] = i + 1;
    chain<<<4, 32>>>(x, out);
    printf("%s: ", cudaGetErrorString(cudaDeviceSynchronize()));
    printf("%d %d %d %d, %d %d %d\n", out[0], out[1], out[2], out[3], out[9], out[10], out[11]);
    both<<<2, 32>>>(x, out);
    printf("%s: ", cudaGetErrorString(cudaDeviceSynchronize()));
    for (int i = 0; i < 64; i++)
        wrong += out[i] != 1001 * (i % 32 + 1);
    printf("%d wrong\n", wrong);
    return 0;
}
