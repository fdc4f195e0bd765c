// nvcc: no
// status: 2
// error: language-refused-processes.cu:9: error: the CPU device has no memory that processes share (cudaIpcMemHandle_t)
// Memory that processes share is refused by its name, before the compiler says that it knows none of it.
#include <cstdio>

int main()
{
    cudaIpcMemHandle_t handle;
    int *x;

    cudaMalloc(&x, 64);
    return cudaIpcGetMemHandle(&handle, x);
}
