/*
 * Textures and surfaces: which memory an object shows and how, and what a kernel gets of it. An
 * object is the address of its description.
 *
 * A fetch follows "Texture Fetching" in the CUDA C++ Programming Guide, and, in what that leaves
 * open, an H200, by the tables in check/foreign/texture-*.expected: a weight of a linear filter
 * has 8 bits behind the point. Each texel that is fetched is observed as a load, of what nobody
 * may write in the same launch.
 */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cpu/abi.h"
#include "cpu/engine/failure.h"
#include "cpu/engine/thread.h"
#include "cpu/runtime/access.h"
#include "cpu/runtime/arrays.h"
#include "cpu/runtime/errors.h"

enum {
    ALIVE = 0x74657874,
    CUBE_FACES = 6,
    MOST_BITS = 32,
    ONE = 256, /* the weights of a linear filter add up to it */
    GUARD = 4, /* bits: see float_mean */
    CORNERS = 8,
};

/* A texture or surface object; of a surface only what is known of the memory counts. */
struct view {
    unsigned alive; /* ALIVE, until it is destroyed */
    struct cudaResourceDesc resource;
    struct cudaTextureDesc texture;
    struct cudaChannelFormatDesc format;
    unsigned element, channels; /* element: bytes */
    char *at;
    size_t width, height, depth, pitch, layer; /* texels; pitch, layer: bytes to the next */
    bool has_layers;                           /* depth is how many, not a direction */
};

/* --- objects, by the host --------------------------------------------------------------------- */

static cudaError_t view_of(const char *call, const struct cudaResourceDesc *r, struct view *v)
{
    cudaArray_const_t array = r->res.array.array;

    switch (r->resType) {
    case cudaResourceTypeArray:
        if (!array_exists(array))
            return error_say(cudaErrorInvalidValue, "%s: no array, or one that was freed", call);
        v->format = array->format;
        v->at = array->at;
        v->width = array->width;
        v->height = array->height;
        v->depth = array->depth;
        v->pitch = array->width * array->element;
        v->has_layers = array->flags & (cudaArrayLayered | cudaArrayCubemap);
        break;
    case cudaResourceTypeLinear:
        v->format = r->res.linear.desc;
        v->at = r->res.linear.devPtr;
        v->height = v->depth = 1;
        if (format_bytes(&v->format))
            v->width = r->res.linear.sizeInBytes / format_bytes(&v->format);
        v->pitch = r->res.linear.sizeInBytes;
        break;
    case cudaResourceTypePitch2D:
        v->format = r->res.pitch2D.desc;
        v->at = r->res.pitch2D.devPtr;
        v->width = r->res.pitch2D.width;
        v->height = r->res.pitch2D.height;
        v->depth = 1;
        v->pitch = r->res.pitch2D.pitchInBytes;
        break;
    default:
        return error_say(cudaErrorNotSupported, "%s: the CPU device has no mipmapped arrays", call);
    }
    v->layer = v->pitch * v->height;
    v->element = format_bytes(&v->format);
    v->channels = format_channels(&v->format);
    if (!v->element || !v->width || !v->height || !v->at)
        return error_say(cudaErrorInvalidValue,
                         "%s: no memory, no texel, or none that textures have", call);
    return cudaSuccess;
}

static cudaError_t create(const char *call, unsigned long long *object,
                          const struct cudaResourceDesc *resource,
                          const struct cudaTextureDesc *texture)
{
    struct view v = {.alive = ALIVE}, *kept;
    cudaError_t error;

    if (!object || !resource)
        return error_keep(cudaErrorInvalidValue);
    v.resource = *resource;
    if (texture)
        v.texture = *texture;
    error = view_of(call, resource, &v);
    if (error)
        return error;
    if (v.texture.sRGB)
        return error_say(cudaErrorNotSupported, "%s: the CPU device has no sRGB", call);
    if (v.texture.filterMode == cudaFilterModeLinear &&
        v.texture.readMode == cudaReadModeElementType && v.format.f != cudaChannelFormatKindFloat)
        return error_say(cudaErrorInvalidValue,
                         "%s: a linear filter of integers, which are read as they are", call);
    if (v.texture.readMode == cudaReadModeNormalizedFloat &&
        v.format.f != cudaChannelFormatKindFloat && v.format.x == MOST_BITS)
        return error_say(cudaErrorInvalidValue, "%s: integers of 32 bits are not normalized", call);
    for (unsigned c = 0; c < v.channels; c++)
        if (v.texture.borderColor[c] != 0 && v.format.f != cudaChannelFormatKindFloat &&
            v.texture.readMode == cudaReadModeElementType)
            return error_say(cudaErrorNotSupported,
                             "%s: the CPU device has no border colour of integers but 0", call);
    kept = malloc(sizeof(*kept));
    if (!kept)
        return error_keep(cudaErrorMemoryAllocation);
    *kept = v;
    *object = (uintptr_t)kept;
    return cudaSuccess;
}

static struct view *known(unsigned long long object)
{
    struct view *v = (struct view *)(uintptr_t)object;

    return v && v->alive == ALIVE ? v : NULL;
}

/* The description stays: a kernel that comes too late finds that it was destroyed. */
static cudaError_t destroy(unsigned long long object)
{
    struct view *v = known(object);

    if (!v)
        return object ? error_keep(cudaErrorInvalidValue) : cudaSuccess;
    v->alive = 0;
    return cudaSuccess;
}

cudaError_t cudaCreateTextureObject(cudaTextureObject_t *object,
                                    const struct cudaResourceDesc *resource,
                                    const struct cudaTextureDesc *texture,
                                    const struct cudaResourceViewDesc *view)
{
    if (!texture)
        return error_keep(cudaErrorInvalidValue);
    if (view)
        return error_say(cudaErrorNotSupported,
                         "cudaCreateTextureObject: the CPU device has no resource views");
    return create("cudaCreateTextureObject", object, resource, texture);
}

cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object)
{
    return destroy(object);
}

cudaError_t cudaGetTextureObjectResourceDesc(struct cudaResourceDesc *resource,
                                             cudaTextureObject_t object)
{
    if (!resource || !known(object))
        return error_keep(cudaErrorInvalidValue);
    *resource = known(object)->resource;
    return cudaSuccess;
}

cudaError_t cudaGetTextureObjectTextureDesc(struct cudaTextureDesc *texture,
                                            cudaTextureObject_t object)
{
    if (!texture || !known(object))
        return error_keep(cudaErrorInvalidValue);
    *texture = known(object)->texture;
    return cudaSuccess;
}

cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t *object,
                                    const struct cudaResourceDesc *resource)
{
    if (!resource || resource->resType != cudaResourceTypeArray)
        return error_keep(cudaErrorInvalidValue);
    if (array_exists(resource->res.array.array) &&
        !(resource->res.array.array->flags & cudaArraySurfaceLoadStore))
        return error_say(cudaErrorInvalidValue, "cudaCreateSurfaceObject: the array was not made "
                                                "with cudaArraySurfaceLoadStore");
    return create("cudaCreateSurfaceObject", object, resource, NULL);
}

cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object)
{
    return destroy(object);
}

cudaError_t cudaGetSurfaceObjectResourceDesc(struct cudaResourceDesc *resource,
                                             cudaSurfaceObject_t object)
{
    return cudaGetTextureObjectResourceDesc(resource, object);
}

int cpu_texture_bind(struct textureReference *reference, const struct cudaResourceDesc *resource,
                     int read_mode)
{
    struct cudaTextureDesc texture = {.filterMode = reference->filterMode,
                                      .readMode = (enum cudaTextureReadMode)read_mode,
                                      .sRGB = reference->sRGB,
                                      .normalizedCoords = reference->normalized};

    memcpy(texture.addressMode, reference->addressMode, sizeof(texture.addressMode));
    (void)destroy(reference->object);
    reference->object = 0;
    return create("cudaBindTexture", &reference->object, resource, &texture);
}

unsigned long long cpu_bound(const unsigned long long *object)
{
    return *object;
}

/* --- where a coordinate leads
 * ------------------------------------------------------------------- */

static struct view *used(unsigned long long object, const char *what)
{
    struct view *v = known(object);

    if (!v)
        cpu_stop(what);
    return v;
}

/* The texel i of n, as the mode has it; -1: the border. */
static long inside(enum cudaTextureAddressMode mode, long i, long n)
{
    long turn;

    if (i >= 0 && i < n)
        return i;
    switch (mode) {
    case cudaAddressModeWrap:
        turn = i % n;
        return turn < 0 ? turn + n : turn;
    case cudaAddressModeMirror:
        turn = i % (2 * n);
        turn = turn < 0 ? turn + 2 * n : turn;
        return turn < n ? turn : 2 * n - 1 - turn;
    case cudaAddressModeBorder:
        return -1;
    default:
        return i < 0 ? 0 : n - 1;
    }
}

/* Along one direction: the texel, or the two of a linear filter and the second one's weight. */
struct spot {
    long texel[2];
    int weight; /* of ONE */
};

/* Wrap and mirror are for normalized coordinates: else they are clamp. */
static enum cudaTextureAddressMode mode_of(const struct view *v, int direction)
{
    enum cudaTextureAddressMode mode = v->texture.addressMode[direction];

    if (!v->texture.normalizedCoords &&
        (mode == cudaAddressModeWrap || mode == cudaAddressModeMirror))
        return cudaAddressModeClamp;
    return mode;
}

/* In texels, near enough to the n of them that a long holds it. */
static double in_texels(const struct view *v, enum cudaTextureAddressMode mode, float x, size_t n)
{
    double at = x, far = 4.0 * (double)n + 16;

    if (isnan(at) || (isinf(at) && v->texture.normalizedCoords &&
                      (mode == cudaAddressModeWrap || mode == cudaAddressModeMirror)))
        return 0;
    if (v->texture.normalizedCoords && mode == cudaAddressModeWrap)
        at = fmin(at - floor(at), 1 - DBL_EPSILON); /* also what is a little below 0 */
    else if (v->texture.normalizedCoords && mode == cudaAddressModeMirror)
        at -= 2 * floor(at / 2);
    if (v->texture.normalizedCoords)
        at *= (double)n;
    return at < -far ? -far : at > far ? far : at;
}

static struct spot spot_of(const struct view *v, int direction, float x, size_t n, bool linear)
{
    enum cudaTextureAddressMode mode = mode_of(v, direction);
    double at = in_texels(v, mode, x, n);
    long steps, texel;
    struct spot spot;

    if (!linear)
        return (struct spot){{inside(mode, (long)floor(at), (long)n), 0}, 0};
    steps = (long)floor(at * ONE + 0.5) - ONE / 2;
    texel = (steps - (steps & (ONE - 1))) / ONE;
    spot = (struct spot){{inside(mode, texel, (long)n), inside(mode, texel + 1, (long)n)},
                         (int)(steps & (ONE - 1))};
    if (mode == cudaAddressModeClamp && spot.texel[0] == spot.texel[1])
        spot.weight = 0; /* the coordinate itself was clamped */
    return spot;
}

/* --- a texel
 * ------------------------------------------------------------------------------------ */

static uint32_t float_bits(float value)
{
    uint32_t bits;

    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static float bits_float(uint32_t bits)
{
    float value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

/* A channel as 32 bits: a float, or an integer that was widened. */
static uint32_t channel(const struct view *v, const char *at)
{
    uint32_t word = 0;

    memcpy(&word, at, (size_t)v->format.x / 8);
    if (v->format.f == cudaChannelFormatKindFloat)
        return v->format.x == 16 ? float_bits(cpu_f32_of_f16((uint16_t)word)) : word;
    if (v->format.f == cudaChannelFormatKindSigned && v->format.x < MOST_BITS)
        word = (uint32_t)((int32_t)(word << (32 - v->format.x)) >> (32 - v->format.x));
    return word;
}

/* What stands for one in an integer channel. */
static float most(const struct view *v)
{
    return (float)((1u << (v->format.x - (v->format.f == cudaChannelFormatKindSigned))) - 1);
}

/* The border's colour as the format can have it. Integers that are read as they are have 0 alone.
 * */
static uint32_t border(const struct view *v, unsigned c)
{
    float value = v->texture.borderColor[c];
    float least = v->format.f == cudaChannelFormatKindSigned ? -1 : 0;

    if (v->format.f == cudaChannelFormatKindFloat)
        return float_bits(v->format.x == 16 ? cpu_f32_of_f16(cpu_f16_of_f64(value, CPU_TO_NEAREST))
                                            : value);
    return (uint32_t)(int32_t)roundf(fminf(1, fmaxf(least, value)) * most(v));
}

/* As it is in memory; x, y or z -1: the border. */
static struct cpu_texel texel(struct thread *t, const struct view *v, long x, long y, long z,
                              uintptr_t site)
{
    struct cpu_texel found = {{0, 0, 0, 0}};
    const char *at;

    if (x < 0 || y < 0 || z < 0) {
        for (unsigned c = 0; c < v->channels; c++)
            found.word[c] = border(v, c);
        return found;
    }
    at = v->at + (size_t)z * v->layer + (size_t)y * v->pitch + (size_t)x * v->element;
    cpu_read_only(at, v->element);
    access_observe(t, at, v->element, 0, site);
    for (unsigned c = 0; c < v->channels; c++)
        found.word[c] = channel(v, at + c * (unsigned)v->format.x / 8);
    return found;
}

/* As the texture's read mode has it. */
static struct cpu_texel as_read(const struct view *v, struct cpu_texel t)
{
    bool is_signed = v->format.f == cudaChannelFormatKindSigned;

    if (v->format.f == cudaChannelFormatKindFloat || v->texture.readMode == cudaReadModeElementType)
        return t;
    for (unsigned c = 0; c < v->channels; c++)
        t.word[c] = float_bits(is_signed ? fmaxf(-1, (float)(int32_t)t.word[c] / most(v))
                                         : (float)t.word[c] / most(v));
    return t;
}

/* --- filters
 * ------------------------------------------------------------------------------------ */

/* To the nearest float; of two, the one away from zero. */
static float rounded(double exact)
{
    float near = (float)exact, next;

    if (!isfinite(near) || exact - near == 0 || (exact > near) != (exact > 0))
        return near;
    next = nextafterf(near, exact > 0 ? INFINITY : -INFINITY);
    return (double)next - exact == exact - near ? next : near;
}

/* The mean of halves or integers, sum / ONE, has 16 bits: a half, or so many parts of one. */
static float narrow_mean(const struct view *v, double sum)
{
    float parts = v->format.f == cudaChannelFormatKindSigned ? 32767 : 65535;

    if (v->format.f == cudaChannelFormatKindFloat) /* a tie, made longer, goes away from zero */
        return cpu_f32_of_f16(cpu_f16_of_f64(sum / ONE * (1 + DBL_EPSILON), CPU_TO_NEAREST));
    return fmaxf(-1, (float)floor(sum / ONE * parts / most(v) + 0.5) / parts);
}

/* Of floats. The hardware adds numbers with a fixed point, that of the largest one's exponent: so
 * of the others it loses what lies more than GUARD bits below the largest one's last. */
static float float_mean(const double *value, const int *weight, int count)
{
    double sum = 0, unit;
    int largest = INT_MIN;

    for (int i = 0; i < count; i++) {
        int exponent = INT_MIN;

        if (weight[i] && isnormal((float)value[i]))
            (void)frexp(value[i], &exponent);
        largest = exponent > largest ? exponent : largest;
    }
    unit = largest == INT_MIN ? 1 : ldexp(1, largest - FLT_MANT_DIG - GUARD);
    for (int i = 0; i < count; i++)
        if (weight[i])
            sum += weight[i] * (isnormal((float)value[i]) ? trunc(value[i] / unit)
                                : isfinite(value[i])      ? 0
                                                          : value[i]);
    return rounded(sum * unit / ONE);
}

/* The part of a weight that goes to the upper one of two; a tie goes up, or down. */
static int upper(int weight, int share, bool up)
{
    return (weight * share + (up ? ONE / 2 : ONE / 2 - 1)) / ONE;
}

/*
 * The weights of the eight corners, x + 2 y + 4 z: whole ones of ONE, so that the hardware has to
 * round each product. They are shared out along z, then x, then y, as the H200's results tell.
 */
static void share_out(const struct spot *spot, int *weight)
{
    for (int z = 0; z < 2; z++) {
        int layer = z ? spot[2].weight : ONE - spot[2].weight;
        int right = upper(layer, spot[0].weight, true);

        for (int x = 0; x < 2; x++) {
            int column = x ? right : layer - right;
            int low = upper(column, spot[1].weight, x);

            weight[4 * z + 2 + x] = low;
            weight[4 * z + x] = column - low;
        }
    }
}

static double as_number(const struct view *v, uint32_t word)
{
    return v->format.f == cudaChannelFormatKindFloat    ? (double)bits_float(word)
           : v->format.f == cudaChannelFormatKindSigned ? (double)(int32_t)word
                                                        : (double)word;
}

/* The texel at the spots, or the mean of those that they name, by their weights. */
static struct cpu_texel filtered(struct thread *t, const struct view *v, const struct spot *spot,
                                 bool linear, uintptr_t site)
{
    bool wide = v->format.f == cudaChannelFormatKindFloat && v->format.x == MOST_BITS;
    double value[4][CORNERS] = {{0}};
    struct cpu_texel found = {{0, 0, 0, 0}};
    int weight[CORNERS];

    if (!linear)
        return as_read(v, texel(t, v, spot[0].texel[0], spot[1].texel[0], spot[2].texel[0], site));
    share_out(spot, weight);
    for (int i = 0; i < CORNERS; i++) {
        if (!weight[i])
            continue;
        found = texel(t, v, spot[0].texel[i & 1], spot[1].texel[i >> 1 & 1], spot[2].texel[i >> 2],
                      site);
        for (unsigned c = 0; c < v->channels; c++)
            value[c][i] = as_number(v, found.word[c]);
    }
    for (unsigned c = 0; c < v->channels; c++) {
        double sum = 0;

        for (int i = 0; i < CORNERS; i++)
            sum += weight[i] * value[c][i];
        found.word[c] =
            float_bits(wide ? float_mean(value[c], weight, CORNERS) : narrow_mean(v, sum));
    }
    return found;
}

/* Of a cube map the direction (x, y, z) leads to a face, and to a place of -1 to 1 on it. */
static int face_of(float *x, float *y, float z)
{
    float ax = fabsf(*x), ay = fabsf(*y), az = fabsf(z), most, s, u;
    int face;

    if (az >= ax && az >= ay) {
        face = 4 + (z < 0);
        most = az;
        s = z < 0 ? -*x : *x;
        u = -*y;
    } else if (ay >= ax) {
        face = 2 + (*y < 0);
        most = ay;
        s = *x;
        u = *y < 0 ? -z : z;
    } else {
        face = *x < 0;
        most = ax;
        s = *x < 0 ? z : -z;
        u = -*y;
    }
    *x = most > 0 ? (s / most + 1) / 2 : 0.5f;
    *y = most > 0 ? (u / most + 1) / 2 : 0.5f;
    return face;
}

static const struct spot whole = {{0, 0}, 0};

struct cpu_texel cpu_texture(unsigned long long object, enum cpu_texture_kind kind, float x,
                             float y, float z, int layer)
{
    const struct view *v = used(object, "a fetch by a texture that there is none of");
    bool linear = v->texture.filterMode == cudaFilterModeLinear;
    struct spot spot[3] = {whole, whole, whole};
    long layers = (long)v->depth;

    if (kind == CPU_TEXTURE_CUBE) {
        int face = face_of(&x, &y, z);

        layer = (layer < 0 ? 0 : layer) * CUBE_FACES + face;
    }
    spot[0] = spot_of(v, 0, x, v->width, linear);
    /* One direction is two for the hardware, with y = 0: half of that is the border, if y has
     * one. */
    spot[1] = spot_of(v, 1, y, v->height, linear);
    if (kind == CPU_TEXTURE_3D)
        spot[2] = spot_of(v, 2, z, v->depth, linear);
    else if (v->has_layers)
        spot[2].texel[0] = spot[2].texel[1] = layer < 0 ? 0 : layer >= layers ? layers - 1 : layer;
    return filtered(cpu_thread(), v, spot, linear, HERE);
}

struct cpu_texel cpu_texture_fetch(unsigned long long object, int i)
{
    const struct view *v = used(object, "a fetch by a texture that there is none of");
    struct cpu_texel nothing = {{0, 0, 0, 0}};

    return i < 0 || (size_t)i >= v->width ? nothing
                                          : as_read(v, texel(cpu_thread(), v, i, 0, 0, HERE));
}

struct cpu_texel cpu_texture_gather(unsigned long long object, float x, float y, int component)
{
    static const int corner[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}}; /* the order that CUDA has */
    const struct view *v = used(object, "a gather by a texture that there is none of");
    struct spot across = spot_of(v, 0, x, v->width, true);
    struct spot down = spot_of(v, 1, y, v->height, true);
    struct cpu_texel found;

    for (int i = 0; i < 4; i++)
        found.word[i] = as_read(v, texel(cpu_thread(), v, across.texel[corner[i][0]],
                                         down.texel[corner[i][1]], 0, HERE))
                            .word[component & 3];
    return found;
}

/* --- surfaces
 * ----------------------------------------------------------------------------------- */

/* The place of so many bytes from byte x of a row on; NULL: outside, where nothing is done. */
static char *surface_at(const struct view *v, int x, int y, int z, unsigned bytes, int mode)
{
    long last[3] = {(long)(v->width * v->element) - (long)bytes, (long)v->height - 1,
                    (long)v->depth - 1};
    long at[3] = {x, y, z};

    for (int d = 0; d < 3; d++) {
        if (at[d] >= 0 && at[d] <= last[d])
            continue;
        if (mode == cudaBoundaryModeTrap)
            cpu_stop("an access outside of a surface, with cudaBoundaryModeTrap");
        if (mode != cudaBoundaryModeClamp)
            return NULL;
        if (d == 0 && at[0] > 0 && bytes > 4)
            cpu_stop("the CPU device has no cudaBoundaryModeClamp of vectors behind a row's end");
        at[d] = at[d] < 0 ? 0 : last[d];
    }
    return v->at + (size_t)at[2] * v->layer + (size_t)at[1] * v->pitch + (size_t)at[0];
}

struct cpu_texel cpu_surface_read(unsigned long long object, int x, int y, int z, unsigned bytes,
                                  int mode)
{
    const struct view *v = used(object, "a read by a surface that there is none of");
    const char *at = surface_at(v, x, y, z, bytes, mode);
    struct cpu_texel found = {{0, 0, 0, 0}};

    if (at) {
        access_observe(cpu_thread(), at, bytes, 0, HERE);
        memcpy(found.word, at, bytes);
    }
    return found;
}

void cpu_surface_write(unsigned long long object, struct cpu_texel value, int x, int y, int z,
                       unsigned bytes, int mode)
{
    const struct view *v = used(object, "a write by a surface that there is none of");
    char *at = surface_at(v, x, y, z, bytes, mode);

    if (at) {
        access_observe(cpu_thread(), at, bytes, ACCESS_WRITE, HERE);
        memcpy(at, value.word, bytes);
    }
}
