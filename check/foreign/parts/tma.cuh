// Copies in bulk and tensor maps, as programs for compute capability 9.0 write them.
#include <cuda.h>
#include <cstdio>
#include <cstdlib>
#include "mbarrier.cuh"

__device__ inline void bulk_load(void *to, const void *from, unsigned bytes, uint64_t *b)
{
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(
                     shared_address(to)),
                 "l"(from), "r"(bytes), "r"(shared_address(b))
                 : "memory");
}

__device__ inline void bulk_store(void *to, const void *from, unsigned bytes)
{
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(to), "r"(shared_address(from)),
                 "r"(bytes)
                 : "memory");
}

__device__ inline void bulk_commit()
{
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}

template <int PRIOR> __device__ inline void bulk_wait()
{
    asm volatile("cp.async.bulk.wait_group %0;" ::"n"(PRIOR) : "memory");
}

template <int PRIOR> __device__ inline void bulk_wait_read()
{
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(PRIOR) : "memory");
}

__device__ inline void proxy_fence()
{
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}

__device__ inline void tensor_load(void *to, const CUtensorMap *map, int x, int y, uint64_t *b)
{
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%2, %3}], [%4];" ::"r"(shared_address(to)),
                 "l"(map), "r"(x), "r"(y), "r"(shared_address(b))
                 : "memory");
}

__device__ inline void tensor_store(const CUtensorMap *map, int x, int y, const void *from)
{
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [%0, {%1, %2}], [%3];" ::"l"(map), "r"(x),
                 "r"(y), "r"(shared_address(from))
                 : "memory");
}

typedef CUresult encode_t(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                          const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave,
                          CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

inline encode_t *encoder()
{
    cudaDriverEntryPointQueryResult found;
    void *f = NULL;

    if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &f, 12000, cudaEnableDefault, &found) !=
            cudaSuccess ||
        found != cudaDriverEntryPointSuccess)
        exit(4);
    return (encode_t *)f;
}

// A matrix of rows whose elements follow each other, `ld` of them from row to row.
inline CUtensorMap matrix_map(void *at, CUtensorMapDataType type, unsigned bytes, cuuint64_t columns, cuuint64_t rows,
                              cuuint64_t ld, cuuint32_t box_columns, cuuint32_t box_rows, CUtensorMapSwizzle swizzle)
{
    cuuint64_t size[2] = {columns, rows}, stride[1] = {ld * bytes};
    cuuint32_t box[2] = {box_columns, box_rows}, step[2] = {1, 1};
    CUtensorMap map;
    CUresult result = encoder()(&map, type, 2, at, size, stride, box, step, CU_TENSOR_MAP_INTERLEAVE_NONE, swizzle,
                                CU_TENSOR_MAP_L2_PROMOTION_L2_128B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);

    if (result != CUDA_SUCCESS)
        printf("cuTensorMapEncodeTiled: %d\n", (int)result);
    return map;
}
