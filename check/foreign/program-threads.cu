// Host threads, each with a stream of its own, that count together with host atomics.
#include <atomic>
#include <cstdio>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

__global__ void add(float *x, float value, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        x[i] += value;
}

int main()
{
    const int workers = 4, n = 1000;
    std::atomic<int> right{0};
    std::mutex one_at_a_time;
    auto results = std::make_shared<std::vector<float>>(workers);
    std::vector<std::thread> threads;

    for (int w = 0; w < workers; w++)
        threads.emplace_back([&, w] {
            std::lock_guard<std::mutex> guard(one_at_a_time);
            std::vector<float> host(n, 1.0f);
            cudaStream_t stream;
            float *device;

            cudaStreamCreate(&stream);
            cudaMalloc(&device, n * sizeof(float));
            cudaMemcpyAsync(device, host.data(), n * sizeof(float), cudaMemcpyHostToDevice, stream);
            add<<<(n + 255) / 256, 256, 0, stream>>>(device, (float)w, n);
            cudaMemcpyAsync(host.data(), device, n * sizeof(float), cudaMemcpyDeviceToHost, stream);
            cudaStreamSynchronize(stream);
            for (float value : host)
                right += value == 1.0f + (float)w;
            (*results)[w] = host[n - 1];
            cudaFree(device);
            cudaStreamDestroy(stream);
        });
    for (std::thread &thread : threads)
        thread.join();
    printf("%d right, last %.0f\n", right.load(), results->back());
    return 0;
}
