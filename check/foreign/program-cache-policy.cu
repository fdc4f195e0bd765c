// A window of the L2 cache that a stream keeps its data in: refused by name and line.
// status: 2
// error: program-cache-policy.cu:9: error: the CPU device has no policies of its L2 cache
#include <cstring>
#include <cuda_runtime.h>

static void keep(cudaStream_t stream, void *data, size_t bytes)
{
    cudaAccessPolicyWindow window;
    cudaStreamAttrValue value;

    memset(&window, 0, sizeof(window));
    window.base_ptr = data;
    window.num_bytes = bytes;
    window.hitRatio = 1.0f;
    window.hitProp = cudaAccessPropertyPersisting;
    window.missProp = cudaAccessPropertyStreaming;
    value.accessPolicyWindow = window;
    cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value);
}

int main()
{
    void *data = nullptr;

    keep(0, data, 0);
    return 0;
}
