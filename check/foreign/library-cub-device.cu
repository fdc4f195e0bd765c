// needs: CUB
// flags: --counters
// error: CUB ran on the host, not counted and not checked: Reduce 3 ExclusiveScan 1
// CUB's device-wide calls: storage asked for first, results in the device's memory.
#include <cstdio>
#include <vector>

#include <cub/cub.cuh>

const int n = 1000;

struct even {
    __host__ __device__ bool operator()(int x) const
    {
        return x % 2 == 0;
    }
};

template <typename F> static void call(F f)
{
    void *storage = nullptr;
    size_t bytes = 0;

    f(storage, bytes);
    cudaMalloc(&storage, bytes);
    f(storage, bytes);
    cudaFree(storage);
}

static std::vector<int> host(const int *x, int count)
{
    std::vector<int> words(count);

    cudaMemcpy(words.data(), x, count * sizeof(int), cudaMemcpyDeviceToHost);
    return words;
}

__global__ void fill(int *x, float *y)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        x[i] = i * 37 % 101 - 50;
        y[i] = -x[i] / 4.0f;
    }
}

int main()
{
    int *x, *y, *count, wrong = 0, sum = 0;
    float *keys, *sorted, first[2];
    std::vector<int> words;

    cudaMalloc(&x, n * sizeof(int));
    cudaMalloc(&y, n * sizeof(int));
    cudaMalloc(&count, sizeof(int));
    cudaMalloc(&keys, n * sizeof(float));
    cudaMalloc(&sorted, n * sizeof(float));
    fill<<<8, 128>>>(x, keys);
    call([&](void *s, size_t &b) { cub::DeviceReduce::Sum(s, b, x, y, n); });
    call([&](void *s, size_t &b) { cub::DeviceReduce::Max(s, b, x, y + 1, n); });
    call([&](void *s, size_t &b) { cub::DeviceReduce::Min(s, b, x, y + 2, n); });
    words = host(x, n);
    for (int word : words)
        sum += word;
    printf("sum %d of %d, %d to %d\n", host(y, 1)[0], sum, host(y, 3)[2], host(y, 3)[1]);
    call([&](void *s, size_t &b) { cub::DeviceScan::ExclusiveSum(s, b, x, y, n); });
    sum = 0;
    for (int i = 0; i < n; sum += words[i++])
        wrong += host(y, n)[i] != sum;
    call([&](void *s, size_t &b) { cub::DeviceScan::InclusiveSum(s, b, x, x, n); });
    sum = 0;
    for (int i = 0; i < n; i++)
        wrong += host(x, n)[i] != (sum += words[i]);
    printf("scans %s\n", wrong ? "WRONG" : "ok");
    fill<<<8, 128>>>(x, keys);
    call([&](void *s, size_t &b) { cub::DeviceRadixSort::SortPairs(s, b, keys, sorted, x, y, n); });
    words = host(y, n);
    for (int i = 1; i < n; i++)
        wrong += words[i] > words[i - 1];
    cudaMemcpy(first, sorted, sizeof(first), cudaMemcpyDeviceToHost);
    printf("pairs %s, from %g\n", wrong ? "WRONG" : "ok", first[0]);
    call([&](void *s, size_t &b) { cub::DeviceRadixSort::SortKeysDescending(s, b, x, y, n); });
    printf("keys from %d to %d\n", host(y, 1)[0], host(y, n)[n - 1]);
    call([&](void *s, size_t &b) { cub::DeviceSelect::If(s, b, x, y, count, n, even()); });
    printf("%d even\n", host(count, 1)[0]);
    call([&](void *s, size_t &b) { cub::DeviceRadixSort::SortKeys(s, b, x, y, n); });
    call([&](void *s, size_t &b) { cub::DeviceSelect::Unique(s, b, y, x, count, n); });
    printf("%d different\n", host(count, 1)[0]);
    call([&](void *s, size_t &b) { cub::DeviceHistogram::HistogramEven(s, b, y, x, 6, -50, 50, n); });
    words = host(x, 5);
    printf("bins %d %d %d %d %d\n", words[0], words[1], words[2], words[3], words[4]);
    cub::KeyValuePair<int, int> *place, ends[2];

    cudaMalloc(&place, sizeof(ends));
    fill<<<8, 128>>>(x, keys);
    call([&](void *s, size_t &b) { cub::DeviceReduce::ArgMin(s, b, x, place, n); });
    call([&](void *s, size_t &b) { cub::DeviceReduce::ArgMax(s, b, x, place + 1, n); });
    cudaMemcpy(ends, place, sizeof(ends), cudaMemcpyDeviceToHost);
    words = host(x, n); /* each value stands there about ten times: the first place counts */
    wrong = 0;
    for (int i = 0; i < n; i++)
        wrong += (i < ends[0].key ? words[i] <= ends[0].value : words[i] < ends[0].value) +
                 (i < ends[1].key ? words[i] >= ends[1].value : words[i] > ends[1].value);
    printf("places %s, %d at %d\n", wrong ? "WRONG" : "ok", ends[0].value, ends[0].key);
    return 0;
}
