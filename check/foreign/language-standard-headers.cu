// C++ headers behind CUDA's, used in host code, with exceptions; and names of CUDA's in macros of the
// compiler.
#include <cuda_runtime.h>
#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <regex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

struct freed {
    void operator()(float *p) const { cudaFree(p); }
};

__attribute__((__noinline__)) static std::unique_ptr<float, freed> upload(const std::vector<float> &v)
{
    float *p = nullptr;

    if (cudaMalloc(&p, v.size() * sizeof(float)) != cudaSuccess)
        throw std::runtime_error("no memory");
    cudaMemcpy(p, v.data(), v.size() * sizeof(float), cudaMemcpyHostToDevice);
    return std::unique_ptr<float, freed>(p);
}

__global__ void roots(float *x, size_t n)
{
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;

    if (i < n)
        x[i] = sqrtf(x[i]);
}

int main()
{
    std::vector<float> v(100);

    std::iota(v.begin(), v.end(), 0.0f);
    std::transform(v.begin(), v.end(), v.begin(), [](float x) { return x * x; });
    try {
        auto d = upload(v);

        roots<<<4, 32>>>(d.get(), v.size());
        cudaMemcpy(v.data(), d.get(), v.size() * sizeof(float), cudaMemcpyDeviceToHost);
        throw std::out_of_range("sum " + std::to_string((int)std::accumulate(v.begin(), v.end(),
                                                                             0.0)));
    } catch (const std::exception &e) {
        std::cout << std::regex_replace(e.what(), std::regex("[0-9]+"), "[$&]") << std::endl;
    }
    std::cout << std::max(3, 4) << ' ' << std::min({5, 2, 7}) << ' ' << std::abs(-2.5) << std::endl;
    return 0;
}
