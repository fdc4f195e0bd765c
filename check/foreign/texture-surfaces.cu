// Surfaces: written and read by bytes of a row, with each answer to what lies outside, in one, two and
// three dimensions and in layers; and a texture over the same array. The expected values are an H200's.
#include <cstdio>

__global__ void turn(cudaSurfaceObject_t to, int width, int height)
{
    int x = threadIdx.x, y = threadIdx.y;

    surf2Dwrite(make_float2(10 * y + x, -x), to, (height - 1 - y) * (int)sizeof(float2), x);
    surf2Dwrite(make_float2(-1, -1), to, (width + x) * (int)sizeof(float2), y, cudaBoundaryModeZero);
}

__global__ void read(cudaSurfaceObject_t from, float *out)
{
    int x = (int)threadIdx.x - 3;
    float2 inside = surf2Dread<float2>(from, 16, 1);

    out[3 * threadIdx.x] =
        surf2Dread<float2>(from, x * (int)sizeof(float2), 2, cudaBoundaryModeClamp).x;
    out[3 * threadIdx.x + 1] =
        surf2Dread<float2>(from, x * (int)sizeof(float2), x, cudaBoundaryModeZero).y;
    out[3 * threadIdx.x + 2] = inside.x;
}

__global__ void others(cudaSurfaceObject_t line, cudaSurfaceObject_t room,
                       cudaSurfaceObject_t layers, int *out)
{
    int i = threadIdx.x;
    unsigned char byte;

    surf1Dwrite((unsigned char)(3 * i), line, i);
    surf3Dwrite(100 + i, room, i % 2 * 4, i / 2 % 2, i / 4);
    surf2DLayeredwrite(200 + i, layers, i % 2 * 4, i / 2 % 2, i / 4);
    __syncthreads();
    surf1Dread(&byte, line, 7 - i);
    out[3 * i] = byte;
    out[3 * i + 1] = surf3Dread<int>(room, (7 - i) % 2 * 4, (7 - i) / 2 % 2, (7 - i) / 4);
    out[3 * i + 2] = surf2DLayeredread<int>(layers, 4, i % 2, i / 4);
}

__global__ void fetch(cudaTextureObject_t image, float *out)
{
    out[threadIdx.x] = tex2D<float2>(image, threadIdx.x % 4 + 0.5f, threadIdx.x / 4 + 0.5f).x;
}

template <typename T> static cudaArray_t make(int x, int y, int z, unsigned flags)
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    cudaArray_t array = nullptr;

    cudaMalloc3DArray(&array, &format, make_cudaExtent(x, y, z), flags);
    return array;
}

static cudaResourceDesc resource_of(cudaArray_t array)
{
    cudaResourceDesc resource = {};

    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    return resource;
}

static cudaSurfaceObject_t surface_of(cudaArray_t array)
{
    cudaResourceDesc resource = resource_of(array);
    cudaSurfaceObject_t object = 0;

    cudaCreateSurfaceObject(&object, &resource);
    return object;
}

int main()
{
    cudaArray_t plane = make<float2>(4, 5, 0, cudaArraySurfaceLoadStore);
    cudaSurfaceObject_t surface = surface_of(plane);
    cudaResourceDesc resource = resource_of(plane);
    cudaTextureDesc texture = {};
    cudaTextureObject_t image;
    float *floats, f[21];
    int *ints, n[24];

    cudaMalloc(&floats, sizeof(f));
    cudaMalloc(&ints, sizeof(n));
    turn<<<1, dim3(5, 4)>>>(surface, 4, 4);
    read<<<1, 7>>>(surface, floats);
    cudaMemcpy(f, floats, sizeof(f), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 21; i++)
        printf("%g%c", f[i], i % 7 == 6 ? '\n' : ' ');
    cudaCreateTextureObject(&image, &resource, &texture, nullptr);
    fetch<<<1, 20>>>(image, floats);
    cudaMemcpy(f, floats, 20 * sizeof(float), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 20; i++)
        printf("%g%c", f[i], i % 10 == 9 ? '\n' : ' ');
    others<<<1, 8>>>(surface_of(make<unsigned char>(8, 0, 0, cudaArraySurfaceLoadStore)),
                     surface_of(make<int>(2, 2, 2, cudaArraySurfaceLoadStore)),
                     surface_of(make<int>(2, 2, 2, cudaArraySurfaceLoadStore | cudaArrayLayered)),
                     ints);
    cudaMemcpy(n, ints, sizeof(n), cudaMemcpyDeviceToHost);
    for (int i = 0; i < 24; i++)
        printf("%d%c", n[i], i % 12 == 11 ? '\n' : ' ');
    printf("%s\n", cudaGetErrorName(cudaGetLastError()));
    return 0;
}
