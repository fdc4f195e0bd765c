// Variables of the device in all places where they may stand: none is taken for the host's.
#include <cstdio>

namespace counters
{
__device__ int in_namespace = 1;
static __device__ int hidden[2] = {2, 3};
} // namespace counters

__device__ int3 built = {4, 5, 6};
__device__ const int fixed[2] = {7, 8};
__constant__ int table[2] = {9, 10};
template <typename T> __device__ T of_type = 11;

__global__ void gather(int *out)
{
    static int kept = 13;
    static __device__ int marked = 14;

    kept++;
    marked++;
    counters::in_namespace++;
    counters::hidden[1]++;
    built.z++;
    of_type<int> ++;
    out[0] = kept + marked + counters::in_namespace + counters::hidden[1] + built.z + fixed[1] +
             table[1] + of_type<int>;
}

int main()
{
    int *out, sum;

    cudaMalloc(&out, sizeof(int));
    for (int i = 0; i < 2; i++)
        gather<<<1, 1>>>(out);
    cudaMemcpy(&sum, out, sizeof(int), cudaMemcpyDeviceToHost);
    printf("%d %s\n", sum, cudaGetErrorName(cudaGetLastError()));
    return cudaFree(out);
}
