// Textures.
// nvcc: no
// status: 2
// error: language-refused-texture.cu:7: error: the CPU device has no textures (cudaTextureObject_t)
#include <cstdio>

__global__ void fetch(float *out, cudaTextureObject_t image)
{
    out[threadIdx.x] = tex2D<float>(image, threadIdx.x, 0);
}

int main()
{
    return 0;
}
