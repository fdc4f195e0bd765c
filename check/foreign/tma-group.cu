// flags: --check
// error: --check: nothing found
// A warp that only loads, by tensor maps, and a warpgroup that multiplies what it brings: a ring of stages with two
// barriers each. One thread of the warpgroup says that it has read a stage, any one that has waited for the products.
#include "parts/group.cuh"
#include "parts/tma.cuh"

enum { STAGES = 2, DEEP = 64, ROWS = 64, COLUMNS = 8, K = 320 };

__device__ unsigned long long descriptor_128(const void *start) // lines of 128 bytes, swizzled, 8 of them 1024 bytes
{
    return (unsigned long long)(shared_address(start) >> 4) | 1ull << 16 | 64ull << 32 | 1ull << 62;
}

__device__ void multiply_128(float (&d)[4], const void *a, const void *b)
{
#if __CUDA_ARCH_FEAT_SM90_ALL
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "l"(descriptor_128(a)), "l"(descriptor_128(b)));
#endif
}

__global__ void product(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, float *out)
{
    __shared__ __align__(1024) __nv_bfloat16 as[STAGES][ROWS * DEEP], bs[STAGES][COLUMNS * DEEP];
    __shared__ uint64_t full[STAGES], empty[STAGES];
    float d[4] = {0, 0, 0, 0};
    int now = 0;
    unsigned phase = 0;

    if (threadIdx.x == 128)
        for (int i = 0; i < STAGES; i++) {
            barrier_init(&full[i], 1);
            barrier_init(&empty[i], 1);
        }
    __syncthreads();
    for (int k = 0; k < K; k += DEEP) {
        if (threadIdx.x == 128) {
            barrier_wait(&empty[now], phase ^ 1);
            barrier_expect(&full[now], sizeof(as[0]) + sizeof(bs[0]));
            tensor_load(as[now], &a, k, 0, &full[now]);
            tensor_load(bs[now], &b, k, 0, &full[now]);
        } else if (threadIdx.x < 128) {
            barrier_wait(&full[now], phase);
            FENCE();
            for (int i = 0; i < DEEP; i += 16)
                multiply_128(d, &as[now][i], &bs[now][i]);
            COMMIT();
            WAIT(0);
            if (threadIdx.x == k % 128)
                barrier_arrive(&empty[now]);
        }
        if (++now == STAGES) {
            now = 0;
            phase ^= 1;
        }
    }
    if (threadIdx.x < 128)
        for (int i = 0; i < 4; i++) {
            int row = threadIdx.x / 32 * 16 + threadIdx.x % 32 / 4 + i / 2 * 8, column = threadIdx.x % 4 * 2 + i % 2;

            out[row * COLUMNS + column] = d[i];
        }
}

int main()
{
    __nv_bfloat16 *a, *b;
    float *out;
    int wrong = 0;

    cudaMallocManaged(&a, ROWS * K * sizeof(*a));
    cudaMallocManaged(&b, COLUMNS * K * sizeof(*b));
    cudaMallocManaged(&out, ROWS * COLUMNS * sizeof(*out));
    for (int i = 0; i < ROWS * K; i++)
        a[i] = __float2bfloat16(i * 7 % 11 - 5);
    for (int i = 0; i < COLUMNS * K; i++)
        b[i] = __float2bfloat16(i * 5 % 13 - 6);
    product<<<1, 160>>>(
        matrix_map(a, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, K, ROWS, K, DEEP, ROWS, CU_TENSOR_MAP_SWIZZLE_128B),
        matrix_map(b, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, K, COLUMNS, K, DEEP, COLUMNS, CU_TENSOR_MAP_SWIZZLE_128B),
        out);
    cudaDeviceSynchronize();
    for (int i = 0; i < ROWS; i++)
        for (int j = 0; j < COLUMNS; j++) {
            float sum = 0;

            for (int k = 0; k < K; k++)
                sum += __bfloat162float(a[i * K + k]) * __bfloat162float(b[j * K + k]);
            wrong += out[i * COLUMNS + j] != sum;
        }
    printf("%d wrong, %s\n", wrong, cudaGetErrorString(cudaGetLastError()));
    return wrong != 0;
}
