// Kernels in a .cuh file: shared memory, templates and a macro of the header's.
// flags: -I parts
#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>
#include "block-sum.cuh"

template <typename T> static T sum_of(const std::vector<T> &x)
{
    const int blocks = 3, threads = 128, n = (int)x.size();
    std::vector<T> sums(blocks);
    T *device_x, *device_sums;

    CHECK(cudaMalloc(&device_x, n * sizeof(T)));
    CHECK(cudaMalloc(&device_sums, blocks * sizeof(T)));
    CHECK(cudaMemcpy(device_x, x.data(), n * sizeof(T), cudaMemcpyHostToDevice));
    sum_kernel<T, threads><<<blocks, threads>>>(device_x, device_sums, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(sums.data(), device_sums, blocks * sizeof(T), cudaMemcpyDeviceToHost));
    CHECK(cudaFree(device_x));
    CHECK(cudaFree(device_sums));
    return std::accumulate(sums.begin(), sums.end(), T(0));
}

int main()
{
    std::vector<int> whole(2000);
    std::vector<double> real(777);

    for (size_t i = 0; i < whole.size(); i++)
        whole[i] = (int)(i % 17) - 5;
    for (size_t i = 0; i < real.size(); i++)
        real[i] = 0.25 * (double)i;
    printf("%d %d\n", sum_of(whole), std::accumulate(whole.begin(), whole.end(), 0));
    printf("%.2f %.2f\n", sum_of(real), std::accumulate(real.begin(), real.end(), 0.0));
    return 0;
}
