// flags: --check
// error: --check: nothing found
// Boxes of 1, 4 and 5 dimensions, with element strides; cache hints, a multicast to a cluster of one block, prefetches.
#include "parts/tma.cuh"

__global__ void line(const __grid_constant__ CUtensorMap map, float *out, int x)
{
    __shared__ __align__(128) float s[16];
    __shared__ uint64_t full;
    unsigned rank, remote;

    if (threadIdx.x == 0) {
        barrier_init(&full, 2);
        asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
        asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(remote) : "r"(shared_address(&full)), "r"(rank));
        asm volatile("mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%0];" ::"r"(remote) : "memory");
        asm volatile("prefetch.tensormap [%0];" ::"l"(&map) : "memory");
        barrier_expect(&full, sizeof(s));
        asm volatile("cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster"
                     ".L2::cache_hint [%0], [%1, {%2}], [%3], %4, %5;" ::"r"(shared_address(s)),
                     "l"(&map), "r"(x), "r"(shared_address(&full)), "h"((unsigned short)1), "l"(0x14f0000000000000ull)
                     : "memory");
    }
    __syncthreads();
    barrier_wait(&full, 0);
    if (threadIdx.x < 16)
        out[threadIdx.x] = s[threadIdx.x];
}

__global__ void four(const __grid_constant__ CUtensorMap map, int *out)
{
    __shared__ __align__(128) int s[4 * 2 * 2 * 2];
    __shared__ uint64_t full;

    if (threadIdx.x == 0) {
        barrier_init(&full, 1);
        asm volatile("cp.async.bulk.prefetch.tensor.4d.L2.global.tile [%0, {%1, %2, %3, %4}];" ::"l"(&map), "r"(4),
                     "r"(0), "r"(0), "r"(1));
        barrier_expect(&full, sizeof(s));
        asm volatile("cp.async.bulk.tensor.4d.shared::cluster.global.mbarrier::complete_tx::bytes"
                     " [%0], [%1, {%2, %3, %4, %5}], [%6];" ::"r"(shared_address(s)),
                     "l"(&map), "r"(4), "r"(0), "r"(2), "r"(1), "r"(shared_address(&full))
                     : "memory");
    }
    asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory");
    barrier_wait(&full, 0);
    out[threadIdx.x] = s[threadIdx.x];
}

__global__ void five(const __grid_constant__ CUtensorMap map, int *out)
{
    __shared__ __align__(128) int s[4 * 3 * 2];
    __shared__ uint64_t full;

    if (threadIdx.x == 0) {
        barrier_init(&full, 1);
        barrier_expect(&full, sizeof(s));
        asm volatile("cp.async.bulk.tensor.5d.shared::cluster.global.mbarrier::complete_tx::bytes"
                     " [%0], [%1, {%2, %3, %4, %5, %6}], [%7];" ::"r"(shared_address(s)),
                     "l"(&map), "r"(0), "r"(1), "r"(0), "r"(0), "r"(1), "r"(shared_address(&full))
                     : "memory");
        barrier_wait(&full, 0);
        asm volatile("cp.async.bulk.tensor.5d.global.shared::cta.bulk_group [%0, {%1, %2, %3, %4, %5}], [%6];" ::"l"(
                         &map),
                     "r"(0), "r"(1), "r"(1), "r"(0), "r"(1), "r"(shared_address(s))
                     : "memory");
        bulk_commit();
        bulk_wait<0>();
    }
    __syncthreads();
    barrier_wait(&full, 0);
    if (threadIdx.x < 24)
        out[threadIdx.x] = s[threadIdx.x];
}

static CUtensorMap map_of(void *at, CUtensorMapDataType type, int rank, const cuuint64_t *size, const cuuint32_t *box,
                          const cuuint32_t *step)
{
    cuuint64_t stride[4];
    CUtensorMap map;

    for (int i = 0; i + 1 < rank; i++)
        stride[i] = (i ? stride[i - 1] : 4) * size[i];
    if (encoder()(&map, type, rank, at, size, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE,
                  CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE))
        printf("no map\n");
    return map;
}

int main()
{
    float *x, *y;
    int *in, *out, wrong = 0;
    cuuint64_t length[1] = {100}, size4[4] = {8, 4, 5, 3}, size5[5] = {4, 6, 3, 1, 2};
    cuuint32_t one[5] = {1, 1, 1, 1, 1}, box1[1] = {16}, box4[4] = {4, 4, 2, 2}, step4[4] = {5, 2, 1, 1};
    cuuint32_t box5[5] = {4, 5, 2, 1, 1}, step5[5] = {1, 2, 1, 1, 1};

    cudaMallocManaged(&x, 100 * 4);
    cudaMallocManaged(&y, 16 * 4);
    cudaMallocManaged(&in, 1024 * 4);
    cudaMallocManaged(&out, 64 * 4);
    for (int i = 0; i < 100; i++)
        x[i] = i;
    for (int i = 0; i < 1024; i++)
        in[i] = i;
    line<<<1, 32>>>(map_of(x, CU_TENSOR_MAP_DATA_TYPE_FLOAT32, 1, length, box1, one), y, 92);
    cudaDeviceSynchronize();
    printf("%g %g %g %g\n", y[0], y[7], y[8], y[15]);
    four<<<1, 32>>>(map_of(in, CU_TENSOR_MAP_DATA_TYPE_INT32, 4, size4, box4, step4), out);
    cudaDeviceSynchronize();
    for (int i = 0; i < 32; i++)
        wrong += out[i] != 4 + i % 4 + i / 4 % 2 * 2 * 8 + (2 + i / 8 % 2) * 32 + (1 + i / 16) * 160;
    printf("%d wrong\n", wrong);
    five<<<1, 32>>>(map_of(in, CU_TENSOR_MAP_DATA_TYPE_INT32, 5, size5, box5, step5), out);
    cudaDeviceSynchronize();
    wrong = 0;
    for (int i = 0; i < 24; i++)
        wrong += out[i] != i % 4 + (1 + i / 4 % 3 * 2) * 4 + i / 12 * 24 + 72;
    for (int i = 0; i < 1024; i++) // back one plane further, where rows 1, 3 and 5 are stored
        wrong += in[i] != (i >= 96 && i < 144 && i % 24 / 4 % 2 ? i - 24 : i);
    printf("%d wrong\n", wrong);
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
    return 0;
}
