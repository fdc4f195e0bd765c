// flags: --check
// error: --check: nothing found
// The samples of the CUDA C++ Programming Guide for the Tensor Memory Accelerator, shortened: bytes and boxes of two
// and three dimensions, by cuda::ptx with cuda::barrier, cuda::device::experimental, and memcpy_async_tx.
#include <cuda.h>
#include <cudaTypedefs.h>
#include <cuda/barrier>
#include <cuda/ptx>
#include <cstdio>
#include <utility>

using barrier = cuda::barrier<cuda::thread_scope_block>;
namespace ptx = cuda::ptx;
namespace cde = cuda::device::experimental;

static constexpr size_t buf_len = 1024;

__global__ void add_one(int *data, size_t offset)
{
    __shared__ alignas(16) int smem_data[buf_len];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier bar;

    if (threadIdx.x == 0) {
        init(&bar, blockDim.x);
        ptx::fence_proxy_async(ptx::space_shared);
    }
    __syncthreads();
    barrier::arrival_token token;
    if (threadIdx.x == 0) {
        cuda::device::memcpy_async_tx(smem_data, (const int *)data + offset,
                                      cuda::aligned_size_t<16>(sizeof(smem_data)), bar);
        token = cuda::device::barrier_arrive_tx(bar, 1, sizeof(smem_data));
    } else {
        token = bar.arrive();
    }
    bar.wait(std::move(token));
    for (int i = threadIdx.x; i < (int)buf_len; i += blockDim.x)
        smem_data[i] += 1;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, data + offset, smem_data, sizeof(smem_data));
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
}

enum { SMEM_WIDTH = 32, SMEM_HEIGHT = 8, SMEM_DEPTH = 2 };

__global__ void boxes_ptx(const __grid_constant__ CUtensorMap tensor_map, int x, int y)
{
    __shared__ alignas(128) int smem_buffer[SMEM_HEIGHT][SMEM_WIDTH];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier bar;

    if (threadIdx.x == 0)
        init(&bar, blockDim.x);
    __syncthreads();
    barrier::arrival_token token;
    if (threadIdx.x == 0) {
        int32_t coords[2] = {x, y};

        ptx::cp_async_bulk_tensor(ptx::space_cluster, ptx::space_global, &smem_buffer, &tensor_map, coords,
                                  cuda::device::barrier_native_handle(bar));
        token = cuda::device::barrier_arrive_tx(bar, 1, sizeof(smem_buffer));
    } else {
        token = bar.arrive();
    }
    bar.wait(std::move(token));
    smem_buffer[0][threadIdx.x] += threadIdx.x;
    ptx::fence_proxy_async(ptx::space_shared);
    __syncthreads();
    if (threadIdx.x == 0) {
        int32_t coords[2] = {x, y};

        ptx::cp_async_bulk_tensor(ptx::space_global, ptx::space_shared, &tensor_map, coords, &smem_buffer);
        ptx::cp_async_bulk_commit_group();
        ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    }
    if (threadIdx.x == 0)
        (&bar)->~barrier();
}

__global__ void boxes_experimental(const __grid_constant__ CUtensorMap tensor_map, int x, int y, int z)
{
    __shared__ alignas(128) int smem_buffer[SMEM_DEPTH][SMEM_HEIGHT][SMEM_WIDTH];
#pragma nv_diag_suppress static_var_with_dynamic_init
    __shared__ barrier bar;

    if (threadIdx.x == 0) {
        init(&bar, blockDim.x);
        cde::fence_proxy_async_shared_cta();
    }
    __syncthreads();
    barrier::arrival_token token;
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_tensor_3d_global_to_shared(&smem_buffer, &tensor_map, x, y, z, bar);
        token = cuda::device::barrier_arrive_tx(bar, 1, sizeof(smem_buffer));
    } else {
        token = bar.arrive();
    }
    bar.wait(std::move(token));
    smem_buffer[1][0][threadIdx.x] *= 3;
    cde::fence_proxy_async_shared_cta();
    __syncthreads();
    if (threadIdx.x == 0) {
        cde::cp_async_bulk_tensor_3d_shared_to_global(&tensor_map, x, y, z, &smem_buffer);
        cde::cp_async_bulk_commit_group();
        cde::cp_async_bulk_wait_group_read<0>();
    }
}

PFN_cuTensorMapEncodeTiled_v12000 get_cuTensorMapEncodeTiled()
{
    cudaDriverEntryPointQueryResult driver_status;
    void *cuTensorMapEncodeTiled_ptr = nullptr;

    cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &cuTensorMapEncodeTiled_ptr, 12000, cudaEnableDefault,
                                     &driver_status);
    return (PFN_cuTensorMapEncodeTiled_v12000)cuTensorMapEncodeTiled_ptr;
}

static CUtensorMap map_of(int *data, unsigned rank, const cuuint32_t *box)
{
    CUtensorMap map{};
    cuuint64_t size[3] = {64, 32, 4}, stride[2] = {64 * sizeof(int), 64 * 32 * sizeof(int)};
    cuuint32_t elem_stride[3] = {1, 1, 1};
    CUresult res = get_cuTensorMapEncodeTiled()(&map, CUtensorMapDataType::CU_TENSOR_MAP_DATA_TYPE_INT32, rank, data,
                                                size, stride, box, elem_stride,
                                                CUtensorMapInterleave::CU_TENSOR_MAP_INTERLEAVE_NONE,
                                                CUtensorMapSwizzle::CU_TENSOR_MAP_SWIZZLE_NONE,
                                                CUtensorMapL2promotion::CU_TENSOR_MAP_L2_PROMOTION_NONE,
                                                CUtensorMapFloatOOBfill::CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);

    if (res != CUDA_SUCCESS)
        printf("%d\n", (int)res);
    return map;
}

int main()
{
    const cuuint32_t box[3] = {SMEM_WIDTH, SMEM_HEIGHT, SMEM_DEPTH};
    int *data, wrong = 0;
    const int count = 64 * 32 * 4;

    cudaMallocManaged(&data, count * sizeof(int));
    for (int i = 0; i < count; i++)
        data[i] = i;
    add_one<<<1, 128>>>(data, buf_len);
    boxes_ptx<<<1, 32>>>(map_of(data, 2, box), 32, 5);
    boxes_experimental<<<1, 32>>>(map_of(data, 3, box), 4, 30, 1);
    cudaDeviceSynchronize();
    for (int i = 0; i < count; i++) {
        int x = i % 64, y = i / 64 % 32, z = i / 64 / 32, want = i;

        want += i >= (int)buf_len && i < (int)(2 * buf_len);
        want += z == 0 && y == 5 && x >= 32 ? x - 32 : 0;
        want *= z == 2 && y == 30 && x >= 4 && x < 36 ? 3 : 1;
        wrong += data[i] != want;
    }
    printf("%d wrong, %s\n", wrong, cudaGetErrorString(cudaGetLastError()));
    return 0;
}
