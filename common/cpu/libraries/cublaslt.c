/*
 * cuBLASLt over the system's BLAS: a product whose matrices, operations and epilogue are described
 * by attributes. Whatever type and order a matrix has, it is laid out in single or double
 * precision as its operation wants it, multiplied, and each result is rounded once at the end.
 *
 * Beside cublas.c. What is not there is refused by CUBLAS_STATUS_NOT_SUPPORTED, and by a line that
 * names it.
 */
#include <math.h>
#include <stdio.h>
#include "cpu/libraries/library.h"
#include "cpu/libraries/element.h"
#include <cblas.h>
#include <cublasLt.h>
#include <cublas_v2.h>

#define OPEN(HANDLE)                                                                               \
    if (!(HANDLE))                                                                                 \
        return CUBLAS_STATUS_NOT_INITIALIZED;                                                      \
    LIBRARY_CALL("cuBLAS", __func__)
#define NEED(condition)                                                                            \
    if (!(condition))                                                                              \
    return CUBLAS_STATUS_INVALID_VALUE
#define DONE return CUBLAS_STATUS_SUCCESS

cublasStatus_t cublasLtCreate(cublasLtHandle_t *handle)
{
    NEED(handle);
    *handle = malloc(1);
    return *handle ? CUBLAS_STATUS_SUCCESS : CUBLAS_STATUS_ALLOC_FAILED;
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle)
{
    free(handle);
    DONE;
}

size_t cublasLtGetVersion(void)
{
    return CUBLAS_VERSION;
}

const char *cublasLtGetStatusName(cublasStatus_t status)
{
    return cublasGetStatusName(status);
}

const char *cublasLtGetStatusString(cublasStatus_t status)
{
    return cublasGetStatusString(status);
}

/* --- attributes ------------------------------------------------------------------------------- */

/* The four kinds of descriptors, as they lie in the vendor's opaque structures. */
struct layout {
    uint32_t type;
    int32_t order;
    uint64_t rows, columns;
    int64_t ld, stride;
    int32_t count;
    uint32_t mode;
    int64_t plane;
};

struct product {
    int32_t compute, scale, pointers, op_a, op_b, op_c, fill;
    uint32_t epilogue;
    const void *bias;
    int64_t bias_stride;
    const void *aux;
    int64_t aux_ld, aux_stride, alpha_stride;
    const void *scales[7]; /* of a, b, c, d, aux and others; the largest value of d */
    void *emulation;
    int32_t multiprocessors, aux_type, bias_type, scale_modes[6];
    int8_t fast;
};

struct transform {
    int32_t scale, pointers, op_a, op_b;
};

struct preference {
    uint64_t workspace, kinds;
    uint32_t search, schemes, alignments[4];
    float waves;
};

struct algorithm {
    int32_t id, parts;
    uint32_t tile, scheme, swizzle, custom, stages;
    uint16_t inner, cluster;
};

struct attribute {
    int name;
    size_t at, bytes;
};
#define ATTRIBUTE(NAME, KIND, MEMBER)                                                              \
    {                                                                                              \
        NAME, offsetof(struct KIND, MEMBER), sizeof(((struct KIND *)0)->MEMBER)                    \
    }
#define OF_LAYOUT(NAME, MEMBER) ATTRIBUTE(CUBLASLT_MATRIX_LAYOUT_##NAME, layout, MEMBER)
#define OF_PRODUCT(NAME, MEMBER) ATTRIBUTE(CUBLASLT_MATMUL_DESC_##NAME, product, MEMBER)
#define OF_TRANSFORM(NAME, MEMBER)                                                                 \
    ATTRIBUTE(CUBLASLT_MATRIX_TRANSFORM_DESC_##NAME, transform, MEMBER)
#define OF_PREFERENCE(NAME, MEMBER) ATTRIBUTE(CUBLASLT_MATMUL_PREF_##NAME, preference, MEMBER)
#define OF_ALGORITHM(NAME, MEMBER) ATTRIBUTE(CUBLASLT_ALGO_CONFIG_##NAME, algorithm, MEMBER)

static const struct attribute of_layout[] = {OF_LAYOUT(TYPE, type),
                                             OF_LAYOUT(ORDER, order),
                                             OF_LAYOUT(ROWS, rows),
                                             OF_LAYOUT(COLS, columns),
                                             OF_LAYOUT(LD, ld),
                                             OF_LAYOUT(STRIDED_BATCH_OFFSET, stride),
                                             OF_LAYOUT(BATCH_COUNT, count),
                                             OF_LAYOUT(BATCH_MODE, mode),
                                             OF_LAYOUT(PLANE_OFFSET, plane)};
static const struct attribute of_product[] = {OF_PRODUCT(COMPUTE_TYPE, compute),
                                              OF_PRODUCT(SCALE_TYPE, scale),
                                              OF_PRODUCT(POINTER_MODE, pointers),
                                              OF_PRODUCT(TRANSA, op_a),
                                              OF_PRODUCT(TRANSB, op_b),
                                              OF_PRODUCT(TRANSC, op_c),
                                              OF_PRODUCT(FILL_MODE, fill),
                                              OF_PRODUCT(EPILOGUE, epilogue),
                                              OF_PRODUCT(BIAS_POINTER, bias),
                                              OF_PRODUCT(BIAS_BATCH_STRIDE, bias_stride),
                                              OF_PRODUCT(BIAS_DATA_TYPE, bias_type),
                                              OF_PRODUCT(EPILOGUE_AUX_POINTER, aux),
                                              OF_PRODUCT(EPILOGUE_AUX_LD, aux_ld),
                                              OF_PRODUCT(EPILOGUE_AUX_BATCH_STRIDE, aux_stride),
                                              OF_PRODUCT(EPILOGUE_AUX_DATA_TYPE, aux_type),
                                              OF_PRODUCT(ALPHA_VECTOR_BATCH_STRIDE, alpha_stride),
                                              OF_PRODUCT(SM_COUNT_TARGET, multiprocessors),
                                              OF_PRODUCT(A_SCALE_POINTER, scales[0]),
                                              OF_PRODUCT(B_SCALE_POINTER, scales[1]),
                                              OF_PRODUCT(C_SCALE_POINTER, scales[2]),
                                              OF_PRODUCT(D_SCALE_POINTER, scales[3]),
                                              OF_PRODUCT(AMAX_D_POINTER, scales[4]),
                                              OF_PRODUCT(EPILOGUE_AUX_SCALE_POINTER, scales[5]),
                                              OF_PRODUCT(EPILOGUE_AUX_AMAX_POINTER, scales[6]),
                                              OF_PRODUCT(FAST_ACCUM, fast)};
static const struct attribute of_transform[] = {
    OF_TRANSFORM(SCALE_TYPE, scale), OF_TRANSFORM(POINTER_MODE, pointers),
    OF_TRANSFORM(TRANSA, op_a), OF_TRANSFORM(TRANSB, op_b)};
static const struct attribute of_preference[] = {
    OF_PREFERENCE(SEARCH_MODE, search),
    OF_PREFERENCE(MAX_WORKSPACE_BYTES, workspace),
    OF_PREFERENCE(REDUCTION_SCHEME_MASK, schemes),
    OF_PREFERENCE(MIN_ALIGNMENT_A_BYTES, alignments[0]),
    OF_PREFERENCE(MIN_ALIGNMENT_B_BYTES, alignments[1]),
    OF_PREFERENCE(MIN_ALIGNMENT_C_BYTES, alignments[2]),
    OF_PREFERENCE(MIN_ALIGNMENT_D_BYTES, alignments[3]),
    OF_PREFERENCE(MAX_WAVES_COUNT, waves),
    OF_PREFERENCE(IMPL_MASK, kinds)};
static const struct attribute of_algorithm[] = {OF_ALGORITHM(ID, id),
                                                OF_ALGORITHM(TILE_ID, tile),
                                                OF_ALGORITHM(SPLITK_NUM, parts),
                                                OF_ALGORITHM(REDUCTION_SCHEME, scheme),
                                                OF_ALGORITHM(CTA_SWIZZLING, swizzle),
                                                OF_ALGORITHM(CUSTOM_OPTION, custom),
                                                OF_ALGORITHM(STAGES_ID, stages),
                                                OF_ALGORITHM(INNER_SHAPE_ID, inner),
                                                OF_ALGORITHM(CLUSTER_SHAPE_ID, cluster)};

static const struct attribute *find(const struct attribute *table, size_t n, int name)
{
    for (size_t i = 0; i < n; i++)
        if (table[i].name == name)
            return &table[i];
    return NULL;
}

static cublasStatus_t set(void *of, const struct attribute *a, const void *value, size_t bytes)
{
    NEED(of && a && value && bytes == a->bytes);
    memcpy((char *)of + a->at, value, bytes);
    DONE;
}

static cublasStatus_t get(const void *of, const struct attribute *a, void *value, size_t bytes,
                          size_t *written)
{
    NEED(of && a && (bytes ? value && bytes == a->bytes : written != NULL));
    if (bytes)
        memcpy(value, (const char *)of + a->at, bytes);
    if (written)
        *written = a->bytes;
    DONE;
}

#define FIND(TABLE, NAME) find(TABLE, sizeof(TABLE) / sizeof(*(TABLE)), (int)(NAME))
#define SET_AND_GET(CALL, OBJECT, NAMES, TABLE)                                                    \
    cublasStatus_t CALL##SetAttribute(OBJECT of, NAMES name, const void *value, size_t bytes)      \
    {                                                                                              \
        return set(of, FIND(TABLE, name), value, bytes);                                           \
    }                                                                                              \
    cublasStatus_t CALL##GetAttribute(const OBJECT of, NAMES name, void *value, size_t bytes,      \
                                      size_t *written)                                             \
    {                                                                                              \
        return get(of, FIND(TABLE, name), value, bytes, written);                                  \
    }
#define DESCRIPTOR(CALL, OBJECT, KIND, NAMES, TABLE)                                               \
    _Static_assert(sizeof(struct KIND) <= sizeof(*(OBJECT)0), "it must hold ours");                \
    SET_AND_GET(CALL, OBJECT, NAMES, TABLE)                                                        \
    cublasStatus_t CALL##Destroy(OBJECT of)                                                        \
    {                                                                                              \
        free(of);                                                                                  \
        DONE;                                                                                      \
    }
DESCRIPTOR(cublasLtMatrixLayout, cublasLtMatrixLayout_t, layout, cublasLtMatrixLayoutAttribute_t,
           of_layout)
DESCRIPTOR(cublasLtMatmulDesc, cublasLtMatmulDesc_t, product, cublasLtMatmulDescAttributes_t,
           of_product)
DESCRIPTOR(cublasLtMatrixTransformDesc, cublasLtMatrixTransformDesc_t, transform,
           cublasLtMatrixTransformDescAttributes_t, of_transform)
DESCRIPTOR(cublasLtMatmulPreference, cublasLtMatmulPreference_t, preference,
           cublasLtMatmulPreferenceAttributes_t, of_preference)

/* One is made, or begun in memory that the caller has: INIT and its arguments. */
#define CREATE(OF, INIT, ...)                                                                      \
    NEED(OF);                                                                                      \
    *(OF) = calloc(1, sizeof(**(OF)));                                                             \
    return *(OF) ? INIT(*(OF), sizeof(**(OF)), ##__VA_ARGS__) : CUBLAS_STATUS_ALLOC_FAILED

cublasStatus_t cublasLtMatrixLayoutInit_internal(cublasLtMatrixLayout_t of, size_t bytes,
                                                 cudaDataType type, uint64_t rows, uint64_t columns,
                                                 int64_t ld)
{
    struct layout l = {.type = type, .rows = rows, .columns = columns, .ld = ld, .count = 1};

    NEED(of && bytes >= sizeof(l));
    memcpy(of, &l, sizeof(l));
    DONE;
}

cublasStatus_t cublasLtMatrixLayoutCreate(cublasLtMatrixLayout_t *of, cudaDataType type,
                                          uint64_t rows, uint64_t columns, int64_t ld)
{
    CREATE(of, cublasLtMatrixLayoutInit_internal, type, rows, columns, ld);
}

cublasStatus_t cublasLtMatmulDescInit_internal(cublasLtMatmulDesc_t of, size_t bytes,
                                               cublasComputeType_t compute, cudaDataType_t scale)
{
    struct product p = {.compute = compute,
                        .scale = scale,
                        .fill = CUBLAS_FILL_MODE_FULL,
                        .epilogue = CUBLASLT_EPILOGUE_DEFAULT,
                        .aux_type = -1,
                        .bias_type = -1};

    NEED(of && bytes >= sizeof(p));
    memcpy(of, &p, sizeof(p));
    DONE;
}

cublasStatus_t cublasLtMatmulDescCreate(cublasLtMatmulDesc_t *of, cublasComputeType_t compute,
                                        cudaDataType_t scale)
{
    CREATE(of, cublasLtMatmulDescInit_internal, compute, scale);
}

cublasStatus_t cublasLtMatrixTransformDescInit_internal(cublasLtMatrixTransformDesc_t of,
                                                        size_t bytes, cudaDataType scale)
{
    struct transform t = {.scale = scale};

    NEED(of && bytes >= sizeof(t));
    memcpy(of, &t, sizeof(t));
    DONE;
}

cublasStatus_t cublasLtMatrixTransformDescCreate(cublasLtMatrixTransformDesc_t *of,
                                                 cudaDataType scale)
{
    CREATE(of, cublasLtMatrixTransformDescInit_internal, scale);
}

cublasStatus_t cublasLtMatmulPreferenceInit_internal(cublasLtMatmulPreference_t of, size_t bytes)
{
    struct preference p = {.schemes = CUBLASLT_REDUCTION_SCHEME_MASK,
                           .kinds = ~(uint64_t)0,
                           .alignments = {256, 256, 256, 256}};

    NEED(of && bytes >= sizeof(p));
    memcpy(of, &p, sizeof(p));
    DONE;
}

cublasStatus_t cublasLtMatmulPreferenceCreate(cublasLtMatmulPreference_t *of)
{
    CREATE(of, cublasLtMatmulPreferenceInit_internal);
}

/* --- elements --------------------------------------------------------------------------------- */

static cublasStatus_t refuse(const char *what)
{
    fprintf(stderr, "CPU device: cublasLt: there is no %s here\n", what);
    return CUBLAS_STATUS_NOT_SUPPORTED;
}

/* Where the element of a matrix lies. */
static size_t place(const struct layout *l, size_t row, size_t column)
{
    switch (l->order) {
    case CUBLASLT_ORDER_ROW:
        return row * (size_t)l->ld + column;
    case CUBLASLT_ORDER_COL32:
        return column / 32 * (size_t)l->ld + row * 32 + column % 32;
    default:
        return column * (size_t)l->ld + row;
    }
}

/* The matrix of one of the batch. */
static void *matrix_of(const struct layout *l, const void *at, int batch)
{
    if (l->mode == CUBLASLT_BATCH_MODE_POINTER_ARRAY)
        return ((void *const *)at)[batch];
    return (char *)(uintptr_t)at + batch * l->stride * (int64_t)element_bytes(l->type);
}

static cublasStatus_t check_layout(const struct layout *l)
{
    uint64_t side = l->order == CUBLASLT_ORDER_ROW     ? l->columns
                    : l->order == CUBLASLT_ORDER_COL32 ? 32 * l->rows
                                                       : l->rows;

    if (!element_bytes(l->type))
        return refuse("such type of a matrix");
    if (l->order != CUBLASLT_ORDER_COL && l->order != CUBLASLT_ORDER_ROW &&
        l->order != CUBLASLT_ORDER_COL32)
        return refuse("such order of a matrix");
    if (l->plane)
        return refuse("matrix whose imaginary parts lie apart");
    NEED(l->rows && l->columns && l->count > 0 && l->ld >= (int64_t)side);
    DONE;
}

/* All matrices of a batch lie in memory of the device. */
static cublasStatus_t check_memory(const char *call, const struct layout *l, const void *at,
                                   bool write)
{
    size_t bytes = (place(l, l->rows - 1, l->columns - 1) + 1) * element_bytes(l->type);

    for (int i = 0; i < l->count; i++)
        if (cpu_library_range(call, matrix_of(l, at, i), bytes, write))
            return CUBLAS_STATUS_EXECUTION_FAILED;
    DONE;
}

/* The matrix, or its transpose, in columns without gaps; NULL: no memory. */
static double *gather(const struct layout *l, const void *at, bool transposed)
{
    size_t rows = transposed ? l->columns : l->rows, columns = transposed ? l->rows : l->columns;
    double *to = malloc(sizeof(double) * rows * columns);

    for (size_t j = 0; to && j < columns; j++)
        for (size_t i = 0; i < rows; i++)
            to[i + j * rows] =
                element_value(at, l->type, transposed ? place(l, j, i) : place(l, i, j));
    return to;
}

static void scatter(const struct layout *l, void *at, const double *from)
{
    for (size_t j = 0; j < l->columns; j++)
        for (size_t i = 0; i < l->rows; i++)
            element_put(at, l->type, place(l, i, j), from[i + j * l->rows]);
}

/* --- the product ------------------------------------------------------------------------------ */

/* What a call of cublasLtMatmul is about; the sides as they are multiplied: m x k by k x n. */
struct call {
    const struct product *product;
    const struct layout *a, *b, *c, *d;
    size_t m, n, k;
};

static cublasStatus_t check_product(const struct product *p)
{
    const uint32_t known = CUBLASLT_EPILOGUE_RELU | CUBLASLT_EPILOGUE_BIAS | CUBLASLT_EPILOGUE_GELU;

    for (size_t i = 0; i < sizeof(p->scales) / sizeof(p->scales[0]); i++)
        if (p->scales[i])
            return refuse("scale or largest value of a whole matrix");
    if (p->pointers != CUBLASLT_POINTER_MODE_HOST && p->pointers != CUBLASLT_POINTER_MODE_DEVICE)
        return refuse("vector for alpha or beta");
    if (p->epilogue != CUBLASLT_EPILOGUE_DEFAULT && p->epilogue & ~known)
        return refuse("such epilogue: there are bias, relu and gelu");
    if (p->fill != CUBLAS_FILL_MODE_FULL || p->op_c != CUBLAS_OP_N)
        return refuse("product into a triangle, or with the transpose of C");
    NEED(!(p->epilogue & CUBLASLT_EPILOGUE_BIAS) || p->bias);
    DONE;
}

static cublasStatus_t check_types(const struct call *x)
{
    uint32_t a = x->a->type, d = x->d->type, scale = (uint32_t)x->product->scale;
    bool whole_numbers = a == CUDA_R_8I, doubles = a == CUDA_R_64F;

    NEED(x->c->type == d);
    if (a != x->b->type || a == CUDA_R_32I || (d == CUDA_R_32I && !whole_numbers) ||
        doubles != (d == CUDA_R_64F) || doubles != (scale == CUDA_R_64F) ||
        (whole_numbers && d != CUDA_R_32I && d != CUDA_R_8I) ||
        (scale == CUDA_R_32I && d == CUDA_R_8I))
        return refuse("product of such types");
    if (!element_bytes(scale))
        return refuse("such type of alpha and beta");
    DONE;
}

static cublasStatus_t describe(struct call *x, cublasLtMatmulDesc_t product,
                               cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                               cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d)
{
    const struct layout *all[] = {(void *)a, (void *)b, (void *)c, (void *)d};
    cublasStatus_t status;
    bool a_is, b_is;

    NEED(product && a && b && c && d);
    *x = (struct call){(void *)product, all[0], all[1], all[2], all[3], 0, 0, 0};
    for (int i = 0; i < 4; i++) {
        status = check_layout(all[i]);
        if (status)
            return status;
        NEED(all[i]->count == all[3]->count);
    }
    a_is = x->product->op_a == CUBLAS_OP_N;
    b_is = x->product->op_b == CUBLAS_OP_N;
    x->m = a_is ? x->a->rows : x->a->columns;
    x->k = a_is ? x->a->columns : x->a->rows;
    x->n = b_is ? x->b->columns : x->b->rows;
    NEED(x->k == (b_is ? x->b->rows : x->b->columns));
    NEED(x->d->rows == x->m && x->d->columns == x->n);
    NEED(x->c->rows == x->m && x->c->columns == x->n);
    status = check_product(x->product);
    return status ? status : check_types(x);
}

/* z = alpha x y + beta z in the precision of the types. */
static bool multiply(const struct call *call, double alpha, const double *x, const double *y,
                     double beta, double *z)
{
    int m = (int)call->m, n = (int)call->n, k = (int)call->k;
    size_t of_x = call->m * call->k, of_y = call->k * call->n, of_z = call->m * call->n;
    LIBRARY_FREED float *single = NULL;

    if (call->a->type == CUDA_R_64F || call->a->type == CUDA_R_8I) {
        cblas_dgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m, n, k, alpha, x, m, y, k, beta, z,
                    m);
        return true;
    }
    single = malloc(sizeof(float) * (of_x + of_y + of_z));
    if (!single)
        return false;
    for (size_t i = 0; i < of_x; i++)
        single[i] = (float)x[i];
    for (size_t i = 0; i < of_y; i++)
        single[of_x + i] = (float)y[i];
    for (size_t i = 0; i < of_z; i++)
        single[of_x + of_y + i] = (float)z[i];
    cblas_sgemm(CblasColMajor, CblasNoTrans, CblasNoTrans, m, n, k, (float)alpha, single, m,
                single + of_x, k, (float)beta, single + of_x + of_y, m);
    for (size_t i = 0; i < of_z; i++)
        z[i] = single[of_x + of_y + i];
    return true;
}

/* By the hyperbolic tangent, as cuBLAS computes it. */
static double gelu(double v)
{
    return 0.5 * v * (1 + tanh(0.7978845608028654 * (v + 0.044715 * v * v * v)));
}

static void finish(const struct call *x, int batch, double *z)
{
    const struct product *p = x->product;
    uint32_t type = p->bias_type < 0 ? x->d->type : (uint32_t)p->bias_type;
    bool bias = p->epilogue & CUBLASLT_EPILOGUE_BIAS;

    for (size_t i = 0; i < x->m * x->n; i++) {
        if (bias)
            z[i] += element_value(p->bias, type, i % x->m + (size_t)(batch * p->bias_stride));
        if (p->epilogue & CUBLASLT_EPILOGUE_RELU)
            z[i] = z[i] > 0 ? z[i] : 0 * z[i];
        if (p->epilogue & CUBLASLT_EPILOGUE_GELU)
            z[i] = gelu(z[i]);
    }
}

static cublasStatus_t product_of(const struct call *x, int batch, double alpha, const void *a,
                                 const void *b, double beta, const void *c, void *d)
{
    LIBRARY_FREED double *left = gather(x->a, a, x->product->op_a != CUBLAS_OP_N);
    LIBRARY_FREED double *right = gather(x->b, b, x->product->op_b != CUBLAS_OP_N);
    LIBRARY_FREED double *result =
        beta == 0 ? calloc(x->m * x->n, sizeof(double)) : gather(x->c, c, false);

    if (!left || !right || !result || !multiply(x, alpha, left, right, beta, result))
        return CUBLAS_STATUS_ALLOC_FAILED;
    finish(x, batch, result);
    scatter(x->d, d, result);
    DONE;
}

static cublasStatus_t check_bias(const char *call, const struct call *x)
{
    const struct product *p = x->product;
    uint32_t type = p->bias_type < 0 ? x->d->type : (uint32_t)p->bias_type;
    int64_t last = (x->d->count - 1) * p->bias_stride;

    if (!(p->epilogue & CUBLASLT_EPILOGUE_BIAS))
        DONE;
    if (!element_bytes(type))
        return refuse("such type of a bias");
    return cpu_library_range(call, p->bias, (x->m + (size_t)last) * element_bytes(type), false)
               ? CUBLAS_STATUS_EXECUTION_FAILED
               : CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t product,
                              const void *alpha, const void *a, cublasLtMatrixLayout_t a_layout,
                              const void *b, cublasLtMatrixLayout_t b_layout, const void *beta,
                              const void *c, cublasLtMatrixLayout_t c_layout, void *d,
                              cublasLtMatrixLayout_t d_layout,
                              const cublasLtMatmulAlgo_t *algorithm, void *workspace, size_t bytes,
                              cudaStream_t stream)
{
    struct call x;
    cublasStatus_t status;
    double scale[2];

    (void)algorithm;
    (void)workspace;
    (void)bytes;
    (void)stream;
    OPEN(handle);
    NEED(alpha && beta);
    status = describe(&x, product, a_layout, b_layout, c_layout, d_layout);
    if (status)
        return status;
    scale[0] = element_value(alpha, (uint32_t)x.product->scale, 0);
    scale[1] = element_value(beta, (uint32_t)x.product->scale, 0);
    if ((status = check_memory(__func__, x.a, a, false)) ||
        (status = check_memory(__func__, x.b, b, false)) ||
        (scale[1] != 0 && (status = check_memory(__func__, x.c, c, false))) ||
        (status = check_memory(__func__, x.d, d, true)) || (status = check_bias(__func__, &x)))
        return status;
    for (int i = 0; i < x.d->count && !status; i++)
        status = product_of(&x, i, scale[0], matrix_of(x.a, a, i), matrix_of(x.b, b, i), scale[1],
                            scale[1] != 0 ? matrix_of(x.c, c, i) : NULL, matrix_of(x.d, d, i));
    return status;
}

/* --- a matrix in another order ---------------------------------------------------------------- */

/* Adds to the sum so many times the matrix, or its transpose; false: no memory. */
static bool add_turned(double *sum, double by, const struct layout *l, const void *at, bool turned)
{
    LIBRARY_FREED double *part = gather(l, at, turned);

    for (size_t k = 0; part && k < l->rows * l->columns; k++)
        sum[k] += by * part[k];
    return part;
}

cublasStatus_t cublasLtMatrixTransform(cublasLtHandle_t handle,
                                       cublasLtMatrixTransformDesc_t transform, const void *alpha,
                                       const void *a, cublasLtMatrixLayout_t a_layout,
                                       const void *beta, const void *b,
                                       cublasLtMatrixLayout_t b_layout, void *c,
                                       cublasLtMatrixLayout_t c_layout, cudaStream_t stream)
{
    const struct transform *t = (void *)transform;
    const struct layout *from[] = {(void *)a_layout, (void *)b_layout}, *to = (void *)c_layout;
    const void *at[] = {a, b}, *scale[] = {alpha, beta};
    double by[2];
    bool turned[2];
    cublasStatus_t status;

    (void)stream;
    OPEN(handle);
    NEED(t && from[0] && to && alpha);
    if ((status = check_layout(to)) || (status = check_memory(__func__, to, c, true)))
        return status;
    if (!element_bytes((uint32_t)t->scale))
        return refuse("such type of alpha and beta");
    for (int i = 0; i < 2; i++) {
        turned[i] = (i ? t->op_b : t->op_a) != CUBLAS_OP_N;
        by[i] = at[i] && scale[i] ? element_value(scale[i], (uint32_t)t->scale, 0) : 0;
        if (by[i] == 0)
            continue;
        NEED(from[i]);
        if ((status = check_layout(from[i])) ||
            (status = check_memory(__func__, from[i], at[i], false)))
            return status;
        NEED(from[i]->count == to->count &&
             (turned[i] ? from[i]->columns : from[i]->rows) == to->rows &&
             (turned[i] ? from[i]->rows : from[i]->columns) == to->columns);
    }
    for (int batch = 0; batch < to->count; batch++) {
        LIBRARY_FREED double *sum = calloc(to->rows * to->columns, sizeof(double));

        if (!sum)
            return CUBLAS_STATUS_ALLOC_FAILED;
        for (int i = 0; i < 2; i++)
            if (by[i] != 0 &&
                !add_turned(sum, by[i], from[i], matrix_of(from[i], at[i], batch), turned[i]))
                return CUBLAS_STATUS_ALLOC_FAILED;
        scatter(to, matrix_of(to, c, batch), sum);
    }
    DONE;
}

/* --- the algorithm: there is one -------------------------------------------------------------- */

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t product,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t preference, int wanted,
                                              cublasLtMatmulHeuristicResult_t results[], int *found)
{
    struct call x;
    cublasStatus_t status;

    if (!handle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    NEED(preference && wanted > 0 && results && found);
    *found = 0;
    status = describe(&x, product, a, b, c, d);
    if (status)
        return status;
    memset(results, 0, sizeof(*results));
    results->wavesCount = 1;
    *found = 1;
    DONE;
}

cublasStatus_t cublasLtMatmulAlgoGetIds(cublasLtHandle_t handle, cublasComputeType_t compute,
                                        cudaDataType_t scale, cudaDataType_t a, cudaDataType_t b,
                                        cudaDataType_t c, cudaDataType_t d, int wanted, int ids[],
                                        int *found)
{
    (void)compute;
    (void)scale;
    if (!handle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    NEED(wanted > 0 && ids && found);
    *found = element_bytes(a) && element_bytes(b) && element_bytes(c) && element_bytes(d);
    ids[0] = 0;
    return *found ? CUBLAS_STATUS_SUCCESS : refuse("such type of a matrix");
}

cublasStatus_t cublasLtMatmulAlgoInit(cublasLtHandle_t handle, cublasComputeType_t compute,
                                      cudaDataType_t scale, cudaDataType_t a, cudaDataType_t b,
                                      cudaDataType_t c, cudaDataType_t d, int id,
                                      cublasLtMatmulAlgo_t *algorithm)
{
    const struct algorithm begun = {.id = id, .parts = 1};

    (void)compute;
    (void)scale;
    (void)a;
    (void)b;
    (void)c;
    (void)d;
    if (!handle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    NEED(algorithm);
    memset(algorithm, 0, sizeof(*algorithm));
    memcpy(algorithm, &begun, sizeof(begun));
    DONE;
}

cublasStatus_t cublasLtMatmulAlgoCheck(cublasLtHandle_t handle, cublasLtMatmulDesc_t product,
                                       cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                       cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                       const cublasLtMatmulAlgo_t *algorithm,
                                       cublasLtMatmulHeuristicResult_t *result)
{
    struct call x;
    cublasStatus_t status;

    if (!handle)
        return CUBLAS_STATUS_NOT_INITIALIZED;
    NEED(algorithm && result);
    status = describe(&x, product, a, b, c, d);
    result->algo = *algorithm;
    result->workspaceSize = 0;
    result->state = status;
    result->wavesCount = 1;
    return status;
}

_Static_assert(sizeof(struct algorithm) <= sizeof(cublasLtMatmulAlgo_t), "it must hold ours");

cublasStatus_t cublasLtMatmulAlgoConfigSetAttribute(cublasLtMatmulAlgo_t *algorithm,
                                                    cublasLtMatmulAlgoConfigAttributes_t name,
                                                    const void *value, size_t bytes)
{
    return set(algorithm, FIND(of_algorithm, name), value, bytes);
}

cublasStatus_t cublasLtMatmulAlgoConfigGetAttribute(const cublasLtMatmulAlgo_t *algorithm,
                                                    cublasLtMatmulAlgoConfigAttributes_t name,
                                                    void *value, size_t bytes, size_t *written)
{
    return get(algorithm, FIND(of_algorithm, name), value, bytes, written);
}
