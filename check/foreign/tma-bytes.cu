// flags: --check --counters
// error: --check: nothing found
// error:   1 scale                           12         12288
// Copies in bulk of bytes that follow each other: into shared memory, where a barrier counts them, and back, in groups.
// Two stages: one is loaded while the other is worked on.
#include "parts/tma.cuh"

enum { PIECE = 256, PIECES = 6 };

__global__ void scale(float *out, const float *in)
{
    __shared__ __align__(16) float stage[2][PIECE];
    __shared__ uint64_t full[2];

    if (threadIdx.x == 0)
        for (int i = 0; i < 2; i++)
            barrier_init(&full[i], 1);
    __syncthreads();
    for (int i = 0; i <= PIECES; i++) {
        if (threadIdx.x == 0 && i < PIECES) {
            bulk_wait_read<1>(); // of two stages ago: the stage has been read
            barrier_expect(&full[i % 2], sizeof(stage[0]));
            bulk_load(stage[i % 2], in + i * PIECE, sizeof(stage[0]), &full[i % 2]);
        }
        if (i == 0)
            continue;
        int k = i - 1;
        barrier_wait(&full[k % 2], k / 2 & 1);
        for (int j = threadIdx.x; j < PIECE; j += blockDim.x)
            stage[k % 2][j] *= 2;
        proxy_fence();
        __syncthreads();
        if (threadIdx.x == 0) {
            bulk_store(out + k * PIECE, stage[k % 2], sizeof(stage[0]));
            bulk_commit();
        }
        if (threadIdx.x == 0)
            bulk_wait_read<0>();
        __syncthreads();
    }
}

int main()
{
    float *in, *out;
    int wrong = 0;

    cudaMallocManaged(&in, PIECE * PIECES * sizeof(*in));
    cudaMallocManaged(&out, PIECE * PIECES * sizeof(*out));
    for (int i = 0; i < PIECE * PIECES; i++) {
        in[i] = i;
        out[i] = -1;
    }
    scale<<<1, 64>>>(out, in);
    cudaDeviceSynchronize();
    for (int i = 0; i < PIECE * PIECES; i++)
        wrong += out[i] != 2 * i;
    printf("%d wrong, %s\n", wrong, cudaGetErrorString(cudaGetLastError()));
    return wrong != 0;
}
