// needs: libcu++
// cuda::std by its own headers, in kernels and on the host.
#include <cstdio>

#include <cuda/std/array>
#include <cuda/std/cstdint>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/utility>

using pair = cuda::std::pair<int, float>;

__host__ __device__ cuda::std::optional<int> half_of(int x)
{
    return x % 2 ? cuda::std::optional<int>() : cuda::std::optional<int>(x / 2);
}

__global__ void fill(cuda::std::span<int> out, pair *pairs)
{
    cuda::std::array<int, 4> a = {1, 2, 3, 4};
    auto both = cuda::std::make_tuple(a[threadIdx.x], 2.5f);

    out[threadIdx.x] = half_of(cuda::std::get<0>(both)).value_or(-1);
    pairs[threadIdx.x] = cuda::std::make_pair((int)threadIdx.x, cuda::std::get<1>(both));
}

int main()
{
    int *out;
    pair *pairs;

    cudaMallocManaged(&out, 4 * sizeof(int));
    cudaMallocManaged(&pairs, 4 * sizeof(pair));
    fill<<<1, 4>>>(cuda::std::span<int>(out, 4), pairs);
    if (cudaDeviceSynchronize())
        return 1;
    printf("%d %d %d %d, %d %g, %d\n", out[0], out[1], out[2], out[3], pairs[3].first,
           pairs[3].second, half_of(6).value());
    return 0;
}
