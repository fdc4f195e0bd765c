#include "families/gemm/gemm_product.h"

#include <assert.h>
#include <string.h>

#include "harness/kit/input.h"
#include "harness/kit/number.h"
#include "harness/kit/parallel.h"

#define ROUNDOFF (1 / 16777216.)               /* of a float: 2^-24 */
#define DOUBLE_ROUNDOFF 1.1102230246251565e-16 /* 2^-53 */
#define LEAST_FLOAT 1.401298464324817e-45      /* 2^-149 */
#define SAMPLED ((size_t)1 << 27)              /* multiply-adds of the sample */
#define ROW_WEIGHT 4096   /* elements that a row stands for in the host's loops */
#define SAMPLE_WEIGHT 256 /* and an element of the sample: so many of a chunk share B's lines */
#define AT_ONCE 16        /* rows of B, or columns, that all of a chunk takes before the next */

static_assert(PARALLEL_CHUNK % ROW_WEIGHT + PARALLEL_CHUNK % SAMPLE_WEIGHT == 0, "whole rows");

bool product_whole(size_t m, size_t n, size_t k)
{
    size_t c = multiply_or_max(m, n);

    return c <= PRODUCT_WHOLE_C && multiply_or_max(c, k) <= PRODUCT_WHOLE;
}

static struct plane turned(struct plane p)
{
    return (struct plane){p.at, p.across, p.down};
}

struct product product_turned(const struct product *p)
{
    struct product t = *p;

    t.a = turned(p->b);
    t.b = turned(p->a);
    t.c = turned(p->c);
    t.m = p->n;
    t.n = p->m;
    return t;
}

static double at(const struct plane *p, size_t i, size_t j)
{
    return p->at[i * p->down + j * p->across];
}

/* --- all of C --------------------------------------------------------------------------------- */

struct terms {
    struct term *terms;
    const struct product *p;
    uint64_t seed;
};

/* Along the rows of B, which lie together. */
static void add_row(struct term *row, const struct product *p, size_t i)
{
    memset(row, 0, p->n * sizeof(*row));
    for (size_t l = 0; l < p->k; l++) {
        double a = at(&p->a, i, l);

        for (size_t j = 0; j < p->n; j++) {
            double product = a * at(&p->b, l, j);

            row[j].sum += product;
            row[j].magnitude += fabs(product);
        }
    }
}

static void terms_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
    struct terms *t = (struct terms *)context;

    (void)chunk;
    for (size_t i = begin / ROW_WEIGHT; i < end / ROW_WEIGHT; i++)
        add_row(t->terms + i * t->p->n, t->p, i);
}

void product_terms(struct term *terms, const struct product *p)
{
    struct terms t = {terms, p, 0};

    parallel_for(p->m * ROW_WEIGHT, terms_chunk, &t);
}

/* --- a sample --------------------------------------------------------------------------------- */

size_t product_samples(const struct product *p)
{
    size_t most = SAMPLED / (p->k + 1), all = p->m * p->n;

    if (most > PRODUCT_SAMPLES)
        most = PRODUCT_SAMPLES;
    return most < all ? most : all;
}

size_t product_sample(const struct product *p, size_t sample, uint64_t seed)
{
    size_t count = product_samples(p), part = p->m * p->n / count;
    size_t rest = p->m * p->n % count; /* the first parts have one more */
    size_t first = sample * part + (sample < rest ? sample : rest);

    return first + input_bits(seed ^ 0x5a, sample) % (part + (sample < rest));
}

/* The next rows of B, from this one on, for an element of C. */
static void add_steps(struct term *term, const struct product *p, size_t place, size_t first)
{
    size_t i = place / p->n, j = place % p->n;

    for (size_t l = first; l < p->k && l < first + AT_ONCE; l++) {
        double product = at(&p->a, i, l) * at(&p->b, l, j);

        term->sum += product;
        term->magnitude += fabs(product);
    }
}

/* A few rows of B for all samples, then the next few: these have lines and pages in common. */
static void sample_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
    struct terms *t = (struct terms *)context;
    struct term *terms = t->terms + begin / SAMPLE_WEIGHT;
    size_t places[PARALLEL_CHUNK / SAMPLE_WEIGHT], count = (end - begin) / SAMPLE_WEIGHT;

    (void)chunk;
    memset(terms, 0, count * sizeof(*terms));
    for (size_t s = 0; s < count; s++)
        places[s] = product_sample(t->p, begin / SAMPLE_WEIGHT + s, t->seed);
    for (size_t l = 0; l < t->p->k; l += AT_ONCE)
        for (size_t s = 0; s < count; s++)
            add_steps(&terms[s], t->p, places[s], l);
}

void product_sampled(struct term *terms, const struct product *p, uint64_t seed)
{
    struct terms t = {terms, p, seed};

    parallel_for(product_samples(p) * SAMPLE_WEIGHT, sample_chunk, &t);
}

/* --- Freivalds' check ------------------------------------------------------------------------- */

unsigned char product_signs(uint64_t seed, size_t j)
{
    return (unsigned char)(input_bits(seed ^ 0xf5e1, j) >> 32) & ((1 << PRODUCT_CHECKS) - 1);
}

struct rows {
    struct row *rows, *scratch;
    const struct product *p;
    const unsigned char *signs;
};

static const double sign_of[] = {1, -1}; /* looked up: the processor cannot guess a random branch */

/* The next elements of a matrix's row, from this one on, times the vectors. */
static void times_signs(double sum[PRODUCT_CHECKS], double *magnitude, const struct plane *p,
                        size_t i, size_t n, size_t first, const unsigned char *signs)
{
    for (size_t j = first; j < n && j < first + AT_ONCE; j++) {
        double x = at(p, i, j);

        *magnitude += fabs(x);
        for (int r = 0; r < PRODUCT_CHECKS; r++)
            sum[r] += x * sign_of[signs[j] >> r & 1];
    }
}

/* B x, into scratch: a few columns for all rows, then the next few, whichever lie together. */
static void first_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
    struct rows *w = (struct rows *)context;
    size_t n = w->p->n, first = begin / ROW_WEIGHT, behind = end / ROW_WEIGHT;

    (void)chunk;
    memset(w->scratch + first, 0, (behind - first) * sizeof(*w->scratch));
    for (size_t j = 0; j < n; j += AT_ONCE)
        for (size_t l = first; l < behind; l++)
            times_signs(w->scratch[l].sum, &w->scratch[l].magnitude, &w->p->b, l, n, j, w->signs);
}

/* A (B x), and C0 x, in the same way. */
static void second_chunk(void *context, size_t chunk, size_t begin, size_t end)
{
    struct rows *w = (struct rows *)context;
    const struct product *p = w->p;
    size_t top = begin / ROW_WEIGHT, behind = end / ROW_WEIGHT;

    (void)chunk;
    memset(w->rows + top, 0, (behind - top) * sizeof(*w->rows));
    for (size_t first = 0; first < p->k; first += AT_ONCE)
        for (size_t i = top; i < behind; i++)
            for (size_t l = first; l < p->k && l < first + AT_ONCE; l++) {
                double a = at(&p->a, i, l);

                w->rows[i].magnitude += fabs(a) * w->scratch[l].magnitude;
                for (int r = 0; r < PRODUCT_CHECKS; r++)
                    w->rows[i].sum[r] += a * w->scratch[l].sum[r];
            }
    for (size_t j = 0; p->beta != 0 && j < p->n; j += AT_ONCE)
        for (size_t i = top; i < behind; i++)
            times_signs(w->rows[i].c, &w->rows[i].c_magnitude, &p->c, i, p->n, j, w->signs);
}

void product_rows(struct row *rows, struct row *scratch, const struct product *p,
                  const unsigned char *signs)
{
    struct rows w = {rows, scratch, p, signs};

    parallel_for(p->k * ROW_WEIGHT, first_chunk, &w);
    parallel_for(p->m * ROW_WEIGHT, second_chunk, &w);
}

/* --- comparisons ------------------------------------------------------------------------------ */

/* Of so many elements at once, whose magnitudes sum to this. */
static double bound_of(const struct product *p, double magnitude, double elements)
{
    double d = (double)p->k + 2, rounded = p->tensor ? 3 : d;
    double gamma =
        rounded * ROUNDOFF < 1 ? rounded * ROUNDOFF / (1 - rounded * ROUNDOFF) : INFINITY;
    double lost = elements * (((double)p->k + 1) * fabs(p->alpha) + 2) * LEAST_FLOAT;

    if (p->exact)
        return 0;
    if (p->tensor) /* and then three roundings at most: by alpha, by beta, of the sum */
        gamma += (1 + gamma) * tensor_bound(p->k, 1);
    return (gamma + 2 * (d + elements) * DOUBLE_ROUNDOFF) * magnitude + lost;
}

/* One more comparison: of two numbers, or of what is no number. */
static void compare(struct worst *w, size_t place, double found, double wanted, double bound,
                    bool missing)
{
    double error = fabs(found - wanted), part = bound > 0 ? error / bound : 0;
    bool good = !missing && error <= bound; /* false for NaN */

    if (!isfinite(wanted)) {
        good = !missing && (isnan(wanted) ? isnan(found) : found == wanted);
        error = bound = NAN;
        part = 0;
    }
    if (!good && w->wrong++ > 0)
        return;
    if (good && (w->wrong > 0 || part < w->part))
        return;
    w->at = place;
    w->part = part;
    w->value = isnan(found) ? NAN : found; /* a NaN's sign says nothing */
    w->reference = wanted;
    w->error = error;
    w->bound = bound;
}

void product_compare(struct worst *w, const struct product *p, const struct term *t, size_t place,
                     float found, double sign)
{
    double wanted = p->k > 0 ? sign * p->alpha * t->sum : 0,
           magnitude = fabs(p->alpha) * t->magnitude;

    if (p->beta != 0) {
        double c = p->beta * at(&p->c, place / p->n, place % p->n);

        wanted += c;
        magnitude += fabs(c);
    }
    compare(w, place, found, wanted, bound_of(p, magnitude, 1), is_poison(found));
}

void product_compare_row(struct worst *w, const struct product *p, const struct row *row, size_t i,
                         const double found[PRODUCT_CHECKS], double sign)
{
    double magnitude = fabs(p->alpha) * row->magnitude + fabs(p->beta) * row->c_magnitude;
    double bound = bound_of(p, magnitude, (double)p->n);

    for (int r = 0; r < PRODUCT_CHECKS; r++) {
        double wanted = p->k > 0 ? sign * p->alpha * row->sum[r] : 0;

        compare(w, i, found[r], p->beta != 0 ? wanted + p->beta * row->c[r] : wanted, bound, false);
    }
}
