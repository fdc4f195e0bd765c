// flags: --check
// status: 1
// error: with no barrier between (early)
// error: which a product of a warpgroup may still read: no wait for its group comes before (short_wait)
// error: --check: 2 findings
// Two warpgroups multiply what a third one loads by copies in bulk, into two stages. Each says of a stage that it has
// read it: in `right` behind the wait for its product, in `early` one of them before it, and in `short_wait` behind a
// wait for all but the last product, which reads that stage.
#include <cstdio>
#include "parts/group.cuh"
#include "parts/tma.cuh"

enum { STAGES = 2, ROUNDS = 6, CONSUMERS = 2 };

struct stages {
    tiles t[STAGES];
    uint64_t full[STAGES], empty[STAGES];
};

__device__ void begin(stages &s)
{
    if (threadIdx.x == 0)
        for (int i = 0; i < STAGES; i++) {
            barrier_init(&s.full[i], 1);
            barrier_init(&s.empty[i], CONSUMERS);
        }
    __syncthreads();
}

// Whether the thread is one of the third warpgroup, which loads.
__device__ bool loads(stages &s, const tiles *from)
{
    if (threadIdx.x == CONSUMERS * 128)
        for (int i = 0; i < ROUNDS; i++) {
            barrier_wait(&s.empty[i % STAGES], i / STAGES % 2 ^ 1);
            barrier_expect(&s.full[i % STAGES], sizeof(tiles));
            bulk_load(&s.t[i % STAGES], from + i, sizeof(tiles), &s.full[i % STAGES]);
        }
    return threadIdx.x >= CONSUMERS * 128;
}

__device__ void release(stages &s, int i)
{
    if (threadIdx.x % 128 == 0)
        barrier_arrive(&s.empty[i % STAGES]);
}

__device__ void begin_product(float (&d)[4], stages &s, int i)
{
    barrier_wait(&s.full[i % STAGES], i / STAGES % 2);
    FENCE();
    multiply(d, s.t[i % STAGES].a, s.t[i % STAGES].b);
    COMMIT();
}

enum how { RIGHT, EARLY, SHORT_WAIT };

__device__ void consume(float *out, const tiles *from, how h)
{
    __shared__ __align__(128) stages s;
    float d[4] = {0, 0, 0, 0};

    begin(s);
    if (loads(s, from))
        return;
    for (int i = 0; i < ROUNDS; i++) {
        begin_product(d, s, i);
        if (h == EARLY && threadIdx.x / 128 == 1)
            release(s, i);
        if (h == EARLY) {
            WAIT(0);
        } else {
            WAIT(1);
        }
        if (h == SHORT_WAIT || (h == EARLY && threadIdx.x / 128 == 0))
            release(s, i);
        if (h == RIGHT && i > 0)
            release(s, i - 1);
    }
    WAIT(0);
    out[threadIdx.x] = d[0];
}

__global__ void right(float *out, const tiles *from)
{
    consume(out, from, RIGHT);
}

__global__ void early(float *out, const tiles *from)
{
    consume(out, from, EARLY);
}

__global__ void short_wait(float *out, const tiles *from)
{
    consume(out, from, SHORT_WAIT);
}

int main()
{
    float *out;
    tiles *from;

    cudaMallocManaged(&out, CONSUMERS * 128 * sizeof(*out));
    cudaMallocManaged(&from, ROUNDS * sizeof(*from));
    for (int i = 0; i < ROUNDS; i++) {
        for (int k = 0; k < 64 * 16; k++)
            from[i].a[k] = __float2bfloat16(1.0f);
        for (int k = 0; k < 16 * 8; k++)
            from[i].b[k] = __float2bfloat16(0.5f);
    }
    right<<<1, CONSUMERS * 128 + 128>>>(out, from);
    printf("%s", cudaGetErrorString(cudaDeviceSynchronize()));
    printf(", %g %g\n", out[0], out[255]);
    early<<<1, CONSUMERS * 128 + 128>>>(out, from);
    short_wait<<<1, CONSUMERS * 128 + 128>>>(out, from);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    return 0;
}
