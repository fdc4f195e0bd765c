/*
 * A libcudnn.so.9 that can do nothing; a handle fails with the status that STUB_STATUS, of the
 * environment, says. Where WITHOUT_SOFTMAX is defined a function is missing that ours needs.
 */
#include <stdio.h>
#include <stdlib.h>

size_t cudnnGetVersion(void)
{
    return 91501;
}

const char *cudnnGetErrorString(int status)
{
    return status == 1001 ? "NAME_OF_1001" : "NAME_OF_ANOTHER";
}

void cudnnGetLastErrorString(char *text, size_t room)
{
    snprintf(text, room, "%s",
             "Error: NAME_OF_1001; Reason: the cause\nError: NAME_OF_1001; Reason: a caller\n");
}

int cudnnCreate(void **handle)
{
    const char *status = getenv("STUB_STATUS");

    *handle = handle;
    return status ? atoi(status) : 0;
}

#define FUNCTION(name)                                                                             \
    int name(void)                                                                                 \
    {                                                                                              \
        return 3000;                                                                               \
    }

FUNCTION(cudnnCreateTensorDescriptor)
FUNCTION(cudnnSetTensor4dDescriptor)
FUNCTION(cudnnBackendCreateDescriptor)
FUNCTION(cudnnBackendSetAttribute)
FUNCTION(cudnnBackendGetAttribute)
FUNCTION(cudnnBackendFinalize)
FUNCTION(cudnnBackendExecute)
#ifndef WITHOUT_SOFTMAX
FUNCTION(cudnnSoftmaxForward)
#endif
