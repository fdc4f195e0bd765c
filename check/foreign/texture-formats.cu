// Textures of integers and halves, read as they are and as numbers of -1 to 1, with vectors; layers,
// cube maps, gathers; and linear memory, with and without rows. The expected values are an H200's.
#include <cstdio>
#include <cstring>
#include <cuda_fp16.h>

enum { N = 16 };

enum how { LINE, PLANE, LAYER, CUBE, GATHER, FETCH };

template <typename T> __global__ void read(cudaTextureObject_t image, how way, T *out)
{
    float x = threadIdx.x * 0.703125f - 2, y = threadIdx.x * 0.375f - 1; // exact numbers
    float z = 1.3125f - threadIdx.x * 0.1875f;
    T value;

    switch (way) {
    case LINE:
        value = tex1D<T>(image, x);
        break;
    case PLANE:
        value = tex2D<T>(image, x, y);
        break;
    case LAYER:
        value = tex2DLayered<T>(image, x, y, (int)threadIdx.x % 4);
        break;
    case CUBE:
        value = texCubemap<T>(image, x, y, z);
        break;
    default:
        value = tex1Dfetch<T>(image, (int)threadIdx.x - 4);
    }
    out[threadIdx.x] = value;
}

__global__ void corners(cudaTextureObject_t image, float4 *out)
{
    out[threadIdx.x] =
        tex2Dgather<float4>(image, threadIdx.x * 0.703125f - 2, threadIdx.x * 0.375f - 1, 0);
}

static cudaTextureObject_t over(const cudaResourceDesc &resource, int filter, int read,
                                bool normalized = false)
{
    cudaTextureDesc texture = {};
    cudaTextureObject_t object;

    for (auto &each : texture.addressMode)
        each = cudaAddressModeClamp;
    texture.filterMode = (cudaTextureFilterMode)filter;
    texture.readMode = (cudaTextureReadMode)read;
    texture.normalizedCoords = normalized;
    cudaCreateTextureObject(&object, &resource, &texture, nullptr);
    return object;
}

static cudaResourceDesc array_of(cudaChannelFormatDesc format, int size, cudaExtent extent,
                                 unsigned flags)
{
    unsigned char bytes[2048];
    cudaMemcpy3DParms copy = {};
    cudaResourceDesc resource = {};

    for (int i = 0; i < (int)sizeof(bytes); i++)
        bytes[i] = (unsigned char)(i * 73 + i / 7 * 31 + 5) & (i % size == size - 1 ? 0xbb : 0xff);
    resource.resType = cudaResourceTypeArray;
    cudaMalloc3DArray(&resource.res.array.array, &format, extent, flags);
    if (!extent.height)
        extent.height = 1;
    if (!extent.depth)
        extent.depth = 1;
    copy.srcPtr = make_cudaPitchedPtr(bytes, extent.width * size, extent.width, extent.height);
    copy.dstArray = resource.res.array.array;
    copy.extent = extent;
    copy.kind = cudaMemcpyHostToDevice;
    cudaMemcpy3D(&copy);
    return resource;
}

template <typename T> static void show(const char *name, cudaTextureObject_t image, how way)
{
    T *out, values[N];
    unsigned words[N * sizeof(T) / 4 + 1] = {};

    cudaMalloc(&out, sizeof(values));
    if constexpr (sizeof(T) == 16)
        if (way == GATHER)
            corners<<<1, N>>>(image, (float4 *)out);
    if (way != GATHER)
        read<<<1, N>>>(image, way, out);
    cudaMemcpy((void *)values, out, sizeof(values), cudaMemcpyDeviceToHost);
    memcpy((void *)words, (const void *)values, sizeof(values));
    printf("%s:", name);
    for (size_t i = 0; i < N * sizeof(T) / 4; i++)
        printf(" %08x", words[i]);
    printf(" %s\n", cudaGetErrorName(cudaGetLastError()));
    cudaFree(out);
}

int main()
{
    cudaExtent line = make_cudaExtent(9, 0, 0), plane = make_cudaExtent(6, 5, 0);
    cudaResourceDesc bytes = array_of(cudaCreateChannelDesc<uchar4>(), 4, plane, 0);
    cudaResourceDesc chars = array_of(cudaCreateChannelDesc<char>(), 1, line, 0);
    cudaResourceDesc words = array_of(cudaCreateChannelDesc<ushort2>(), 4, line, 0);
    cudaResourceDesc shorts = array_of(cudaCreateChannelDesc<short>(), 2, line, 0);
    cudaResourceDesc ints = array_of(cudaCreateChannelDesc<int2>(), 8, plane, 0);
    cudaResourceDesc halves = array_of(cudaCreateChannelDescHalf(), 2, line, 0);
    cudaResourceDesc floats = array_of(cudaCreateChannelDesc<float>(), 4, plane,
                                       cudaArrayTextureGather);
    cudaResourceDesc layers = array_of(cudaCreateChannelDesc<float>(), 4, make_cudaExtent(4, 4, 3),
                                       cudaArrayLayered);
    cudaResourceDesc cube = array_of(cudaCreateChannelDesc<float>(), 4, make_cudaExtent(4, 4, 6),
                                     cudaArrayCubemap);
    cudaResourceDesc linear = {}, rows = {};
    float data[128], *device;

    show<uchar4>("uchar4", over(bytes, 0, 0), PLANE);
    show<float4>("uchar4 as float4", over(bytes, 1, 1), PLANE);
    show<char>("char", over(chars, 0, 0), LINE);
    show<float>("char as float", over(chars, 0, 1), LINE);
    show<float>("char as float, linear", over(chars, 1, 1), LINE);
    show<ushort2>("ushort2", over(words, 0, 0), LINE);
    show<float2>("ushort2 as float2, linear", over(words, 1, 1), LINE);
    show<float>("short as float, linear", over(shorts, 1, 1), LINE);
    show<int2>("int2", over(ints, 0, 0), PLANE);
    show<float>("half", over(halves, 0, 0), LINE);
    show<float>("half, linear", over(halves, 1, 0), LINE);
    show<float4>("gather", over(floats, 0, 0), GATHER);
    show<float>("layers", over(layers, 1, 0), LAYER);
    show<float>("cube", over(cube, 0, 0, true), CUBE);
    show<float>("cube, linear", over(cube, 1, 0, true), CUBE);
    for (int i = 0; i < 128; i++)
        data[i] = 1.5f * i;
    cudaMalloc(&device, 2048);
    cudaMemset(device, 0, 2048);
    cudaMemcpy2D(device, 512, data, 128, 32, 4, cudaMemcpyHostToDevice);
    linear.resType = cudaResourceTypeLinear;
    linear.res.linear.devPtr = device;
    linear.res.linear.desc = cudaCreateChannelDesc<float>();
    linear.res.linear.sizeInBytes = 32;
    show<float>("linear memory", over(linear, 0, 0), FETCH);
    rows.resType = cudaResourceTypePitch2D;
    rows.res.pitch2D.devPtr = device;
    rows.res.pitch2D.desc = cudaCreateChannelDesc<float>();
    rows.res.pitch2D.width = 8;
    rows.res.pitch2D.height = 4;
    rows.res.pitch2D.pitchInBytes = 512;
    show<float>("rows", over(rows, 1, 0), PLANE);
    return 0;
}
