// flags: --check
// error: --check: nothing found
// From block to block of a cluster without its barrier: stores that a barrier object there counts, arrivals at it from
// afar, a copy from shared memory to shared memory, and one load from global memory for all blocks of the cluster.
#include "parts/cluster.cuh"
#include "parts/tma.cuh"

__global__ void __cluster_dims__(4) around(unsigned *out)
{
    __shared__ __align__(16) unsigned got[32], quads[8];
    __shared__ uint64_t full;
    unsigned rank = rank_of_block(), right = (rank + 1) % 4;
    int t = threadIdx.x;

    if (t == 0) {
        barrier_init(&full, 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        barrier_expect(&full, sizeof(got) + sizeof(quads));
    }
    cluster_sync();
    asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.u32 [%0], %1, [%2];" ::"r"(
                     in_block(&got[t], right)),
                 "r"(100 * rank + t), "r"(in_block(&full, right))
                 : "memory");
    if (t < 2)
        asm volatile("st.async.shared::cluster.mbarrier::complete_tx::bytes.v4.b32 [%0], {%1, %2, %3, %4}, [%5];" ::"r"(
                         in_block(&quads[4 * t], right)),
                     "r"(rank), "r"(rank + 1), "r"(rank + 2), "r"(10 * rank + t), "r"(in_block(&full, right))
                     : "memory");
    barrier_wait(&full, 0);
    out[rank * 32 + t] = got[t] + quads[t % 8];
    cluster_sync();
}

__global__ void __cluster_dims__(2) turns(int *out, int rounds)
{
    __shared__ __align__(128) int tile[32];
    __shared__ uint64_t full, empty;
    unsigned rank = rank_of_block();
    int t = threadIdx.x;

    if (t == 0) {
        barrier_init(&full, 1);
        barrier_init(&empty, 32);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    }
    cluster_sync();
    for (int i = 0; i < rounds; i++) {
        if (rank == 0) { // sends what it has made
            if (i)
                barrier_wait(&empty, (i - 1) % 2);
            tile[t] = 1000 * i + t;
            asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
            __syncthreads();
            if (t == 0)
                asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes"
                             " [%0], [%1], %2, [%3];" ::"r"(in_block(tile, 1)),
                             "r"(shared_address(tile)), "r"((unsigned)sizeof(tile)), "r"(in_block(&full, 1))
                             : "memory");
        } else { // and has it back when the other has taken it
            if (t == 0)
                barrier_expect(&full, sizeof(tile));
            barrier_wait(&full, i % 2);
            out[32 * i + t] = tile[t];
            asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(in_block(&empty, 0))
                         : "memory");
        }
    }
    cluster_sync();
}

__global__ void __cluster_dims__(4) for_all(const int *x, const __grid_constant__ CUtensorMap map, int *out)
{
    __shared__ __align__(128) int line[64], box[8 * 8];
    __shared__ uint64_t full;
    unsigned rank = rank_of_block();
    int t = threadIdx.x;

    if (t == 0) {
        barrier_init(&full, 1);
        asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
        barrier_expect(&full, rank == 3 ? sizeof(line) / 2 : sizeof(line) + sizeof(box));
    }
    line[t] = line[t + 32] = box[t] = box[t + 32] = -1;
    asm volatile("fence.proxy.async;" ::: "memory");
    cluster_sync();
    if (t == 0 && rank < 2) // one half each, for all four
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
                     " [%0], [%1], %2, [%3], %4;" ::"r"(shared_address(line + 32 * rank)),
                     "l"(x + 32 * rank), "r"(128), "r"(shared_address(&full)), "h"((unsigned short)(rank ? 7 : 15))
                     : "memory");
    if (t == 0 && rank == 1) // not for the last
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
                     " [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(shared_address(box)),
                     "l"(&map), "r"(8), "r"(2), "r"(shared_address(&full)), "h"((unsigned short)7)
                     : "memory");
    barrier_wait(&full, 0);
    out[rank * 128 + t] = line[t];
    out[rank * 128 + 32 + t] = line[t + 32];
    out[rank * 128 + 64 + t] = box[t];
    out[rank * 128 + 96 + t] = box[t + 32];
    cluster_sync();
}

static CUtensorMap map_of(int *at)
{
    cuuint64_t size[2] = {32, 16}, stride[1] = {32 * sizeof(int)};
    cuuint32_t box[2] = {8, 8}, step[2] = {1, 1};
    CUtensorMap map;

    if (encoder()(&map, CU_TENSOR_MAP_DATA_TYPE_INT32, 2, at, size, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
                  CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
        printf("no map\n");
    return map;
}

int main()
{
    unsigned *sent;
    int *x, *out, wrong = 0;

    cudaMallocManaged(&sent, 128 * sizeof(unsigned));
    cudaMallocManaged(&x, 512 * sizeof(int));
    cudaMallocManaged(&out, 1024 * sizeof(int));
    around<<<4, 32>>>(sent);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    for (unsigned i = 0; i < 128; i++) {
        unsigned left = (i / 32 + 3) % 4, t = i % 32, k = t % 8;

        wrong += sent[i] != 100 * left + t + (k % 4 == 3 ? 10 * left + k / 4 : left + k % 4);
    }
    printf("%d wrong\n", wrong);
    turns<<<2, 32>>>(out, 5);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    wrong = 0;
    for (int i = 0; i < 5 * 32; i++)
        wrong += out[i] != 1000 * (i / 32) + i % 32;
    printf("%d wrong\n", wrong);
    for (int i = 0; i < 512; i++)
        x[i] = i;
    for_all<<<4, 32>>>(x, map_of(x), out);
    printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
    wrong = 0;
    for (int i = 0; i < 512; i++) {
        int rank = i / 128, k = i % 128;

        wrong += out[i] != (k < 32    ? k
                            : rank == 3 ? -1
                            : k < 64  ? k
                                      : (2 + (k - 64) / 8) * 32 + 8 + k % 8);
    }
    printf("%d wrong\n", wrong);
    return 0;
}
