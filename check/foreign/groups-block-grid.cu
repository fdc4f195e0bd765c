// flags: --check
// What a block and a grid of three dimensions say of themselves.
#include <cooperative_groups.h>
#include <cstdio>
#include <cstdlib>

namespace cg = cooperative_groups;

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t e = (call);                                                                    \
        if (e != cudaSuccess) {                                                                    \
            printf("%s: %s\n", #call, cudaGetErrorString(e));                                      \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

__device__ int rank_by_hand()
{
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

__global__ void ask(int *bad, int *sum)
{
    cg::thread_block block = cg::this_thread_block();
    cg::grid_group grid = cg::this_grid();
    __shared__ int seen;
    int wrong = 0;

    if (block.thread_rank() == 0)
        seen = 0;
    cg::sync(block);
    atomicAdd(&seen, 1);
    auto token = block.barrier_arrive();
    block.barrier_wait(std::move(token));
    wrong += seen != (int)block.size() || block.num_threads() != block.size();
    wrong += (int)block.thread_rank() != rank_by_hand();
    wrong += block.group_index().y != blockIdx.y || block.thread_index().z != threadIdx.z;
    wrong += block.group_dim().x != blockDim.x || block.dim_threads().y != blockDim.y;

    unsigned long long number = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    wrong += grid.block_rank() != number || grid.num_blocks() != 12;
    wrong += grid.thread_rank() != number * block.size() + block.thread_rank();
    wrong += grid.size() != 12 * 48 || grid.num_threads() != grid.size();
    wrong += grid.dim_blocks().z != 2 || grid.block_index().x != blockIdx.x;
    wrong += !grid.is_valid() || cg::group_size(block) != 48;
    atomicAdd(bad, wrong);
    atomicAdd(&sum[0], (int)grid.thread_rank());
    grid.sync();
    if (grid.thread_rank() == 0)
        sum[1] = sum[0]; /* all have added by now */
}

int main()
{
    int *d, h[3];
    dim3 blocks(3, 2, 2), threads(4, 6, 2);

    CHECK(cudaMalloc(&d, sizeof(h)));
    CHECK(cudaMemset(d, 0, sizeof(h)));
    int *bad = d, *sum = d + 1;
    void *arguments[] = {&bad, &sum};
    CHECK(cudaLaunchCooperativeKernel((void *)ask, blocks, threads, arguments, 0, 0));
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost));
    printf("%d wrong, sum %d, after the grid's barrier %d, by hand %d\n", h[0], h[1], h[2],
           575 * 576 / 2);
    CHECK(cudaFree(d));
    return 0;
}
