/* Calls of the driver API that a program asks for by name, in place of linking the driver. */
#include <string.h>
#include <cuda.h>
#include "cpu/runtime/errors.h"

typedef void call(void);

static const struct {
    const char *name;
    call *at;
} calls[] = {
    {"cuTensorMapEncodeTiled", (call *)cuTensorMapEncodeTiled},
    {"cuTensorMapReplaceAddress", (call *)cuTensorMapReplaceAddress},
};

cudaError_t cudaGetDriverEntryPointByVersion(const char *symbol, void **pointer, unsigned version,
                                             unsigned long long flags,
                                             enum cudaDriverEntryPointQueryResult *result)
{
    enum cudaDriverEntryPointQueryResult found = cudaDriverEntryPointSymbolNotFound;
    call *at = NULL;

    if (!symbol || !pointer || flags > cudaEnablePerThreadDefaultStream)
        return error_keep(cudaErrorInvalidValue);
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
        if (!strcmp(symbol, calls[i].name)) {
            found = version < 12000 ? cudaDriverEntryPointVersionNotSufficent
                                    : cudaDriverEntryPointSuccess;
            at = version < 12000 ? NULL : calls[i].at;
        }
    memcpy(pointer, &at, sizeof(at));
    if (result)
        *result = found;
    return !result && !at ? error_keep(cudaErrorSymbolNotFound) : cudaSuccess;
}

cudaError_t cudaGetDriverEntryPoint(const char *symbol, void **pointer, unsigned long long flags,
                                    enum cudaDriverEntryPointQueryResult *result)
{
    return cudaGetDriverEntryPointByVersion(symbol, pointer, CUDA_VERSION, flags, result);
}
