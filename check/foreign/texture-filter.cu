// Texture objects over arrays: each addressing mode and filter, in one, two and three dimensions. The
// expected values are those of an NVIDIA H200, bit for bit: the weights have 8 bits.
#include <cstdio>
#include <cstring>

enum { N = 24 };

__global__ void fetch(cudaTextureObject_t image, int dimensions, const float3 *at, float *out)
{
    float3 p = at[threadIdx.x];

    out[threadIdx.x] = dimensions == 1   ? tex1D<float>(image, p.x)
                       : dimensions == 2 ? tex2D<float>(image, p.x, p.y)
                                         : tex3D<float>(image, p.x, p.y, p.z);
}

static unsigned state = 1;

static float number() // of -1 to 1
{
    state = state * 1664525u + 1013904223u;
    return (float)(int)(state >> 8) / 8388608.0f - 1;
}

static cudaArray_t array_of(int width, int height, int depth)
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaMemcpy3DParms copy = {};
    float values[512];
    cudaArray_t array;

    for (float &value : values)
        value = number();
    cudaMalloc3DArray(&array, &format, make_cudaExtent(width, height, depth));
    copy.srcPtr = make_cudaPitchedPtr(values, width * sizeof(float), width, height ? height : 1);
    copy.dstArray = array;
    copy.extent = make_cudaExtent(width, height ? height : 1, depth ? depth : 1);
    copy.kind = cudaMemcpyHostToDevice;
    cudaMemcpy3D(&copy);
    return array;
}

static void show(cudaArray_t array, int dimensions, cudaTextureAddressMode mode,
                 cudaTextureFilterMode filter, bool normalized, float size)
{
    cudaResourceDesc resource = {};
    cudaTextureDesc texture = {};
    cudaTextureObject_t object;
    float3 at[N], *there;
    float out[N], *results;

    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    for (auto &each : texture.addressMode)
        each = mode;
    texture.filterMode = filter;
    texture.readMode = cudaReadModeElementType;
    texture.normalizedCoords = normalized;
    texture.borderColor[0] = 0.375f;
    cudaCreateTextureObject(&object, &resource, &texture, nullptr);
    for (auto &p : at) {
        p.x = number() * size;
        p.y = number() * size;
        p.z = number() * size;
    }
    at[0] = make_float3(0, 0, 0);
    at[1] = make_float3(size, size, size);
    at[2] = make_float3(size / 2, size / 4, size / 8);
    cudaMalloc(&there, sizeof(at));
    cudaMalloc(&results, sizeof(out));
    cudaMemcpy(there, at, sizeof(at), cudaMemcpyHostToDevice);
    fetch<<<1, N>>>(object, dimensions, there, results);
    cudaMemcpy(out, results, sizeof(out), cudaMemcpyDeviceToHost);
    printf("%dD, mode %d, filter %d, %s:", dimensions, mode, filter,
           normalized ? "normalized" : "texels");
    for (float value : out) {
        unsigned bits;

        memcpy(&bits, &value, sizeof(bits));
        printf(" %08x", bits);
    }
    printf(" %s\n", cudaGetErrorName(cudaGetLastError()));
    cudaDestroyTextureObject(object);
    cudaFree(there);
    cudaFree(results);
}

int main()
{
    cudaArray_t arrays[] = {array_of(7, 0, 0), array_of(8, 5, 0), array_of(4, 6, 5)};

    for (int d = 1; d <= 3; d++)
        for (int filter = 0; filter < 2; filter++) {
            for (int mode = 0; mode < 4; mode++)
                show(arrays[d - 1], d, (cudaTextureAddressMode)mode, (cudaTextureFilterMode)filter,
                     true, 2.5f);
            show(arrays[d - 1], d, cudaAddressModeClamp, (cudaTextureFilterMode)filter, false, 9);
            show(arrays[d - 1], d, cudaAddressModeBorder, (cudaTextureFilterMode)filter, false, 9);
        }
    for (cudaArray_t array : arrays)
        cudaFreeArray(array);
    return 0;
}
