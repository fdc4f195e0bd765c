// flags: --check
// error: --check: nothing found
// mbarrier by inline PTX: a ring of stages that one warp fills and the others empty, with waits by parity; states,
// counts and the other forms of its instructions; a branch and labels in asm; elect.sync.
#include <cstdio>
#include "parts/mbarrier.cuh"

enum { STAGES = 3, ROUNDS = 10, READERS = 96 };

__global__ void ring(int *out)
{
    __shared__ int stage[STAGES][32];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    int now = 0, sum = 0;
    unsigned phase = 0;

    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            barrier_init(&full[i], 32);
            barrier_init(&empty[i], READERS);
        }
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    __syncthreads();
    for (int round = 0; round < ROUNDS; round++) {
        if (threadIdx.x < 32) {
            barrier_wait(&empty[now], phase ^ 1);
            stage[now][threadIdx.x] = round * 100 + threadIdx.x;
            barrier_arrive(&full[now]);
        } else {
            barrier_wait(&full[now], phase);
            sum += stage[now][threadIdx.x % 32];
            barrier_arrive(&empty[now]);
        }
        if (++now == STAGES) {
            now = 0;
            phase ^= 1;
        }
    }
    out[threadIdx.x] = sum;
}

__global__ void forms(unsigned *out)
{
    __shared__ uint64_t b;
    uint64_t state = 0, second = 0;
    unsigned pending = 0, done = 0, waits = 0, leader = 0, elected = 0;

    if (threadIdx.x == 0)
        asm volatile("mbarrier.init.b64 [%0], %1;" ::"l"(&b), "r"(5) : "memory");
    __syncthreads();
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.arrive.shared.b64 %0, [%1], 2;" : "=l"(state) : "r"(shared_address(&b)) : "memory");
        asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending) : "l"(state));
        asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 64;" ::"r"(shared_address(&b)) : "memory");
        asm volatile("mbarrier.arrive_drop.shared::cta.b64 _, [%0];" ::"r"(shared_address(&b)) : "memory");
        asm volatile("mbarrier.arrive.b64 %0, [%1], %2;" : "=l"(second) : "l"(&b), "r"(2) : "memory");
        waits = barrier_test(&b, 0);
        asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(shared_address(&b)), "r"(64)
                     : "memory");
        asm volatile("{ .reg .pred p; mbarrier.try_wait.shared::cta.b64 p, [%1], %2, 1000; selp.b32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(shared_address(&b)), "l"(state)
                     : "memory");
        out[0] = pending;
        out[1] = waits;
        out[2] = done;
        asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(shared_address(&b)) : "memory");
        asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(out[3]) : "l"(state));
        out[4] = barrier_test(&b, 0) && !barrier_test(&b, 1);
        asm volatile("mbarrier.inval.shared::cta.b64 [%0];" ::"r"(shared_address(&b)) : "memory");
    }
    asm volatile("{\n.reg .b32 %%rx;\n.reg .pred %%px;\nelect.sync %%rx|%%px, %2;\n@%%px mov.s32 %1, 1;\n"
                 "mov.s32 %0, %%rx;\n}"
                 : "+r"(leader), "+r"(elected)
                 : "r"(0xffffffff));
    if (elected)
        out[5] = leader + 40;
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(64));
}

__global__ void loop(unsigned *out)
{
    unsigned n = threadIdx.x, sum = 0;

    asm("{ .reg .pred p;\n"
        "again: add.u32 %0, %0, %1;\n"
        "sub.u32 %1, %1, 1;\n"
        "setp.gt.s32 p, %1, 0;\n"
        "@p bra.uni again;\n"
        "@!p bra end;\n"
        "mov.u32 %0, 7;\n"
        "end: }"
        : "+r"(sum), "+r"(n));
    out[threadIdx.x] = sum;
}

int main()
{
    int *out;
    unsigned *counts;

    cudaMallocManaged(&out, 128 * sizeof(*out));
    cudaMallocManaged(&counts, 32 * sizeof(*counts));
    ring<<<1, 128>>>(out);
    cudaDeviceSynchronize();
    printf("%d %d %d %d\n", out[0], out[32], out[33], out[127]);
    forms<<<1, 32>>>(counts);
    cudaDeviceSynchronize();
    printf("pending %u, over %u %u, next %u, parity %u, elected %u\n", counts[0], counts[1], counts[2], counts[3],
           counts[4], counts[5]);
    loop<<<1, 32>>>(counts);
    cudaDeviceSynchronize();
    printf("%u %u %u\n", counts[1], counts[2], counts[10]);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
