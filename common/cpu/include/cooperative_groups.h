/* Cooperative groups for the CPU device: the grid, the block, and tiles of a block. */
#ifndef COOPERATIVE_GROUPS_H
#define COOPERATIVE_GROUPS_H

#include <cuda_runtime.h>

namespace cooperative_groups
{
struct grid_group {
    CPU_INLINE void sync() const { cpu_grid_barrier(); }
    CPU_INLINE bool is_valid() const { return cpu_grid_valid(); }
    CPU_INLINE unsigned long long size() const
    {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z * blockDim.x * blockDim.y *
               blockDim.z;
    }
    CPU_INLINE unsigned long long thread_rank() const
    {
        unsigned long long block =
            ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;

        return block * (blockDim.x * blockDim.y * blockDim.z) +
               (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    }
};

struct thread_block {
    CPU_INLINE void sync(unsigned line = __builtin_LINE()) const
    {
        cpu_at_line(line);
        cpu_barrier();
    }
    CPU_INLINE unsigned size() const { return blockDim.x * blockDim.y * blockDim.z; }
    CPU_INLINE unsigned num_threads() const { return size(); }
    CPU_INLINE unsigned thread_rank() const
    {
        return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    }
};

template <unsigned SIZE> struct thread_block_tile {
    static_assert(SIZE && SIZE <= 32 && !(SIZE & (SIZE - 1)), "a tile is 1 to 32 lanes");
    unsigned rank, mask;

    CPU_INLINE void sync() const { cpu_syncwarp(mask); }
    CPU_INLINE unsigned size() const { return SIZE; }
    CPU_INLINE unsigned num_threads() const { return SIZE; }
    CPU_INLINE unsigned thread_rank() const { return rank % SIZE; }
    CPU_INLINE unsigned meta_group_rank() const { return rank / SIZE; }
    template <typename T> CPU_INLINE T shfl(T v, int lane) const
    {
        return __shfl_sync(mask, v, lane, SIZE);
    }
    template <typename T> CPU_INLINE T shfl_down(T v, unsigned delta) const
    {
        return __shfl_down_sync(mask, v, delta, SIZE);
    }
    template <typename T> CPU_INLINE T shfl_up(T v, unsigned delta) const
    {
        return __shfl_up_sync(mask, v, delta, SIZE);
    }
    template <typename T> CPU_INLINE T shfl_xor(T v, int lanes) const
    {
        return __shfl_xor_sync(mask, v, lanes, SIZE);
    }
    CPU_INLINE int any(int p) const { return __any_sync(mask, p); }
    CPU_INLINE int all(int p) const { return __all_sync(mask, p); }
};

static CPU_INLINE grid_group this_grid() { return grid_group(); }
static CPU_INLINE thread_block this_thread_block() { return thread_block(); }
template <unsigned SIZE>
static CPU_INLINE thread_block_tile<SIZE> tiled_partition(const thread_block &block)
{
    unsigned rank = block.thread_rank(), first = rank % 32 / SIZE * SIZE;
    unsigned ones = SIZE == 32 ? ~0u : (1u << SIZE % 32) - 1;

    return thread_block_tile<SIZE>{rank, ones << first};
}
template <typename G> static CPU_INLINE void sync(const G &group) { group.sync(); }
}

#endif
