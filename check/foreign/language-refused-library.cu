// A library of the vendor.
// nvcc: no
// status: 2
// error: language-refused-library.cu:6: error: the CPU device has no cuSPARSE (cusparse.h)
#include <cstdio>
#include <cusparse.h>
#include <cudnn.h>

int main()
{
    cusparseHandle_t handle;

    return cusparseCreate(&handle);
}
