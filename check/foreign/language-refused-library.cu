// A library of the vendor.
// nvcc: no
// status: 2
// error: language-refused-library.cu:6: error: the CPU device has no Thrust (thrust/device_vector.h)
#include <cstdio>
#include <thrust/device_vector.h>
#include <cublas_v2.h>

int main()
{
    thrust::device_vector<int> v(100);

    return v[0];
}
