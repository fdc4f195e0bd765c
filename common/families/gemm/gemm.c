/*
 * The side of the harness that gemm and hgemm have: their matrices, their verdict; and the
 * launches of gemm.
 */
#include "families/gemm/gemm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <cuda_runtime_api.h>

#include "families/gemm/gemm_compare.h"
#include "families/gemm/gemm_product.h"
#include "families/gemm/gemm_work.h"
#include "harness/kit/buffer.h"
#include "harness/kit/device.h"
#include "harness/kit/input.h"
#include "harness/kit/message.h"

struct gemm {
    struct work work; /* first: the launch functions get this part */
    struct setting setting;
    struct scalars scalars;
    struct buffer a, b, c, before; /* before: what C holds, where beta is not 0 */
    struct buffer partial, flags;
    float *a_values, *b_values; /* on the host, where those there are halves; else NULL */
    /* The reference, of the present size: */
    bool known;
    struct product product;
    struct term *terms; /* of all elements, or of the sample */
    struct row *rows;
    size_t *places; /* of the sample */
    unsigned char *signs;
    struct comparison comparison;
};

void gemm_default_shape(struct shape *s)
{
    if (s->threads == 0)
        s->threads = 256;
}

int gemm_multiprocessors(int threads)
{
    const struct device *device = device_in_use();

    (void)threads;
    return device ? device->multiprocessors : 1;
}

void gemm_one_each(struct shape *s)
{
    gemm_default_shape(s);
    if (s->blocks == 0)
        s->blocks = device_to_fill(s);
}

static void forget(struct gemm *g)
{
    gemm_compare_close(&g->comparison);
    free(g->terms);
    free(g->rows);
    free(g->places);
    free(g->signs);
    free(g->comparison.sums);
    free(g->comparison.sampled);
    g->terms = NULL;
    g->rows = NULL;
    g->places = NULL;
    g->signs = NULL;
    g->comparison = (struct comparison){0};
    g->known = false;
}

void gemm_destroy(struct work *work)
{
    struct gemm *g = (struct gemm *)work;

    forget(g);
    free(g->a_values);
    free(g->b_values);
    buffer_free(&g->a);
    buffer_free(&g->b);
    buffer_free(&g->c);
    buffer_free(&g->before);
    buffer_free(&g->partial);
    buffer_free(&g->flags);
    free(g);
}

/* --- the matrices --------------------------------------------------------------------------------
 */

static int fill(struct buffer *b, size_t elements, enum operand which,
                const struct setting *setting)
{
    int status = buffer_reserve(b, elements);

    if (status == 0)
        status = buffer_reserve_host(b, elements);
    if (status != 0)
        return status;
    scalars_fill((float *)b->host, elements, which, setting);
    return buffer_upload(b);
}

/* A or B: floats, or halves and beside them what they stand for. */
static int fill_input(struct buffer *b, float **values, size_t elements, enum operand which,
                      const struct setting *setting)
{
    int status;

    if (!type_is_half(setting->type))
        return fill(b, elements, which, setting);
    status = buffer_reserve(b, elements);
    if (status == 0)
        status = buffer_reserve_host(b, elements);
    if (status != 0)
        return status;
    *values = (float *)malloc((elements + 1) * sizeof(**values));
    if (!*values)
        return complain(BAD_DEVICE, "no memory left on the host for the reference");
    scalars_fill_halves((uint16_t *)b->host, *values, elements, which, setting);
    return buffer_upload(b);
}

/* The elements of the stored B: with its transpose there are gaps behind each of n rows. */
static size_t elements_of_b(const struct gemm *g, const size_t *axis)
{
    return g->scalars.transposed ? axis[GEMM_N] * (axis[GEMM_K] + g->scalars.pad)
                                 : axis[GEMM_K] * (axis[GEMM_N] + g->scalars.pad);
}

static int fill_all(struct gemm *g, const struct shape *largest)
{
    const size_t *axis = largest->axis;
    size_t pad = g->scalars.pad, c = axis[GEMM_M] * (axis[GEMM_N] + pad);
    int status = fill_input(&g->a, &g->a_values, axis[GEMM_M] * (axis[GEMM_K] + pad), OPERAND_A,
                            &g->setting);

    if (status == 0)
        status = fill_input(&g->b, &g->b_values, elements_of_b(g, axis), OPERAND_B, &g->setting);
    if (status == 0)
        status = buffer_reserve(&g->c, c);
    if (status == 0 && g->scalars.beta != 0)
        status = fill(&g->before, c, OPERAND_C, &g->setting);
    return status;
}

static int reserve_scratch(struct gemm *g)
{
    size_t count = (size_t)gemm_multiprocessors(0);
    int status = buffer_reserve(&g->partial, count * GEMM_SCRATCH);
    if (status == 0)
        status = buffer_reserve(&g->flags, count * GEMM_FLAGS);
    return status == 0
               ? device_check(cudaMemset(g->flags.device, 0, count * GEMM_FLAGS * g->flags.bytes))
               : status;
}

struct work *gemm_create(const struct setting *setting, const struct shape *largest)
{
    struct buffer matrix = {.bytes = sizeof(float), .offset = setting->offset};
    struct buffer input = {.bytes = setting->type->bytes, .offset = setting->offset};
    struct gemm *g = (struct gemm *)work_new(sizeof(*g));
    int status;

    if (!g)
        return NULL;
    g->setting = *setting;
    g->a = g->b = input;
    g->c = g->before = matrix;
    g->a.what = "A";
    g->a.type = setting->type; /* every second run sees its opposite */
    g->b.what = "B";
    g->c.what = "C";
    g->c.poison = buffer_poison_of(&type_f32);
    g->c.guard = BUFFER_GUARD;
    g->before.what = "what C holds before";
    g->partial = (struct buffer){
        .what = "partial sums", .bytes = sizeof(float), .poison = buffer_poison_of(&type_f32)};
    g->flags = (struct buffer){.what = "the blocks' flags", .bytes = sizeof(unsigned)};
    status = scalars_parse(&g->scalars, setting);
    if (status == 0)
        status = fill_all(g, largest);
    if (status == 0)
        status = reserve_scratch(g);
    if (status != 0) {
        gemm_destroy(&g->work);
        return NULL;
    }
    g->work.alpha = g->scalars.alpha;
    g->work.beta = g->scalars.beta;
    g->work.transposed = g->scalars.transposed;
    g->work.a = (const element *)g->a.device;
    g->work.b = (const element *)g->b.device;
    g->work.c = (float *)g->c.device;
    g->work.partial = (float *)g->partial.device;
    g->work.flags = (unsigned *)g->flags.device;
    return &g->work;
}

/* --- the reference -------------------------------------------------------------------------------
 */

/* Room for the sample, the signs and the sums of the rows, of `p`, which is turned if C is. */
static int reserve_check(struct gemm *g, const struct product *p)
{
    size_t samples = product_samples(&g->product);

    g->terms = (struct term *)malloc((samples + 1) * sizeof(*g->terms));
    g->places = (size_t *)malloc((samples + 1) * sizeof(*g->places));
    g->signs = (unsigned char *)malloc(p->n + 1);
    g->rows = (struct row *)malloc((p->m + 1) * sizeof(*g->rows));
    g->comparison.sums = (double(*)[4])malloc((p->m + 1) * sizeof(*g->comparison.sums));
    g->comparison.sampled = (float *)malloc((samples + 1) * sizeof(*g->comparison.sampled));
    if (g->terms && g->places && g->signs && g->rows && g->comparison.sums && g->comparison.sampled)
        return 0;
    return complain(BAD_DEVICE, "no memory left on the host for the reference");
}

/* The reference of a large C: Freivalds' check along its shorter side, and the sample. */
static int find_check(struct gemm *g)
{
    struct comparison *c = &g->comparison;
    bool turned = g->product.m > g->product.n;
    struct product p = turned ? product_turned(&g->product) : g->product;
    struct row *scratch;
    int status = reserve_check(g, &p);

    if (status != 0)
        return status;
    scratch = (struct row *)malloc((p.k + 1) * sizeof(*scratch));
    if (!scratch)
        return complain(BAD_DEVICE, "no memory left on the host for the reference");
    for (size_t j = 0; j < p.n; j++)
        g->signs[j] = product_signs(g->setting.seed, j);
    product_rows(g->rows, scratch, &p, g->signs);
    free(scratch);
    c->samples = product_samples(&g->product);
    product_sampled(g->terms, &g->product, g->setting.seed);
    for (size_t s = 0; s < c->samples; s++) {
        size_t place = product_sample(&g->product, s, g->setting.seed);

        g->places[s] = place / g->work.n * g->work.ldc + place % g->work.n;
    }
    c->c = &g->c;
    c->before = g->scalars.beta != 0 ? &g->before : NULL;
    c->m = g->work.m;
    c->n = g->work.n;
    c->ldc = g->work.ldc;
    c->turned = turned;
    c->signs = g->signs;
    c->places = g->places;
    return gemm_compare_open(c);
}

static bool whole(const struct gemm *g)
{
    return product_whole(g->product.m, g->product.n, g->product.k);
}

static int find_reference(struct gemm *g)
{
    const struct work *w = &g->work;
    const float *a = g->a_values ? g->a_values : (const float *)g->a.host;
    const float *b = g->b_values ? g->b_values : (const float *)g->b.host;

    forget(g);
    g->product = (struct product){
        .a = {a, w->lda, 1},
        .b = {b, w->transposed ? 1 : w->ldb, w->transposed ? w->ldb : 1},
        .c = {(const float *)g->before.host, w->ldc, 1},
        .m = w->m,
        .n = w->n,
        .k = w->k,
        .alpha = w->alpha,
        .beta = w->beta,
        .exact = scalars_exact(&g->setting, &g->scalars, w->k),
        .tensor = type_is_half(g->setting.type),
    };
    g->known = true;
    if (!whole(g) && g->setting.input == input_names[INPUT_HOSTILE])
        return complain(BAD_USAGE,
                        "--input hostile needs a C that is compared whole: at most %zu "
                        "multiply-adds and %zu elements; got %zu x %zu x %zu",
                        PRODUCT_WHOLE, PRODUCT_WHOLE_C, w->m, w->n, w->k);
    if (!whole(g))
        return find_check(g);
    g->terms = (struct term *)malloc((w->m * w->n + 1) * sizeof(*g->terms));
    if (!g->terms)
        return complain(BAD_DEVICE, "no memory left on the host for the reference");
    product_terms(g->terms, &g->product);
    return g->c.host ? 0 : buffer_reserve_host(&g->c, g->c.capacity);
}

int gemm_set(struct work *work, const struct shape *shape)
{
    struct gemm *g = (struct gemm *)work;
    const size_t *axis = shape->axis;
    size_t k = work->alpha == 0 ? 0 : axis[GEMM_K];

    work->threads = shape->threads;
    work->blocks = shape->blocks;
    if (g->known && work->m == axis[GEMM_M] && work->n == axis[GEMM_N] && work->k == k)
        return 0;
    work->m = axis[GEMM_M];
    work->n = axis[GEMM_N];
    work->k = k;
    work->lda = axis[GEMM_K] + g->scalars.pad;
    work->ldb = axis[work->transposed ? GEMM_K : GEMM_N] + g->scalars.pad;
    work->ldc = axis[GEMM_N] + g->scalars.pad;
    return find_reference(g);
}

/* --- a run ---------------------------------------------------------------------------------------
 */

int gemm_prepare(struct work *work, const struct variant *variant)
{
    struct gemm *g = (struct gemm *)work;
    size_t c = work->m * work->ldc;
    int status = buffer_restore(&g->a, work->m * work->lda, false);

    (void)variant;
    if (status == 0)
        status = buffer_poison(&g->c, c);
    if (status == 0)
        status = buffer_poison(&g->partial, g->partial.capacity);
    if (status == 0 && g->scalars.beta != 0 && c > 0)
        status = device_check(cudaMemcpyAsync(g->c.device, g->before.device, c * g->c.bytes,
                                              cudaMemcpyDeviceToDevice, 0));
    return status;
}

struct elements {
    const struct gemm *g;
    double sign;
};

static void compare_elements(struct worst *w, const void *context, size_t begin, size_t end)
{
    const struct elements *e = (const struct elements *)context;
    const struct gemm *g = e->g;
    const float *c = (const float *)g->c.host;
    size_t n = g->work.n;

    for (size_t at = begin; at < end; at++)
        product_compare(w, &g->product, &g->terms[at], at, c[at / n * g->work.ldc + at % n],
                        e->sign);
}

/* All of C, and what lies between its rows. */
static int compare_whole(struct gemm *g, struct worst *worst, unsigned long long *between)
{
    const struct work *w = &g->work;
    struct elements e = {g, g->a.opposite ? -1.0 : 1.0};
    int status = buffer_download(&g->c, w->m * w->ldc);

    if (status != 0)
        return status;
    worst_on_host(worst, w->m * w->n, compare_elements, &e);
    for (size_t i = 0; i < w->m; i++) {
        for (size_t j = w->n; j < w->ldc; j++)
            *between += gemm_unlike((const unsigned *)g->c.host,
                                    g->scalars.beta != 0 ? (const unsigned *)g->before.host : NULL,
                                    i * w->ldc + j);
    }
    return 0;
}

/* The sample, then the rows. */
static int compare_check(struct gemm *g, struct worst *worst, struct worst *rows,
                         unsigned long long *between)
{
    struct comparison *c = &g->comparison;
    struct product p = c->turned ? product_turned(&g->product) : g->product;
    double sign = g->a.opposite ? -1 : 1;
    int status = gemm_compare(c);

    if (status != 0)
        return status;
    for (size_t s = 0; s < c->samples; s++)
        product_compare(worst, &g->product, &g->terms[s],
                        product_sample(&g->product, s, g->setting.seed), c->sampled[s], sign);
    for (size_t i = 0; i < p.m; i++)
        product_compare_row(rows, &p, &g->rows[i], i, c->sums[i], sign);
    *between = c->between;
    return 0;
}

/* What a run of this shape may leave: flags that are not 0 would mislead the next one. */
static int flags_left(const struct gemm *g, size_t *left)
{
    unsigned flags[1024];
    size_t count = g->flags.capacity < COUNT(flags) ? g->flags.capacity : COUNT(flags);
    int status = device_check(
        cudaMemcpy(flags, g->flags.device, count * sizeof(*flags), cudaMemcpyDeviceToHost));

    *left = 0;
    for (size_t i = 0; i < count && status == 0; i++)
        *left += flags[i] != 0;
    return status;
}

int gemm_verify(struct work *work, const struct variant *variant, struct result *result)
{
    struct gemm *g = (struct gemm *)work;
    struct worst worst = WORST_NONE, rows = WORST_NONE;
    unsigned long long between = 0;
    char where[96] = "";
    size_t left = 0, first = NO_ELEMENT, all;
    int status =
        whole(g) ? compare_whole(g, &worst, &between) : compare_check(g, &worst, &rows, &between);

    if (status == 0)
        status = flags_left(g, &left);
    *result = (struct result){
        .has_value =
            work->m > 0 && work->n > 0 && (worst.wrong || !(rows.wrong || between || left)),
        .value = worst.value,
        .reference = worst.reference,
        .error = worst.error, /* without elements 0, as the bound */
        .bound = worst.bound,
    };
    if (worst.wrong)
        first = worst.at / work->n * work->ldc + worst.at % work->n;
    if (worst.wrong)
        snprintf(where, sizeof(where), "%zu %s, first C[%zu][%zu]", worst.wrong,
                 whole(g) ? "elements" : "of the sample", worst.at / work->n, worst.at % work->n);
    else if (rows.wrong)
        snprintf(where, sizeof(where), "%zu sums of %s, first that of %zu", rows.wrong,
                 g->comparison.turned ? "columns" : "rows", rows.at);
    else if (between)
        snprintf(where, sizeof(where), "%llu elements between rows of C", between);
    else if (left)
        snprintf(where, sizeof(where), "%zu flags are not 0", left);
    all = worst.wrong + rows.wrong + between + left;
    return status == 0 ? buffer_verdict(&g->c, variant, work->m * work->ldc,
                                        (struct wrong){all, first, where}, result)
                       : status;
}

int gemm_settle(struct work *work, const struct variant *variant, struct result *result)
{
    struct gemm *g = (struct gemm *)work;
    int status = buffer_settle(&g->a, variant, result);

    return status == 0 ? buffer_settle(&g->b, variant, result) : status;
}

/* --- the family ----------------------------------------------------------------------------------
 */

/* A, B and C moved once. */
double gemm_bytes(const struct shape *s)
{
    double m = (double)s->axis[GEMM_M], n = (double)s->axis[GEMM_N], k = (double)s->axis[GEMM_K];

    return (double)s->type->bytes * (m * k + k * n) + sizeof(float) * m * n;
}

double gemm_flops(const struct shape *s)
{
    return 2.0 * (double)s->axis[GEMM_M] * (double)s->axis[GEMM_N] * (double)s->axis[GEMM_K];
}

int gemm_accept(const struct setting *setting, size_t axis[MAX_AXES], bool sized)
{
    struct scalars scalars;

    (void)axis;
    (void)sized;
    return scalars_parse(&scalars, setting);
}

#define SIDES "0 1 31 33 65"

const struct axis gemm_axes[GEMM_AXES] = {
    [GEMM_M] = {.name = "rows",
                .help = "A is M x K, B is K x N, C is M x N: 1024, 1000x3000x50",
                .cpu = 128,
                .cuda = 4096,
                .test = SIDES},
    [GEMM_N] = {.name = "cols", .cpu = 128, .cuda = 4096, .test = "0 2 32 33 66"},
    [GEMM_K] = {.name = "depth", .cpu = 128, .cuda = 4096, .test = "0 1 31 33 100"},
};

static const struct parameter parameters[] = {
    GEMM_SCALARS,
    [PAD] = {"pad", "N",
             "elements between the end of a row and the next one, of\n"
             "each matrix: leading dimensions of K+N, N+N, N+N (default 0)"},
    {NULL, NULL, NULL},
};

bool gemm_refuse(const struct shape *s, const struct variant *v, char *why, size_t room)
{
    size_t most = (size_t)1 << (v->rules & SLOW ? 36 : 40);

    if (!(v->rules & (SLOW | RATHER_SLOW)) || s->n <= most)
        return false;
    snprintf(why, room, "at most %zu multiply-adds, or it takes too long; got %zu", most, s->n);
    return true;
}

static const struct launches launches[] = {
    {LADDER | RECORD | CPU_ONLY, {"-n 512x1024x64"}},
    {LADDER | GPU_ONLY, {"-n 4096"}},
    {SWEEP | CPU_ONLY, {"--sweep 5:8 -r 3 -w 1"}},
    {SWEEP | GPU_ONLY, {"--sweep 7:13 -r 3 -w 1"}},
    {QUICK, {"-n 64 -r 3"}},
    {RECORD | GPU_ONLY,
     {"-n 4096 -r 15", /* the most runs: the size of the ladder */
      "--sweep 7:13 -r 7 -w 2", "-n 4097 -r 5", "-n 1025 -r 7", "-n 1100 -r 7",
      "-n 1x4096x4096 -r 5", "-n 4096x1x4096 -r 5", "-n 64x8192x8192 -r 5", "-n 8192x64x8192 -r 5",
      "-n 256x256x65536 -r 5", "-n 8192x8192x64 -r 5", "-n 8192x8192x100 -r 5",
      "-n 16384x16384x16 -r 5"}},
    {COUNTED, {"-n 256", "-n 67x129x35", "-n 256x512x64 -b 4", "-n 200x300x70 -b 1 --offset 1"}},
    {SANITIZED, {"-n 65x130x33", "-n 128x256x300", "-n 40x70x20 --pad 1 --offset 1 --beta 2"}},
    {MUTATED,
     {"-n 75x41x33 -t 64", "-n 64x64x64 -t 256", "-n 1x77x5 -t 32", "-n 33x1x40 -t 96",
      "-n 40x70x20 --pad 3 --offset 1 --beta 2 --alpha 0.5", "-n 5x5x0 --beta 3", "-n 257x261x36",
      "-n 128x256x64 --input exact", "-n 100x100x600"}},
    /* One less than whole tiles and stages; bands of 15 and of 16 tiles; a block of many tiles;
     * three parts of one tile. */
    {MUTATED,
     {"-n 75x66x33", "-n 127x256x64", "-n 128x255x64", "-n 1793x257x1", "-n 2048x1x1",
      "-n 130x257x31 -b 1", "-n 100x100x192 -b 3 --alpha 0.5 --beta 2"}},
    /* A factor without C; rows with padding, odd ones and such as are no multiple of 4, that fill
     * tiles and that do not; and what no sum shows: NaN and infinities. */
    {MUTATED,
     {"-n 40x72x20 --alpha 0.5", "-n 39x70x21 --pad 1",
      "-n 131x257x20 --pad 3 --alpha 0.5 --beta 2", "-n 128x254x64 --pad 2",
      "-n 67x70x33 --pad 3 --offset 1 --beta 1", "-n 31x37x41 --beta 1 --input hostile --seed 3",
      "-n 64x64x64 --input hostile --seed 1"}},
    {CHECKED, {"-n 33x65x17", "-n 128x256x70", "-n 0x5x3", "-n 5x7x0 --beta 2"}},
    {TESTED, {"-n 33x65x31 --alpha 0.5 --beta -2 --pad 3 --offset 1"}},
    {TESTED | CPU_ONLY,
     {"-n 65x33x100 --alpha 0 --beta 0.5 --input hostile --seed 1",
      "-n 64x64x64 --beta 0 --input hostile --seed 3",
      "-n 31x37x41 --beta 1 --input hostile --seed 3"}},
    {TESTED,
     {"-n 50x60x70 --input hostile --seed 1", "-n 50x60x70 --input hostile --seed 2 --pad 5"}},
    {TESTED | CPU_ONLY,
     {"-n 50x60x70 --input hostile --seed 4 --beta 1", "-n 5x7x0 --beta 2", "-n 5x7x3 --alpha 0",
      "-n 130x257x70", "-n 129x100x600 --input exact"}},
    /* More than is compared whole: on the CPU device, and on a GPU. */
    {TESTED | CPU_ONLY,
     {"-n 270x250x20 --input exact --beta 2 --pad 1", "-n 240x280x30 --beta 2 --offset 3",
      "-n 257x300x35 --input ones"}},
    {TESTED | GPU_ONLY,
     {"-n 2100x2100x300 --input exact --beta 2 --pad 1", "-n 3000x1500x77 --offset 3",
      "-n 1500x3001x64 --input ones", "-n 32768x32768x9 --input exact",
      "-n 1024x1024x1024 --input exact"}},
    {0},
};

/* The tiles of all variants divide these. */
static const struct family_estimate estimate = {
    .product_tile = {[GEMM_M] = 256, [GEMM_N] = 256, [GEMM_K] = 64}};

const struct family gemm_family = {
    .name = "gemm",
    .title = "Matrix product",
    .axes = gemm_axes,
    .axis_count = GEMM_AXES,
    .parameters = parameters,
    .options = OPTION_OFFSET | OPTION_INPUT | OPTION_BLOCKS,
    .inputs = input_names,
    .element = "multiply-add",
    .measure = MEASURE_FLOPS,
    .charts = "ladder rate roofline",
    .test = {"1 32 33 96 100 128 256 1024", "1 3 16", "0 1 2 3"},
    .launches = launches,
    .most = (size_t)1 << 45,
    .estimate = &estimate,
    .accept = gemm_accept,
    .default_shape = gemm_default_shape,
    .refuse = gemm_refuse,
    .work = GEMM_WORK,
    .bytes = gemm_bytes,
    .flops = gemm_flops,
};
