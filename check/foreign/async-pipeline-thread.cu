// flags: --check
// cuda::pipeline of one thread, with as many stages on their way as there is room for.
#include <cooperative_groups.h>
#include <cuda/pipeline>
#include <stdio.h>

namespace cg = cooperative_groups;

template <int STAGES> __global__ void dot(float *out, const float *a, const float *b, int tiles)
{
    __shared__ float s[STAGES][2][64];
    cg::thread_block block = cg::this_thread_block();
    auto pipe = cuda::make_pipeline();
    int t = block.thread_rank();
    float sum = 0;

    for (int next = 0, i = 0; i < tiles; i++) {
        for (; next < tiles && next < i + STAGES; next++) {
            pipe.producer_acquire();
            cuda::memcpy_async(&s[next % STAGES][0][t], &a[next * 64 + t], sizeof(float), pipe);
            cuda::memcpy_async(&s[next % STAGES][1][t], &b[next * 64 + t], sizeof(float), pipe);
            pipe.producer_commit();
        }
        pipe.consumer_wait();
        block.sync();
        sum += s[i % STAGES][0][63 - t] * s[i % STAGES][1][63 - t];
        block.sync();
        pipe.consumer_release();
    }
    out[t] = sum;
}

int main()
{
    const int tiles = 9, n = tiles * 64;
    float a[n], b[n], r[64], *da, *db, *out;
    int bad = 0;

    for (int i = 0; i < n; i++) {
        a[i] = i % 13;
        b[i] = i % 7 - 3;
    }
    cudaMalloc(&da, sizeof(a));
    cudaMalloc(&db, sizeof(b));
    cudaMalloc(&out, sizeof(r));
    cudaMemcpy(da, a, sizeof(a), cudaMemcpyHostToDevice);
    cudaMemcpy(db, b, sizeof(b), cudaMemcpyHostToDevice);
    for (int stages = 2; stages <= 4; stages++) {
        if (stages == 2)
            dot<2><<<1, 64>>>(out, da, db, tiles);
        else if (stages == 3)
            dot<3><<<1, 64>>>(out, da, db, tiles);
        else
            dot<4><<<1, 64>>>(out, da, db, tiles);
        cudaMemcpy(r, out, sizeof(r), cudaMemcpyDeviceToHost);
        for (int t = 0; t < 64; t++) {
            float sum = 0;

            for (int i = 0; i < tiles; i++)
                sum += a[i * 64 + 63 - t] * b[i * 64 + 63 - t];
            bad += r[t] != sum;
        }
        printf("%d stages: %g, %d wrong\n", stages, r[5], bad);
    }
    return 0;
}
