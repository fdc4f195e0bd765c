// flags: --check
// cuda::pipeline of a block: all threads produce and consume, or one warp produces for the others.
#include <cooperative_groups.h>
#include <cuda/pipeline>
#include <stdio.h>

namespace cg = cooperative_groups;
constexpr int STAGES = 3, TILE = 96;

__global__ void together(int *out, const int *x, int tiles)
{
    __shared__ alignas(16) int s[STAGES][TILE];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    auto block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline(block, &state);
    int t = block.thread_rank(), sum = 0;

    for (int i = 0, next = 0; i < tiles; i++) {
        for (; next < tiles && next < i + STAGES; next++) {
            pipe.producer_acquire();
            cuda::memcpy_async(block, s[next % STAGES], x + next * TILE,
                               cuda::aligned_size_t<16>(TILE * sizeof(int)), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        sum += s[i % STAGES][(t * 5 + 1) % TILE];
        pipe.consumer_release();
    }
    out[t] = sum;
}

__global__ void in_roles(int *out, const int *x, int tiles)
{
    __shared__ int s[STAGES][TILE];
    __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, STAGES> state;
    auto block = cg::this_thread_block();
    int t = block.thread_rank(), sum = 0;
    auto role = t < 32 ? cuda::pipeline_role::producer : cuda::pipeline_role::consumer;
    auto pipe = cuda::make_pipeline(block, &state, role);

    if (role == cuda::pipeline_role::producer) {
        for (int i = 0; i < tiles; i++) {
            pipe.producer_acquire();
            for (int k = t; k < TILE; k += 32)
                cuda::memcpy_async(&s[i % STAGES][k], &x[i * TILE + k], sizeof(int), pipe);
            pipe.producer_commit();
        }
    } else {
        for (int i = 0; i < tiles; i++) {
            pipe.consumer_wait();
            sum += s[i % STAGES][(t * 5 + 1) % TILE];
            pipe.consumer_release();
        }
        out[t] = sum;
    }
}

int main()
{
    const int tiles = 11, n = tiles * TILE;
    int h[n], r[128], *x, *out;

    for (int i = 0; i < n; i++)
        h[i] = i * 7 % 1000;
    cudaMalloc(&x, sizeof(h));
    cudaMalloc(&out, sizeof(r));
    cudaMemcpy(x, h, sizeof(h), cudaMemcpyHostToDevice);
    for (int roles = 0; roles < 2; roles++) {
        int bad = 0;

        if (roles)
            in_roles<<<1, 128>>>(out, x, tiles);
        else
            together<<<1, 128>>>(out, x, tiles);
        cudaMemcpy(r, out, sizeof(r), cudaMemcpyDeviceToHost);
        for (int t = roles ? 32 : 0; t < 128; t++) {
            int sum = 0;

            for (int i = 0; i < tiles; i++)
                sum += h[i * TILE + (t * 5 + 1) % TILE];
            bad += r[t] != sum;
        }
        printf("%s: %d, %d wrong, %s\n", roles ? "in roles" : "together", r[40], bad,
               cudaGetErrorString(cudaGetLastError()));
    }
    return 0;
}
