/*
 * On a GPU: a kernel makes the input.
 */
#include "harness/kit/input_values.h"

#include <cuda_runtime.h>

#include "harness/kit/element.h"

#define THREADS 256

static __global__ void verify_input(uint32_t *x, size_t n, enum input kind, uint64_t mixed,
                                    bool floats)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;

    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        x[i] = floats ? __float_as_uint(input_value_f32(kind, mixed, i))
                      : (uint32_t)input_value_i32(kind, mixed, i);
}

static __global__ void verify_input_halves(uint16_t *x, size_t n, enum input kind, uint64_t mixed,
                                           bool bf16)
{
    size_t stride = (size_t)gridDim.x * blockDim.x;

    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
        x[i] = input_value_half(kind, bf16, mixed, i);
}

int input_fill_device(const struct device_stream *place, void *x, size_t n,
                      const struct setting *setting)
{
    int status = device_use(place->device);

    if (status != 0 || n == 0)
        return status;
    if (type_is_half(setting->type)) {
        verify_input_halves<<<device_full_grid(THREADS), THREADS, 0, place->stream>>>(
            (uint16_t *)x, n, input_kind(setting), input_mix(setting->seed),
            setting->type == &type_bf16);
        return device_check(cudaGetLastError());
    }
    verify_input<<<device_full_grid(THREADS), THREADS, 0, place->stream>>>(
        (uint32_t *)x, n, input_kind(setting), input_mix(setting->seed),
        setting->type == &type_f32);
    return device_check(cudaGetLastError());
}
