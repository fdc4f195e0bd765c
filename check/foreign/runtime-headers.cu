// The C++ library after CUDA's header, and before it: threads, smart pointers, streams, exceptions.
// What <regex> makes of it in code: language-standard-headers.cu.
#include <algorithm>
#include <vector>
#include <cuda_runtime.h>
#include <bits/stdc++.h>
#include <atomic>
#include <functional>
#include <memory>
#include <regex>
#include <thread>

struct Free {
    void operator()(int *p) const { cudaFree(p); }
};

__global__ void plus(int *x, int by)
{
    x[threadIdx.x] += by;
}

static std::unique_ptr<int, Free> filled(int by)
{
    int *p = nullptr;

    if (cudaMalloc(&p, 32 * sizeof(int)) != cudaSuccess)
        throw std::runtime_error("no memory");
    cudaMemset(p, 0, 32 * sizeof(int));
    plus<<<1, 32>>>(p, by);
    return std::unique_ptr<int, Free>(p);
}

int main()
{
    std::atomic<int> sum{0};
    std::vector<std::thread> threads;
    std::vector<std::string> words;
    std::istringstream text("grid block warp");
    std::string word;

    for (int t = 0; t < 4; t++)
        threads.emplace_back([t, &sum] {
            auto p = filled(t);
            int host[32];

            cudaMemcpy(host, p.get(), sizeof(host), cudaMemcpyDeviceToHost);
            sum += std::accumulate(host, host + 32, 0);
        });
    for (auto &thread : threads)
        thread.join();
    while (text >> word)
        words.push_back(word);
    std::sort(words.begin(), words.end(), std::greater<std::string>());
    std::cout << sum << ' ' << words.size() << ' ' << words[0] << std::endl;
    try {
        throw std::runtime_error("caught");
    } catch (const std::exception &e) {
        std::cout << e.what() << std::endl;
    }
    return 0;
}
