// flags: --check
// __activemask in branches, in a loop that threads leave one after the other, and behind both.
#include <stdio.h>

__global__ void masks(unsigned *out)
{
    unsigned t = threadIdx.x, *o = out + 4 * t;

    if (t % 4 == 1)
        o[0] = __activemask();
    else if (t < 16)
        o[0] = __activemask();
    else
        o[0] = 0;
    o[1] = __activemask();
    unsigned rounds = 0;
    for (unsigned i = 0; i < t % 8; i++)
        rounds += __popc(__activemask());
    o[2] = rounds;
    __syncthreads();
    if (t >= 40)
        return;
    unsigned mask = __activemask();
    o[3] = __ballot_sync(mask, t % 2) & mask;
}

int main()
{
    unsigned *d, h[64 * 4];

    cudaMalloc(&d, sizeof(h));
    cudaMemset(d, 0, sizeof(h));
    masks<<<1, 64>>>(d);
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    for (int t : {0, 1, 7, 15, 33, 63})
        printf("thread %d: 0x%08x 0x%08x %u 0x%08x\n", t, h[4 * t], h[4 * t + 1], h[4 * t + 2],
               h[4 * t + 3]);
    return 0;
}
