// The barriers of a block by their numbers, by inline PTX.
#pragma once

__device__ inline void meet(unsigned number, unsigned threads)
{
    asm volatile("bar.sync %0, %1;" ::"r"(number), "r"(threads) : "memory");
}

__device__ inline void arrive(unsigned number, unsigned threads)
{
    asm volatile("bar.arrive %0, %1;" ::"r"(number), "r"(threads) : "memory");
}
