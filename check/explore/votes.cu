// Two lanes wait for a flag and vote in each round whether both have seen it. -DPATIENT=0: one counts the rounds
// in memory, and after 3 they go on without it.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void pass(volatile int *flag, int *seen)
{
    __shared__ volatile int rounds;
    int now, over = 0;

    if (blockIdx.x == 0) {
        if (threadIdx.x == 0)
            *flag = 1;
        return;
    }
    if (threadIdx.x == 0)
        rounds = 0;
    do {
        now = *flag;
        if (!PATIENT && threadIdx.x == 0) {
            rounds = rounds + 1;
            over = rounds == 3;
        }
    } while (!__all_sync(3, now) && !__any_sync(3, over));
    seen[threadIdx.x] = now;
}

int main()
{
    int *x, seen[2];

    cudaMalloc((void **)&x, 256 + sizeof(seen));
    cudaMemset(x, 0, 256);
    pass<<<2, 2>>>(x, x + 64);
    cudaMemcpy(seen, x + 64, sizeof(seen), cudaMemcpyDeviceToHost);
    printf("seen %d %d\n", seen[0], seen[1]);
    return seen[0] + seen[1] != 2;
}
