/*
 * Textures and surfaces, as kernels use them: objects, and the references of before CUDA 12. What
 * is fetched comes as four words, cpu_texel, which become the type that was asked for.
 */
#ifndef TEXTURE_FUNCTIONS_H
#define TEXTURE_FUNCTIONS_H

#include <type_traits>
#include "cpu/abi.h"
#include "cuda_runtime_api.h"
#include "vector_types.h"

/* --- the types of texels
 * ------------------------------------------------------------------------ */

template <typename T> struct cpu_channels {
    typedef T type;
    static constexpr int count = 1;
};
#define CPU_CHANNELS(T, NAME)                                                                      \
    template <> struct cpu_channels<NAME##1> {                                                     \
        typedef T type;                                                                            \
        static constexpr int count = 1;                                                            \
    };                                                                                             \
    template <> struct cpu_channels<NAME##2> {                                                     \
        typedef T type;                                                                            \
        static constexpr int count = 2;                                                            \
    };                                                                                             \
    template <> struct cpu_channels<NAME##4> {                                                     \
        typedef T type;                                                                            \
        static constexpr int count = 4;                                                            \
    };
CPU_CHANNELS(signed char, char)
CPU_CHANNELS(unsigned char, uchar)
CPU_CHANNELS(short, short)
CPU_CHANNELS(unsigned short, ushort)
CPU_CHANNELS(int, int)
CPU_CHANNELS(unsigned, uint)
CPU_CHANNELS(long, long)
CPU_CHANNELS(unsigned long, ulong)
CPU_CHANNELS(float, float)

template <typename T> static inline cudaChannelFormatDesc cudaCreateChannelDesc()
{
    typedef typename cpu_channels<T>::type C;
    constexpr int bits = 8 * sizeof(C), count = cpu_channels<T>::count;

    return cudaCreateChannelDesc(bits, count > 1 ? bits : 0, count > 2 ? bits : 0,
                                 count > 3 ? bits : 0,
                                 std::is_floating_point<C>::value ? cudaChannelFormatKindFloat
                                 : std::is_signed<C>::value       ? cudaChannelFormatKindSigned
                                                                  : cudaChannelFormatKindUnsigned);
}

static inline cudaChannelFormatDesc cudaCreateChannelDescHalf()
{
    return cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
}
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf2()
{
    return cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindFloat);
}
static inline cudaChannelFormatDesc cudaCreateChannelDescHalf4()
{
    return cudaCreateChannelDesc(16, 16, 16, 16, cudaChannelFormatKindFloat);
}

template <typename C> static CPU_INLINE C cpu_of_word(uint32_t word)
{
    if constexpr (std::is_floating_point<C>::value) {
        C value;

        __builtin_memcpy(&value, &word, sizeof(value));
        return value;
    } else
        return (C)word;
}

template <typename T> static CPU_INLINE T cpu_of_texel(cpu_texel t)
{
    typedef typename cpu_channels<T>::type C;

    if constexpr (std::is_arithmetic<T>::value)
        return cpu_of_word<T>(t.word[0]);
    else if constexpr (cpu_channels<T>::count == 1) {
        T value = {cpu_of_word<C>(t.word[0])};

        return value;
    } else if constexpr (cpu_channels<T>::count == 2)
        return T(cpu_of_word<C>(t.word[0]), cpu_of_word<C>(t.word[1]));
    else
        return T(cpu_of_word<C>(t.word[0]), cpu_of_word<C>(t.word[1]), cpu_of_word<C>(t.word[2]),
                 cpu_of_word<C>(t.word[3]));
}

/* --- references
 * --------------------------------------------------------------------------------- */

template <typename T, int TYPE = cudaTextureType1D,
          cudaTextureReadMode MODE = cudaReadModeElementType>
struct texture : textureReference {
    texture(int is_normalized = 0, cudaTextureFilterMode filter = cudaFilterModePoint,
            cudaTextureAddressMode mode = cudaAddressModeClamp)
        : texture(is_normalized, filter, mode, cudaCreateChannelDesc<T>())
    {
    }
    texture(int is_normalized, cudaTextureFilterMode filter, cudaTextureAddressMode mode,
            cudaChannelFormatDesc format)
        : textureReference()
    {
        normalized = is_normalized;
        filterMode = filter;
        for (auto &each : addressMode)
            each = mode;
        channelDesc = format;
    }
};

template <typename T, int TYPE = cudaSurfaceType1D> struct surface : surfaceReference {
    surface() : surfaceReference()
    {
    }
};

/* What a fetch by a reference gives: a number of T's type, or a float for each channel. */
template <typename T, cudaTextureReadMode MODE> struct cpu_fetched {
    typedef T type;
};
template <typename T> struct cpu_fetched<T, cudaReadModeNormalizedFloat> {
    static constexpr int count = cpu_channels<T>::count;
    typedef std::conditional_t<
        std::is_arithmetic<T>::value, float,
        std::conditional_t<count == 1, float1, std::conditional_t<count == 2, float2, float4>>>
        type;
};

/* The object that a reference is bound to: asked for by its address, because the variable itself is
 * the host's. */
static CPU_INLINE cudaTextureObject_t cpu_object(const textureReference &t)
{
    return cpu_bound(&t.object);
}
static CPU_INLINE cudaSurfaceObject_t cpu_object(const surfaceReference &s)
{
    return cpu_bound(&s.object);
}

template <typename T, int TYPE, cudaTextureReadMode MODE>
static inline cudaError_t cpu_bind(const texture<T, TYPE, MODE> &t, const cudaResourceDesc &r)
{
    textureReference *reference = const_cast<texture<T, TYPE, MODE> *>(&t);

    return (cudaError_t)cpu_texture_bind(reference, &r, MODE);
}

template <typename T, int TYPE, cudaTextureReadMode MODE>
static inline cudaError_t cudaBindTexture(size_t *offset, const texture<T, TYPE, MODE> &t,
                                          const void *pointer, const cudaChannelFormatDesc &format,
                                          size_t bytes = UINT_MAX)
{
    cudaResourceDesc r = {};

    if (offset)
        *offset = 0;
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = const_cast<void *>(pointer);
    r.res.linear.desc = format;
    r.res.linear.sizeInBytes = bytes;
    return cpu_bind(t, r);
}

template <typename T, int TYPE, cudaTextureReadMode MODE>
static inline cudaError_t cudaBindTexture(size_t *offset, const texture<T, TYPE, MODE> &t,
                                          const void *pointer, size_t bytes = UINT_MAX)
{
    return cudaBindTexture(offset, t, pointer, t.channelDesc, bytes);
}

template <typename T, int TYPE, cudaTextureReadMode MODE>
static inline cudaError_t
cudaBindTexture2D(size_t *offset, const texture<T, TYPE, MODE> &t, const void *pointer,
                  const cudaChannelFormatDesc &format, size_t width, size_t height, size_t pitch)
{
    cudaResourceDesc r = {};

    if (offset)
        *offset = 0;
    r.resType = cudaResourceTypePitch2D;
    r.res.pitch2D.devPtr = const_cast<void *>(pointer);
    r.res.pitch2D.desc = format;
    r.res.pitch2D.width = width;
    r.res.pitch2D.height = height;
    r.res.pitch2D.pitchInBytes = pitch;
    return cpu_bind(t, r);
}

template <typename T, int TYPE, cudaTextureReadMode MODE>
static inline cudaError_t cudaBindTexture2D(size_t *offset, const texture<T, TYPE, MODE> &t,
                                            const void *pointer, size_t width, size_t height,
                                            size_t pitch)
{
    return cudaBindTexture2D(offset, t, pointer, t.channelDesc, width, height, pitch);
}

template <typename T, int TYPE, cudaTextureReadMode MODE>
static inline cudaError_t cudaBindTextureToArray(const texture<T, TYPE, MODE> &t,
                                                 cudaArray_const_t array)
{
    cudaResourceDesc r = {};

    r.resType = cudaResourceTypeArray;
    r.res.array.array = const_cast<cudaArray_t>(array);
    return cpu_bind(t, r);
}

template <typename T, int TYPE, cudaTextureReadMode MODE>
static inline cudaError_t cudaBindTextureToArray(const texture<T, TYPE, MODE> &t,
                                                 cudaArray_const_t array,
                                                 const cudaChannelFormatDesc &)
{
    return cudaBindTextureToArray(t, array);
}

template <typename T, int TYPE, cudaTextureReadMode MODE>
static inline cudaError_t cudaUnbindTexture(const texture<T, TYPE, MODE> &t)
{
    cudaError_t error = cudaDestroyTextureObject(t.object);

    const_cast<texture<T, TYPE, MODE> &>(t).object = 0;
    return error;
}

template <typename T, int TYPE, cudaTextureReadMode MODE>
static inline cudaError_t cudaGetTextureAlignmentOffset(size_t *offset,
                                                        const texture<T, TYPE, MODE> &)
{
    *offset = 0;
    return cudaSuccess;
}

template <typename T, int TYPE>
static inline cudaError_t cudaBindSurfaceToArray(const surface<T, TYPE> &s, cudaArray_const_t array)
{
    cudaResourceDesc r = {};

    r.resType = cudaResourceTypeArray;
    r.res.array.array = const_cast<cudaArray_t>(array);
    (void)cudaDestroySurfaceObject(s.object);
    return cudaCreateSurfaceObject(&const_cast<surface<T, TYPE> &>(s).object, &r);
}

template <typename T, int TYPE>
static inline cudaError_t cudaBindSurfaceToArray(const surface<T, TYPE> &s, cudaArray_const_t array,
                                                 const cudaChannelFormatDesc &)
{
    return cudaBindSurfaceToArray(s, array);
}

/* --- fetches
 * ------------------------------------------------------------------------------------ */

#define CPU_UNPACKED(...) __VA_ARGS__

/* By an object, whose texels' type is said; into a variable; and by a reference. */
#define CPU_TEXTURE(NAME, TYPE, PARAMETERS, CALL)                                                  \
    template <typename T>                                                                          \
    static CPU_INLINE T NAME(cudaTextureObject_t cpu_t, CPU_UNPACKED PARAMETERS)                   \
    {                                                                                              \
        return cpu_of_texel<T>(CALL);                                                              \
    }                                                                                              \
    template <typename T>                                                                          \
    static CPU_INLINE void NAME(T *cpu_to, cudaTextureObject_t cpu_t, CPU_UNPACKED PARAMETERS)     \
    {                                                                                              \
        *cpu_to = cpu_of_texel<T>(CALL);                                                           \
    }                                                                                              \
    template <typename T, cudaTextureReadMode MODE>                                                \
    static CPU_INLINE typename cpu_fetched<T, MODE>::type NAME(texture<T, TYPE, MODE> &cpu_of,     \
                                                               CPU_UNPACKED PARAMETERS)            \
    {                                                                                              \
        cudaTextureObject_t cpu_t = cpu_object(cpu_of);                                            \
        return cpu_of_texel<typename cpu_fetched<T, MODE>::type>(CALL);                            \
    }

CPU_TEXTURE(tex1Dfetch, cudaTextureType1D, (int i), cpu_texture_fetch(cpu_t, i))
CPU_TEXTURE(tex1D, cudaTextureType1D, (float x), cpu_texture(cpu_t, CPU_TEXTURE_1D, x, 0, 0, 0))
CPU_TEXTURE(tex2D, cudaTextureType2D, (float x, float y),
            cpu_texture(cpu_t, CPU_TEXTURE_2D, x, y, 0, 0))
CPU_TEXTURE(tex3D, cudaTextureType3D, (float x, float y, float z),
            cpu_texture(cpu_t, CPU_TEXTURE_3D, x, y, z, 0))
CPU_TEXTURE(tex1DLayered, cudaTextureType1DLayered, (float x, int layer),
            cpu_texture(cpu_t, CPU_TEXTURE_1D, x, 0, 0, layer))
CPU_TEXTURE(tex2DLayered, cudaTextureType2DLayered, (float x, float y, int layer),
            cpu_texture(cpu_t, CPU_TEXTURE_2D, x, y, 0, layer))
CPU_TEXTURE(texCubemap, cudaTextureTypeCubemap, (float x, float y, float z),
            cpu_texture(cpu_t, CPU_TEXTURE_CUBE, x, y, z, 0))
CPU_TEXTURE(texCubemapLayered, cudaTextureTypeCubemapLayered,
            (float x, float y, float z, int layer),
            cpu_texture(cpu_t, CPU_TEXTURE_CUBE, x, y, z, layer))
CPU_TEXTURE(tex2Dgather, cudaTextureType2D, (float x, float y, int component = 0),
            cpu_texture_gather(cpu_t, x, y, component))

/* There are no mipmaps: each level is the texture itself. */
CPU_TEXTURE(tex1DLod, cudaTextureType1D, (float x, float),
            cpu_texture(cpu_t, CPU_TEXTURE_1D, x, 0, 0, 0))
CPU_TEXTURE(tex2DLod, cudaTextureType2D, (float x, float y, float),
            cpu_texture(cpu_t, CPU_TEXTURE_2D, x, y, 0, 0))
CPU_TEXTURE(tex3DLod, cudaTextureType3D, (float x, float y, float z, float),
            cpu_texture(cpu_t, CPU_TEXTURE_3D, x, y, z, 0))
CPU_TEXTURE(tex1DGrad, cudaTextureType1D, (float x, float, float),
            cpu_texture(cpu_t, CPU_TEXTURE_1D, x, 0, 0, 0))
CPU_TEXTURE(tex2DGrad, cudaTextureType2D, (float x, float y, float2, float2),
            cpu_texture(cpu_t, CPU_TEXTURE_2D, x, y, 0, 0))
CPU_TEXTURE(tex3DGrad, cudaTextureType3D, (float x, float y, float z, float4, float4),
            cpu_texture(cpu_t, CPU_TEXTURE_3D, x, y, z, 0))

/* --- surfaces
 * ----------------------------------------------------------------------------------- */

template <typename T> static CPU_INLINE cpu_texel cpu_words_of(T value)
{
    cpu_texel t = {};

    __builtin_memcpy(t.word, (const void *)&value, sizeof(value));
    return t;
}

template <typename T> static CPU_INLINE T cpu_of_words(cpu_texel t)
{
    T value;

    __builtin_memcpy((void *)&value, t.word, sizeof(value));
    return value;
}

/* x is in bytes. */
#define CPU_SURFACE(NAME, TYPE, PARAMETERS, PLACE)                                                 \
    template <typename T>                                                                          \
    static CPU_INLINE T NAME##read(cudaSurfaceObject_t s, CPU_UNPACKED PARAMETERS,                 \
                                   cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)            \
    {                                                                                              \
        return cpu_of_words<T>(cpu_surface_read(s, CPU_UNPACKED PLACE, sizeof(T), mode));          \
    }                                                                                              \
    template <typename T>                                                                          \
    static CPU_INLINE void NAME##read(T *to, cudaSurfaceObject_t s, CPU_UNPACKED PARAMETERS,       \
                                      cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)         \
    {                                                                                              \
        *to = cpu_of_words<T>(cpu_surface_read(s, CPU_UNPACKED PLACE, sizeof(T), mode));           \
    }                                                                                              \
    template <typename T, typename V>                                                              \
    static CPU_INLINE T NAME##read(surface<V, TYPE> &of, CPU_UNPACKED PARAMETERS,                  \
                                   cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)            \
    {                                                                                              \
        return cpu_of_words<T>(                                                                    \
            cpu_surface_read(cpu_object(of), CPU_UNPACKED PLACE, sizeof(T), mode));                \
    }                                                                                              \
    template <typename T, typename V>                                                              \
    static CPU_INLINE void NAME##read(T *to, surface<V, TYPE> &of, CPU_UNPACKED PARAMETERS,        \
                                      cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)         \
    {                                                                                              \
        *to = cpu_of_words<T>(                                                                     \
            cpu_surface_read(cpu_object(of), CPU_UNPACKED PLACE, sizeof(T), mode));                \
    }                                                                                              \
    template <typename T>                                                                          \
    static CPU_INLINE void NAME##write(T value, cudaSurfaceObject_t s, CPU_UNPACKED PARAMETERS,    \
                                       cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)        \
    {                                                                                              \
        cpu_surface_write(s, cpu_words_of(value), CPU_UNPACKED PLACE, sizeof(T), mode);            \
    }                                                                                              \
    template <typename T, typename V>                                                              \
    static CPU_INLINE void NAME##write(T value, surface<V, TYPE> &of, CPU_UNPACKED PARAMETERS,     \
                                       cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)        \
    {                                                                                              \
        cpu_surface_write(cpu_object(of), cpu_words_of(value), CPU_UNPACKED PLACE, sizeof(T),      \
                          mode);                                                                   \
    }

CPU_SURFACE(surf1D, cudaSurfaceType1D, (int x), (x, 0, 0))
CPU_SURFACE(surf2D, cudaSurfaceType2D, (int x, int y), (x, y, 0))
CPU_SURFACE(surf3D, cudaSurfaceType3D, (int x, int y, int z), (x, y, z))
CPU_SURFACE(surf1DLayered, cudaSurfaceType1DLayered, (int x, int layer), (x, 0, layer))
CPU_SURFACE(surf2DLayered, cudaSurfaceType2DLayered, (int x, int y, int layer), (x, y, layer))
CPU_SURFACE(surfCubemap, cudaSurfaceTypeCubemap, (int x, int y, int face), (x, y, face))
CPU_SURFACE(surfCubemapLayered, cudaSurfaceTypeCubemapLayered, (int x, int y, int face),
            (x, y, face))

#endif
