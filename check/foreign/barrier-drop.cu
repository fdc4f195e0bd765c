// flags: --check
// arrive_and_drop, a function that runs when a phase ends, and a barrier of all blocks in global memory.
#include <cuda/barrier>
#include <cuda/std/utility>
#include <stdio.h>

struct count_phases {
    int *phases;

    __device__ void operator()() { ++*phases; }
};

__global__ void leaving(int *out)
{
    using barrier = cuda::barrier<cuda::thread_scope_block, count_phases>;
    __shared__ alignas(barrier) char room[sizeof(barrier)];
    __shared__ int phases, alive;
    barrier *bar = (barrier *)room;
    int t = threadIdx.x;

    if (t == 0) {
        phases = 0;
        alive = 64;
        init(bar, 64, count_phases{&phases});
    }
    __syncthreads();
    for (int i = 0; i < 4; i++) {
        if (t >= 64 >> i) { /* half of those that are left go */
            atomicSub(&alive, 1);
            bar->arrive_and_drop();
            return;
        }
        bar->arrive_and_wait();
        if (t == 0)
            out[i] = alive * 100 + phases;
        bar->arrive_and_wait();
    }
}

__global__ void all_blocks(cuda::barrier<cuda::thread_scope_device> *bar, int *x, int *out)
{
    x[blockIdx.x] = blockIdx.x + 1;
    bar->arrive_and_wait();
    out[blockIdx.x] = x[(blockIdx.x + 1) % gridDim.x];
}

__global__ void prepare(cuda::barrier<cuda::thread_scope_device> *bar, int n)
{
    init(bar, n);
}

int main()
{
    cuda::barrier<cuda::thread_scope_device> *bar;
    int *d, *x, h[8];

    cudaMalloc(&d, sizeof(h));
    cudaMalloc(&x, sizeof(h));
    cudaMalloc((void **)&bar, sizeof(*bar));
    leaving<<<1, 64>>>(d);
    cudaMemcpy(h, d, sizeof(h) / 2, cudaMemcpyDeviceToHost);
    printf("%d %d %d %d\n", h[0], h[1], h[2], h[3]);
    prepare<<<1, 1>>>(bar, 8);
    all_blocks<<<8, 1>>>(bar, x, d);
    cudaMemcpy(h, d, sizeof(h), cudaMemcpyDeviceToHost);
    printf("%d %d %d, %s\n", h[0], h[6], h[7], cudaGetErrorString(cudaGetLastError()));
    return 0;
}
