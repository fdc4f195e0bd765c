/*
 * cuFFT over FFTW, in single and double precision: neither scales a transform, and both describe
 * the layout of many transforms in the same way.
 */
#include "cpu/libraries/library.h"
#include <fftw3.h>
#include <cufft.h>
#include <cufftXt.h>

enum { MOST_PLANS = 1 << 16, MOST_DIMENSIONS = 3 };

/* made[direction][in place]: FFTW's, for any arrays. */
struct plan {
    bool complete, wide; /* wide: double precision */
    cufftType type;
    int rank, count, n[MOST_DIMENSIONS];
    bool plain; /* no embedding: inputs and outputs without gaps, strides and distances unused */
    int in_embed[MOST_DIMENSIONS], in_stride, in_distance;
    int out_embed[MOST_DIMENSIONS], out_stride, out_distance;
    void *made[2][2];
};

static struct plan *plans[MOST_PLANS];

static struct plan *plan_of(cufftHandle handle)
{
    return handle > 0 && handle < MOST_PLANS ? plans[handle] : NULL;
}

cufftResult cufftCreate(cufftHandle *handle)
{
    if (!handle)
        return CUFFT_INVALID_VALUE;
    for (*handle = 1; *handle < MOST_PLANS && plans[*handle]; ++*handle)
        ;
    if (*handle == MOST_PLANS)
        return CUFFT_ALLOC_FAILED;
    plans[*handle] = calloc(1, sizeof(struct plan));
    return plans[*handle] ? CUFFT_SUCCESS : CUFFT_ALLOC_FAILED;
}

cufftResult cufftDestroy(cufftHandle handle)
{
    struct plan *p = plan_of(handle);

    if (!p)
        return CUFFT_INVALID_PLAN;
    for (int i = 0; i < 4; i++) {
        void *made = p->made[i / 2][i % 2];

        if (made && p->wide)
            fftw_destroy_plan(made);
        else if (made)
            fftwf_destroy_plan(made);
    }
    free(p);
    plans[handle] = NULL;
    return CUFFT_SUCCESS;
}

static bool is_type(cufftType type)
{
    return type == CUFFT_C2C || type == CUFFT_R2C || type == CUFFT_C2R || type == CUFFT_Z2Z ||
           type == CUFFT_D2Z || type == CUFFT_Z2D;
}

cufftResult cufftMakePlanMany(cufftHandle handle, int rank, int *n, int *in_embed, int in_stride,
                              int in_distance, int *out_embed, int out_stride, int out_distance,
                              cufftType type, int count, size_t *work)
{
    struct plan *p = plan_of(handle);

    if (!p || p->complete)
        return CUFFT_INVALID_PLAN;
    if (!is_type(type))
        return CUFFT_INVALID_TYPE;
    if (rank < 1 || rank > MOST_DIMENSIONS || !n || count < 1)
        return CUFFT_INVALID_VALUE;
    for (int i = 0; i < rank; i++) {
        if (n[i] < 1)
            return CUFFT_INVALID_SIZE;
        p->n[i] = n[i];
        p->in_embed[i] = in_embed && out_embed ? in_embed[i] : 0;
        p->out_embed[i] = in_embed && out_embed ? out_embed[i] : 0;
    }
    p->plain = !in_embed || !out_embed;
    p->in_stride = in_stride;
    p->in_distance = in_distance;
    p->out_stride = out_stride;
    p->out_distance = out_distance;
    p->rank = rank;
    p->count = count;
    p->type = type;
    p->wide = type == CUFFT_Z2Z || type == CUFFT_D2Z || type == CUFFT_Z2D;
    p->complete = true;
    if (work)
        *work = 0;
    return CUFFT_SUCCESS;
}

cufftResult cufftMakePlan1d(cufftHandle handle, int n, cufftType type, int count, size_t *work)
{
    return cufftMakePlanMany(handle, 1, &n, NULL, 1, 0, NULL, 1, 0, type, count, work);
}

cufftResult cufftMakePlan2d(cufftHandle handle, int rows, int columns, cufftType type, size_t *work)
{
    int n[] = {rows, columns};

    return cufftMakePlanMany(handle, 2, n, NULL, 1, 0, NULL, 1, 0, type, 1, work);
}

cufftResult cufftMakePlan3d(cufftHandle handle, int nx, int ny, int nz, cufftType type,
                            size_t *work)
{
    int n[] = {nx, ny, nz};

    return cufftMakePlanMany(handle, 3, n, NULL, 1, 0, NULL, 1, 0, type, 1, work);
}

static cufftResult created(cufftHandle *handle, cufftResult result)
{
    if (result)
        cufftDestroy(*handle);
    return result;
}

cufftResult cufftPlanMany(cufftHandle *handle, int rank, int *n, int *in_embed, int in_stride,
                          int in_distance, int *out_embed, int out_stride, int out_distance,
                          cufftType type, int count)
{
    cufftResult result = cufftCreate(handle);

    return result ? result
                  : created(handle, cufftMakePlanMany(*handle, rank, n, in_embed, in_stride,
                                                      in_distance, out_embed, out_stride,
                                                      out_distance, type, count, NULL));
}

cufftResult cufftPlan1d(cufftHandle *handle, int n, cufftType type, int count)
{
    return cufftPlanMany(handle, 1, &n, NULL, 1, 0, NULL, 1, 0, type, count);
}

cufftResult cufftPlan2d(cufftHandle *handle, int rows, int columns, cufftType type)
{
    int n[] = {rows, columns};

    return cufftPlanMany(handle, 2, n, NULL, 1, 0, NULL, 1, 0, type, 1);
}

cufftResult cufftPlan3d(cufftHandle *handle, int nx, int ny, int nz, cufftType type)
{
    int n[] = {nx, ny, nz};

    return cufftPlanMany(handle, 3, n, NULL, 1, 0, NULL, 1, 0, type, 1);
}

/* The same with types of numbers; those of single and double precision. */
cufftResult cufftXtMakePlanMany(cufftHandle handle, int rank, long long int *n,
                                long long int *in_embed, long long int in_stride,
                                long long int in_distance, cudaDataType in_type,
                                long long int *out_embed, long long int out_stride,
                                long long int out_distance, cudaDataType out_type,
                                long long int count, size_t *work, cudaDataType compute)
{
    static const struct {
        cudaDataType in, out;
        cufftType type;
    } types[] = {{CUDA_C_32F, CUDA_C_32F, CUFFT_C2C}, {CUDA_R_32F, CUDA_C_32F, CUFFT_R2C},
                 {CUDA_C_32F, CUDA_R_32F, CUFFT_C2R}, {CUDA_C_64F, CUDA_C_64F, CUFFT_Z2Z},
                 {CUDA_R_64F, CUDA_C_64F, CUFFT_D2Z}, {CUDA_C_64F, CUDA_R_64F, CUFFT_Z2D}};
    int sizes[3][MOST_DIMENSIONS];
    bool embedded = in_embed && out_embed;

    (void)compute;
    for (int i = 0; i < rank && i < MOST_DIMENSIONS; i++) {
        sizes[0][i] = (int)n[i];
        sizes[1][i] = embedded ? (int)in_embed[i] : 0;
        sizes[2][i] = embedded ? (int)out_embed[i] : 0;
    }
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (types[i].in == in_type && types[i].out == out_type)
            return cufftMakePlanMany(handle, rank, sizes[0], embedded ? sizes[1] : NULL,
                                     (int)in_stride, (int)in_distance, embedded ? sizes[2] : NULL,
                                     (int)out_stride, (int)out_distance, types[i].type, (int)count,
                                     work);
    return CUFFT_NOT_SUPPORTED;
}

/* --- settings: work areas are FFTW's own ------------------------------------------------------ */

cufftResult cufftSetStream(cufftHandle handle, cudaStream_t stream)
{
    (void)stream;
    return plan_of(handle) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}

cufftResult cufftSetAutoAllocation(cufftHandle handle, int automatic)
{
    (void)automatic;
    return plan_of(handle) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}

cufftResult cufftSetWorkArea(cufftHandle handle, void *area)
{
    (void)area;
    return plan_of(handle) ? CUFFT_SUCCESS : CUFFT_INVALID_PLAN;
}

cufftResult cufftGetSize(cufftHandle handle, size_t *bytes)
{
    if (!plan_of(handle))
        return CUFFT_INVALID_PLAN;
    *bytes = 0;
    return CUFFT_SUCCESS;
}

cufftResult cufftEstimate1d(int n, cufftType type, int count, size_t *bytes)
{
    *bytes = 0;
    return n < 1 || count < 1 ? CUFFT_INVALID_SIZE
           : is_type(type)    ? CUFFT_SUCCESS
                              : CUFFT_INVALID_TYPE;
}

cufftResult cufftGetVersion(int *version)
{
    *version = CUFFT_VERSION;
    return CUFFT_SUCCESS;
}

/* --- transforms ------------------------------------------------------------------------------- */

/* Elements of one transform, and from the first to the last of all. real: without those that
 * symmetry gives. */
static size_t elements(const struct plan *p, bool half)
{
    size_t all = 1;

    for (int i = 0; i < p->rank; i++)
        all *= (size_t)(half && i == p->rank - 1 ? p->n[i] / 2 + 1 : p->n[i]);
    return all;
}

static size_t reach(const struct plan *p, bool half, const int *embed, int stride, int distance)
{
    size_t last = 0;

    if (p->plain)
        return elements(p, half) * (size_t)p->count;
    for (int i = 0; i < p->rank; i++) {
        int n = half && i == p->rank - 1 ? p->n[i] / 2 + 1 : p->n[i];

        last = last * (size_t)(i ? embed[i] : 1) + (size_t)(n - 1);
    }
    return last * (size_t)stride + (size_t)(p->count - 1) * (size_t)distance + 1;
}

/* What FFTW is given for a plan's inputs or outputs. */
struct layout {
    const int *embed;
    int stride, distance;
};

/* padded: real elements that take the place of the complex ones. */
static struct layout layout_of(const struct plan *p, bool input, bool half, bool padded)
{
    if (p->plain)
        return (struct layout){NULL, 1, (int)(padded ? 2 * elements(p, true) : elements(p, half))};
    return input ? (struct layout){p->in_embed, p->in_stride, p->in_distance}
                 : (struct layout){p->out_embed, p->out_stride, p->out_distance};
}

#define FLAGS (FFTW_ESTIMATE | FFTW_UNALIGNED)
#define MAKE(F, R)                                                                                 \
    static void *make_##F(struct plan *p, void *in, void *out, int sign)                           \
    {                                                                                              \
        bool to_half = p->type == CUFFT_R2C || p->type == CUFFT_D2Z;                               \
        bool from_half = p->type == CUFFT_C2R || p->type == CUFFT_Z2D;                             \
        void **made = &p->made[sign > 0][in == out];                                               \
        struct layout i = layout_of(p, true, from_half, to_half && in == out);                     \
        struct layout o = layout_of(p, false, to_half, from_half && in == out);                    \
                                                                                                   \
        if (!*made && to_half)                                                                     \
            *made = F##_plan_many_dft_r2c(p->rank, p->n, p->count, in, i.embed, i.stride,          \
                                          i.distance, out, o.embed, o.stride, o.distance, FLAGS);  \
        else if (!*made && from_half)                                                              \
            *made = F##_plan_many_dft_c2r(p->rank, p->n, p->count, in, i.embed, i.stride,          \
                                          i.distance, out, o.embed, o.stride, o.distance, FLAGS);  \
        else if (!*made)                                                                           \
            *made = F##_plan_many_dft(p->rank, p->n, p->count, in, i.embed, i.stride, i.distance,  \
                                      out, o.embed, o.stride, o.distance, sign, FLAGS);            \
        return *made;                                                                              \
    }
MAKE(fftwf, float)
MAKE(fftw, double)

static cufftResult transform(const char *call, cufftHandle handle, cufftType type, void *in,
                             void *out, int sign)
{
    struct plan *p = plan_of(handle);
    bool to_half = type == CUFFT_R2C || type == CUFFT_D2Z;
    bool from_half = type == CUFFT_C2R || type == CUFFT_Z2D;
    size_t number = p && p->wide ? sizeof(double) : sizeof(float), in_bytes, out_bytes;
    LIBRARY_FREED void *kept = NULL; /* FFTW overwrites what it makes real numbers of */
    void *made;

    if (!p || !p->complete || p->type != type)
        return CUFFT_INVALID_PLAN;
    LIBRARY_CALL("cuFFT", call);
    in_bytes = reach(p, from_half, p->in_embed, p->in_stride, p->in_distance) *
               (to_half ? number : 2 * number);
    out_bytes = reach(p, to_half, p->out_embed, p->out_stride, p->out_distance) *
                (from_half ? number : 2 * number);
    if (cpu_library_range(call, in, in_bytes, false) ||
        cpu_library_range(call, out, out_bytes, true))
        return CUFFT_EXEC_FAILED;
    if (from_half && in != out) {
        kept = malloc(in_bytes);
        if (!kept)
            return CUFFT_ALLOC_FAILED;
        in = memcpy(kept, in, in_bytes);
    }
    made = p->wide ? make_fftw(p, in, out, sign) : make_fftwf(p, in, out, sign);
    if (!made)
        return CUFFT_INTERNAL_ERROR;
    if (p->wide && to_half)
        fftw_execute_dft_r2c(made, in, out);
    else if (p->wide && from_half)
        fftw_execute_dft_c2r(made, in, out);
    else if (p->wide)
        fftw_execute_dft(made, in, out);
    else if (to_half)
        fftwf_execute_dft_r2c(made, in, out);
    else if (from_half)
        fftwf_execute_dft_c2r(made, in, out);
    else
        fftwf_execute_dft(made, in, out);
    return CUFFT_SUCCESS;
}

cufftResult cufftExecC2C(cufftHandle handle, cufftComplex *in, cufftComplex *out, int direction)
{
    return transform(__func__, handle, CUFFT_C2C, in, out, direction);
}

cufftResult cufftExecZ2Z(cufftHandle handle, cufftDoubleComplex *in, cufftDoubleComplex *out,
                         int direction)
{
    return transform(__func__, handle, CUFFT_Z2Z, in, out, direction);
}

cufftResult cufftExecR2C(cufftHandle handle, cufftReal *in, cufftComplex *out)
{
    return transform(__func__, handle, CUFFT_R2C, in, out, CUFFT_FORWARD);
}

cufftResult cufftExecD2Z(cufftHandle handle, cufftDoubleReal *in, cufftDoubleComplex *out)
{
    return transform(__func__, handle, CUFFT_D2Z, in, out, CUFFT_FORWARD);
}

cufftResult cufftExecC2R(cufftHandle handle, cufftComplex *in, cufftReal *out)
{
    return transform(__func__, handle, CUFFT_C2R, in, out, CUFFT_INVERSE);
}

cufftResult cufftExecZ2D(cufftHandle handle, cufftDoubleComplex *in, cufftDoubleReal *out)
{
    return transform(__func__, handle, CUFFT_Z2D, in, out, CUFFT_INVERSE);
}

cufftResult cufftXtExec(cufftHandle handle, void *in, void *out, int direction)
{
    struct plan *p = plan_of(handle);

    if (!p || !p->complete)
        return CUFFT_INVALID_PLAN;
    return transform(__func__, handle, p->type, in, out,
                     p->type == CUFFT_R2C || p->type == CUFFT_D2Z   ? CUFFT_FORWARD
                     : p->type == CUFFT_C2R || p->type == CUFFT_Z2D ? CUFFT_INVERSE
                                                                    : direction);
}
