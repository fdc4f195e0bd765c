// A producer hands values to two consumers through places in shared memory, as the steps with bulk copies do: a barrier
// object says that a place is full, another one that it is empty again. A fault each: FAULT=1: a consumer does not say
// that a place is empty; 2: the consumers wait a phase early, and 3: the producer does; 4: nothing orders the objects'
// initialisation; 5: the producer does not wait; 6: a wait may come too late, after the next phase.
#include <cstdio>
#include <cuda_runtime.h>
#include "../foreign/parts/mbarrier.cuh"

#ifndef FAULT
#define FAULT 0
#endif

enum { PLACES = 2, ROUNDS = 5, CONSUMERS = 2 };

__global__ void hand_over(int *out)
{
    __shared__ uint64_t full[PLACES], empty[PLACES], other;
    __shared__ int place[PLACES];
    int sum = 0;

    if (threadIdx.x == 0) {
        barrier_init(&other, 1);
        for (int i = 0; i < PLACES; i++) {
            barrier_init(&full[i], 1);
            barrier_init(&empty[i], CONSUMERS);
        }
    }
    if (FAULT != 4)
        __syncthreads();
    if (FAULT == 6 && threadIdx.x == 0)
        barrier_wait(&other, 1);
    if (FAULT == 6 && threadIdx.x == 1)
        barrier_arrive(&other);
    for (int round = 0; round < ROUNDS; round++) {
        int now = round % PLACES, parity = round / PLACES % 2;

        if (threadIdx.x == 0) {
            if (FAULT != 5)
                barrier_wait(&empty[now], FAULT == 3 ? parity : !parity);
            place[now] = 10 + round;
            barrier_arrive(&full[now]);
        } else {
            barrier_wait(&full[now], FAULT == 2 ? !parity : parity);
            sum += place[now];
            if (FAULT != 1 || threadIdx.x != 1)
                barrier_arrive(&empty[now]);
        }
    }
    out[threadIdx.x] = sum;
}

int main()
{
    int *out, sums[1 + CONSUMERS];

    cudaMalloc(&out, sizeof(sums));
    hand_over<<<1, 1 + CONSUMERS>>>(out);
    if (cudaMemcpy(sums, out, sizeof(sums), cudaMemcpyDeviceToHost))
        return 1;
    printf("%d %d\n", sums[1], sums[2]);
    return sums[1] != 60 || sums[2] != 60;
}
