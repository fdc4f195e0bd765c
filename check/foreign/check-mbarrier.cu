// flags: --check
// status: 1
// error: read of 8 bytes that no thread of the block wrote, at b in shared memory (early
// error: one thread reads what another writes, value in shared memory, with no barrier between (wrong_parity
// error: one thread reads what another writes, value in shared memory, with no barrier between (no_wait
// error: two threads write value in shared memory, with no barrier between (no_release
// error: what another writes, value[1] of 2 elements in shared memory, with no barrier between (half_there
// error: one thread reads what another writes, value in shared memory, with no barrier between (second_hand
// mbarrier by inline PTX, used wrongly: before it is initialised, with the parity of a phase that has long ended, not
// at all, before what it tells of, and again with the wrong parity, when half have arrived; and by one that
// arrives behind another and tells a third: who arrives does not learn. `right` is right.
#include <cstdio>
#include "parts/mbarrier.cuh"

__device__ void begin(uint64_t *b, unsigned count)
{
    if (threadIdx.x == 0)
        barrier_init(b, count);
    __syncthreads();
}

__global__ void early(int *out)
{
    __shared__ uint64_t b;

    if (threadIdx.x == 1)
        barrier_init(&b, 1);
    if (threadIdx.x == 0)
        out[0] = barrier_test(&b, 1);
}

__global__ void right(int *out)
{
    __shared__ uint64_t full, empty;
    __shared__ int value;

    begin(&full, 1);
    begin(&empty, 1);
    for (int i = 0; i < 3; i++) {
        if (threadIdx.x == 32) {
            barrier_wait(&empty, ~i & 1);
            value = i;
            barrier_arrive(&full);
        } else if (threadIdx.x == 0) {
            barrier_wait(&full, i & 1);
            out[i] = value;
            barrier_arrive(&empty);
        }
    }
}

__global__ void wrong_parity(int *out)
{
    __shared__ uint64_t b;
    __shared__ int value;

    begin(&b, 1);
    if (threadIdx.x == 32) {
        value = 1;
        barrier_arrive(&b);
    } else if (threadIdx.x == 0) {
        barrier_wait(&b, 1);
        out[0] = value;
    }
}

__global__ void no_wait(int *out)
{
    __shared__ uint64_t b;
    __shared__ int value;

    begin(&b, 1);
    if (threadIdx.x == 32) {
        value = 1;
        barrier_arrive(&b);
    } else if (threadIdx.x == 0) {
        out[0] = value;
    }
}

__global__ void no_release(int *out)
{
    __shared__ uint64_t b;
    __shared__ int value;

    begin(&b, 1);
    if (threadIdx.x == 32) {
        barrier_arrive(&b);
        value = 1;
    } else if (threadIdx.x == 0) {
        barrier_wait(&b, 0);
        value = 2;
        out[0] = 2;
    }
}

__global__ void half_there(int *out)
{
    __shared__ uint64_t b;
    __shared__ int value[2];

    begin(&b, 64);
    if (threadIdx.x == 0)
        value[1] = 1;
    __syncwarp();
    if (threadIdx.x >= 32) {
        barrier_wait(&b, 1);
        out[threadIdx.x - 32] = value[1];
    }
    barrier_arrive(&b);
}

__global__ void second_hand(int *out)
{
    __shared__ uint64_t both, last;
    __shared__ int value;

    begin(&both, 2);
    begin(&last, 1);
    if (threadIdx.x == 0) {
        out[0] = value = 1;
        barrier_arrive(&both);
    }
    if (threadIdx.x == 32) {
        __nanosleep(1000);
        barrier_arrive(&both);
        barrier_arrive(&last);
    }
    if (threadIdx.x == 33) {
        barrier_wait(&last, 0);
        out[1] = value;
    }
}

int main()
{
    int *out;

    cudaMallocManaged(&out, 32 * sizeof(*out));
    right<<<1, 64>>>(out);
    cudaDeviceSynchronize();
    printf("%d %d %d\n", out[0], out[1], out[2]);
    wrong_parity<<<1, 64>>>(out);
    no_wait<<<1, 64>>>(out);
    no_release<<<1, 64>>>(out);
    half_there<<<1, 64>>>(out);
    second_hand<<<1, 64>>>(out);
    early<<<1, 64>>>(out);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
