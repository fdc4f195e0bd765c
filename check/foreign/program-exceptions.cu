// Host code in modern C++: exceptions, a class that owns device memory, RTTI, lambdas.
#include <functional>
#include <iostream>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <vector>

static void check(cudaError_t status, const char *what)
{
    if (status != cudaSuccess)
        throw std::runtime_error(std::string(what) + ": " + cudaGetErrorName(status));
}

template <typename T> class DeviceArray
{
  public:
    explicit DeviceArray(size_t count) : count_(count)
    {
        check(cudaMalloc(&pointer_, count * sizeof(T)), "cudaMalloc");
    }
    ~DeviceArray()
    {
        cudaFree(pointer_);
        std::cout << "freed " << count_ << "\n";
    }
    DeviceArray(const DeviceArray &) = delete;
    DeviceArray &operator=(const DeviceArray &) = delete;
    T *get() const
    {
        return pointer_;
    }
    std::vector<T> download() const
    {
        std::vector<T> host(count_);

        check(cudaMemcpy(host.data(), pointer_, count_ * sizeof(T), cudaMemcpyDeviceToHost),
              "cudaMemcpy");
        return host;
    }

  private:
    size_t count_;
    T *pointer_ = nullptr;
};

__global__ void squares(int *to, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        to[i] = i * i;
}

struct Shape {
    virtual ~Shape() = default;
    virtual int threads() const = 0;
};
struct Small : Shape {
    int threads() const override
    {
        return 64;
    }
};
struct TooLarge : Shape {
    int threads() const override
    {
        return 2048;
    }
};

static int last_square(const Shape &shape, int n)
{
    DeviceArray<int> numbers(n);
    std::function<int(int)> blocks = [&](int m) {
        return (m + shape.threads() - 1) / shape.threads();
    };

    squares<<<blocks(n), shape.threads()>>>(numbers.get(), n);
    check(cudaGetLastError(), "launch");
    return numbers.download().back();
}

int main()
{
    const Small small;
    const TooLarge large;

    for (const Shape *shape :
         {static_cast<const Shape *>(&small), static_cast<const Shape *>(&large)}) {
        try {
            std::cout << (dynamic_cast<const Small *>(shape) ? "small" : "large") << ": ";
            std::cout << last_square(*shape, 100) << std::endl;
        } catch (const std::exception &error) {
            std::cout << "caught " << error.what() << std::endl;
        }
    }
    return 0;
}
