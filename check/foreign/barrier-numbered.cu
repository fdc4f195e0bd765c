// flags: --check
// error: --check: nothing found
// The barriers of a block by their numbers, by inline PTX and by their functions: two pairs of warps that meet apart
// from each other; a warp that fills a place and does not wait until it is full, and others that do; two groups in
// turn; all warps, of which the last one has 8 threads; and a number that the kernel computes.
#include <cstdio>
#include "parts/numbered.cuh"

__global__ void pairs(int *out)
{
    __shared__ int told[128];
    unsigned pair = threadIdx.x / 64, other = threadIdx.x ^ 32;

    for (int round = 0; round < 5; round++) {
        told[threadIdx.x] = round * 1000 + threadIdx.x;
        meet(1 + pair, 64);
        if (round == 4)
            out[threadIdx.x] = told[other];
        meet(1 + pair, 64);
    }
}

enum { PLACES = 2, ROUNDS = 7 };

__global__ void hand_over(int *out)
{
    __shared__ int place[PLACES][32];
    int sum = 0;

    for (int round = 0; round < ROUNDS; round++) {
        unsigned now = round % PLACES, full = 2 + now, empty = 4 + now;

        if (threadIdx.x < 32) {
            if (round >= PLACES)
                meet(empty, 96);
            place[now][threadIdx.x] = 10 * round + threadIdx.x;
            arrive(full, 96);
        } else {
            meet(full, 96);
            sum += place[now][threadIdx.x % 32];
            if (round + PLACES < ROUNDS)
                arrive(empty, 96);
        }
    }
    if (threadIdx.x >= 32)
        out[threadIdx.x - 32] = sum;
}

__global__ void in_turn(int *out)
{
    __shared__ int turns, order[8];
    unsigned group = threadIdx.x / 32;

    if (threadIdx.x == 0)
        turns = 0;
    asm volatile("barrier.sync 0;" ::: "memory");
    if (group == 1)
        arrive(8, 64); /* it is the turn of group 0 */
    for (int round = 0; round < 4; round++) {
        meet(8 + group, 64);
        if (threadIdx.x % 32 == 0)
            order[turns++] = group;
        __syncwarp(); /* all lanes arrive together */
        if (round < 3 || group == 0)
            arrive(8 + (1 - group), 64);
    }
    asm volatile("barrier.cta.sync.aligned 15;" ::: "memory");
    if (threadIdx.x < 8)
        out[threadIdx.x] = order[threadIdx.x];
}

__global__ void all_warps(int *out)
{
    __shared__ int value;

    if (threadIdx.x == 39)
        value = 7;
    __barrier_sync(3);
    if (threadIdx.x == 0)
        out[0] = value;
    __barrier_sync_count(3, 64);
    if (threadIdx.x == 39)
        value = 8;
    __barrier_sync(0);
    if (threadIdx.x == 0)
        out[1] = value;
}

static void show(const int *out, const char *name, int n, int step)
{
    cudaError_t error = cudaDeviceSynchronize();

    printf("%s:", name);
    for (int i = 0; i < n; i += step)
        printf(" %d", out[i]);
    printf(", %s\n", cudaGetErrorString(error));
}

int main()
{
    int *out;

    cudaMallocManaged(&out, 128 * sizeof(int));
    pairs<<<1, 128>>>(out);
    show(out, "pairs", 128, 31);
    hand_over<<<1, 96>>>(out);
    show(out, "hand over", 64, 21);
    in_turn<<<1, 64>>>(out);
    show(out, "in turn", 8, 1);
    all_warps<<<1, 40>>>(out);
    show(out, "all warps", 2, 1);
    return 0;
}
