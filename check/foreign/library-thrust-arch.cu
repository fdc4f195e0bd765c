// needs: Thrust
// error: library-thrust-arch.cu:14: of this function a library ran the code for the host, not what __CUDA_ARCH__ gives
// A functor with other code for the device: Thrust, on the host, runs the host's, and that is said.
#include <cstdio>
#include <thrust/device_vector.h>
#include <thrust/transform.h>

struct twice {
    __host__ __device__ int operator()(int x) const { return 2 * x; }
};

struct place {
    int more;
    __host__ __device__ int operator()(int x) const
    {
#ifdef __CUDA_ARCH__
        return x + more;
#else
        return x - more;
#endif
    }
};

__global__ void on_device(int *y)
{
    y[0] = place{2}(twice()(4));
}

int main()
{
    thrust::device_vector<int> y(3, 5);

    on_device<<<1, 1>>>(thrust::raw_pointer_cast(y.data()));
    thrust::transform(y.begin(), y.end(), y.begin(), place{1});
    for (int each : y)
        printf("%d\n", each);
}
