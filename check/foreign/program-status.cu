// A macro as in every book, which prints the error and ends the program: its status comes through.
// status: 1
// error: program-status.cu:
// error: invalid argument
#include <stdio.h>
#include <stdlib.h>

#define CUDA_CHECK(call)                                                                           \
    {                                                                                              \
        const cudaError_t error = call;                                                            \
        if (error != cudaSuccess) {                                                                \
            fprintf(stderr, "Error: %s:%d, code %d, %s\n", __FILE__, __LINE__, (int)error,         \
                    cudaGetErrorString(error));                                                    \
            exit(1);                                                                               \
        }                                                                                          \
    }

__global__ void hello()
{
    printf("hello from thread %d of block %d\n", threadIdx.x, blockIdx.x);
}

int main(void)
{
    hello<<<1, 2>>>();
    CUDA_CHECK(cudaDeviceSynchronize());
    hello<<<1, 1025>>>();
    CUDA_CHECK(cudaGetLastError());
    printf("never here\n");
    return 0;
}
