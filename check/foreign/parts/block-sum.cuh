// Of program-header.cu: device code with shared memory that stands in a header.
#ifndef BLOCK_SUM_CUH
#define BLOCK_SUM_CUH

#define CHECK(call)                                                                                \
    do {                                                                                           \
        cudaError_t status_ = (call);                                                              \
        if (status_ != cudaSuccess) {                                                              \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status_));       \
            exit(EXIT_FAILURE);                                                                    \
        }                                                                                          \
    } while (0)

template <typename T, int THREADS> __device__ T block_sum(T value)
{
    __shared__ T part[THREADS];

    part[threadIdx.x] = value;
    __syncthreads();
#pragma unroll
    for (int half = THREADS / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            part[threadIdx.x] += part[threadIdx.x + half];
        __syncthreads();
    }
    return part[0];
}

template <typename T, int THREADS> __global__ void sum_kernel(const T *x, T *sums, int n)
{
    T sum = 0;

    for (int i = blockIdx.x * THREADS + threadIdx.x; i < n; i += gridDim.x * THREADS)
        sum += x[i];
    sum = block_sum<T, THREADS>(sum);
    if (threadIdx.x == 0)
        sums[blockIdx.x] = sum;
}

#endif
