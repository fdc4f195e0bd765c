// A launch that fits no kernel is an error at its line.
// nvcc: no
// status: 2
// error: language-refused-argument.cu:17:
#include <vector>

template <typename T> __global__ void twice(T *x, int n)
{
    if (threadIdx.x < n)
        x[threadIdx.x] *= 2;
}

int main()
{
    std::vector<float> v(10);

    twice<<<1, 32>>>(v, 10);
    return 0;
}
