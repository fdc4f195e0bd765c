/*
 * Copies by symbol: __device__, __constant__ and __managed__ variables, which are variables of the
 * program here. Called by the host only. The size comes with the symbol, from the template that
 * took it (include/runtime_functions.h). A name as a string, which CUDA took before version 5, is
 * no symbol: it does not lie among the variables. With several devices it is the current one's copy
 * that is meant (device_variables.h).
 */
#include <stdint.h>
#include <string.h>
#include "cpu/abi.h"
#include "cpu/engine/device_set.h"
#include "cpu/engine/failure.h"
#include "cpu/engine/memory.h"
#include "cpu/engine/observer.h"
#include "cpu/runtime/host_copies.h"
#include "cpu/runtime/device_variables.h"
#include "cpu/runtime/errors.h"

/* Is it a symbol, of this size? A const one may lie among the program's constants. */
static cudaError_t symbol_good(const char *call, const void *symbol, bool write)
{
    uintptr_t address = (uintptr_t)symbol;

    if (cpu_failure())
        return error_keep(cpu_failure());
    if (memory_is_program(address) || (!write && memory_is_image(address)))
        return cudaSuccess;
    return error_say(cudaErrorInvalidSymbol,
                     "%s takes the variable itself, neither its name in quotes nor its address",
                     call);
}

static cudaError_t part_good(const char *call, size_t size, size_t bytes, size_t offset)
{
    if (offset > size || bytes > size - offset)
        return error_say(cudaErrorInvalidValue, "%s: %zu bytes from byte %zu of a symbol of %zu",
                         call, bytes, offset, size);
    return cudaSuccess;
}

int cpu_copy_to_symbol(const void *symbol, size_t size, const void *from, size_t bytes,
                       size_t offset, int kind)
{
    cudaError_t error = symbol_good("cudaMemcpyToSymbol", symbol, true);
    char *to = NULL;

    if (!error)
        error = part_good("cudaMemcpyToSymbol", size, bytes, offset);
    if (!error)
        to = (char *)device_variable(symbol, cpu_current_device) + offset;
    if (!error && kind != cudaMemcpyHostToDevice && kind != cudaMemcpyDeviceToDevice &&
        kind != cudaMemcpyDefault)
        error = error_say(cudaErrorInvalidMemcpyDirection, "cudaMemcpyToSymbol with kind %d", kind);
    if (!error)
        error =
            copy_allowed("cudaMemcpyToSymbol", to, bytes, from, bytes, (enum cudaMemcpyKind)kind);
    if (!error)
        stream_wait(stream_default(cpu_current_device));
    if (!error && bytes)
        memmove(to, from, bytes);
    return error;
}

int cpu_copy_from_symbol(void *to, const void *symbol, size_t size, size_t bytes, size_t offset,
                         int kind)
{
    cudaError_t error = symbol_good("cudaMemcpyFromSymbol", symbol, false);
    const char *from = NULL;

    if (!error)
        stream_wait(stream_default(cpu_current_device));
    if (!error)
        error = part_good("cudaMemcpyFromSymbol", size, bytes, offset);
    if (!error)
        from = (const char *)device_variable(symbol, cpu_current_device) + offset;
    if (!error && kind != cudaMemcpyDeviceToHost && kind != cudaMemcpyDeviceToDevice &&
        kind != cudaMemcpyDefault)
        error =
            error_say(cudaErrorInvalidMemcpyDirection, "cudaMemcpyFromSymbol with kind %d", kind);
    if (!error && !memory_is_image((uintptr_t)from))
        error =
            copy_allowed("cudaMemcpyFromSymbol", to, bytes, from, bytes, (enum cudaMemcpyKind)kind);
    if (!error && bytes) {
        memmove(to, from, bytes);
        notify_host_write(to, bytes);
    }
    return error;
}

int cpu_symbol_address(void **pointer, const void *symbol)
{
    cudaError_t error = symbol_good("cudaGetSymbolAddress", symbol, false);

    if (!error)
        *pointer = device_variable(symbol, cpu_current_device);
    return error;
}

int cpu_symbol_size(size_t *bytes, const void *symbol, size_t size)
{
    cudaError_t error = symbol_good("cudaGetSymbolSize", symbol, false);

    if (!error)
        *bytes = size;
    return error;
}
